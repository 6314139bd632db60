"""Where xhtml2pdf itself is changed: it has no setting for these.

- A long block has no box of its own: xhtml2pdf lays out a box anew for each page that it runs over, and gives
  up where a box in a box is to be cut.
- Elements share styles wherever they can (see `cascade`).
- An element can inherit from one whose styles were found with another element.
- A page that is an inline block itself, or a long one in it, is a block: it would be lost, or be in one piece.
- The attributes of one element do not change the styles of another that it shares them with.
- An inline element draws its own border only, not its parent's once more.
- A long table cell goes on from page to page; xhtml2pdf shrinks it to one page, to print that nobody can read.
- Images are read and drawn by `pictures`, SVG as vectors; xhtml2pdf wants a rasteriser that is not there. Lines of
  them are broken, and their sizes are those of CSS (see `imagetag`).
- The columns of tables are as wide as what is in them (see `columns`).
- Text and lines are no larger than a page holds (see `sizes`).
- Lines stand in the middle of their height; xhtml2pdf draws them a quarter of a letter too high.
- A block that is declared too narrow for text has the width that there is.
- A bullet of ``list-style: none`` takes no room.
- The items of lists have the numbers that HTML gives them (see `listnumbers`).
- ``open-quote`` and ``close-quote`` of a style sheet are the marks of a Q element (see `quotations`).
- List markers are drawn in the fonts that we embed, not in Symbol and ZapfDingbats, which we do not.
- Text is shaped by its font, so Arabic letters are not made presentation forms; lines of scripts without spaces
  are broken inside of words (see `lines`).
- The elements of forms are boxes with fields over them (see `widgets`); xhtml2pdf's own fields cannot be sent.
- A link says what it leads to (see `linktexts`).
- Flex and grid containers are blocks; what stands beside other text on a screen is kept apart from it (see `boxes`).
- The height of a cell is the least that its row has; lines without a color have that of the text (see `columns`).
- Text in SVG images has the size that it says (see `drawings`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from copy import copy
from functools import cache
from typing import Any
from xml.dom.minidom import Element

from reportlab.lib.colors import black
from reportlab.platypus.flowables import Flowable, KeepTogether
from xhtml2pdf import context, parser, reportlab_paragraph, tables, tags, util
from xhtml2pdf.builders import block, flex
from xhtml2pdf.builders.block import block_box_style
from xhtml2pdf.builders.flex import clear_box
from xhtml2pdf.w3c.cssDOMElementInterface import CSSDOMElementInterface
from xhtml2pdf.xhtml2pdf_reportlab import (
    ImageWarning,
    PmlFlowingCell,
    PmlImage,
    PmlKeepInFrame,
    PmlParagraph,
    PmlParagraphAndImage,
    PmlTable,
)

from wcspider.engines.document import quotations
from wcspider.engines.document.limits import text_length
from wcspider.engines.images import reader
from wcspider.engines.text import lines, runs
from wcspider.engines.xhtml2pdf import link_texts
from wcspider.engines.xhtml2pdf.boxes import list_numbers, side_by_side
from wcspider.engines.xhtml2pdf.boxes.columns import (
    TableTag,
    bordered,
    box_widths,
    cell_widths,
    split,
    split_inside_row,
    wrap,
    wrap_inside,
)
from wcspider.engines.xhtml2pdf.boxes.image_tags import (
    ImageTag,
    fit_images,
    frag_words,
    split_lines,
    wrap_beside,
    wrap_box,
)
from wcspider.engines.xhtml2pdf.boxes.widgets import CONTROL, DISPLAY, ControlBoxData
from wcspider.engines.xhtml2pdf.styles.cascade import share
from wcspider.exceptions import SourceUnreadableError

LONG_CELL = 600
"""The number of characters from which a page break may cut a cell."""

LONG_BLOCK = 1_500
"""The number of characters from which a block has no box; about a third of a page."""

_LINES = frozenset({"br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "p", "tr"})
LINE_LENGTH = 60
"""The number of characters that each line counts for, however short it is."""

NARROWEST_BLOCK, NARROWEST_SHARE = 40.0, 8.0
"""The least width of a block of text, in points or in percent of its container."""

MAX_TILES = 2_000
"""The greatest number of tiles of a background image in one box."""

MIDDLE = 0.35
"""The height of the middle of a line above the baseline, as a fraction of the font size."""

_draw_lines = reportlab_paragraph.Paragraph.drawPara
_declared_width = block.declared_width
_draw_background = util.drawBackgroundImage
_css_attribute = parser.getCSSAttr
_map_attributes = parser.mapNonStandardAttrs
_inline_markers = parser.inlineBoxMarkers


def cell_frame(content: list[Any], **options: Any) -> Flowable:
    """Return the flowable for the contents of a table cell: a long cell may continue on the next page."""
    content = list(_parted(content))
    length = sum(len(getattr(flowable, "text", "") or "") + 40 for flowable in content)
    if length > LONG_CELL or any(getattr(flowable, "contents", None) for flowable in content):
        return PmlFlowingCell(content)
    return PmlKeepInFrame(content=content, **options)


def _parted(content: Iterable[Any]) -> Iterator[Any]:
    """Yield the contents of a cell without KeepTogether, because a cell cannot request the next page."""
    for one in content:
        if isinstance(one, KeepTogether):
            yield from _parted(one._content)
        else:
            yield one


def box_style(context: Any, margins: dict[str, float]) -> Any:
    """Return the box of the current block, or None for a long block, whose padding becomes a margin."""
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


def declared_width(context: Any) -> Any:
    """Return the declared width of a block, or None if it is too narrow for text, which would be lost."""
    width = _declared_width(context)
    if width is None or (width.length or 0) >= NARROWEST_BLOCK or (width.percent or 0) >= NARROWEST_SHARE:
        return width
    return None


def inherited(element: Any, cascade: Any, name: str, default: Any = NotImplemented) -> Any:
    """Return the value of a property that a child element inherits by ``inherit``."""
    _let_match(element)
    return _css_attribute(element, cascade, name, default)


def own_style(element: Any, cascade: Any) -> dict[str, Any]:
    """Return the declarations of a STYLE attribute that win over the style sheets (CSS 2.1, 6.4.2)."""
    if not element.getAttribute("style"):
        return {}
    _let_match(element)
    normal, important = cascade.parser.parseInline(element.getAttribute("style"))
    above = cascade.important(element.cssElement)
    return {**{name: value for name, value in normal.items() if name not in above}, **important}


def _let_match(element: Any) -> None:
    """Give an element what selectors are matched with."""
    if getattr(element, "cssElement", None) is None:
        element.cssElement = CSSDOMElementInterface(element)


def inline_markers(context: Any) -> Any:
    """Return the edges of an inline element's box, without the border of its parent, which xhtml2pdf adds."""
    for side in ("left", "right", "top", "bottom"):
        if not any(f"border-{side}-{part}" in context.cssAttr for part in ("style", "width")):
            setattr(context.frag, f"border{side.title()}Width", 0)
            setattr(context.frag, f"border{side.title()}Style", None)
        if f"padding-{side}" not in context.cssAttr:
            setattr(context.frag, f"padding{side.title()}", 0)
    return _inline_markers(context)


