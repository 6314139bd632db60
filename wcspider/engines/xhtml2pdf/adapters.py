"""Replacements for parts of xhtml2pdf that no setting of the library changes.

- Table cells continue on the next page. xhtml2pdf would make their text smaller until they fit on one.
- The columns of tables are as wide as their contents need, and no rows are repeated on the next page.
- `wcspider.engines.images` reads images, and fields are drawn like images (`elements.image_tags`).
- Links have a description.
- HarfBuzz shapes the text, and lines can also end after an image and inside words without spaces (`elements.lines`).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from xhtml2pdf import context, parser, reportlab_paragraph, tables, tags
from xhtml2pdf.tables import pisaTagTABLE
from xhtml2pdf.xhtml2pdf_reportlab import PmlFlowingCell, PmlParagraph, PmlTable

from wcspider.engines.text import runs
from wcspider.engines.text.visual_order import visual_words
from wcspider.engines.xhtml2pdf.elements import lines
from wcspider.engines.xhtml2pdf.elements.image_tags import ImageTag, fit_images, split_paragraph
from wcspider.engines.xhtml2pdf.source.layout_document import DESCRIPTION

SLACK = 0.2
"""The width in points that is added to each column, so that rounding errors break no line."""

_content_widths = PmlTable._contentColumnWidths
_start_link = tags.pisaTagA.start


class DescribedLink(str):
    """The target of a link with its description (14.9.3). xhtml2pdf passes it to the canvas unchanged."""

    description: str = ""


def start_link(tag: Any, context: Any) -> None:
    """Begin a link at an A element."""
    _start_link(tag, context)
    if context.frag.link:
        context.frag.link = DescribedLink(context.frag.link)
        context.frag.link.description = tag.node.getAttribute(DESCRIPTION)


class CellFrame(PmlFlowingCell):  # type: ignore[misc]
    """The contents of a table cell, which continue on the next page."""

    def __init__(self, content: list[Any], **_: Any) -> None:
        super().__init__(content)


class TableTag(pisaTagTABLE):  # type: ignore[misc]
    """The handler of TABLE elements."""

    def end(self, c: Any) -> None:
        """Add the table to the story."""
        before = len(c.story)
        super().end(c)
        for table in c.story[before:]:
            if isinstance(table, PmlTable):
                table.repeatRows, table.shrinkToFit, table.totalWidth = 0, True, None


def column_widths(table: Any, room: float) -> list[float] | None:
    """Return the widths of columns by their contents (CSS 2.1, 17.5.2.2); None if the columns have widths.

    If the longest words of all columns do not fit, the widest columns become equal. xhtml2pdf would make all columns
    smaller, also those with short words.
    """
    widths = _content_widths(table, room)
    if widths is None:
        return None
    left = room
    capped = [width + SLACK for width in widths]
    for place, at in enumerate(sorted(range(len(capped)), key=lambda at: capped[at])):
        capped[at] = min(capped[at], left / (len(capped) - place))
        left -= capped[at]
    return capped


def _as_written(text: str, font_name: str | None = None) -> None:
    """Return None: the text is not replaced."""


@cache
def install() -> None:
    """Apply all changes to xhtml2pdf, once in a process."""
    runs.load()
    context.shape_frag_text = _as_written
    reportlab_paragraph._visual_words = visual_words
    reportlab_paragraph._split_blParaHard = lines.split_lines
    reportlab_paragraph.Paragraph.breakLines = lines.break_lines
    reportlab_paragraph.Paragraph.split = split_paragraph
    reportlab_paragraph.Paragraph.minWidth = lines.min_width
    tables.PmlKeepInFrame = CellFrame
    parser.TAGS.pop("img")
    tags.pisaTagA.start = start_link
    parser.pisaTagIMG = ImageTag
    PmlParagraph._calcImageMaxSizes = fit_images
    parser.pisaTagTABLE = TableTag
    PmlTable._contentColumnWidths = column_widths
