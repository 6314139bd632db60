"""Boxes that are as high as the window, by percentages from the root element on (CSS 2.2, 10.5).

On paper, HTML and BODY are as high as their contents, so these percentages have no effect. A box would have no height
if it only has a background, or texts that are placed over it. Those texts would cover the text below the box.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from wcspider.engines.document.html_trees import HAS_TEXT, has_own_text
from wcspider.engines.plutobook.css.element_styles import PageStyles, boxes_in, is_in_flow
from wcspider.engines.plutobook.grid.boxes import Box

_WHOLE: Final = frozenset({"100%", "100vh"})
_FULL: Final = re.compile("(min-)?height:100(%|vh)")
_PICTURE: Final = re.compile(r"background(-image)?:.*url\(.*", re.IGNORECASE | re.DOTALL)
_WITH_SIZE: Final = frozenset({"img", "svg", "input", "select", "textarea", "button", "hr", "object", "embed", "video"})
"""The elements that have a height without any text."""

WINDOW: Final = "98vh"
"""The height of the window without the usual margins of BODY, so that a box fits on the first page."""


def fill(styles: PageStyles) -> None:
    """Give the boxes of a page that are as high as the window this height, if their contents give them none.

    Containers of flex and grid items get it in any case: their items may be in the middle of the window, or at its end.
    """
    is_possible = styles.elements_with(_FULL, with_generated=False)
    for body in styles.wrappers_of(styles.root.iter("body")) if is_possible else ():
        if styles.values(body).get("height") == "100vh" or (_is_full(styles, body) and _is_full(styles, body.parent)):
            _stretch(styles, body)
            _fill(styles, body)


def _stretch(styles: PageStyles, body: Any) -> None:
    """Let the containers that are as high as the window be at least as high as a page.

    The items of such a container share its height, whatever they declare.
    """
    open_boxes = [body]
    while open_boxes:
        box = open_boxes.pop()
        if Box(box.etree_element, styles.values(box)).is_container:
            styles.add(box, f"min-height:{WINDOW};box-sizing:border-box")
        else:
            open_boxes += (child for child in _in_flow(styles, box) if _is_full(styles, child))


def _fill(styles: PageStyles, body: Any) -> None:
    pictures = styles.elements_with(_PICTURE)
    for box in list(_empty_boxes(styles, body)):
        element = box.etree_element
        if HAS_TEXT(element) or any(inner in pictures for inner in element.iter()):
            styles.add(box, f"min-height:{WINDOW}")


def _empty_boxes(styles: PageStyles, around: Any) -> Iterator[Any]:
    """Yield the boxes in a box of the height of the window that have this height and no contents in the flow."""
    open_boxes = [around]
    while open_boxes:
        for child in _in_flow(styles, open_boxes.pop()):
            if not _is_full(styles, child):
                continue
            if _has_height(styles, child):
                open_boxes.append(child)
            else:
                yield child


def _in_flow(styles: PageStyles, wrapper: Any) -> Iterator[Any]:
    return (child for child in wrapper.iter_children() if is_in_flow(styles.values(child)))


def _is_full(styles: PageStyles, wrapper: Any) -> bool:
    values = styles.values(wrapper)
    return not _WHOLE.isdisjoint((values.get("height"), values.get("min-height")))


def _has_height(styles: PageStyles, box: Any) -> bool:
    """Tell whether a box has contents that take room from top to bottom."""
    found = (inner.etree_element for inner in boxes_in(box, lambda inner: is_in_flow(styles.values(inner))))
    return any(element.tag in _WITH_SIZE or has_own_text(element) for element in found)
