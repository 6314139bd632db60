"""Tables that fit the paper; in other tables, the cells become blocks, one below the other.

xhtml2pdf cannot divide rows with a cell that spans rows, and its time grows with the square of the number of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.dom.minidom import Document, Element

from wcspider.engines.document.dom import ancestor, new_element, rename, text_of
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
_PARTS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col"})


def prepare_tables(document: Document, room: float) -> None:
    """Change tables that do not fit a width of `room` points into blocks, and divide other tables into parts."""
    for table in list(document.getElementsByTagName("table")):
        rows = [row for row in table.getElementsByTagName("tr") if ancestor(row, "table") is table]
        grid = None if table.getElementsByTagName("table") else _grid(rows)
        if grid is None or not _is_readable(grid, room):
            _make_blocks(table)
        else:
            _end_row_spans(rows, grid)
            _move_foot(table)
            _cut(table, rows)


def _grid(rows: list[Element]) -> list[dict[int, Element]] | None:
    """Return the cells of each row by their first column; None if there are too many columns."""
    taken: list[set[int]] = [set() for _ in rows]
    grid: list[dict[int, Element]] = []
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


def _is_readable(grid: list[dict[int, Element]], room: float) -> bool:
    """Tell whether the cells of a table are short, and its columns have room for their longest words."""
    widths: dict[int, float] = {}
    for cells in grid:
        for column, cell in cells.items():
            text, across = text_of(cell), _span(cell, "colspan")
            lines = sum(element.tagName in _LINES for element in cell.getElementsByTagName("*")) + text.count("\n")
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


def _end_row_spans(rows: list[Element], grid: list[dict[int, Element]]) -> None:
    """Replace row spans by empty cells, and invalid column spans by valid ones."""
    for at, cells in enumerate(grid):
        for column, cell in list(cells.items()):
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            cell.setAttribute("colspan", str(across))
            if cell.hasAttribute("rowspan"):
                cell.removeAttribute("rowspan")
            for row in range(at + 1, min(at + down, len(rows))):
                blank = new_element(cell, cell.tagName)
                blank.setAttribute("colspan", str(across))
                following = min((other for other in grid[row] if other > column), default=None)
                rows[row].insertBefore(blank, None if following is None else grid[row][following])
                grid[row][column] = blank


def _move_foot(table: Element) -> None:
    """Move the first TFOOT element of a table to the end, where browsers show it (CSS 2.1, 17.2)."""
    for child in table.childNodes:
        if getattr(child, "tagName", "") == "tfoot":
            table.appendChild(child)
            return


def _cut(table: Any, rows: list[Element]) -> None:
    """Move the last rows of a long table to further tables."""
    rows = list(table.getElementsByTagName("tr")) if len(rows) > MAX_ROWS else []
    after = table
    for start in range(MAX_ROWS, len(rows), MAX_ROWS):
        part = new_element(table, "table")
        for row in rows[start : start + MAX_ROWS]:
            part.appendChild(row)
        after.parentNode.insertBefore(part, after.nextSibling)
        after = part


def _make_blocks(table: Any) -> None:
    """Change a table into blocks, one cell below the other."""
    _move_foot(table)
    stack: list[Any] = [table]
    while stack:
        node = stack.pop()
        stack.extend(c for c in node.childNodes if getattr(c, "tagName", "") in _PARTS - {"table"})
        rename(node, "div")


def _cells(row: Element) -> Iterator[Element]:
    return (child for child in row.childNodes if isinstance(child, Element) and child.tagName in ("td", "th"))


def _span(cell: Element, name: str) -> int:
    text = cell.getAttribute(name).strip()
    return max(at_most(text, MAX_SPAN), 1) if text.isascii() and text.isdigit() else 1
