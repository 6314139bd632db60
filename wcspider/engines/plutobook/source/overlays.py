"""Boxes above the page that scripts move or remove: drawers beside the window, and screens that cover the loading page.

Where such a box is may be in several rules, such as those of utility classes, so the winning declarations tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.sheets.declarations import FIXED, PLACING, is_out_of_sight
from wcspider.web.styles.tokens import declarations_of

LOWEST: Final = 10
"""The smallest `z-index` of a screen that covers a page. Those of fixed backgrounds are smaller."""

_NO_TEXT: Final = etree.XPath("not(normalize-space())")
_NONE: Final = frozenset({"0", "0px", "0%"})
_WHOLE: Final = frozenset({"100%", "100vw", "100vh"})
_DIRECTIONS: Final = (("width", "min-width", "left", "right"), ("height", "min-height", "top", "bottom"))


def hide(styles: PageStyles) -> None:
    """Hide the fixed boxes of a page that are beside the window, or that cover it and contain no text."""
    fixed = styles.elements_with(_is_fixed, FIXED)
    for wrapper in styles.wrappers if fixed else ():
        if wrapper.etree_element in fixed:
            values = styles.values(wrapper)
            is_in_place = FIXED not in values or values.get("position") != "absolute"
            if not is_in_place and (_is_beside_window(values) or _is_screen(wrapper.etree_element, values)):
                styles.add(wrapper, "display:none")


def _is_fixed(declaration: Any) -> bool:
    return bool(declaration.name == FIXED)


def _is_beside_window(values: Mapping[str, str]) -> bool:
    placing = declarations_of(";".join(f"{name}:{values[name]}" for name in PLACING & values.keys()))
    return is_out_of_sight({d.lower_name: d for d in (*placing, *declarations_of("position:fixed"))})


def _is_screen(element: Any, values: Mapping[str, str]) -> bool:
    is_above = values.get("z-index", "").isdecimal() and int(values["z-index"]) >= LOWEST
    return is_above and _NO_TEXT(element) and all(_fills(values, *names) for names in _DIRECTIONS)


def _fills(values: Mapping[str, str], size: str, least: str, start: str, end: str) -> bool:
    """Tell whether a box is as wide, or as high, as the window."""
    is_whole = not _WHOLE.isdisjoint(map(values.get, (size, least)))
    return is_whole or all(values.get(side) in _NONE for side in (start, end))
