"""The widths of a table's columns, by what is in them (CSS 2.1, 17.5.2.2), and the lines of its cells.

xhtml2pdf gives all columns the same width, and one that the author made narrow no more than that, so words
run into the next column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportlab.platypus.flowables import HRFlowable, KeepInFrame
from xhtml2pdf.builders import flex
from xhtml2pdf.tables import pisaTagTABLE
from xhtml2pdf.util import getBorderStyle
from xhtml2pdf.xhtml2pdf_reportlab import PmlTable

from wcspider.engines.document.limits import PART
from wcspider.engines.xhtml2pdf.boxes import sizes
from wcspider.engines.xhtml2pdf.boxes.folding import fit_margins, fit_paddings, fold

SLACK = 0.2
"""What a column is wider than its longest line, in points, so that rounding breaks none."""

HIGHEST_ROW = 0.5
"""How high cells may ask a row to be, and the rows that each page repeats may be, in parts of the page's height."""

_CELLS = frozenset({"td", "th"})
_SIDES = ("Top", "Right", "Bottom", "Left")

_wrap, _wrap_inside = PmlTable.wrap, PmlTable._wrapInside
_split, _split_inside_row = PmlTable.split, PmlTable._splitInsideRow
_cell_widths, _box_widths = flex._cell_widths, flex.content_widths


class TableTag(pisaTagTABLE):  # type: ignore[misc]
    """What xhtml2pdf does at a TABLE element."""

    def end(self, c: Any) -> None:
        """Add the table to the story, with what its columns were declared to be."""
        before, data = len(c.story), c.tableData
        least, data.rowh = _least_heights(data.rowh, c.height * HIGHEST_ROW), [None] * len(data.rowh)
        super().end(c)
        for table in c.story[before:]:
            if isinstance(table, PmlTable):
                table._minRowHeights = least + [0.0] * (table._nrows - len(least))
                table.highest_head = c.height * HIGHEST_ROW
                table.commands, table.is_rtl = list(data.styles), c.is_rtl
                if c.is_rtl:
                    _turn_spans(table)
                table.declared = list(table._colWidths)
                table.declared_width = table.totalWidth
                table.known = c.columns.setdefault(part, {}) if (part := self.node.getAttribute(PART)) else {}


def bordered(context: Any, margins: dict[str, float], isBlock: bool) -> None:  # noqa: N803
    """Convert the styles of an element; cell borders without a color get the color of the text.

    So says CSS 2.1, 8.5.2; xhtml2pdf leaves such a line out.
    """
    sizes.style(context, margins, isBlock)
    frag = context.frag
    for side in _SIDES if getattr(context.node, "tagName", "") in _CELLS else ():
        if getattr(frag, f"border{side}Color") is None and getBorderStyle(getattr(frag, f"border{side}Style")):
            setattr(frag, f"border{side}Color", frag.textColor)


def _least_heights(declared: Sequence[Any], most: float) -> list[float]:
    """Yield the least heights of rows from the heights of their cells (CSS 2.1, 17.5.3)."""
    return [min(max(height, 0.0), most) if isinstance(height, int | float) else 0.0 for height in declared]


def _turn_spans(table: Any) -> None:
    """Put what spans columns into the first of them: where columns run from the right, xhtml2pdf has it in the last."""
    for name, (left, top), (right, _), *_ in table.commands:
        if name == "SPAN":
            row = table._cellvalues[top]
            row[left], row[right] = row[right], row[left]


def wrap(table: Any, room: float, height: float) -> Any:
    """Lay a table out in so much room, its margins included."""
    fit_margins(table, room)
    return _wrap(table, room, height)


def wrap_inside(table: Any, room: float, height: float) -> Any:
    """Lay a table out in so much room, its columns as wide as their contents ask for."""
    fit_paddings(table, room)
    if getattr(table, "declared", None):  # what a page end has cut off has its widths
        widths, lows = _widths(table, room)
        if sum(lows) > room and fold(table, lows, widths, room):
            fit_paddings(table, room)
            widths, _ = _widths(table, room)
        table._colWidths[:] = table.known[room] = widths
        table.totalWidth = sum(table._colWidths)
    size = _wrap_inside(table, room, height)
    if getattr(table, "highest_head", None) and sum(table._rowHeights[: table._repeatCount()]) > table.highest_head:
        table.repeatRows = 0
    return size


def split(table: Any, room: float, height: float) -> Any:
    """Cut a table at the end of a page; the rows that are whole are no lower for it."""
    parts, least = _split(table, room, height), table._minRowHeights
    if least and len(parts) == 2:
        first, rest = parts
        heads, left = table._repeatCount(), rest._nrows - table._repeatCount()
        first._minRowHeights = least[: first._nrows]
        rest._minRowHeights = least[:heads] + least[len(least) - left :]
        if rest._rowCutTop:
            first._minRowHeights[-1] = rest._minRowHeights[heads] = 0.0
    return parts


