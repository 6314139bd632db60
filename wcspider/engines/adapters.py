"""Where xhtml2pdf itself is changed: it has no setting for these.

- A long block has no box of its own: xhtml2pdf lays out a box anew for each page that it runs over, and gives
  up where a box in a box is to be cut.
- Elements share styles wherever they can (see `cascade`).
- An element can inherit from one whose styles were found with another element.
- The attributes of one element do not change the styles of another that it shares them with.
- An inline element draws its own border only, not its parent's once more.
- A long table cell goes on from page to page; xhtml2pdf shrinks it to one page, to print that nobody can read.
- An SVG image is drawn as vectors in the size it declares; xhtml2pdf wants a rasteriser that is not there.
- List markers are drawn in the fonts that we embed, not in Symbol and ZapfDingbats, which we do not.
- Text is shaped by its font, so Arabic letters are not made presentation forms; lines of scripts without spaces
  are broken inside of words (see `lines`).
- svglib takes the fonts that come with wcspider; it would start fc-match and read the fonts of the machine.
"""

from __future__ import annotations

import io
from copy import copy
from functools import cache
from typing import Any
from xml.dom.minidom import Element

import svglib.fonts
from reportlab.graphics import renderPDF
from reportlab.lib.colors import black
from reportlab.lib.fonts import tt2ps
from reportlab.platypus.flowables import Flowable
from svglib.svglib import svg2rlg
from xhtml2pdf import context, parser, reportlab_paragraph, tables, tags
from xhtml2pdf.builders.block import block_box_style
from xhtml2pdf.builders.flex import clear_box
from xhtml2pdf.w3c.cssDOMElementInterface import CSSDOMElementInterface
from xhtml2pdf.xhtml2pdf_reportlab import PmlFlowingCell, PmlImage, PmlKeepInFrame, looks_like_svg

from wcspider.engines import fonts, lines, runs
from wcspider.engines.cascade import share
from wcspider.engines.limits import text_length

LONG_CELL = 600
"""From how many characters on a cell may be cut at the end of a page."""

LONG_BLOCK = 1_500
"""From how many characters on a block has no box; about a third of a page."""

_css_attribute = parser.getCSSAttr
_map_attributes = parser.mapNonStandardAttrs
_inline_markers = parser.inlineBoxMarkers
_GENERIC = {"serif": fonts.SERIF, "monospace": fonts.MONO, "courier": fonts.MONO, "times": fonts.SERIF}


def cell_frame(content: list[Any], **options: Any) -> Flowable:
    """What xhtml2pdf puts the contents of a table cell into."""
    length = sum(len(getattr(flowable, "text", "") or "") + 40 for flowable in content)
    if length > LONG_CELL or any(getattr(flowable, "contents", None) for flowable in content):
        return PmlFlowingCell(content)
    return PmlKeepInFrame(content=content, **options)


def box_style(context: Any, margins: dict[str, float]) -> Any:
    """The box of the block that is being read, None if it is to have none; its padding becomes a margin then."""
    node = context.node
    if text_length(node) < LONG_BLOCK:
        return block_box_style(context, margins)
    if not parser.hasBlockContent(node, context):
        return None  # a paragraph draws its own box
    frag = context.frag
    if frag.backColor is not None and "background-color" in context.cssAttr:
        _keep_background(context, node, frag)
    for side in ("left", "right"):
        if f"padding-{side}" in context.cssAttr:
            margins[f"margin-{side}"] += getattr(frag, f"padding{side.title()}", 0) or 0
    bullets = frag.bulletIndent, frag.bulletRightIndent
    clear_box(frag)
    frag.bulletIndent, frag.bulletRightIndent = bullets
    frag.leftIndent, frag.rightIndent = margins["margin-left"], margins["margin-right"]
    return None


def inherited(element: Any, cascade: Any, name: str, default: Any = NotImplemented) -> Any:
    """The value of a property of an element that a child asks for by ``inherit``."""
    if getattr(element, "cssElement", None) is None:
        element.cssElement = CSSDOMElementInterface(element)
    return _css_attribute(element, cascade, name, default)