def map_attributes(styles: Any, node: Any, attributes: Any) -> Any:
    """Return the styles of an element with those of its attributes, such as ``align`` and ``bgcolor``."""
    own = copy(styles)
    if node.hasAttribute(CONTROL) and own.get("display") != "none":
        # The box of a field is laid out as one in the line, whatever its styles say.
        own[DISPLAY] = own.get("display", "inline")
        own["display"], own["position"] = "inline-block", "static"
    elif str(own.get("display")) == "inline-block" and (node.tagName in ("html", "body") or _fills_a_page(node)):
        own["display"] = "block"
    return _map_attributes(own, node, attributes)


def _fills_a_page(node: Any) -> bool:
    """Tell whether an inline block may be higher than a page, where no page break could cut it."""
    lines = sum(1 for element in node.getElementsByTagName("*") if element.tagName in _LINES)
    return text_length(node) + lines * LINE_LENGTH >= LONG_BLOCK


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
    """An image that `wcspider.engines.images.reader` draws."""

    def __init__(self, data: bytes, *args: Any, **options: Any) -> None:
        try:
            self.picture = reader.read(data)
        except SourceUnreadableError as error:
            raise ImageWarning(str(error)) from None
        super().__init__(data, *args, **options)

    def getDrawing(self, width: float | None = None, height: float | None = None) -> None:  # noqa: N802
        """Return None: an SVG image is drawn like any other image."""

    def getImage(self) -> Any:  # noqa: N802
        """Return the picture to draw."""
        return self.picture


def background_image(file: Any) -> Any:
    """Return the picture of a background image, or None if it cannot be drawn."""
    with suppress(SourceUnreadableError):
        return reader.read(file.getData()) if file is not None and file.getData() else None


