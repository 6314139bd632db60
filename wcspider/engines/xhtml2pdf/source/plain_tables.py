"""Tables, as far as the paper is wide enough for them; all others become blocks, cell under cell.

xhtml2pdf cannot cut a row where a cell spans several, and its time grows with the square of a table's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.dom.minidom import Document, Element

from wcspider.engines.document.forms import text_of
from wcspider.engines.document.limits import MAX_SPAN, ancestor, document_of
from wcspider.engines.text.scripts import UNSPACED
from wcspider.web.numbers import at_most

MAX_ROWS = 100
"""How many rows a table has before it goes on in another table."""

MAX_COLUMNS = 20
MAX_CELL = 1_500
"""How many characters a cell may hold: each page that a cell runs over costs as much as the whole cell."""

LINE_LENGTH = 40
"""How many characters a line counts for, however short it is."""

LETTER, IDEOGRAPH, EDGES = 6.5, 13.0, 6.0
"""About how wide a letter, an ideograph and the edges of a cell are, in points."""

LONGEST_WORD = 24
"""How many letters of a word are kept on a line of a cell if there is room for them."""

_WORD = re.compile(r"[^\s\N{NO-BREAK SPACE}]+")
_LINES = frozenset({"br", "dd", "div", "dt", "li", "p"})
_PARTS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col"})


def prepare_tables(document: Document, room: float) -> None:
    """Make tables that have no room in `room` points blocks, and cut the other ones into parts."""
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
    """Return the cells of each row by the column that they begin in; None if there are too many columns."""
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
    """Return whether the cells of a table are short, and its columns have room for their longest words."""
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
    """Return about how wide the longest word of a text is; lines of some scripts end between any two letters."""
    words = _WORD.findall(text)
    letters = max((len(word) for word in words if not UNSPACED.search(word)), default=0)
    return max(min(letters, LONGEST_WORD) * LETTER, IDEOGRAPH)


def _end_row_spans(rows: list[Element], grid: list[dict[int, Element]]) -> None:
    """Put empty cells below cells that span rows, and write spans as they are understood."""
    for at, cells in enumerate(grid):
        for column, cell in list(cells.items()):
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            cell.setAttribute("colspan", str(across))
            if cell.hasAttribute("rowspan"):
                cell.removeAttribute("rowspan")
            for row in range(at + 1, min(at + down, len(rows))):
                blank = document_of(cell).createElement(cell.tagName)
                blank.setAttribute("colspan", str(across))
                behind = min((other for other in grid[row] if other > column), default=None)
                rows[row].insertBefore(blank, None if behind is None else grid[row][behind])
                grid[row][column] = blank


def _move_foot(table: Element) -> None:
    """Put the TFOOT of a table below its bodies, where HTML shows it wherever it stands (CSS 2.1, 17.2)."""
    for child in table.childNodes:
        if getattr(child, "tagName", "") == "tfoot":
            table.appendChild(child)
            return


def _cut(table: Any, rows: list[Element]) -> None:
    """Continue a long table in further tables."""
    rows = list(table.getElementsByTagName("tr")) if len(rows) > MAX_ROWS else []
    after = table
    for start in range(MAX_ROWS, len(rows), MAX_ROWS):
        part = document_of(table).createElement("table")
        for row in rows[start : start + MAX_ROWS]:
            part.appendChild(row)
        after.parentNode.insertBefore(part, after.nextSibling)
        after = part


def _make_blocks(table: Any) -> None:
    """Turn a table into blocks, cell under cell."""
    _move_foot(table)
    stack: list[Any] = [table]
    while stack:
        node = stack.pop()
        stack.extend(c for c in node.childNodes if getattr(c, "tagName", "") in _PARTS - {"table"})
        node.tagName = node.nodeName = "div"


def _cells(row: Element) -> Iterator[Element]:
    return (child for child in row.childNodes if isinstance(child, Element) and child.tagName in ("td", "th"))


def _span(cell: Element, name: str) -> int:
    text = cell.getAttribute(name).strip()
    return max(at_most(text, MAX_SPAN), 1) if text.isascii() and text.isdigit() else 1
