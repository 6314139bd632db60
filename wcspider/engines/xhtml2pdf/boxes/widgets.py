"""Fields as they are laid out and drawn: a box in the line, and an annotation over it (12.5.6.19).

What a field holds is drawn into the appearance of the annotation, so that whoever fills the field in replaces it. A
button never changes: it is drawn on the page, and its annotation shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from xml.dom.minidom import Element

from reportlab.lib.colors import Color, black, white
from reportlab.pdfbase import pdfdoc
from xhtml2pdf.builders.flex import LARGE, InlineBox, InlineBoxData, content_widths, inline_box_frag
from xhtml2pdf.util import CSSLength, getLengthOrAuto

from wcspider.engines.base import SMALLEST_TEXT
from wcspider.engines.document.forms import Control
from wcspider.engines.fields import FIELD, OPTION, FieldKind
from wcspider.engines.text.text_objects import ShapedCanvas

CONTROL = "wcspider-control"
"""The attribute of an element that shows a field: the number of its `Control`."""

DISPLAY = "-wcspider-display"
"""The property that has the value of display which the styles of a field gave it."""

COLUMN = 0.52
"""About how wide a character is, in parts of the font size."""

CAPITAL = 0.67
"""About how wide a capital letter is, and more than a digit."""

LINE = 1.25
SLACK = 0.5
"""What a box is wider than its text, in points, so that rounding breaks no line."""

BLEED = 0.5
"""How far the border of a box may stand out of it, in points."""

LARGEST_TEXT = 24.0
HIGHEST = 0.9
"""How high a box may be, in parts of the height of a page: a paragraph that is higher has no place."""

LARGEST_TOGGLE = 72.0
WHOLE = 95
"""From which share of the width on, in percent, a box has a line of its own."""

_TOGGLES = (FieldKind.CHECKBOX, FieldKind.RADIO)


class FieldCanvas(ShapedCanvas):
    """A canvas on which fields can be put."""

    _appearances = 0

    def appearance(self, width: float, height: float, draw: Callable[[], None]) -> Any:
        """Have an appearance drawn, and return the form XObject that it is (12.5.5)."""
        self._appearances += 1
        name = f"appearance{self._appearances}"
        self.beginForm(name, 0, 0, round(width, 2), round(height, 2))
        draw()
        self.endForm()
        return pdfdoc.PDFObjectReference(pdfdoc.xObjectName(name))

    def add_widget(self, control: Control, width: float, height: float, normal: Any, **entries: Any) -> None:
        """Put an annotation for a field on the page, from the origin on."""
        left, bottom = self.absolutePosition(0, 0)
        right, top = self.absolutePosition(width, height)
        rectangle = [
            round(edge, 2) for edge in (min(left, right), min(bottom, top), max(left, right), max(bottom, top))
        ]
        self._addAnnotation(
            pdfdoc.PDFDictionary(
                {
                    "Type": pdfdoc.PDFName("Annot"),
                    "Subtype": pdfdoc.PDFName("Widget"),
                    "Rect": pdfdoc.PDFArray(rectangle),
                    "F": 4,
                    "AP": pdfdoc.PDFDictionary({"N": normal}),
                    FIELD: control.field,
                    OPTION: control.option,
                    **entries,
                }
            )
        )


class ControlBoxData(InlineBoxData):  # type: ignore[misc]
    """What the parser sets aside while it collects an inline block: one that shows a field becomes a box of ours."""

    def __init__(self, context: Any, frag: Any, styles: Any) -> None:
        self.control = control_of(context)
        self.size, self.color = frag.fontSize, frag.textColor or black
        super().__init__(context, frag, styles)
        context.inline_boxes += 1
        if self.control is not None:
            frag.link = None  # what a field holds is drawn into an appearance, which has no annotations
        # The bullet of a list item stands before the field, not in it.
        self.bullet, context.pendingBullet = context.pendingBullet, None
        for name in ("width", "height"):
            if name in styles:  # xhtml2pdf has no number of em for it
                setattr(self, name, getLengthOrAuto(styles[name], self.size))
        inline = str(styles.get(DISPLAY, "inline")).startswith("inline")
        self.is_alone = not inline or (self.width.kind == "percent" and self.width.value >= WHOLE)

    def close(self, context: Any) -> Any:
        """Put the box into the line."""
        context.inline_boxes -= 1
        if self.control is None:
            box = super().close(context)
            context.pendingBullet = self.bullet
            # The space behind the box is no space at the beginning of the paragraph.
            context.fragStrip = context.fragStrip and box is None
            return box
        context.addPara()
        context.pendingBullet = self.bullet
        content = context.swapStory(self._outer_story)
        for name, value in self._saved.items():
            setattr(context, name, value)
        if self.is_alone:
            context.addPara()
        left, right, top, bottom = self.margins
        box = ControlBox(
            self.control, self.size, self.color, content, self.style, context.height * HIGHEST,
            width=self.width, height=self.height,
            margin_left=left, margin_right=right, margin_top=top, margin_bottom=bottom,
        )  # fmt: skip
        box.wrapOn(None, LARGE, LARGE)
        context.fragList.append(inline_box_frag(context.frag, box, self.valign))
        context.force = True
        # The space behind the box is no space at the beginning of the paragraph.
        context.fragStrip = False
        if self.is_alone:
            context.addPara()
        return box


def control_of(context: Any) -> Control | None:
    """Return the form control of the current element."""
    node = context.node
    number = node.getAttribute(CONTROL) if isinstance(node, Element) else ""
    controls: Sequence[Control] = getattr(context, "controls", ())
    return controls[int(number)] if number else None


class ControlBox(InlineBox):  # type: ignore[misc]
    """An inline block that shows a field."""

    css_width: CSSLength
    css_height: CSSLength
    _cache_key: tuple[float, int, int] | None
    _box_width: float
    _box_height: float

    def __init__(
        self, control: Control, size: float, color: Any, content: Any, style: Any, highest: float, **lengths: Any
    ) -> None:
        super().__init__(content, style, **lengths)
        self.control, self.text_size, self.text_color = control, size, color
        if control.kind is not FieldKind.BUTTON and not self.css_width.is_definite:
            columns = control.columns * (CAPITAL if control.is_sized else COLUMN) + (1 if control.has_arrow else 0)
            self.css_width = CSSLength("length", (columns if control.columns else 1) * size)
        self._needed = self._width_of_value()
        if control.kind is not FieldKind.BUTTON and not self.css_height.is_definite:
            self.css_height = CSSLength("length", control.rows * LINE * size)
        if (self.css_height.resolve(None) or 0) > highest:
            self.css_height = CSSLength("length", highest)

    def _width_of_value(self) -> float:
        """How wide the box is to be at least, so that what it holds is seen; 0 where that is broken into lines."""
        is_line = self.control.rows == 1 or self.control.kind is FieldKind.CHOICE
        if self.control.kind not in (FieldKind.TEXT, FieldKind.CHOICE) or not is_line:
            return 0.0
        arrow = self.text_size if self.control.has_arrow else 0.0
        return float(content_widths(self.content, None)[1]) + SLACK + arrow

    def _wrap_widened(self, width: float, height: float) -> Any:
        """Return the size within the available room; the box is at least as wide as its text."""
        own = self.css_width
        if self.text_size <= (own.resolve(width) or 0.0) < self._needed:
            self.css_width = CSSLength("length", self._needed)
        size = super().wrap(width, height)
        self.css_width = own
        return size

    def wrap(self, width: float, height: float) -> Any:
        """Return the size; a check box is always a square."""
        if self.control.kind not in _TOGGLES:
            size = self._wrap_widened(width, height)
            if self.control.kind is not FieldKind.BUTTON:
                # The same for a box that is empty as for one with a text in it.
                room = self._box_height - self.text_size
                self.last_baseline = (
                    self.margins[3] + room / 2 + 0.2 * self.text_size if self.control.rows == 1 else None
                )
            return size
        left, right, top, bottom = self.margins
        self._cache_key = (0.0, 0, 0)
        side = min(self.css_width.resolve(None) or self.text_size, LARGEST_TOGGLE)
        self._box_width = self._box_height = max(side, 4)
        self.width, self.height = self._box_width + left + right, self._box_height + top + bottom
        return self.width, self.height

    def draw(self) -> None:
        """Draw the field into its appearances, or a button on the page, and put the annotation over it."""
        left, _, _, bottom = self.margins
        width, height = self._box_width, self._box_height
        canvas = self.canv
        canvas.saveState()
        if self.control.kind is FieldKind.BUTTON:
            super().draw()
        elif self.control.kind not in _TOGGLES:
            left, bottom, width, height = left - BLEED, bottom - BLEED, width + 2 * BLEED, height + 2 * BLEED
        canvas.translate(left, bottom)
        if self.control.kind in _TOGGLES:
            states = {
                "Off": canvas.appearance(width, height, lambda: self._draw_toggle(is_on=False)),
                "On": canvas.appearance(width, height, lambda: self._draw_toggle(is_on=True)),
            }
            normal: Any = pdfdoc.PDFDictionary(states)
        elif self.control.kind is FieldKind.BUTTON:
            normal = canvas.appearance(width, height, lambda: None)
        else:
            normal = canvas.appearance(width, height, self._draw_box)
        canvas.add_widget(self.control, width, height, normal, **self._looks())
        canvas.restoreState()

    def _looks(self) -> dict[str, Any]:
        """Return the entries with which a reader draws the field when it is filled in (12.5.6.19, 12.7.3.3)."""
        if self.control.kind not in (FieldKind.TEXT, FieldKind.CHOICE):
            return {}
        size = min(max(self.text_size * self.canv.scale_factor, SMALLEST_TEXT), LARGEST_TEXT)
        color = " ".join(f"{part:.3g}" for part in _rgb(self.text_color))
        characteristics = {
            key: pdfdoc.PDFArray([round(part, 3) for part in _rgb(paint)])
            for key, paint in (("BG", getattr(self.style, "backColor", None)), ("BC", _border_color(self.style)))
            if isinstance(paint, Color)
        }
        return {
            "DA": pdfdoc.PDFString(f"/Helv {size:.3g} Tf {color} rg", escape=1),
            "MK": pdfdoc.PDFDictionary(characteristics),
        }

    def _draw_box(self) -> None:
        """Draw the box with its text; the arrow of a combo box is over the text."""
        canvas = self.canv
        left, _, _, bottom = self.margins
        width, height = self._box_width, self._box_height
        canvas.translate(BLEED - left, BLEED - bottom)
        super().draw()
        canvas.translate(left, bottom)
        if self.control.has_arrow:
            side = min(height, self.text_size) * 0.5
            x, y = width - side * 1.8, (height - side / 2) / 2
            canvas.setFillColor(self.text_color)
            _draw_lines(canvas, [(x, y + side / 2), (x + side, y + side / 2), (x + side / 2, y)], fill=1)

    def _draw_toggle(self, *, is_on: bool) -> None:
        canvas, side = self.canv, self._box_width
        canvas.setStrokeColor(Color(0.46, 0.46, 0.46))
        canvas.setFillColor(white)
        canvas.setLineWidth(side / 12)
        edge = side / 24
        if self.control.kind is FieldKind.RADIO:
            canvas.circle(side / 2, side / 2, side / 2 - edge, stroke=1, fill=1)
        else:
            canvas.rect(edge, edge, side - 2 * edge, side - 2 * edge, stroke=1, fill=1)
        if not is_on:
            return
        canvas.setFillColor(black)
        if self.control.kind is FieldKind.RADIO:
            canvas.circle(side / 2, side / 2, side / 4, stroke=0, fill=1)
        else:
            canvas.setStrokeColor(black)
            canvas.setLineWidth(side / 8)
            points = ((0.22, 0.52), (0.42, 0.28), (0.78, 0.76))
            _draw_lines(canvas, [(x * side, y * side) for x, y in points], stroke=1)


def _draw_lines(canvas: Any, points: Sequence[tuple[float, float]], *, stroke: int = 0, fill: int = 0) -> None:
    path = canvas.beginPath()
    path.moveTo(*points[0])
    for point in points[1:]:
        path.lineTo(*point)
    canvas.drawPath(path, stroke=stroke, fill=fill)


def _border_color(style: Any) -> Any:
    return style.borderBottomColor if getattr(style, "borderBottomWidth", 0) else None


def _rgb(color: Any) -> tuple[float, float, float]:
    return color.rgb() if hasattr(color, "rgb") else (0.0, 0.0, 0.0)
