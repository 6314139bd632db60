"""Flex items of a declared size (CSS Flexbox 1, 4.5 and 7).

PlutoBook does not count `flex-basis` to the least width of a flex container. A container that is a flex item as well
would become narrower than its items, and their text would be covered or clipped.

A declared height is a least height on paper (see `sheets.declarations`), but an item with such a height is not as high
as its row: a circle around initials would become an ellipse.

PlutoBook never makes an item narrower than a length that is its declared width, although its words may have room in a
narrower one. In a row without room, and on a page that is too wide for the paper, such items have to shrink. The others
are as wide as their words. Where a row hides its overflow, items with much text may be narrower than their widest part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import TEXT_LENGTH
from wcspider.engines.plutobook.css.element_styles import CUTS, CUTTING, PageStyles, is_in_flow
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.grid.boxes import REPLACED, Box, box_around
from wcspider.engines.plutobook.grid.container_width import ContainerWidths
from wcspider.engines.plutobook.sheets.least_heights import HAS_LEAST_HEIGHT, has_least_height

_Values = Mapping[str, str]
_FIXED: Final = re.compile(r"flex:[\d.]+ 0 [\d.]+[a-z]+|flex-basis:[\d.]+[a-z]+", re.IGNORECASE)
SIZED: Final = "data-wcspider-sized"
"""The attribute of elements whose declared width is a length (see `sheets/fitting.css`)."""

_LENGTH: Final = re.compile(r"width:(?!auto$)[^%]+", re.IGNORECASE | re.DOTALL)
"""A width that does not depend on the box around."""

_SIZED: Final = re.compile(
    rf"{_LENGTH.pattern}|flex-basis:(?!auto$|0(px)?$)[^%]+|flex:.*\s(?!0)[\d.]+[a-z]+", re.IGNORECASE | re.DOTALL
)
_LIMITS: Final = frozenset({"min-width", "max-width"})
_CONTAINER: Final = re.compile("display:(inline-)?flex", re.IGNORECASE)
_WITH_OWN_WIDTH: Final = REPLACED | {"table"}
"""Replaced elements, and tables, whose widths PlutoBook computes in another way."""

MUCH: Final = 300
"""The number of characters of a text of several lines."""

_FILLING: Final = frozenset({"auto", "normal", "stretch"})
"""The alignments of items that are as high as their row."""


def keep_widths(styles: PageStyles) -> None:
    """Let the items of rows that do not shrink have their size as their least width."""
    for wrapper, values, _ in _items_of_rows(styles, styles.elements_with(_FIXED)):
        basis = values.get("flex-basis", "")
        is_fixed = values.get("flex-shrink") == "0" and _LIMITS.isdisjoint(values)
        if is_fixed and "%" not in basis and pixels(basis, PAGE):
            styles.add(wrapper, f"min-width: {basis}")


def let_shrink(styles: PageStyles, widths: ContainerWidths) -> None:
    """Let the items of a row whose declared sizes have no room in it become as narrow as their words.

    PlutoBook would keep their widths, so an image beside them would have no width, or the page would be too wide.
    """
    containers = styles.elements_with(_CONTAINER, with_generated=False)
    sized = styles.elements_with(_LENGTH, with_generated=False) if containers else set()
    items = (item for item in sized if item.getparent() in containers and item.tag not in _WITH_OWN_WIDTH)
    for wrapper, values, row in _items_of_rows(styles, items):
        width = values.get("width", "auto")
        if row.get("flex-wrap", "nowrap") != "nowrap" or values.get("flex-shrink", "1") == "0":
            continue
        keeps = "min-width" in values or values.get("flex-basis", "auto") != "auto" or not is_in_flow(values)
        keeps = keeps or "%" in width or pixels(width, PAGE) is None
        if not keeps and widths.is_overfull(wrapper.parent):
            styles.add(wrapper, f"flex-basis: {width}; width: auto")


def let_text_wrap(styles: PageStyles) -> None:
    """Let the items with much text become as narrow as their row, if it hides its overflow.

    If one part of such an item is too wide, such as a drawing, the row would cut all lines of its text.
    """
    rows = styles.elements_with(_CONTAINER, with_generated=False)
    hiding = styles.elements_with(CUTS, with_generated=False) if rows else set()
    items = (item for row in rows & hiding for item in row.iterchildren(etree.Element) if TEXT_LENGTH(item) >= MUCH)
    for wrapper, values, row in _items_of_rows(styles, items):
        shrinks = "min-width" not in values and values.get("flex-shrink", "1") != "0"
        if shrinks and row.get("overflow-x") in CUTTING:
            styles.add(wrapper, "min-width: 0")


def keep_heights(styles: PageStyles) -> None:
    """Let the items of rows whose height is declared not become as high as their row.

    Columns of items that wrap have exactly the height that is declared, because the items begin a new column there.
    """
    containers = styles.elements_with(_CONTAINER, with_generated=False)
    high = styles.elements_with(HAS_LEAST_HEIGHT, with_generated=False) if containers else set()
    for wrapper in styles.wrappers_of(high & containers):
        values = styles.values(wrapper)
        wraps = Box(wrapper.etree_element, values).is_column and values.get("flex-wrap", "").startswith("wrap")
        if wraps and has_least_height(values):
            styles.add(wrapper, f"height: {values.get('min-height', 'auto')}")
    items = (element for element in high if element.getparent() in containers)
    for wrapper, values, row in _items_of_rows(styles, items):
        fills = _FILLING.issuperset((row.get("align-items", "normal"), values.get("align-self", "auto")))
        if fills and has_least_height(values):
            styles.add(wrapper, "align-self: flex-start")


def _items_of_rows(styles: PageStyles, elements: Iterable[Any]) -> Iterator[tuple[Any, _Values, _Values]]:
    """Yield the elements that are items of a row of flex items, with their declared values and those of the row."""
    for wrapper in styles.wrappers_of(elements):
        if wrapper.parent is not None and (row := box_around(wrapper, styles)).is_row:
            yield wrapper, styles.values(wrapper), row.values


def mark_sized(styles: PageStyles) -> None:
    """Mark the elements whose declared width is a length."""
    for element in styles.elements_with(_SIZED, with_generated=False):
        element.set(SIZED, "")
