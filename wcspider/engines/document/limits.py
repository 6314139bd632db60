"""The shapes of documents that xhtml2pdf takes long over, or fails on, put into ones that it can lay out.

Its time grows with the square of a paragraph's and a table's length, it walks the tree by recursion, and it
cannot cut a table row where a cell spans several.
"""

from __future__ import annotations

from typing import Any
from xml.dom.minidom import Document, Element, Node

from wcspider.web.numbers import at_most

MAX_DEPTH = 90
MAX_RUN = 8_000
"""How many characters one paragraph holds before it is cut."""

MAX_LINES = 60
"""How many lines of preformatted text one paragraph holds before it is cut."""

MAX_ROWS = 200
MAX_TABLE_CELLS = 4_000
"""How many cells a table of many columns holds before it is cut, as one of many rows is."""

LINE_LENGTH = 40
IMAGE_LENGTH = 300
PART = "wcspider-part"
"""The attribute of the tables that one long table was cut into: they have the same columns."""

MAX_CELL = 3_000
"""How many characters a cell may hold before its table is laid out as blocks: each page that a cell runs over costs
as much as the whole cell."""

MAX_SPANNED_CELL = 800
"""The same in a table with row spans."""

MAX_SPANNED_ROWS = 1_500
"""How many characters the rows hold that one cell may span: what is taller than a page cannot be laid out."""

MAX_SPAN = 1_000
"""How many columns a cell may span in HTML, and rows here."""

MAX_COLUMNS = 100
"""How many columns a table may have that no cell begins in."""

MAX_CELLS = 150
"""How many cells a row may have before its table is laid out as blocks: with more, none has room for its edges."""

_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt",
     "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li",
     "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "td", "th", "tr", "ul"}
)  # fmt: skip
_OWN_LENGTH = dict.fromkeys(("br", "li", "p", "dt", "dd", "tr", "h1", "h2", "h3", "h4"), LINE_LENGTH) | {
    "img": IMAGE_LENGTH
}
_CUT_IN_TWO = frozenset({"p", "pre", "div"})
_TABLE_PARTS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col"})


def apply(document: Document) -> None:
    """Bring a document within the limits, in place."""
    _flatten(document)
    _cut_runs(document)
    _measure(document)
    for table in document.getElementsByTagName("table"):
        _cut_spans(table)
        if _has_long_cell(table) or _has_long_row(table):
            _linearise(table)
        else:
            _cut_table(table)


def text_length(element: Element) -> int:
    """How much text `element` holds, in characters, as noted by `apply`."""
    return int(getattr(element, "text_length", 0))


def _flatten(document: Document) -> None:
    """Hang everything below the deepest level allowed side by side on that level."""
    stack: list[tuple[Any, int]] = [(document, 0)]
    while stack:
        node, depth = stack.pop()
        if depth == MAX_DEPTH:
            _hang_leaves(node)
        else:
            stack.extend((child, depth + 1) for child in node.childNodes if child.nodeType == Node.ELEMENT_NODE)


def _hang_leaves(element: Element) -> None:
    leaves: list[Any] = []
    stack = list(reversed(element.childNodes))
    while stack:
        node = stack.pop()
        if node.childNodes:
            stack.extend(reversed(node.childNodes))
            if getattr(node, "tagName", "") in _BLOCKS:
                leaves.append(document_of(element).createElement("br"))
        else:
            leaves.append(node)
    for child in list(element.childNodes):
        element.removeChild(child)
    for leaf in leaves:
        element.appendChild(leaf)


def document_of(element: Element) -> Document:
    """Return the document that `element` belongs to."""
    document: Document | None = element.ownerDocument
    assert document is not None
    return document


def ancestor(element: Element, *names: str) -> Any:
    """Return the nearest element around `element` with one of these names; None if there is none."""
    node: Any = element.parentNode
    while node is not None and getattr(node, "tagName", "") not in names:
        node = node.parentNode
    return node


