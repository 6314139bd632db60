"""Boxes above the page that scripts move or remove: drawers beside the window, and screens that cover the page.

Where such a box is may be in several rules, such as those of utility classes, so the winning declarations tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.css.element_styles import OUT_OF_FLOW, PageStyles
from wcspider.engines.plutobook.sheets.declarations import FIXED, PLACING, is_out_of_sight
from wcspider.engines.plutobook.sheets.large_boxes import LONG
from wcspider.web.styles.tokens import declarations_of

LOWEST: Final = 10
"""The smallest `z-index` of a screen that covers a page. Those of backgrounds are smaller."""

_ABOVE: Final = re.compile(rf"{FIXED}:.*|z-index:(\d\d+|.*var\(.*)", re.DOTALL)
_TEXT: Final = etree.XPath("normalize-space()")
_HAS_LINK: Final = etree.XPath("boolean(descendant-or-self::a[@href])")
_NONE: Final = frozenset({"0", "0px", "0%"})
_WHOLE: Final = frozenset({"100%", "100vw", "100vh"})
_DIRECTIONS: Final = (("width", "min-width", "left", "right"), ("height", "min-height", "top", "bottom"))
_IN_FLOW: Final = "position:relative;top:auto;right:auto;bottom:auto;left:auto;transform:none"


def uncover(styles: PageStyles) -> None:
    """Hide the boxes beside the window, and the screens without text; show the text of other screens above the page."""
    for wrapper in styles.wrappers_with(_ABOVE):
        values = styles.values(wrapper)
        if values.get("position") != "absolute":
            continue
        if FIXED in values and _is_beside_window(values):
            styles.add(wrapper, "display:none")
        elif _is_screen(styles, wrapper, values):
            _remove(styles, wrapper)


def _is_high(index: str) -> bool:
    return index.isdecimal() and int(index) >= LOWEST


def _is_beside_window(values: Mapping[str, str]) -> bool:
    placing = declarations_of(";".join(f"{name}:{values[name]}" for name in PLACING & values.keys()))
    return is_out_of_sight({d.lower_name: d for d in (*placing, *declarations_of("position:fixed"))})


def _is_screen(styles: PageStyles, wrapper: Any, values: Mapping[str, str]) -> bool:
    """Tell whether a box covers the window and is visible."""
    is_shown = values.get("visibility") != "hidden" and values.get("opacity") != "0"
    fills = _is_high(values.get("z-index", "")) and all(_fills(values, *names) for names in _DIRECTIONS)
    return is_shown and fills and (FIXED in values or _is_in_window(styles, wrapper))


def _fills(values: Mapping[str, str], size: str, least: str, start: str, end: str) -> bool:
    """Tell whether a box is as wide, or as high, as the box that contains it."""
    is_whole = not _WHOLE.isdisjoint(map(values.get, (size, least)))
    return is_whole or (values.get(size, "auto") == "auto" and all(values.get(side) in _NONE for side in (start, end)))


def _is_in_window(styles: PageStyles, wrapper: Any) -> bool:
    """Tell whether the window contains an absolute box, and no other box of the page does (CSS 2.1, 10.1)."""
    around = (styles.values(ancestor) for ancestor in wrapper.ancestors if ancestor.local_name not in ("html", "body"))
    return all(v.get("position", "static") == "static" and v.get("transform", "none") == "none" for v in around)


def _remove(styles: PageStyles, screen: Any) -> None:
    """Uncover the page below a screen. Screens with long texts become blocks anyway; see `large_boxes`."""
    text = _TEXT(screen.etree_element)
    if text and len(text) < LONG:
        for inner in list(_placed_in(styles, screen)):
            styles.add(inner, f"{_IN_FLOW};margin:0")
        styles.add(screen, f"{_IN_FLOW};height:auto;min-height:0")
    elif not text and not _HAS_LINK(screen.etree_element):
        styles.add(screen, "display:none")


def _placed_in(styles: PageStyles, box: Any) -> Iterator[Any]:
    """Yield the boxes with text that are placed in a box without a place in the flow."""
    for child in box.iter_children():
        position = styles.values(child).get("position", "static")
        if position in OUT_OF_FLOW and _TEXT(child.etree_element):
            yield child
        elif position == "static":
            yield from _placed_in(styles, child)
