"""Boxes that are as high as the window, by percentages from the root element on (CSS 2.2, 10.5).

On paper, HTML and BODY are as high as their contents, so these percentages have no effect. A box would have no height
if it only has a background, or texts that are placed over it. Those texts would cover the text below the box.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.css.element_styles import OUT_OF_FLOW, PageStyles

_WHOLE: Final = frozenset({"100%", "100vh"})
_FULL: Final = re.compile("(min-)?height:100%")
_PICTURE: Final = re.compile(r"background(-image)?:.*url\(.*", re.IGNORECASE | re.DOTALL)
_WITH_SIZE: Final = frozenset({"img", "svg", "input", "select", "textarea", "button", "hr", "object", "embed", "video"})
"""The elements that have a height without any text."""

_HAS_TEXT: Final = etree.XPath("boolean(normalize-space())")
_AS_WINDOW: Final = "min-height:98vh"
"""The height of the window without the usual margins of BODY, so that the box fits on the first page."""


def fill(styles: PageStyles) -> None:
    """Give the boxes of a page that are as high as the window this height, if their contents give them none."""
    full = styles.elements_with(_FULL, with_generated=False)
    body = next((w for w in styles.wrappers if w.local_name == "body"), None) if full else None
    if body is None or not (_is_full(styles, body) and _is_full(styles, body.parent)):
        return
    pictures = styles.elements_with(_PICTURE)
    for box in list(_empty_boxes(styles, body)):
        element = box.etree_element
        if _HAS_TEXT(element) or any(inner in pictures for inner in element.iter()):
            styles.add(box, _AS_WINDOW)


def _empty_boxes(styles: PageStyles, around: Any) -> Iterator[Any]:
    """Yield the boxes in a box of the height of the window that have this height and no contents in the flow."""
    for child in _in_flow(styles, around):
        if _is_full(styles, child):
            if _has_height(styles, child):
                yield from _empty_boxes(styles, child)
            else:
                yield child


def _in_flow(styles: PageStyles, wrapper: Any) -> Iterator[Any]:
    for child in wrapper.iter_children():
        values = styles.values(child)
        if values.get("display") != "none" and values.get("position") not in OUT_OF_FLOW:
            yield child


def _is_full(styles: PageStyles, wrapper: Any) -> bool:
    values = styles.values(wrapper)
    return not _WHOLE.isdisjoint((values.get("height"), values.get("min-height")))


def _has_height(styles: PageStyles, wrapper: Any) -> bool:
    """Tell whether a box has contents that take room from top to bottom."""
    element = wrapper.etree_element
    if element.tag in _WITH_SIZE or any((text or "").strip() for text in (element.text, *(e.tail for e in element))):
        return True
    return any(_has_height(styles, child) for child in _in_flow(styles, wrapper))
