"""Estimated widths of the contents of elements, from the style sheets alone.

An estimate decides how many columns fit and where a row ends. It need not be exact: the columns themselves are written
as shares of the real width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.lengths import Basis, pixels
from wcspider.engines.plutobook.grid.boxes import Box

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

    def __init__(self, styles: PageStyles, page: Basis) -> None:
        self._styles = styles
        self._page = page
        self._content: dict[int, float] = {}
        self.areas: dict[int, float] = {}
        """The widths of the areas of grid items, by the identity of the element."""

        self.columns: dict[int, list[float]] = {}
        """The widths that the columns of grids with rows need, by the identity of the wrapper of the grid."""

    def basis(self, wrapper: Any) -> Basis:
        """Return the basis of lengths in an element: the width of its content box."""
        return replace(self._page, container=self._content_width(wrapper))

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
        if area is None and parent is not None and _is_row(self._box(parent)):
            size = self._flexed(wrapper, parent, basis) - margins
        elif area is None:
            given = box.given("width", basis)
            size = size if given is None else given
        most = box.given("max-width", basis)
        size = size if most is None else min(size, most)
        return max(size - sum(box.sides("padding", basis)), NARROWEST)

    def _box(self, wrapper: Any) -> Box:
        return Box(wrapper.etree_element, self._styles.values(wrapper))

    def _flexed(self, wrapper: Any, parent: Any, basis: Basis) -> float:
        """Return the width of a flex item (CSS Flexbox 1, 9.7)."""
        container = self._box(parent)
        gap = pixels(container.values.get("column-gap", "0"), basis) or 0.0
        wraps = container.values.get("flex-wrap", "").startswith("wrap")
        boxes = [self._box(child) for child in islice(parent.iter_children(), MOST_SIBLINGS)]
        items = _flex_items(boxes, basis, wraps=wraps)
        for line in _lines(items, gap, basis.container) if wraps else [items]:
            for item in line:
                if item.element is wrapper.etree_element:
                    return _grown(item, line, gap, basis.container)
        return basis.container


def _is_row(box: Box) -> bool:
    return "flex" in box.values.get("display", "") and not box.is_column


def _flex_items(boxes: Sequence[Box], basis: Basis, *, wraps: bool) -> list[_FlexItem]:
    grows = [pixels(box.values.get("flex-grow", "0"), basis) or 0.0 for box in boxes]
    items = []
    for box, grow in zip(boxes, grows, strict=True):
        margins, size = sum(box.sides("margin", basis)), box.given("flex-basis", basis)
        size = box.given("width", basis) if size is None else size
        if size is not None:
            items.append(_FlexItem(box.element, size + margins, grow))
        elif wraps:
            items.append(_FlexItem(box.element, basis.container, grow))
        elif any(grows):
            items.append(_FlexItem(box.element, min(box.preferred(basis), basis.container), grow))
        else:
            items.append(_FlexItem(box.element, margins, 1.0))
    return items


def _lines(items: Sequence[_FlexItem], gap: float, room: float) -> Iterator[list[_FlexItem]]:
    """Yield the lines of a flex container with ``flex-wrap: wrap`` (CSS Flexbox 1, 9.3)."""
    line: list[_FlexItem] = []
    for item in items:
        if line and sum(other.base + gap for other in line) + item.base > room + 0.5:
            yield line
            line = []
        line.append(item)
    yield line


def _grown(item: _FlexItem, line: Sequence[_FlexItem], gap: float, room: float) -> float:
    """Return the width of an item after the free room of its line is divided."""
    bases = sum(other.base for other in line)
    free = room - gap * (len(line) - 1) - bases
    if free < 0:
        return item.base * (1 + free / bases)
    growing = sum(other.grow for other in line)
    return item.base + (free * item.grow / growing if growing else 0.0)
