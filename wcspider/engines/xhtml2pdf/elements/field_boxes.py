"""Fields, laid out like images and shown by widget annotations (ISO 32000-1, 12.5.6.19).

The contents of a field are in the appearance of its annotation. A reader replaces it when the user fills in the field.
A button never changes, so it is drawn on the page, and the appearance of its annotation is empty.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from reportlab.lib.colors import Color, HexColor, black, white
from reportlab.pdfbase import pdfdoc

from wcspider.engines.base import SMALLEST_TEXT
from wcspider.engines.document import controls
from wcspider.engines.fields import FIELD, OPTION, Field, FieldKind
from wcspider.engines.text.runs import Runs
from wcspider.engines.text.single_line import LineSetter, folded
from wcspider.engines.text.text_objects import ShapedCanvas
from wcspider.engines.xhtml2pdf.source.prepared_page import ShownControl

SIZE = 10.0
"""The size of the text in fields, in points."""

LINE = 1.25 * SIZE
EDGE = 3.0
"""The distance between the border of a field and its text, in points."""

CAPITAL = 0.67
"""The approximate width of a capital letter, as a fraction of the font size. Digits are narrower."""

COLUMN = 0.52
"""The approximate width of an average letter, as a fraction of the font size."""

HIGHEST = 0.8
"""The largest height of a box, as a fraction of the height of a page."""

_GREY, _FACE, _CHOSEN, _FAINT = Color(0.46, 0.46, 0.46), HexColor("#efefef"), HexColor("#b9d1ea"), HexColor("#757575")
_MARKS = {
    FieldKind.CHECKBOX: ("\N{BALLOT BOX}", "\N{BALLOT BOX WITH CHECK}"),
    FieldKind.RADIO: ("\N{WHITE CIRCLE}", "\N{FISHEYE}"),
}
"""The signs for check boxes and radio buttons, off and on."""


class FieldBox:
    """A field with the interface of an image."""

    def __init__(
        self, shown: ShownControl, field: Field, runs: Runs, room: float, height: float,
        picture: Any = None, picture_size: tuple[float, float] | None = None,
    ) -> None:  # fmt: skip
        self.control, self.field, self.picture = shown.control, field, picture
        self._setter = LineSetter(runs, SIZE)
        self._is_empty = field.kind is FieldKind.TEXT and not field.value
        most = max(room - 2 * EDGE, SIZE)
        texts = list(_texts(field, shown.placeholder))
        self._lines = [(line, chosen) for text, chosen in texts for line in self._broken(text, most)]
        if field.kind is not FieldKind.BUTTON:
            self._lines = self._lines[: max(int((height * HIGHEST - 2 * EDGE) / LINE), 1)]
        self.size = picture_size or self._size(most, height)
        """The width and the height, in points."""

        is_line = picture is None and len(self._lines) < 2 and self.control.rows == 1
        self.valign: float | str = SIZE - LINE - EDGE if is_line else "bottom"
        """The place of the box in its line: its text stands on the baseline."""

    def _size(self, most: float, height: float) -> tuple[float, float]:
        if self.control.kind in _MARKS:
            return SIZE, SIZE
        widest = max((self._setter.width(line) for line, _ in self._lines), default=0.0)
        columns = self.control.columns * SIZE * (CAPITAL if self.control.is_sized else COLUMN)
        rows = max(self.control.rows, len(self._lines), 1)
        return (
            min(max(widest, columns, SIZE), most) + 2 * EDGE,
            min(rows * LINE, max(height * HIGHEST, len(self._lines) * LINE)) + 2 * EDGE,
        )

    def _broken(self, text: str, most: float) -> Iterator[str]:
        """Yield the lines of a text, broken at spaces, or inside a word that is longer than a line."""
        line = ""
        for word in text.split(" "):
            whole = f"{line} {word}" if line else word
            while self._setter.width(whole) > most:
                if line:
                    yield line
                    whole, line = word, ""
                else:
                    fitting = max(bisect(range(1, len(whole)), most, key=lambda n: self._setter.width(whole[:n])), 1)
                    yield whole[:fitting]
                    whole = whole[fitting:]
            line = whole
        yield line

    def draw_on(self, canvas: Any, x: float, y: float, width: float, height: float) -> None:
        """Draw the field into its appearance, or a button on the page, and add the annotation."""
        canvas.saveState()
        canvas.translate(x, y)
        canvas.scale(width / self.size[0], height / self.size[1])
        width, height = self.size
        kind = self.control.kind
        if kind in _MARKS:
            marks = zip(("Off", "On"), _MARKS[kind], strict=True)
            states = {
                name: canvas.appearance(width, height, partial(self._setter.draw, canvas, 0, 0.15 * SIZE, mark))
                for name, mark in marks
            }
            normal: Any = pdfdoc.PDFDictionary(states)
        elif kind is FieldKind.BUTTON:
            if self.picture is not None:
                canvas.drawImage(self.picture, 0, 0, width, height)
            else:
                self._draw_box(canvas, width, height)
            normal = canvas.appearance(width, height, lambda: None)
        else:
            normal = canvas.appearance(width, height, lambda: self._draw_box(canvas, width, height))
        canvas.add_widget(self.control.field, self.control.option, width, height, normal, **self._looks(canvas))
        canvas.restoreState()

    def _looks(self, canvas: Any) -> dict[str, Any]:
        """Return the entries that readers need to draw a field after it was filled in (12.5.6.19, 12.7.3.3)."""
        if self.control.kind not in (FieldKind.TEXT, FieldKind.CHOICE):
            return {}
        size = max(SIZE * canvas.scale_factor, SMALLEST_TEXT)
        colors = {"BG": pdfdoc.PDFArray([1, 1, 1]), "BC": pdfdoc.PDFArray([round(part, 3) for part in _GREY.rgb()])}
        return {"DA": pdfdoc.PDFString(f"/Helv {size:.3g} Tf 0 0 0 rg", escape=1), "MK": pdfdoc.PDFDictionary(colors)}

    def _draw_box(self, canvas: Any, width: float, height: float) -> None:
        """Draw the box with its text."""
        canvas.setStrokeColor(_GREY)
        canvas.setFillColor(_FACE if self.control.kind is FieldKind.BUTTON else white)
        canvas.setLineWidth(0.75)
        canvas.rect(0.4, 0.4, width - 0.8, height - 0.8, stroke=1, fill=1)
        top = height - EDGE
        for line, is_chosen in self._lines:
            if is_chosen and self.field.is_list:
                canvas.setFillColor(_CHOSEN)
                canvas.rect(1, top - LINE, width - 2, LINE, stroke=0, fill=1)
            canvas.setFillColor(_FAINT if self._is_empty else black)
            self._setter.draw(canvas, EDGE, top - SIZE, line)
            top -= LINE


class FieldCanvas(ShapedCanvas):
    """A canvas that can show fields."""

    _appearances = 0

    def appearance(self, width: float, height: float, draw: Callable[[], None]) -> Any:
        """Draw an appearance into a form XObject and return a reference to it (12.5.5)."""
        self._appearances += 1
        name = f"appearance{self._appearances}"
        self.beginForm(name, 0, 0, round(width, 2), round(height, 2))
        draw()
        self.endForm()
        return pdfdoc.PDFObjectReference(pdfdoc.xObjectName(name))

    def add_widget(self, field: int, option: int, width: float, height: float, normal: Any, **entries: Any) -> None:
        """Add a widget annotation for a field to the page; its lower left corner is the origin."""
        left, bottom = self.absolutePosition(0, 0)
        right, top = self.absolutePosition(width, height)
        rectangle = [round(edge, 2) for edge in (left, bottom, right, top)]
        self._addAnnotation(
            pdfdoc.PDFDictionary(
                {
                    "Type": pdfdoc.PDFName("Annot"),
                    "Subtype": pdfdoc.PDFName("Widget"),
                    "Rect": pdfdoc.PDFArray(rectangle),
                    "F": 4,
                    "AP": pdfdoc.PDFDictionary({"N": normal}),
                    FIELD: field,
                    OPTION: option,
                    **entries,
                }
            )
        )


def _texts(field: Field, placeholder: str) -> Iterator[tuple[str, bool]]:
    """Yield the texts that a field shows; True for selected options."""
    if field.kind is FieldKind.CHOICE:
        for option in controls.shown_options(field)[: None if field.is_list else 1]:
            yield folded(option.label), option.is_chosen
    elif field.kind not in _MARKS:
        text = field.value or (placeholder if field.kind is FieldKind.TEXT else "")
        for line in text[: controls.SHOWN_TEXT].splitlines():
            yield folded(line), False
