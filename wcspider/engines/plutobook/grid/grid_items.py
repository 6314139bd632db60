"""The items of grid containers (CSS Grid 2, 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wcspider.engines.plutobook.grid.boxes import Before, Box
from wcspider.engines.plutobook.grid.flex_lines import GROUP
from wcspider.engines.plutobook.grid.grid_cascade import GridCascade

_OUT_OF_FLOW: Final = frozenset({"absolute", "fixed"})
_NEVER_SHOWN: Final = frozenset({"script", "style", "template", "link", "meta", "title", "head", "noscript"})
_WHOLE_ROW: Final = {"grid-column-start": "1", "grid-column-end": "-1"}
_SUBGRID: Final = {"display": "grid", "grid-template-columns": "subgrid", **_WHOLE_ROW}


def wrap_text(element: Any) -> None:
    """Put an element around each text between the children of an element, because such a text is an item."""
    for child in list(element):
        if (child.tail or "").strip():
            text, child.tail = child.tail, None
            child.addnext(_group_of_text(element, text))
    if (element.text or "").strip():
        text, element.text = element.text, None
        element.insert(0, _group_of_text(element, text))


def _group_of_text(element: Any, text: str) -> Any:
    group = element.makeelement(GROUP, {})
    group.text = text
    return group


def remove_spaces(element: Any) -> None:
    """Remove the white space between the items of a grid container, which would be a line in preformatted text."""
    for child in element:
        if not (child.tail or "").strip():
            child.tail = None
    if not (element.text or "").strip():
        element.text = None


def items_of(wrapper: Any, cascade: GridCascade) -> list[Box]:
    """Return the items of a grid container, in the order in which they are placed."""
    items = [Box(child.etree_element, _values(child, cascade)) for child in wrapper.iter_children()]
    before = cascade.before(wrapper)
    if before:
        items.insert(0, Box(Before(wrapper.etree_element), before))
    return sorted(filter(_is_in_flow, items), key=lambda item: item.order)


def _values(wrapper: Any, cascade: GridCascade) -> Mapping[str, str]:
    values = cascade.values(wrapper)
    if wrapper.local_name == "legend":
        # The legend of a FIELDSET is no item: it stands above the grid.
        return {**values, **_WHOLE_ROW}
    if values.get("display") == "contents":
        # The children are items of the grid. They usually fill a row, as those of a row of a table do.
        values = {**values, **_SUBGRID}
        cascade.replace(wrapper, values)
    return values


def _is_in_flow(item: Box) -> bool:
    if item.element.tag in _NEVER_SHOWN or item.values.get("display") == "none":
        return False
    return item.values.get("position", "static") not in _OUT_OF_FLOW