def _cut_runs(document: Document) -> None:
    """Cut paragraphs that are too long."""
    run = lines = 0
    stack: list[tuple[Any, bool, bool]] = [(document, False, False)]
    while stack:
        node, preformatted, leaving = stack.pop()
        if node.nodeType == Node.TEXT_NODE:
            run += len(node.data)
            lines += node.data.count("\n") if preformatted else 0
            if run > MAX_RUN or lines > MAX_LINES:
                run = lines = 0
                rest = _cut(node, _place_to_cut(node.data, preformatted))
                if rest is not None:
                    # What followed the text may hang on another parent now; it stands behind `rest` all the same.
                    stack.append((rest, preformatted, False))
        elif leaving or getattr(node, "tagName", "") in _BLOCKS:
            run = lines = 0
        if node.childNodes and not leaving:
            if getattr(node, "tagName", "") in _BLOCKS:
                stack.append((node, preformatted, True))
            inside = preformatted or getattr(node, "tagName", "") == "pre"
            stack.extend((child, inside, False) for child in reversed(node.childNodes))


def _place_to_cut(text: str, preformatted: bool) -> int:
    if preformatted:
        head = "\n".join(text.split("\n", MAX_LINES)[:MAX_LINES])
        return min(len(head) + 1, MAX_RUN)
    space = text.rfind(" ", 0, MAX_RUN)
    return space if space > 0 else MAX_RUN


def _cut(node: Any, at: int) -> Any:
    """End the paragraph at `at` in the text `node`, begin another; return its first text, None if it is empty."""
    if at >= len(node.data):
        return None
    rest = node.splitText(at)
    block = node.parentNode
    while getattr(block, "tagName", "html") not in _BLOCKS | {"html"}:
        block = block.parentNode
    if block.tagName in _CUT_IN_TWO:
        _divide(block, rest)
    else:
        # An empty block ends the paragraph: another list item or table cell would be another thing.
        rest.parentNode.insertBefore(document_of(block).createElement("div"), rest)
    return rest


def _divide(block: Element, node: Any) -> None:
    """Cut `block` in two before `node`, and with it what stands between the two in the tree."""
    while node is not block:
        parent = node.parentNode
        part = parent.cloneNode(False)
        if part.hasAttribute("id"):
            part.removeAttribute("id")
        following = parent.childNodes[parent.childNodes.index(node) :]
        for child in following:
            part.appendChild(child)
        parent.parentNode.insertBefore(part, parent.nextSibling)
        if parent is block:
            _join(block, part)
            return
        node = part


def _join(first: Element, second: Element) -> None:
    """Take away the margins between two halves of a block."""
    own = second.getAttribute("style")
    second.setAttribute("style", f"{own}; margin-top: 0")
    first.setAttribute("style", f"{first.getAttribute('style')}; margin-bottom: 0")


def _measure(document: Document) -> None:
    """Note on each element how much it holds, in characters: `LINE_LENGTH` for a line however short."""
    order: list[tuple[Any, bool]] = []
    stack: list[tuple[Any, bool]] = [(document, False)]
    while stack:
        node, preformatted = stack.pop()
        order.append((node, preformatted))
        inside = preformatted or getattr(node, "tagName", "") == "pre"
        stack.extend((child, inside) for child in node.childNodes)
    for node, preformatted in reversed(order):
        if node.nodeType == Node.TEXT_NODE:
            node.text_length = len(node.data) + (node.data.count("\n") * LINE_LENGTH if preformatted else 0)
        else:
            own = _OWN_LENGTH.get(getattr(node, "tagName", ""), 0)
            node.text_length = own + sum(child.text_length for child in node.childNodes)


def _has_long_cell(table: Element) -> bool:
    cells = [*table.getElementsByTagName("td"), *table.getElementsByTagName("th")]
    spanned = any(cell.getAttribute("rowspan").strip() not in ("", "1") for cell in cells)
    longest = max((text_length(cell) for cell in cells), default=0)
    return longest > (MAX_SPANNED_CELL if spanned else MAX_CELL)


