"""Tables that fit the paper; in other tables, the cells become blocks, one below the other.

xhtml2pdf cannot divide rows with a cell that spans rows, and its time grows with the square of the number of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wcspider.engines.text.scripts import UNSPACED
from wcspider.web.numbers import at_most

MAX_SPAN = 1_000
"""The largest number of columns or rows that a cell may span. HTML has this limit for columns."""

MAX_ROWS = 100
"""The largest number of rows of a table. Further rows are put into further tables."""

MAX_COLUMNS = 20
MAX_CELL = 1_500
"""The largest number of characters in a cell. Each page that a cell continues on takes as much time as the cell."""

LINE_LENGTH = 40
"""The number of characters that a line counts for, even if it is shorter."""

LETTER, IDEOGRAPH, EDGES = 6.5, 13.0, 6.0
"""The approximate widths of a letter, an ideograph and the edges of a cell, in points."""

LONGEST_WORD = 24
"""The number of letters from which a line of a cell may end inside a word."""

_WORD = re.compile(r"[^\s\N{NO-BREAK SPACE}]+")
_LINES = frozenset({"br", "dd", "div", "dt", "li", "p"})
_PARTS = frozenset({"thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col"})


def prepare_tables(root: Any, room: float) -> None:
    """Change tables that do not fit a width of `room` points into blocks, and divide other tables into parts."""
    for table in list(root.iter("table")):
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        grid = _grid(rows) if _is_regular(table) else None
        if grid is None or not _is_readable(grid, room):
            _make_blocks(table)
        else:
            _end_row_spans(rows, grid)
            _move_foot(table)
            _cut(table, rows)


def _is_regular(table: Any) -> bool:
    """Tell whether there is no table in a table.

    xhtml2pdf would lose the text of cells that span columns if the columns run from right to left.
    """
    unsupported = (".//table", ".//*[@colspan]") if _is_rtl(table) else (".//table",)
    return all(table.find(path) is None for path in unsupported)


def _is_rtl(table: Any) -> bool:
    directions = (element.get("dir") for element in (table, *table.iterancestors()))
    return next(filter(None, directions), "").strip().lower() == "rtl"


def _grid(rows: list[Any]) -> list[dict[int, Any]] | None:
    """Return the cells of each row by their first column; None if there are too many columns."""
    taken: list[set[int]] = [set() for _ in rows]
    grid: list[dict[int, Any]] = []
    for at, row in enumerate(rows):
        grid.append({})
        column = 0
        for cell in _cells(row):
            while column in taken[at]:
                column += 1
            across = _span(cell, "colspan")
            if column + across > MAX_COLUMNS:
                return None
            grid[at][column] = cell
            for below in taken[at : at + _span(cell, "rowspan")]:
                below.update(range(column, column + across))
    return grid


def _is_readable(grid: list[dict[int, Any]], room: float) -> bool:
    """Tell whether the cells of a table are short, and its columns have room for their longest words."""
    widths: dict[int, float] = {}
    for cells in grid:
        for column, cell in cells.items():
            text, across = "".join(cell.itertext()), _span(cell, "colspan")
            lines = sum(1 for _ in cell.iterdescendants(*_LINES)) + text.count("\n")
            if len(text) + lines * LINE_LENGTH > MAX_CELL:
                return False
            if across == 1:
                widths[column] = max(widths.get(column, 0.0), _longest_word(text) + EDGES)
    return sum(widths.values()) <= room


def _longest_word(text: str) -> float:
    """Return the approximate width of the longest word; in some scripts, lines may end between any two characters."""
    words = _WORD.findall(text)
    letters = max((len(word) for word in words if not UNSPACED.search(word)), default=0)
    return max(min(letters, LONGEST_WORD) * LETTER, IDEOGRAPH)


def _end_row_spans(rows: list[Any], grid: list[dict[int, Any]]) -> None:
    """Replace row spans by empty cells, and invalid column spans by valid ones."""
    for at, cells in enumerate(grid):
        for column, cell in list(cells.items()):
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            cell.set("colspan", str(across))
            cell.attrib.pop("rowspan", None)
            for row in range(at + 1, min(at + down, len(rows))):
                blank = cell.makeelement(cell.tag, {"colspan": str(across)})
                following = min((other for other in grid[row] if other > column), default=None)
                if following is None:
                    rows[row].append(blank)
                else:
                    grid[row][following].addprevious(blank)
                grid[row][column] = blank


def _move_foot(table: Any) -> None:
    """Move the first TFOOT element of a table to the end, where browsers show it (CSS 2.1, 17.2)."""
    foot = table.find("tfoot")
    if foot is not None:
        table.append(foot)


def _cut(table: Any, rows: list[Any]) -> None:
    """Move the last rows of a long table to further tables."""
    rows = list(table.iter("tr")) if len(rows) > MAX_ROWS else []
    after = table
    for start in range(MAX_ROWS, len(rows), MAX_ROWS):
        part = table.makeelement("table", {})
        part.extend(rows[start : start + MAX_ROWS])
        after.addnext(part)
        after = part


def _make_blocks(table: Any) -> None:
    """Change a table into blocks, one cell below the other."""
    _move_foot(table)
    stack: list[Any] = [table]
    while stack:
        element = stack.pop()
        stack.extend(child for child in element if child.tag in _PARTS)
        element.tag = "div"


def _cells(row: Any) -> Iterator[Any]:
    return (child for child in row if child.tag in ("td", "th"))


def _span(cell: Any, name: str) -> int:
    text = cell.get(name, "").strip()
    return max(at_most(text, MAX_SPAN), 1) if text.isascii() and text.isdigit() else 1