def draw_background(
    canvas: Any, image: Any, *box: float, natural: tuple[float, float], repeat: str, **options: Any
) -> None:
    """Paint a background image; lines of pixels are drawn out, and what would take too many tiles is left out."""
    (_, _, width, height), (across, down) = box, natural
    along_x, along_y = repeat in ("repeat", "repeat-x"), repeat in ("repeat", "repeat-y")
    pixels = image.getSize()
    if along_x and pixels[0] == 1:
        across = max(across, width)
    if along_y and pixels[1] == 1:
        down = max(down, height)
    if (width / across if along_x else 1) * (height / down if along_y else 1) <= MAX_TILES:
        _draw_background(canvas, image, *box, natural=(across, down), repeat=repeat, **options)


def draw_lines(paragraph: Any, debug: Any = 0) -> None:
    """Draw the lines of a paragraph, each in the middle of its height, where CSS has it (CSS 2.1, 10.8.1)."""
    style, lines = paragraph.style, paragraph.blPara
    first = lines.lines[0] if lines.kind and lines.lines else lines
    size = getattr(first, "fontSize", style.fontSize)
    ascent = getattr(first, "ascent", size)
    lower = style.leading / 2 + MIDDLE * size - ascent
    paragraph.canv.saveState()
    if 0 < lower < size:  # an image in the first line has its own place
        paragraph.canv.translate(0, -lower)
    _draw_lines(paragraph, debug)
    paragraph.canv.restoreState()


def unless_blank(of_bullet: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of xhtml2pdf that draws bullets, so that ``list-style: none`` takes no room."""

    def done(*arguments: Any, **options: Any) -> Any:
        bullet = next((a for a in arguments if isinstance(a, list) and a and hasattr(a[0], "fontName")), None)
        if bullet is not None and not any(part.text or hasattr(part, "image") for part in bullet):
            return arguments[1]  # the offset of the first line, where there is one
        return of_bullet(*arguments, **options)

    return done


def _as_written(text: str, font_name: str | None = None) -> None:
    """Return None: the text is not replaced."""


@cache
def install() -> None:
    """Apply all changes to xhtml2pdf, once in a process."""
    runs.load()
    context.shape_frag_text = _as_written
    reportlab_paragraph._visual_words = lines.visual_words
    reportlab_paragraph._split_blParaHard = lines.split_lines
    reportlab_paragraph.Paragraph.breakLines = lines.break_lines
    reportlab_paragraph.Paragraph.drawPara = draw_lines
    reportlab_paragraph.Paragraph.split = split_lines
    reportlab_paragraph._handleBulletWidth = unless_blank(reportlab_paragraph._handleBulletWidth)
    reportlab_paragraph._drawBullet = unless_blank(reportlab_paragraph._drawBullet)
    reportlab_paragraph._getFragWords = frag_words
    reportlab_paragraph.Paragraph.minWidth = lines.min_width
    parser.getCSSAttrCacheKey = share
    parser.CSSCollect = side_by_side.styles
    parser.PROPERTY_NAMES = (*parser.PROPERTY_NAMES, *side_by_side.PROPERTIES)
    Element.getCSSAttr = inherited  # type: ignore[attr-defined]
    parser.parseStyleAttr = own_style
    parser.mapNonStandardAttrs = map_attributes
    parser.CSS2Frag = bordered
    parser.block_box_style = box_style
    parser.inlineBoxMarkers = inline_markers
    tables.PmlKeepInFrame = cell_frame
    parser.InlineBoxData = ControlBoxData
    for tag in ("input", "select", "textarea"):
        setattr(parser, f"pisaTag{tag.upper()}", None)
        parser.TAGS.pop(tag, None)
    tags.PmlImage = Image
    tags.pisaTagA.start = link_texts.start_link
    parser.pisaTagIMG = ImageTag
    parser.pisaTagTABLE = TableTag
    PmlTable.wrap, PmlTable._wrapInside = wrap, wrap_inside
    PmlTable.split, PmlTable._splitInsideRow = split, split_inside_row
    flex._cell_widths, flex.InlineBox.wrap = cell_widths, wrap_box
    flex.content_widths = block.content_widths = box_widths
    block.declared_width = parser.declared_width = declared_width
    PmlParagraph._calcImageMaxSizes = fit_images
    PmlParagraphAndImage.wrap = wrap_beside
    util.getBackgroundImageReader = background_image
    util.drawBackgroundImage = draw_background
    parser.parse_content = quotations.content_items
    parser.pisaTagOL = parser.pisaTagUL = list_numbers.ListTag
    parser.pisaTagLI = list_numbers.ItemTag
    parser.LIST_STYLE_TYPES.update(list_numbers.TYPES)
    tags._list_style_type.update(list_numbers.MARKERS)
    tags._list_style_type.update(circle="\N{WHITE BULLET}", square="\N{BLACK SMALL SQUARE}")
    for marker in ("disc", "circle", "square", "lower-greek"):
        tags._list_style_font.pop(marker, None)
