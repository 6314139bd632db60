"""The static positions of absolute boxes in flex and grid containers (CSS Flexbox 1, 4.1; CSS Grid 2, 9.2).

A box without offsets is where it would be as the only item of its container, for instance in the middle. PlutoBook
places it at the beginning. It gets offsets that have the same effect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wcspider.engines.plutobook.css.element_styles import OUT_OF_FLOW, PageStyles, is_containing_block
from wcspider.engines.plutobook.css.lengths import declared_length
from wcspider.engines.plutobook.css.modern_values import FLEX_KEYWORDS
from wcspider.engines.plutobook.grid.boxes import box_around
from wcspider.engines.plutobook.sheets.declarations import FIXED

_CONTAINER: Final = re.compile("display:(inline-)?(flex|grid)", re.IGNORECASE)
_ABSOLUTE: Final = re.compile("position:absolute.*")
_SIDES: Final = {"x": ("left", "right", "width"), "y": ("top", "bottom", "height")}
_PLACES: Final = {
    "center": "middle",
    "space-around": "middle",
    "space-evenly": "middle",
    "flex-end": "end",
}
"""The places of a single item by its alignment. Others are at the start."""


def write(styles: PageStyles) -> None:
    """Give the absolute boxes of a page that are items of containers the offsets of their static positions."""
    containers = styles.elements_with(_CONTAINER, with_generated=False)
    absolute = styles.elements_with(_ABSOLUTE, with_generated=False) if containers else set()
    refused: set[Any] = set()
    for wrapper in styles.wrappers_of(element for element in absolute if element.getparent() in containers):
        values, around = styles.values(wrapper), box_around(wrapper, styles)
        if values.get("position") != "absolute" or FIXED in values or not around.is_container:
            continue
        found = [_offsets(values, around.values, axis) for axis in _SIDES if not _is_placed(values, axis)]
        if not any(found) or around.element in refused:
            continue
        if _contains(styles, wrapper, absolute):
            styles.add(wrapper, ";".join(filter(None, found)))
        else:
            refused.add(around.element)


def _is_placed(values: Mapping[str, str], axis: str) -> bool:
    """Tell whether a box has an offset along an axis."""
    return any(values.get(side, "auto") != "auto" for side in _SIDES[axis][:2])


def _offsets(values: Mapping[str, str], around: Mapping[str, str], axis: str) -> str:
    """Return the offsets of a box along an axis; "" if it is at the start."""
    start, end, size = _SIDES[axis]
    place = _place(values, around, axis)
    if place == "end":
        return f"{end}:{declared_length(around, f'padding-{end}') or 0.0:.2f}px"
    if place == "middle" and axis == "x":
        first, last = (
            (declared_length(values, f"margin-{side}") or 0.0) + (declared_length(around, f"padding-{side}") or 0.0)
            for side in (start, end)
        )
        width = "" if values.get(size, "auto") != "auto" else f"{size}:fit-content;"
        return f"{width}{start}:{first:.2f}px;{end}:{last:.2f}px;margin-{start}:auto;margin-{end}:auto"
    if place == "middle":
        # The height depends on the text, so no margin can be computed from it.
        own = values.get("transform", "none")
        return f"{start}:50%;transform:translateY(-50%){'' if own == 'none' else f' {own}'}"
    return ""


def _place(values: Mapping[str, str], around: Mapping[str, str], axis: str) -> str:
    """Return "start", "middle" or "end"."""
    direction = around.get("flex-direction", "row")
    is_main = "flex" in around.get("display", "") and direction.startswith("row" if axis == "x" else "column")
    if is_main:
        alignment = around.get("justify-content", "")
    else:
        kind = "justify" if axis == "x" and "grid" in around.get("display", "") else "align"
        own = values.get(f"{kind}-self", "auto")
        alignment = around.get(f"{kind}-items", "") if own == "auto" else own
    place = _PLACES.get(FLEX_KEYWORDS.get(alignment, alignment), "start")
    if is_main and direction.endswith("reverse"):
        return {"start": "end", "end": "start"}.get(place, place)
    return place


def _contains(styles: PageStyles, wrapper: Any, absolute: set[Any]) -> bool:
    """Make the container of a box its containing block; return False if that would change the boxes in it."""
    container = wrapper.parent
    if is_containing_block(styles.values(container)):
        return True
    inside = (styles.wrapper_of(e) for e in container.etree_element.iterdescendants() if e in absolute)
    if any(_refers_to(styles, other, container) for other in inside):
        return False
    styles.add(container, "position:relative")
    return True


def _refers_to(styles: PageStyles, wrapper: Any, container: Any) -> bool:
    """Tell whether the place or the size of a box would depend on a box around it as its containing block."""
    values = styles.values(wrapper)
    if values.get("position") not in OUT_OF_FLOW:
        return False
    between = wrapper.parent
    while between is not container:
        if is_containing_block(styles.values(between)):
            return False
        between = between.parent
    has_offset = any(_is_placed(values, axis) for axis in _SIDES)
    return has_offset or any("%" in values.get(name, "") for name in ("width", "height"))
