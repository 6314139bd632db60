"""Fields, laid out like images and shown by widget annotations (ISO 32000-1, 12.5.6.19).

The contents of a field are in the appearance of its annotation. A reader replaces it when the user fills in the field.
A button never changes, so it is drawn on the page, and the appearance of its annotation is empty.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from reportlab.lib.colors import Color, HexColor, white
from reportlab.pdfbase import pdfdoc

from wcspider.engines.base import SMALLEST_TEXT
from wcspider.engines.document import controls
from wcspider.engines.document.forms import Control
from wcspider.engines.fields import Field, FieldKind
from wcspider.engines.text.fonts import SANS
from wcspider.engines.text.runs import Runs
from wcspider.engines.text.single_line import LineSetter, folded
from wcspider.engines.xhtml2pdf.inline_fragments import Look
from wcspider.engines.xhtml2pdf.page_images import PictureBox
from wcspider.engines.xhtml2pdf.paragraphs import Block, FlowParagraph

SIZE = 10.0
"""The size of the text in fields, in points."""

LINE = 1.25 * SIZE
EDGE = 3.0
"""The distance between the border of a field and its text, in points."""

ROOM = 110.0
"""The smallest width of a text field, in points."""

ROWS = 3
"""The smallest number of lines of a text field that can have several."""

HIGHEST = 0.8
"""The largest height of a box, as a fraction of the height of a page."""

_GREY, _FACE = Color(0.46, 0.46, 0.46), HexColor("#efefef")
_MARKS = {
    FieldKind.CHECKBOX: ("\N{BALLOT BOX}", "\N{BALLOT BOX WITH CHECK}"),
    FieldKind.RADIO: ("\N{WHITE CIRCLE}", "\N{FISHEYE}"),
}
"""The signs for check boxes and radio buttons, off and on."""


class FieldBox:
    """A field in a line of text."""

    def __init__(
        self, control: Control, field: Field, runs: Runs, room: tuple[float, float], picture: PictureBox | None = None
    ) -> None:
        """`room` is the width and the height that the box may have; a button may be higher."""
        self.control, self._picture, self._marks = control, picture, LineSetter(runs, SIZE)
        most, height = max(room[0] - 2 * EDGE, SIZE), room[1] * HIGHEST
        self._text = FlowParagraph(_frags(field, runs), Block(most))
        if field.kind is not FieldKind.BUTTON:
            self._text = next(iter(self._text.split(most, height - 2 * EDGE)), self._text)
        _, self._text_height = self._text.wrap(most, height)
        if picture is not None:
            self.size = picture.size
        elif control.kind in _MARKS:
            self.size = SIZE, SIZE
        else:
            width = max(self._text.text_width, ROOM if field.kind is FieldKind.TEXT else SIZE)
            lines = max(self._text_height, LINE * (ROWS if field.is_multiline else 1))
            self.size = min(width, most) + 2 * EDGE, lines + 2 * EDGE
        is_line = picture is None and self.size[1] < 1.5 * LINE + 2 * EDGE
        self.bottom = SIZE - LINE - EDGE if is_line else 0.0
        """The place of its lower edge in a line of text: its own text stands on the baseline."""

    def drawOn(self, canvas: Any, x: float, y: float) -> None:  # noqa: N802
        """Draw the field into its appearance, or a button on the page, and add the annotation."""
        canvas.saveState()
        canvas.translate(x, y)
        kind = self.control.kind
        if kind in _MARKS:
            states = {}
            for name, sign in zip(("Off", "On"), _MARKS[kind], strict=True):
                draw = partial(self._marks.draw, canvas, 0, 0.15 * SIZE, sign)
                states[name] = canvas.appearance(*self.size, draw)
            normal: Any = pdfdoc.PDFDictionary(states)
        elif kind is FieldKind.BUTTON:
            self._draw(canvas)
            normal = canvas.appearance(*self.size, lambda: None)
        else:
            normal = canvas.appearance(*self.size, partial(self._draw, canvas))
        canvas.add_widget(self.control.field, self.control.option, *self.size, normal, **self._looks(canvas))
        canvas.restoreState()

    def _draw(self, canvas: Any) -> None:
        """Draw the image of the field, or a box with its text."""
        if self._picture is not None:
            self._picture.drawOn(canvas, 0, 0)
            return
        width, height = self.size
        canvas.setStrokeColor(_GREY)
        canvas.setFillColor(_FACE if self.control.kind is FieldKind.BUTTON else white)
        canvas.setLineWidth(0.75)
        canvas.rect(0.4, 0.4, width - 0.8, height - 0.8, stroke=1, fill=1)
        self._text.drawOn(canvas, EDGE, height - EDGE - self._text_height)

    def _looks(self, canvas: Any) -> dict[str, Any]:
        """Return the entries that readers need to draw a field after it was filled in (12.5.6.19, 12.7.3.3)."""
        if self.control.kind not in (FieldKind.TEXT, FieldKind.CHOICE):
            return {}
        size = max(canvas.absolutePosition(SIZE, 0)[0] - canvas.absolutePosition(0, 0)[0], SMALLEST_TEXT)
        colors = {"BG": pdfdoc.PDFArray([1, 1, 1]), "BC": pdfdoc.PDFArray([round(part, 3) for part in _GREY.rgb()])}
        return {"DA": pdfdoc.PDFString(f"/Helv {size:.3g} Tf 0 0 0 rg", escape=1), "MK": pdfdoc.PDFDictionary(colors)}


def _frags(field: Field, runs: Runs) -> list[Any]:
    """Return the text that a field shows. The chosen options of a list are bold."""
    if field.kind is FieldKind.CHOICE:
        lines = [(option.label, option.is_chosen and field.is_list) for option in controls.shown_options(field)]
    elif field.kind in _MARKS:
        lines = []
    else:
        lines = [(line, False) for line in field.value[: controls.SHOWN_TEXT].splitlines()]
    frags: list[Any] = []
    for text, is_bold in lines:
        look = Look(SANS, SIZE, bold=is_bold)
        frags += [look.line_break()] if frags else []
        frags += look.text(folded(text), runs)
    return frags
