"""Nested boxes that PlutoBook lays out twice for each box of the same kind around them.

With 20 of them nested, the layout takes a million times as long as without. Those that are nested too deep are laid
out as blocks.
"""

from __future__ import annotations

from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.web.styles.tokens import serialized

DEEPEST: Final = 8
"""The largest number of such boxes in each other. Columns count as three, because each has half the room."""

_AS_BLOCK: Final = "display:block!important;columns:auto!important;column-count:auto!important"
_DEEP: Final = etree.XPath(f"boolean({'/*' * (DEEPEST // 3 + 5)})")
"""True if elements are nested so deep that there may be too many such boxes in each other."""


def untangle(styles: PageStyles) -> None:
    """Turn boxes inside `DEEPEST` others of their kind into blocks."""
    if not _DEEP(styles.root):
        return
    weights = dict.fromkeys(styles.elements_with("table", _is_table), 1)
    weights |= dict.fromkeys(styles.elements_with("column", _is_flex_column), 1)
    weights |= dict.fromkeys(styles.elements_with("column", _has_columns), 3)
    if sum(weights.values()) <= DEEPEST:
        return
    depths: dict[Any, int] = {None: 0}
    for element in styles.root.iter(etree.Element):
        depths[element] = depths[element.getparent()] + weights.get(element, 0)
        if element in weights and depths[element] > DEEPEST:
            element.set("style", f"{element.get('style', '')};{_AS_BLOCK}")


def _is_table(declaration: Any) -> bool:
    return declaration.lower_name == "display" and serialized(declaration.value).lower() == "table"


def _is_flex_column(declaration: Any) -> bool:
    """Tell whether a declaration places the items below each other. Items side by side are laid out only once."""
    return (
        declaration.lower_name in ("flex-direction", "flex-flow") and "column" in serialized(declaration.value).lower()
    )


def _has_columns(declaration: Any) -> bool:
    return declaration.lower_name in ("columns", "column-count")
