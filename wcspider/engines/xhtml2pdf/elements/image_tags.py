"""IMG elements: the size of images and fields, their places in lines, and the text for images that cannot be read."""

from __future__ import annotations

import re
from typing import Any

from reportlab.lib.abag import ABag
from xhtml2pdf import reportlab_paragraph
from xhtml2pdf.tags import pisaTag
from xhtml2pdf.util import NO_RADIUS, RADIUS_CORNERS
from xhtml2pdf.xhtml2pdf_reportlab import PmlParagraph

from wcspider.engines.images.pixel_data import POINTS_PER_PIXEL
from wcspider.engines.images.reader import read
from wcspider.engines.xhtml2pdf.elements.field_boxes import FieldBox
from wcspider.engines.xhtml2pdf.source.layout_document import CONTROL
from wcspider.exceptions import SourceUnreadableError

DEEPEST_INDENT = 0.5
"""The largest sum of the left margins around a text, as a fraction of the page width. Right margins: half of it."""

UNREADABLE = "an image cannot be read"

FONT = "Helvetica"
"""The font of fragments without text. reportlab requires one."""

_DIMENSION = re.compile(r"\s*\+?(\d+(?:\.\d*)?|\.\d+)\s*(%?)")
"""The format of https://html.spec.whatwg.org/review-drafts/2023-01/#dimension-attributes; any characters may follow."""

_fit_images = PmlParagraph._calcImageMaxSizes
_split = reportlab_paragraph.Paragraph.split


class InlineImage:
    """An image in a line of text, with the interface that xhtml2pdf expects."""

    def __init__(self, picture: Any) -> None:
        self.picture = picture
        for corner in RADIUS_CORNERS:
            setattr(self, f"border{corner}Radius", NO_RADIUS)

    def getDrawing(self, *_: float) -> None:  # noqa: N802
        """Return None: an SVG image is drawn like any other image."""

    def getImage(self) -> Any:  # noqa: N802
        """Return the picture to draw."""
        return self.picture


class ImageTag(pisaTag):  # type: ignore[misc]
    """The handler of IMG elements."""

    def start(self, c: Any) -> None:
        """Add a field, an image, or the alternative text to the paragraph."""
        body = c.image_file(self.node.getAttribute("src"))
        number = self.node.getAttribute(CONTROL)
        try:
            picture: Any = read(body) if body else None
        except SourceUnreadableError:
            picture = None
        size = None if picture is None else self._size(picture, c.room)
        if number:
            shown = c.controls[int(number)]
            room = max(c.room - c.frag.leftIndent - c.frag.rightIndent, c.room * (1 - 1.5 * DEEPEST_INDENT))
            box = FieldBox(shown, c.fields[shown.control.field], c.runs, room, c.height, picture, size)
            self._add(c, box, box.size, box.valign)
        elif picture is None:
            c.problems.append(UNREADABLE)
            c.addFrag(self.node.getAttribute("alt"))
        elif size is not None and min(size) > 0:
            self._add(c, picture, size)

    def _size(self, picture: Any, room: float) -> tuple[float, float]:
        """Return the size according to the attributes, in points."""
        natural = [pixels * POINTS_PER_PIXEL for pixels in picture.getSize()]
        width, height = _length(self.node.getAttribute("width"), room), _length(self.node.getAttribute("height"), None)
        if width is None:
            width = natural[0] if height is None else height * natural[0] / natural[1]
        return width, width * natural[1] / natural[0] if height is None else height

    def _add(self, c: Any, picture: Any, size: tuple[float, float], valign: float | str = "bottom") -> None:
        frag = c.frag.clone(text="", fontName=FONT)
        width, height = size
        frag.cbDefn = ABag(
            kind="img", image=InlineImage(picture), valign=valign, fontName=FONT, fontSize=height, width=width,
            height=height,
        )  # fmt: skip
        if isinstance(picture, FieldBox):
            frag.link = None  # a click must reach the field
        c.force = True
        c.fragList.append(frag)
        c.fragStrip = False


def _length(text: str, room: float | None) -> float | None:
    """Return the length in an attribute, in points; a percentage refers to `room`."""
    match = _DIMENSION.match(text)
    if match is None or (match[2] and room is None):
        return None
    return float(match[1]) * (room or 0.0) / 100 if match[2] else float(match[1]) * POINTS_PER_PIXEL


def fit_images(paragraph: Any, width: float, height: float) -> None:
    """Reduce the images of a paragraph to the width between its indents."""
    style = paragraph.style
    _fit_images(paragraph, max(width - max(style.leftIndent, 0) - max(style.rightIndent, 0), 1), height)


def split_paragraph(paragraph: Any, width: float, height: float) -> Any:
    """Divide a paragraph at the end of a page; in a paragraph with large images, one line may be on a page alone."""
    lines, leading = getattr(getattr(paragraph, "blPara", None), "lines", ()), paragraph.style.leading
    if lines and any(getattr(line, "ascent", 0.0) > 2 * leading for line in lines):
        first = sum(reportlab_paragraph._maxLeadingExtent(lines[0], leading))
        paragraph.allowOrphans = int(first <= height)
    return _split(paragraph, width, height)