def _has_long_row(table: Element) -> bool:
    rows = (row for row in table.getElementsByTagName("tr") if ancestor(row, "table") is table)
    return any(_cell_count(row) > MAX_CELLS for row in rows)


def _linearise(table: Any) -> None:
    """Turn a table into blocks, cell under cell."""
    stack: list[Any] = [table]
    while stack:
        node = stack.pop()
        stack.extend(c for c in node.childNodes if getattr(c, "tagName", "") in _TABLE_PARTS - {"table"})
        node.tagName = node.nodeName = "div"


def _cut_table(table: Any) -> None:
    """Continue a long table of plain rows in further tables."""
    rows = [r for r in table.getElementsByTagName("tr") if ancestor(r, "table") is table]
    columns = max(map(_cell_count, rows), default=0)
    most = min(MAX_ROWS, max(MAX_TABLE_CELLS // max(columns, 1), 1))
    if len(rows) <= most or any(c.hasAttribute("rowspan") for r in rows for c in r.childNodes if _is_cell(c)):
        return
    table.setAttribute(PART, str(id(table)))
    after = table
    for start in range(most, len(rows), most):
        part = table.cloneNode(False)
        if part.hasAttribute("id"):
            part.removeAttribute("id")
        for row in rows[start : start + most]:
            part.appendChild(row)
        after.parentNode.insertBefore(part, after.nextSibling)
        after = part


def _cut_spans(table: Element) -> None:
    """Put empty cells in the place of what spans more rows than go on a page."""
    rows = [r for r in table.getElementsByTagName("tr") if ancestor(r, "table") is table]
    grid = _grid(rows)
    _join_columns(grid)
    for at, cells in enumerate(grid):
        for column, cell in cells.items():
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            covered = range(at + 1, min(at + down, len(rows)))
            if down > 1 and sum(text_length(rows[row]) for row in covered) > MAX_SPANNED_ROWS:
                cell.removeAttribute("rowspan")
                for row in covered:
                    blank = document_of(table).createElement(cell.tagName)
                    blank.setAttribute("colspan", str(across))
                    rows[row].insertBefore(blank, next((c for at, c in grid[row].items() if at > column), None))


def _join_columns(grid: list[dict[int, Element]]) -> None:
    """Write spans as they are understood, and make the columns one that all cells span together, if there are many."""
    ends = {id(cell): column + _span(cell, "colspan") for cells in grid for column, cell in cells.items()}
    edges = sorted({*ends.values(), *(column for cells in grid for column in cells)})
    places = {edge: place for place, edge in enumerate(edges)}
    is_wide = bool(edges) and edges[-1] > MAX_COLUMNS
    for cells in grid:
        for column, cell in cells.items():
            end = ends[id(cell)]
            for name, span in (
                ("colspan", places[end] - places[column] if is_wide else end - column),
                ("rowspan", _span(cell, "rowspan")),
            ):
                if cell.hasAttribute(name):
                    cell.setAttribute(name, str(span))


def _grid(rows: list[Element]) -> list[dict[int, Element]]:
    """Return the cells of each row by the column that they begin in, from the left."""
    taken: list[set[int]] = [set() for _ in rows]
    grid: list[dict[int, Element]] = []
    for at, row in enumerate(rows):
        grid.append({})
        column = 0
        for cell in (child for child in row.childNodes if _is_cell(child)):
            while column in taken[at]:
                column += 1
            grid[at][column] = cell  # type: ignore[assignment]
            columns = range(column, column + _span(cell, "colspan"))
            for below in taken[at : at + _span(cell, "rowspan")]:
                below.update(columns)
    return grid


def _span(cell: Any, name: str) -> int:
    text = cell.getAttribute(name).strip()
    return max(at_most(text, MAX_SPAN), 1) if text.isascii() and text.isdigit() else 1


def _cell_count(row: Element) -> int:
    return sum(map(_is_cell, row.childNodes))


def _is_cell(node: Any) -> bool:
    return getattr(node, "tagName", "") in ("td", "th")
