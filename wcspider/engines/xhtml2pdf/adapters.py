"""Changes of xhtml2pdf itself, which has no settings for them.

- Elements with the same path of names share their styles (`style_cascade`).
- Long table cells continue on the next page; xhtml2pdf shrinks them to one page, to text that nobody can read.
- The columns of tables are as wide as their contents ask for, and no rows are repeated on the next page.
- Images are read and drawn by `wcspider.engines.images`, and fields are drawn like images (`elements`). Lines of images
  are broken.
- The items of lists have the numbers that HTML gives them.
- Links have a description.
- Lines stand in the middle of their height; xhtml2pdf draws them a quarter of a letter too high.
- Text is shaped by its font; lines of scripts without spaces are broken inside of words (`engines.text.lines`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from reportlab.platypus.flowables import Flowable, KeepTogether
from xhtml2pdf import context, parser, reportlab_paragraph, tables, tags
from xhtml2pdf.builders.flex import table_column_widths
from xhtml2pdf.tables import pisaTagTABLE
from xhtml2pdf.xhtml2pdf_reportlab import PmlFlowingCell, PmlKeepInFrame, PmlParagraph, PmlTable

from wcspider.engines.text import lines, runs
from wcspider.engines.xhtml2pdf.elements import link_texts, list_numbers
from wcspider.engines.xhtml2pdf.elements.image_tags import ImageTag, fit_images, frag_words, split_paragraph
from wcspider.engines.xhtml2pdf.style_cascade import path_number

LONG_CELL = 600
"""The number of characters from which a page break may cut a cell."""

SLACK = 0.2
"""The room of a column beside its longest line, in points, so that rounding breaks no line."""

MIDDLE = 0.35
"""The height of the middle of a line above the baseline, as a fraction of the font size."""

_draw_lines = reportlab_paragraph.Paragraph.drawPara


def draw_lines(paragraph: Any, debug: Any = 0) -> None:
    """Draw the lines of a paragraph, each in the middle of its height (CSS 2.1, 10.8.1)."""
    style, parts = paragraph.style, paragraph.blPara
    first = parts.lines[0] if parts.kind and parts.lines else parts
    size = getattr(first, "fontSize", style.fontSize)
    lower = style.leading / 2 + MIDDLE * size - getattr(first, "ascent", size)
    paragraph.canv.saveState()
    if 0 < lower < size:  # an image in the first line has its own place
        paragraph.canv.translate(0, -lower)
    _draw_lines(paragraph, debug)
    paragraph.canv.restoreState()


def cell_frame(content: list[Any], **options: Any) -> Flowable:
    """Return the flowable for the contents of a table cell: a long cell may continue on the next page."""
    content = list(_parted(content))
    length = sum(len(getattr(flowable, "text", "") or "") + 40 for flowable in content)
    return PmlFlowingCell(content) if length > LONG_CELL else PmlKeepInFrame(content=content, **options)


def _parted(content: Iterable[Any]) -> Iterator[Any]:
    """Yield the contents of a cell without KeepTogether, because a cell cannot request the next page."""
    for one in content:
        if isinstance(one, KeepTogether):
            yield from _parted(one._content)
        else:
            yield one


class TableTag(pisaTagTABLE):  # type: ignore[misc]
    """What xhtml2pdf does at a TABLE element."""

    def end(self, c: Any) -> None:
        """Add the table to the story."""
        before, data = len(c.story), c.tableData
        super().end(c)
        for table in c.story[before:]:
            if isinstance(table, PmlTable):
                table.repeatRows, table.shrinkToFit, table.totalWidth = 0, True, None
                if c.is_rtl:
                    _turn_spans(table, data.styles)


def _turn_spans(table: Any, commands: Iterable[Any]) -> None:
    """Put what spans columns into the first of them: where columns run from the right, xhtml2pdf has it in the last."""
    for name, (left, top), (right, _), *_ in commands:
        if name == "SPAN":
            row = table._cellvalues[top]
            row[left], row[right] = row[right], row[left]


def column_widths(table: Any, room: float) -> list[float] | None:
    """Return the widths of columns, by their contents (CSS 2.1, 17.5.2.2); None for columns that have their widths.

    A column has room for its longest line, if there is room for that, or else for its longest word.
    """
    if None not in table._colWidths:
        return None
    lows, highs = table_column_widths(table, table.canv, table._colWidths, spans=True)
    lows, highs = ([width + SLACK for width in widths] for widths in (lows, highs))
    if sum(lows) > room:
        return _capped(lows, room)
    part = min((room - sum(lows)) / max(sum(highs) - sum(lows), 1e-6), 1.0)
    return [low + (high - low) * part for low, high in zip(lows, highs, strict=True)]


def _capped(lows: Sequence[float], room: float) -> list[float]:
    """Return the widths of columns whose longest words do not fit: the widest columns become equal."""
    left, widths = room, dict.fromkeys(range(len(lows)), 0.0)
    for place, at in enumerate(sorted(widths, key=lambda at: lows[at])):
        widths[at] = min(lows[at], left / (len(lows) - place))
        left -= widths[at]
    return list(widths.values())


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
    reportlab_paragraph.Paragraph.split = split_paragraph
    reportlab_paragraph._getFragWords = frag_words
    reportlab_paragraph.Paragraph.minWidth = lines.min_width
    parser.getCSSAttrCacheKey = path_number
    tables.PmlKeepInFrame = cell_frame
    parser.TAGS.pop("img")
    tags.pisaTagA.start = link_texts.start_link
    parser.pisaTagIMG = ImageTag
    PmlParagraph._calcImageMaxSizes = fit_images
    parser.pisaTagTABLE = TableTag
    PmlTable._contentColumnWidths = column_widths
    parser.pisaTagOL = parser.pisaTagUL = list_numbers.ListTag
    parser.pisaTagLI = list_numbers.ItemTag
