"""Elements without a box of their own (CSS Display 3, 2.5), because PlutoBook does not know ``display: contents``.

The element gets a box that lays out its contents like the box around it, and that has no margin, border or color. If
its children have an order among the items of the flex container around it, each child gets such an element of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from wcspider.engines.document.html_trees import insert_behind
from wcspider.engines.plutobook.css.element_styles import PageStyles, add_style

MAX_ORDERED: Final = 1_000
"""The number of children of an element without a box that keep their order among those of others."""

_CONTENTS: Final = re.compile("display:contents", re.IGNORECASE)
UNDECORATED: Final = (
    "margin: 0; padding: 0; border: 0; outline: 0; background: none; box-shadow: none; width: auto; height: auto; "
    "min-width: 0; min-height: 0; max-width: none; max-height: none; overflow: visible"
)
"""The declarations of a box that cannot be seen, and is as large as its contents."""

_PLAIN: Final = f"{UNDECORATED}; position: static; float: none; transform: none"
_FULL_ROW: Final = "display: grid; grid-column: 1 / -1; grid-template-columns: subgrid"
_OF_FLEX: Final = ("flex-direction", "flex-wrap")
_OF_GRID: Final = ("grid-template-areas", "justify-items")
_OF_BOTH: Final = ("row-gap", "column-gap", "align-items", "justify-content")


def replace_boxes(styles: PageStyles) -> None:
    """Give each element of a page with ``display: contents`` a box that looks like none."""
    found = styles.wrappers_with(_CONTENTS)
    ordered = [wrapper for wrapper in found if _has_order(wrapper, styles)]
    if ordered:
        for wrapper in ordered:
            _split(wrapper, styles)
        styles.restructured()
        found = styles.wrappers_with(_CONTENTS)
    for wrapper in found:
        if styles.values(wrapper).get("display") == "contents":
            styles.add(wrapper, "; ".join([_PLAIN, *_layout(wrapper, styles)]))


def _has_order(wrapper: Any, styles: PageStyles) -> bool:
    """Tell whether an element has no box, and its children have an order among the items around it."""
    if styles.values(wrapper).get("display") != "contents" or wrapper.parent is None:
        return False
    if "flex" not in styles.values(wrapper.parent).get("display", ""):
        return False
    children = list(wrapper.iter_children())
    return len(children) <= MAX_ORDERED and any(_order(child, styles) != "0" for child in children)


def _split(wrapper: Any, styles: PageStyles) -> None:
    """Put each child of an element into an element of its own, with the order of the child."""
    element, children = wrapper.etree_element, list(wrapper.iter_children())
    attributes = {name: value for name, value in element.items() if name != "id"}
    others = [element, *(element.makeelement(element.tag, attributes) for _ in children[1:])]
    insert_behind(element, others[1:])
    for other, child in zip(others, children, strict=True):
        order = _order(child, styles)
        if other is not element:
            other.append(child.etree_element)
        add_style(other, f"order: {order}")


def _order(wrapper: Any, styles: PageStyles) -> str:
    return styles.values(wrapper).get("order", "0")


def _layout(wrapper: Any, styles: PageStyles) -> list[str]:
    """Return the declarations that lay out the contents of an element like those of the box around it."""
    around = styles.values(wrapper.parent) if wrapper.parent is not None else {}
    display = around.get("display", "")
    children = [styles.values(child) for child in wrapper.iter_children()]
    if "flex" in display:
        growing = sum(values.get("flex-grow", "0") != "0" for values in children)
        size = f"{growing} 1 0px" if growing else "0 1 auto"
        return [f"display: flex; flex: {size}", *_copied(around, _OF_FLEX + _OF_BOTH)]
    if "grid" not in display:
        return ["display: inline"]
    if len(children) == 1 and children[0].get("display") != "contents":
        places = [name for name in children[0] if name.startswith(("grid-row-", "grid-column-"))]
        return ["display: block", *_copied(children[0], places)]
    # The children usually fill a row.
    return [_FULL_ROW, *_copied(around, _OF_GRID + _OF_BOTH)]


def _copied(values: Mapping[str, str], names: Iterable[str]) -> list[str]:
    return [f"{name}: {values[name]}" for name in names if name in values]
