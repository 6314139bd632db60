"""Flex items of a declared size (CSS Flexbox 1, 4.5 and 7).

PlutoBook does not count `flex-basis` to the least width of a flex container. A container that is a flex item as well
would become narrower than its items, and their text would be covered or clipped.

A declared height is a least height on paper (see `sheets.declarations`), but an item with such a height is not as high
as its row: a circle around initials would become an ellipse.

PlutoBook never makes an item narrower than its declared width, although its words may have room in a narrower one. On a
page that is too wide for the paper, such items have to shrink.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.grid.boxes import box_around
from wcspider.engines.plutobook.sheets.declarations import HAS_LEAST_HEIGHT, LEAST_HEIGHT

_FIXED: Final = re.compile(r"flex:[\d.]+ 0 [\d.]+[a-z]+|flex-basis:[\d.]+[a-z]+", re.IGNORECASE)
SIZED: Final = "data-wcspider-sized"
"""The attribute of elements with a declared width (see `sheets/fitting.css`)."""

_SIZED: Final = re.compile(
    r"width:(?!auto$).+|flex-basis:(?!auto$|0(px)?$).+|flex:.*\s(?!0)[\d.]+[a-z%]+", re.IGNORECASE | re.DOTALL
)
_LIMITS: Final = frozenset({"min-width", "max-width"})
_CONTAINER: Final = re.compile("display:(inline-)?flex", re.IGNORECASE)
_FILLING: Final = frozenset({"auto", "normal", "stretch"})
"""The alignments of items that are as high as their row."""


def keep_widths(styles: PageStyles) -> None:
    """Let the items of rows that do not shrink have their size as their least width."""
    for wrapper in styles.wrappers_with(_FIXED):
        values = styles.values(wrapper)
        basis = values.get("flex-basis", "")
        if values.get("flex-shrink") != "0" or not _LIMITS.isdisjoint(values) or _row_around(styles, wrapper) is None:
            continue
        if "%" not in basis and pixels(basis, PAGE):
            styles.add(wrapper, f"min-width: {basis}")


def keep_heights(styles: PageStyles) -> None:
    """Let the items of rows whose height is declared not become as high as their row."""
    containers = styles.elements_with(_CONTAINER, with_generated=False)
    high = styles.elements_with(HAS_LEAST_HEIGHT, with_generated=False) if containers else set()
    for wrapper in styles.wrappers_of(element for element in high if element.getparent() in containers):
        values, row = styles.values(wrapper), _row_around(styles, wrapper)
        if LEAST_HEIGHT not in values or row is None:
            continue
        if _FILLING.issuperset((row.get("align-items", "normal"), values.get("align-self", "auto"))):
            styles.add(wrapper, "align-self: flex-start")


def _row_around(styles: PageStyles, item: Any) -> Mapping[str, str] | None:
    """Return the declared values of the row of flex items that contains an item; None for another element."""
    if item.parent is None:
        return None
    container = box_around(item, styles)
    return container.values if container.is_row else None


def mark_sized(styles: PageStyles) -> None:
    """Mark the elements with a declared width."""
    for element in styles.elements_with(_SIZED, with_generated=False):
        element.set(SIZED, "")
