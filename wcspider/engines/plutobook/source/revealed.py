"""Transparent content that keeps its room, which pages show with a script when a reader comes to it.

Nothing else is at its place, so it is shown. Transparent boxes above the page, such as menus and windows, stay hidden.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import BLOCKS
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.web.styles.tokens import serialized

_SHOWN: Final = "opacity:1!important;transform:none!important"
_OUT_OF_FLOW: Final = frozenset({"absolute", "fixed"})
_NOTHING: Final = frozenset({"0", "0px"})
_IS_EMPTY: Final = etree.XPath("not(self::img or .//img or normalize-space())")


def show(styles: PageStyles) -> None:
    """Show the transparent blocks and images of a page that are in the flow and have contents."""
    clear = styles.elements_with("opacity", _is_clear)
    found = {element for element in clear if element.tag in BLOCKS or element.tag == "img"}
    found = {element for element in found if element.get("aria-hidden") != "true" and not _IS_EMPTY(element)}
    for wrapper in styles.wrappers if found else ():
        element = wrapper.etree_element
        if element in found and _keeps_its_room(styles.values(wrapper)):
            element.set("style", f"{element.get('style', '')};{_SHOWN}")


def _is_clear(declaration: Any) -> bool:
    return bool(declaration.lower_name == "opacity") and serialized(declaration.value) == "0"


def _keeps_its_room(values: Mapping[str, str]) -> bool:
    """Tell whether an element with these declared values is transparent, but has a place of its own."""
    return (
        values.get("opacity") == "0"
        and values.get("position") not in _OUT_OF_FLOW
        and values.get("visibility") != "hidden"
        and not any(values.get(name) in _NOTHING for name in ("width", "height", "max-height"))
    )
