"""Limits for the layout. Parts of a page that would take PlutoBook minutes or gigabytes are changed to a simpler form.

According to measurements, a page within these limits takes a few seconds at most.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from wcspider.engines.document.html_trees import MAX_DEPTH, divide_text, flatten
from wcspider.exceptions import EngineError
from wcspider.web.numbers import at_most

MAX_TABLES = 12
"""The largest number of nested tables: each level doubles the time of the layout."""

MAX_COLUMNS = 400
"""The largest number of columns that a cell spans."""

MAX_ROW_SPAN = 1_000
"""The largest number of rows that a cell spans."""

MAX_ROWS = 200
"""The largest number of rows of a TEXTAREA."""

MAX_TEXT = 3_000_000
"""The largest number of characters of a page that is laid out."""

MAX_ELEMENTS = 200_000
"""The largest number of elements of a page that is laid out."""

MAX_RUN = 30_000
"""The largest length of one text, in characters; line breaks are inserted into longer texts."""

_BOUNDS = {"colspan": MAX_COLUMNS, "rowspan": MAX_ROW_SPAN, "span": MAX_COLUMNS, "rows": MAX_ROWS, "cols": MAX_ROWS,
           "size": MAX_ROWS}  # fmt: skip
_LENGTH = etree.XPath("string-length(/*)")
_COUNT = etree.XPath("count(//*)")
_BOUNDED = ("td", "th", "col", "colgroup", "textarea", "input", "select", "font", "hr")
"""The elements with these attributes."""

_DEEP = etree.XPath(f"boolean({'/*' * 100})")
"""True if elements may be nested too deep. libxml2 does not read a longer path."""

_LONG_TEXTS = etree.XPath(f"boolean(//text()[string-length() > {MAX_RUN}])")
_PIECE = re.compile(rf"(?s).{{1,{MAX_RUN - 1}}}(?:[ \n]|\Z)|.{{1,{MAX_RUN}}}")
_BLOCK = "div"
_WITHOUT_BREAKS = frozenset({"style", "textarea", "title", "option"})
_TABLE_PARTS = ("thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col")


def apply(root: Any) -> None:
    """Bring a document within the limits, in place.

    Raises `EngineError` if the document is too large.
    """
    length = _LENGTH(root)
    if length > MAX_TEXT:
        raise EngineError(f"the page has more than {MAX_TEXT:,} characters")
    if _COUNT(root) > MAX_ELEMENTS:
        raise EngineError(f"the page has more than {MAX_ELEMENTS:,} elements")
    for element in root.iter(*_BOUNDED):
        for name, text in element.items():
            most, value = _BOUNDS.get(name), text.strip().lstrip("+")
            if most is not None and value.isdecimal() and at_most(value, most + 1) > most:
                element.set(name, str(most))
    tables = list(root.iter("table"))
    if len(tables) > MAX_TABLES:
        _untangle(tables)
    if _DEEP(root):
        flatten(root, MAX_DEPTH)
    if length > MAX_RUN and _LONG_TEXTS(root):
        _cut_runs(root)


def _untangle(tables: list[Any]) -> None:
    """Turn tables that are nested too deep into blocks."""
    for table in [table for table in tables if len(list(table.iterancestors("table"))) >= MAX_TABLES]:
        stack = [table]
        while stack:
            element = stack.pop()
            stack.extend(child for child in element if child.tag in _TABLE_PARTS)
            element.tag = _BLOCK


def _cut_runs(root: Any) -> None:
    """Insert line breaks into very long texts."""
    for element in list(root.iter(etree.Element)):
        own = "" if element.tag in _WITHOUT_BREAKS else element.text
        for is_tail, text in ((False, own), (True, element.tail)):
            if len(text or "") > MAX_RUN:
                pieces = _PIECE.findall(text)
                divide_text(element, pieces, [element.makeelement(_BLOCK) for _ in pieces[1:]], is_tail=is_tail)
