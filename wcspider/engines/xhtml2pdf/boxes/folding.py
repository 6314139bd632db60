"""Tables of more columns than there is room for: each row goes on in further rows below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from reportlab.lib.colors import grey
from reportlab.platypus.flowables import KeepInFrame
from reportlab.platypus.tables import TableStyle
from xhtml2pdf.xhtml2pdf_reportlab import PmlTable

LEAST_INSIDE = 0.5
"""Which share of its room a cell, or a table, has for its contents, whatever its padding or margins are."""

RULE = 0.25
"""How thick the line is between rows that were folded, if nothing else is between them, in points."""

_Place = tuple[int, int]
_WHOLE = ((0, 0), (-1, -1))


def fit_paddings(table: Any, room: float) -> None:
    """Make the padding of the cells of a table leave room for text."""
    most = max(room, 1.0) * (1 - LEAST_INSIDE)
    for styles in getattr(table, "_cellStyles", ()):
        for style in styles:
            edges = style.leftPadding + style.rightPadding
            if edges > most:
                style.leftPadding *= most / edges
                style.rightPadding *= most / edges


def fit_margins(table: Any, room: float) -> None:
    """Make the margins of a table leave room for it."""
    margins, most = table.marginLeft + table.marginRight, max(room, 1.0) * (1 - LEAST_INSIDE)
    if margins > most:
        table.marginLeft *= most / margins
        table.marginRight *= most / margins


def fold(table: Any, lows: Sequence[float], widths: Sequence[float], room: float) -> bool:
    """Fold the rows of a table if a column has no room for a letter in its `widths`; return whether it was done.

    `lows` are what the columns need for their longest words.
    """
    rows = zip(table._cellvalues, table._cellStyles, strict=True)
    needs = [[_need(*cell) for cell in zip(*row, strict=True)] for row in rows]
    if all(width >= min(low, max(need)) - 0.01 for width, low, *need in zip(widths, lows, *needs, strict=True)):
        return False
    usual = sorted(lows)[len(lows) * 3 // 4]
    columns = max(int(room // max(usual, *map(max, needs))), 1)
    if columns >= len(lows):
        return False
    _refill(table, columns)
    return True


def _need(value: Any, style: Any) -> float:
    """Return the width of a cell that has room for each letter."""
    letter = max((_letter(one) for one in _paragraphs(value)), default=0.0)
    return letter + float(style.leftPadding + style.rightPadding)


def _letter(paragraph: Any) -> float:
    size = max((frag.fontSize for frag in paragraph.frags if getattr(frag, "text", "")), default=0.0)
    return float(size + max(paragraph.style.leftIndent, 0) + max(paragraph.style.rightIndent, 0))


def _paragraphs(value: Any) -> Iterator[Any]:
    if isinstance(value, KeepInFrame):
        value = value._content
    for one in value if isinstance(value, list | tuple) else (value,):
        if isinstance(one, KeepInFrame):
            yield from _paragraphs(one)
        elif hasattr(one, "frags"):
            yield one


@dataclass
class _Folded:
    """Where the cells of a table go, as column and row."""

    places: dict[_Place, _Place] = field(default_factory=dict)
    """The new place by the old one; for a cell that another spans, that of the other."""

    tops: list[int] = field(default_factory=list)
    """The first of the rows that a row has become."""

    alone: list[int] = field(default_factory=list)
    """Rows of one cell, which has all of their width."""

    height: int = 0


def _refill(table: Any, columns: int) -> None:
    """Lay a table out anew in so many columns, in place."""
    folded = _folded(table, columns)
    rows: list[list[Any]] = [["" for _ in range(columns)] for _ in range(max(folded.height, 1))]
    for (column, row), (x, y) in reversed(folded.places.items()):  # what is spanned comes behind what spans it
        rows[y][x] = table._cellvalues[row][column]
    commands = [("SPAN", (0, row), (columns - 1, row)) for row in folded.alone]
    commands += _moved(table, folded)
    refilled = PmlTable(rows, colWidths=[None] * columns, vAlign="TOP", style=TableStyle(commands))
    vars(table).update({name: value for name, value in vars(refilled).items() if name.startswith("_")})
    table.repeatRows = 0
    table.commands, table.declared = commands, [None] * columns


def _folded(table: Any, columns: int) -> _Folded:
    spans = [(begin, end) for name, begin, end, *_ in table.commands if name == "SPAN"]
    owners = {cell: begin for begin, end in spans for cell in _cells(begin, end, table)}
    folded = _Folded()
    for row, values in enumerate(table._cellvalues):
        own = [at for at in range(len(values)) if owners.get((at, row), (at, row)) == (at, row)]
        if table.is_rtl:
            own.reverse()
        while own and values[own[-1]] == "":  # a row that is shorter than others was filled up
            own.pop()
        folded.tops.append(folded.height)
        if len(own) == 1:
            folded.alone.append(folded.height)
        for slot, column in enumerate(own):
            x = columns - 1 - slot % columns if table.is_rtl and len(own) > 1 else slot % columns
            folded.places[column, row] = x, folded.height + slot // columns
        folded.height += -(-len(own) // columns)
    folded.places |= {cell: folded.places[begin] for cell, begin in owners.items() if begin in folded.places}
    return folded


def _cells(begin: _Place, end: _Place, table: Any) -> Iterator[_Place]:
    """Yield the cells of a range; negative numbers count from the end."""
    (left, top), (right, bottom) = ((x % table._ncols, y % table._nrows) for x, y in (begin, end))
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            yield column, row


def _moved(table: Any, folded: _Folded) -> Iterator[tuple[Any, ...]]:
    """Yield the style commands of a table for the new positions of its cells."""
    if not any(str(name).startswith("LINE") for name, *_ in table.commands):
        for top in folded.tops[1:]:
            yield "LINEABOVE", (0, top), (-1, top), RULE, grey
    for name, begin, end, *rest in table.commands:
        if (begin, end) == _WHOLE:
            yield name, begin, end, *rest
        elif name != "SPAN":
            cells = (cell for cell in _cells(begin, end, table) if cell in folded.places)
            for place in dict.fromkeys(folded.places[cell] for cell in cells):
                yield name, place, place, *rest