def inline_markers(context: Any) -> Any:
    """The edges of an inline element's box, of what the element declares; xhtml2pdf adds its parent's border."""
    for side in ("left", "right", "top", "bottom"):
        if not any(f"border-{side}-{part}" in context.cssAttr for part in ("style", "width")):
            setattr(context.frag, f"border{side.title()}Width", 0)
            setattr(context.frag, f"border{side.title()}Style", None)
        if f"padding-{side}" not in context.cssAttr:
            setattr(context.frag, f"padding{side.title()}", 0)
    return _inline_markers(context)


def map_attributes(styles: Any, node: Any, attributes: Any) -> Any:
    """The styles of an element with what its ``align``, ``bgcolor`` and such say."""
    return _map_attributes(copy(styles), node, attributes)


def _keep_background(context: Any, node: Any, frag: Any) -> None:
    """Paint the background of a block that is most of the page on all of the page; else keep its text legible."""
    root = node.ownerDocument
    if context.pageCanvasBackground is None and text_length(node) * 2 > text_length(root):
        context.pageCanvasBackground = frag.backColor
    elif context.pageCanvasBackground is None and _is_light(frag.textColor):
        frag.textColor = black


def _is_light(color: Any) -> bool:
    red, green, blue = color.rgb() if hasattr(color, "rgb") else (0.0, 0.0, 0.0)
    return bool(0.3 * red + 0.6 * green + 0.1 * blue > 0.6)


class Image(PmlImage):  # type: ignore[misc]
    """An image, with SVG drawn as vectors."""

    def __init__(self, data: Any, *args: Any, **options: Any) -> None:
        body = data if isinstance(data, bytes) else b""
        self.vectors = read_svg(body) if looks_like_svg(body) else None
        super().__init__(data, *args, **options)
        if self.vectors is not None:
            self.imageWidth, self.imageHeight = self.vectors.width, self.vectors.height
            self.drawWidth = options.get("width") or self.imageWidth
            self.drawHeight = options.get("height") or self.imageHeight

    def getDrawing(self, width: float | None = None, height: float | None = None) -> Any:  # noqa: N802
        """The drawing that an SVG image is, as it was read once."""
        return self.vectors

    def draw(self) -> None:
        """Draw the image in its place."""
        if self.vectors is None:
            super().draw()
            return
        self.canv.saveState()
        self.canv.scale(self.dWidth / self.vectors.width, self.dHeight / self.vectors.height)
        renderPDF.draw(self.vectors, self.canv, 0, 0)
        self.canv.restoreState()


def read_svg(body: bytes) -> Any:
    """The drawing in an SVG file, or None; nothing outside of `body` is read."""
    try:
        drawing = svg2rlg(io.BytesIO(body), resolve_entities=False)
    except Exception:  # svglib raises of all kinds for what it does not know
        return None
    return drawing if drawing is not None and drawing.width > 0 and drawing.height > 0 else None


def _as_written(text: str, font_name: str | None = None) -> None:
    """Nothing to put in the place of `text`."""


class _Fonts(svglib.fonts.FontMap):
    def find_font(self, font_name: str, weight: str = "normal", style: str = "normal") -> tuple[str, bool]:
        family = _GENERIC.get(font_name.split()[0].lower() if font_name.split() else "", fonts.SANS)
        bold = weight in ("bold", "bolder", "600", "700", "800", "900")
        return tt2ps(family, int(bold), int(style in ("italic", "oblique"))), True


@cache
def install() -> None:
    """Make the changes, once in a process."""
    runs.load()
    context.shape_frag_text = _as_written
    reportlab_paragraph._visual_words = lines.visual_words
    reportlab_paragraph._split_blParaHard = lines.split_lines
    reportlab_paragraph.Paragraph.breakLines = lines.break_lines
    reportlab_paragraph.Paragraph.minWidth = lines.min_width
    parser.getCSSAttrCacheKey = share
    Element.getCSSAttr = inherited  # type: ignore[attr-defined]
    parser.mapNonStandardAttrs = map_attributes
    parser.block_box_style = box_style
    parser.inlineBoxMarkers = inline_markers
    tables.PmlKeepInFrame = cell_frame
    tags.PmlImage = Image
    tags._list_style_type.update(circle="\N{WHITE BULLET}", square="\N{BLACK SMALL SQUARE}")
    for marker in ("disc", "circle", "square"):
        tags._list_style_font.pop(marker, None)
    svglib.fonts._font_map = _Fonts()