def split_inside_row(table: Any, room: float, height: float) -> list[Any]:
    """Cut a table inside of a row; ReportLab would first cut before it, and repeat the headings there."""
    by_row, table.splitByRow = table.splitByRow, 0
    try:
        parts: list[Any] = _split_inside_row(table, room, height)
    finally:
        table.splitByRow = by_row
    for part in parts:
        part.splitByRow = by_row
    return parts


def cell_widths(value: Any, style: Any, canvas: Any) -> tuple[float, float]:
    """Return the widths of the longest word and of the longest line in a cell."""
    if isinstance(value, KeepInFrame):
        return _content_widths(value._content, canvas)
    if isinstance(value, list | tuple):
        return _content_widths(value, canvas)
    return _cell_widths(value, style, canvas)  # type: ignore[no-any-return]


def box_widths(content: Sequence[Any], canvas: Any) -> tuple[float, float]:
    """Return both widths for the contents of a box, without rulers, which are as wide as the box."""
    return _box_widths([one for one in content if not isinstance(one, HRFlowable)], canvas)  # type: ignore[no-any-return]


def _content_widths(content: Sequence[Any], canvas: Any) -> tuple[float, float]:
    """Return both widths for stacked flowables. (xhtml2pdf assumes that boxes and rulers fill any width.)"""
    found = [_flowable_widths(one, canvas) for one in content if not isinstance(one, HRFlowable)]
    return max((low for low, _ in found), default=0.0), max((high for _, high in found), default=0.0)


def _flowable_widths(one: Any, canvas: Any) -> tuple[float, float]:
    if isinstance(one, KeepInFrame):
        return _content_widths(one._content, canvas)
    low, high = one.content_widths(canvas) if hasattr(one, "content_widths") else flex.content_widths([one], canvas)
    width = getattr(getattr(one, "box_width", None), "length", None)
    return low, high if width is None else max(low, width + one.style.horizontal)


def _widths(table: Any, room: float) -> tuple[list[float], list[float]]:
    """Return the widths of the columns, and of their longest words."""
    declared = table.declared
    lows, highs = flex.table_column_widths(table, table.canv, [None] * len(declared), spans=True)
    known = table.known.get(room, ())
    if len(known) == len(lows) and all(low <= width for low, width in zip(lows, known, strict=True)):
        return list(known), lows
    total = None if table.declared_width is None else min(PmlTable._normWidth(table.declared_width, room), room)
    slack_lows, slack_highs = ([width + SLACK for width in widths] for widths in (lows, highs))
    return shared_out(declared, slack_lows, slack_highs, room, total), lows


def shared_out(
    declared: Sequence[Any], lows: Sequence[float], highs: Sequence[float], room: float, total: float | None
) -> list[float]:
    """Return the widths of columns.

    Each is declared in points, as a percentage, or not; it is no narrower than its longest word, if there is room
    for that, and no wider than its longest line, unless the table is to have a width in `total`.
    """
    wanted = [_wanted(*column) for column in zip(declared, lows, highs, strict=True)]
    shares = {at: float(width[:-1]) / 100 for at, width in enumerate(declared) if isinstance(width, str)}
    width = total if total is not None else min(room, _ideal(wanted, highs, shares))
    for at, share in shares.items():
        wanted[at] = max(lows[at], share * width)
    if sum(lows) > room:
        return _capped(lows, room)
    width = max(width, sum(lows))
    if sum(wanted) > width:
        part = (width - sum(lows)) / max(sum(wanted) - sum(lows), 1e-6)
        return [low + (want - low) * part for low, want in zip(lows, wanted, strict=True)]
    open_ = [at for at, one in enumerate(declared) if one is None] or range(len(declared))
    extra, base = width - sum(wanted), sum(wanted[at] for at in open_)
    grown = {at: extra * (wanted[at] / base if base else 1 / len(open_)) for at in open_}
    return [want + grown.get(at, 0.0) for at, want in enumerate(wanted)]


def _wanted(declared: Any, low: float, high: float) -> float:
    if isinstance(declared, int | float) and declared > 0:
        return max(float(declared), low)
    return max(high, low)


def _ideal(wanted: Sequence[float], highs: Sequence[float], shares: dict[int, float]) -> float:
    """How wide a table without a width of its own is to be."""
    others = sum(want for at, want in enumerate(wanted) if at not in shares)
    left = 1 - sum(shares.values())
    by_share = [highs[at] / share for at, share in shares.items() if share > 0]
    return max([sum(wanted), *by_share, others / left if left > 0.01 and shares else 0.0])


def _capped(lows: Sequence[float], room: float) -> list[float]:
    """Return the widths of columns whose longest words do not fit: the widest columns become equal."""
    left, widths = room, dict.fromkeys(range(len(lows)), 0.0)
    for place, at in enumerate(sorted(widths, key=lambda at: lows[at])):
        widths[at] = min(lows[at], left / (len(lows) - place))
        left -= widths[at]
    return list(widths.values())
