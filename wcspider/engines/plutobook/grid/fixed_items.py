"""Flex items of a declared size (CSS Flexbox 1, 4.5 and 7).

PlutoBook does not count `flex-basis` to the least width of a flex container. A container that is a flex item as well
would become narrower than its items, and their text would be covered or clipped.

On the other hand, it never makes an item narrower than its declared width, although its words may have room in a
narrower one. On a page that is too wide for the paper, such items have to shrink.
"""

from __future__ import annotations

import re
from typing import Final

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.grid.boxes import Box

_FIXED: Final = re.compile(r"flex:[\d.]+ 0 [\d.]+[a-z]+|flex-basis:[\d.]+[a-z]+", re.IGNORECASE)
SIZED: Final = "data-wcspider-sized"
"""The attribute of elements with a declared width (see `sheets/fitting.css`)."""

_SIZED: Final = re.compile(
    r"width:(?!auto$).+|flex-basis:(?!auto$|0(px)?$).+|flex:.*\s(?!0)[\d.]+[a-z%]+", re.IGNORECASE | re.DOTALL
)
_LIMITS: Final = frozenset({"min-width", "max-width"})


def keep_widths(styles: PageStyles) -> None:
    """Let the items of rows that do not shrink have their size as their least width."""
    for wrapper in styles.wrappers_with(_FIXED):
        values, parent = styles.values(wrapper), wrapper.parent
        if parent is None or values.get("flex-shrink") != "0" or not _LIMITS.isdisjoint(values):
            continue
        container, basis = Box(parent.etree_element, styles.values(parent)), values.get("flex-basis", "")
        is_row = "flex" in container.values.get("display", "") and not container.is_column
        if is_row and "%" not in basis and pixels(basis, PAGE):
            styles.add(wrapper, f"min-width: {basis}")


def mark_sized(styles: PageStyles) -> None:
    """Mark the elements with a declared width."""
    for element in styles.elements_with(_SIZED, with_generated=False):
        element.set(SIZED, "")
