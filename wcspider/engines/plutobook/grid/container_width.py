"""Estimated widths of the contents of elements, from the style sheets alone.

An estimate decides how many columns fit and where a row ends. It need not be exact: the columns themselves are written
as shares of the real width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Final

from wcspider.engines.plutobook.css.element_styles import OUT_OF_FLOW, PageStyles, is_in_flow
from wcspider.engines.plutobook.css.lengths import FONT_SIZE, Basis, pixels
from wcspider.engines.plutobook.grid.boxes import Box
from wcspider.engines.plutobook.grid.tracks import TrackList

NARROWEST: Final = 20.0
MOST_SIBLINGS: Final = 100
"""The number of items of a flex container whose sizes are read."""


@dataclass(frozen=True, slots=True)
class _FlexItem:
    """The sizes of a flex item with its margins (CSS Flexbox 1, 7.1)."""

    element: Any
    base: float
    grow: float


class ContainerWidths:
    """Estimates the widths of elements."""

    def __init__(self, styles: PageStyles, viewport_width: float) -> None:
        """`viewport_width` is the width of the page area in CSS pixels."""
        self._styles, self._viewport_width = styles, viewport_width
        self._content: dict[int, float] = {}
        self._overfull: dict[Any, bool] = {}
        self.areas: dict[int, float] = {}
        """The widths of the areas of grid items, by the identity of the element."""

        self.subgrids: dict[int, tuple[TrackList, float]] = {}
        """The columns behind each grid item, and their gap, by the identity of the element."""

    @cached_property
    def _page(self) -> Basis:
        """The width of the page and the font size of its root element as the basis of lengths."""
        page = Basis(self._viewport_width, self._viewport_width)
        values = self._styles.values(self._styles.wrapper_of(self._styles.root))
        size = pixels(values.get("font-size", ""), Basis(FONT_SIZE, self._viewport_width))
        return replace(page, root_font_size=size) if size else page

    def basis(self, wrapper: Any) -> Basis:
        """Return the basis of lengths in an element: the width of its content box."""
        return replace(self._page, container=self._content_width(wrapper))

    def around(self, wrapper: Any) -> Basis:
        """Return the basis of the lengths of an element itself: the width of its containing block (CSS 2.1, 10.1)."""
        box, is_placed = wrapper.parent, self._styles.values(wrapper).get("position") in OUT_OF_FLOW
        while is_placed and box is not None and self._styles.values(box).get("position", "static") == "static":
            box = box.parent
        if box is None:
            return self._page
        basis = self.basis(box)
        return replace(basis, container=basis.container + is_placed * sum(self._box(box).sides("padding", basis)))

    def is_overfull(self, row: Any) -> bool:
        """Tell whether the declared sizes of the items of a flex container are wider than the container.

        Of an item without a declared size, the margins and the paddings count.
        """
        found = self._overfull.get(row.etree_element)
        if found is None:
            basis = self.basis(row)
            boxes, gap = self._row(row, basis)
            items = [_least(box, basis) for box in boxes if is_in_flow(box.values)]
            found = sum(items) + gap * (len(items) - 1) > basis.container + 1
            self._overfull[row.etree_element] = found
        return found

    def _content_width(self, wrapper: Any) -> float:
        chain = []
        while wrapper is not None and id(wrapper.etree_element) not in self._content:
            chain.append(wrapper)
            wrapper = wrapper.parent
        for element in reversed(chain):
            self._content[id(element.etree_element)] = self._computed(element)
        return self._content[id(chain[0].etree_element if chain else wrapper.etree_element)]

    def _computed(self, wrapper: Any) -> float:
        box, parent = self._box(wrapper), wrapper.parent
        around = self._page.container if parent is None else self._content[id(parent.etree_element)]
        area = self.areas.get(id(box.element))
        basis = replace(self._page, container=around if area is None else area)
        margins = sum(box.sides("margin", basis))
        size = basis.container - margins
        if area is None and parent is not None and self._box(parent).is_row:
            size = self._flexed(wrapper, parent, basis) - margins
        elif area is None:
            size = size / len(box.element.getparent()) if box.is_cell else size
            given = box.given("width", basis)
            size = size if given is None else given
        most = box.given("max-width", basis)
        size = size if most is None else min(size, most)
        return max(size - sum(box.sides("padding", basis)), NARROWEST)

    def _box(self, wrapper: Any) -> Box:
        return Box(wrapper.etree_element, self._styles.values(wrapper))

    def _row(self, container: Any, basis: Basis) -> tuple[list[Box], float]:
        """Return the first items of a flex container, and the gap between them in CSS pixels."""
        boxes = [self._box(child) for child in islice(container.iter_children(), MOST_SIBLINGS)]
        return boxes, pixels(self._styles.values(container).get("column-gap", "0"), basis) or 0.0

    def _flexed(self, wrapper: Any, parent: Any, basis: Basis) -> float:
        """Return the width of a flex item (CSS Flexbox 1, 9.7). Items that wrap into lines do not grow here."""
        container = self._box(parent)
        if container.values.get("flex-wrap", "").startswith("wrap"):
            base = _base(self._box(wrapper), basis)
            return basis.container if base is None else min(base, basis.container)
        boxes, gap = self._row(parent, basis)
        items = _flex_items(boxes, basis)
        own = [item for item in items if item.element is wrapper.etree_element]
        return _grown(own[0], items, gap, basis.container) if own else basis.container


def _base(box: Box, basis: Basis) -> float | None:
    """Return the size of a flex item with its margins; None if it depends on the contents."""
    size = box.given("flex-basis", basis)
    size = box.given("width", basis) if size is None else size
    return None if size is None else size + sum(box.sides("margin", basis))


def _least(box: Box, basis: Basis) -> float:
    """Return the size of a flex item with its margins, without its contents if it depends on them."""
    size = _base(box, basis)
    return sum((*box.sides("margin", basis), *box.sides("padding", basis))) if size is None else size


def _flex_items(boxes: Sequence[Box], basis: Basis) -> list[_FlexItem]:
    grows = [pixels(box.values.get("flex-grow", "0"), basis) or 0.0 for box in boxes]
    items = []
    for box, grow in zip(boxes, grows, strict=True):
        base = _base(box, basis)
        if base is not None:
            items.append(_FlexItem(box.element, base, grow))
        elif any(grows):
            items.append(_FlexItem(box.element, min(box.preferred(basis), basis.container), grow))
        else:
            items.append(_FlexItem(box.element, sum(box.sides("margin", basis)), 1.0))
    return items


def _grown(item: _FlexItem, items: Sequence[_FlexItem], gap: float, room: float) -> float:
    """Return the width of an item after the free room is divided."""
    bases = sum(other.base for other in items)
    free = room - gap * (len(items) - 1) - bases
    if free < 0:  # the gaps alone may be wider than the room
        return item.base * (1 + free / bases) if bases > 0 else 0.0
    growing = sum(other.grow for other in items)
    return item.base + (free * item.grow / growing if growing else 0.0)
