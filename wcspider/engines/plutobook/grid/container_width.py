"""How wide a grid container will be, estimated from the style sheets alone.

The estimate decides how many columns fit and where a row ends. It need not be exact: the columns themselves are
written as shares of the real width.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from wcspider.engines.plutobook.css.lengths import Basis, pixels
from wcspider.engines.plutobook.grid.grid_cascade import GridCascade

NARROWEST: Final = 20.0
MOST_SIBLINGS: Final = 100
"""How many items of a flex container are asked for their sizes."""

_DEFAULT_SIDES: Final[Mapping[str, Mapping[str, float]]] = {
    "body": {"margin": 8.0},
    "blockquote": {"margin": 40.0},
    "figure": {"margin": 40.0},
    "ul": {"padding": 20.0},
    "ol": {"padding": 20.0},
    "dd": {"margin": 20.0},
}
"""Half of what the default style sheet has on both sides together."""


class ContainerWidths:
    """Estimates the width of the content box of elements."""

    def __init__(self, cascade: GridCascade, viewport_width: float) -> None:
        self._cascade = cascade
        self.viewport = viewport_width
        self._content: dict[int, float] = {}
        self.allotted: dict[int, float] = {}
        """The widths of the areas of grid items, by the identity of the element."""

    def content(self, wrapper: Any) -> float:
        """Return the width of the content box of an element in CSS pixels."""
        chain = []
        while wrapper is not None and id(wrapper.etree_element) not in self._content:
            chain.append(wrapper)
            wrapper = self._cascade.parent(wrapper)
        for element in reversed(chain):
            self._content[id(element.etree_element)] = self._computed(element)
        return self._content[id(chain[0].etree_element if chain else wrapper.etree_element)]

    def margins(self, wrapper: Any, room: float) -> float:
        """Return the sum of the margins at the left and at the right of an element in a room of that width."""
        return self._sides(wrapper, self._cascade.values(wrapper), "margin", Basis(room, self.viewport))

    def _computed(self, wrapper: Any) -> float:
        values = self._cascade.values(wrapper)
        room = self._room(wrapper)
        basis = Basis(room, self.viewport)
        margins = self._sides(wrapper, values, "margin", basis)
        paddings = self._sides(wrapper, values, "padding", basis)
        is_border_box = values.get("box-sizing", "") == "border-box"
        width = pixels(values.get("width", ""), basis)
        content = room - margins - paddings
        if width is not None and id(wrapper.etree_element) not in self.allotted:
            content = width - paddings if is_border_box else width
        most = pixels(values.get("max-width", ""), basis)
        if most is not None:
            content = min(content, most - paddings if is_border_box else most)
        return max(content, NARROWEST)

    def _sides(self, wrapper: Any, values: Mapping[str, str], box: str, basis: Basis) -> float:
        default = _DEFAULT_SIDES.get(wrapper.local_name, {}).get(box, 0.0)
        sides = (values.get(f"{box}-left"), values.get(f"{box}-right"))
        return sum(default if side is None else pixels(side, basis) or 0.0 for side in sides)

    def _room(self, wrapper: Any) -> float:
        """Return the width that the element around an element has for it."""
        if id(wrapper.etree_element) in self.allotted:
            return self.allotted[id(wrapper.etree_element)]
        parent = self._cascade.parent(wrapper)
        if parent is None:
            return self.viewport
        around = self._content[id(parent.etree_element)]
        values = self._cascade.values(parent)
        is_row = "flex" in values.get("display", "") and not values.get("flex-direction", "").startswith("column")
        if not is_row or values.get("flex-wrap", "").startswith("wrap"):
            return around
        return self._share(wrapper, parent, around)

    def _share(self, wrapper: Any, parent: Any, around: float) -> float:
        """Return what an item of a flex container of one line gets."""
        basis = Basis(around, self.viewport)
        fixed, flexible = 0.0, 0
        for sibling in islice(parent.iter_children(), MOST_SIBLINGS):
            size = self._flex_size(sibling, basis)
            if sibling.etree_element is wrapper.etree_element and size is not None:
                return size
            fixed, flexible = fixed + (size or 0.0), flexible + (size is None)
        return max(around - fixed, around / 4) / max(flexible, 1)

    def _flex_size(self, wrapper: Any, basis: Basis) -> float | None:
        """Return the size of a flex item that is given; None if it takes what is left."""
        values = self._cascade.values(wrapper)
        if values.get("flex-grow", "0") not in ("0", ""):
            return None
        given = pixels(values.get("flex-basis", "auto"), basis)
        return given if given is not None else pixels(values.get("width", "auto"), basis)
