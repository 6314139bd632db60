"""Estimated widths of elements, from the style sheets and the text alone.

An estimate decides how many columns fit and where a row ends. It need not be exact: the columns themselves are written
as shares of the real width.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.css.lengths import FONT_SIZE, Basis, pixels
from wcspider.engines.plutobook.grid.grid_cascade import GridCascade

NARROWEST: Final = 20.0
MOST_SIBLINGS: Final = 100
"""The number of items of a flex container whose sizes are read."""

MOST_TAGS: Final = 1_000
"""The number of start and end tags that are read for the width of the text of an element."""

LETTER: Final = 0.56 * FONT_SIZE
"""The estimated width of a letter in pixels."""

LEAST_SHARE: Final = 0.25
"""The share of a flex container that remains for the items without a size of their own, at least."""

INLINE_TAGS: Final = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "button", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "input",
     "ins", "kbd", "label", "mark", "output", "q", "s", "samp", "select", "small", "span", "strong", "sub", "sup",
     "svg", "textarea", "time", "tt", "u", "var", "wbr"}
)  # fmt: skip
"""The elements that stand in a line of text by default."""

_DEFAULT_SIDES: Final[Mapping[str, Mapping[str, tuple[float, float]]]] = {
    "body": {"margin": (8.0, 8.0)},
    "blockquote": {"margin": (40.0, 40.0)},
    "figure": {"margin": (40.0, 40.0)},
    "ul": {"padding": (40.0, 0.0)},
    "ol": {"padding": (40.0, 0.0)},
    "dd": {"margin": (40.0, 0.0)},
}
"""The left and right sides of the default style sheet."""


@dataclass(frozen=True, slots=True)
class _FlexItem:
    """The sizes of a flex item (CSS Flexbox 1, 7.1)."""

    element: Any
    base: float
    grow: float


class ContainerWidths:
    """Estimates the widths of elements."""

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

    def preferred(self, wrapper: Any) -> float:
        """Return the width that an element takes if there is room for it, with its margins (CSS Sizing 3, 4)."""
        basis = Basis(0.0, self.viewport)
        size = self._given(wrapper, "width", basis)
        if size is None:
            size = text_width(wrapper.etree_element) + self._sides(wrapper, "padding", basis)
        most = self._given(wrapper, "max-width", basis)
        return (size if most is None else min(size, most)) + self._sides(wrapper, "margin", basis)

    def margins(self, wrapper: Any, room: float) -> tuple[float, float]:
        """Return the margins at the left and at the right of an element in a room of that width."""
        return self._both_sides(wrapper, "margin", Basis(room, self.viewport))

    def _computed(self, wrapper: Any) -> float:
        parent = self._cascade.parent(wrapper)
        around = self.viewport if parent is None else self._content[id(parent.etree_element)]
        allotted = self.allotted.get(id(wrapper.etree_element))
        basis = Basis(around if allotted is None else allotted, self.viewport)
        size = basis.container - self._sides(wrapper, "margin", basis)
        if allotted is None and parent is not None and self._is_row(parent):
            size = self._flexed(wrapper, parent, basis)
        elif allotted is None:
            given = self._given(wrapper, "width", basis)
            size = size if given is None else given
        most = self._given(wrapper, "max-width", basis)
        size = size if most is None else min(size, most)
        return max(size - self._sides(wrapper, "padding", basis), NARROWEST)

    def _given(self, wrapper: Any, name: str, basis: Basis) -> float | None:
        """Return a declared width as that of the box with its paddings; None if there is none, or a percentage of 0."""
        values = self._cascade.values(wrapper)
        value = values.get(name, "auto")
        size = None if "%" in value and not basis.container else pixels(value, basis)
        if size is None or values.get("box-sizing", "") == "border-box":
            return size
        return size + self._sides(wrapper, "padding", basis)

    def _sides(self, wrapper: Any, box: str, basis: Basis) -> float:
        return sum(self._both_sides(wrapper, box, basis))

    def _both_sides(self, wrapper: Any, box: str, basis: Basis) -> tuple[float, float]:
        """Return the margins or paddings of an element at the left and at the right."""
        values = self._cascade.values(wrapper)
        left, right = _DEFAULT_SIDES.get(wrapper.local_name, {}).get(box, (0.0, 0.0))
        if f"{box}-left" in values:
            left = pixels(values[f"{box}-left"], basis) or 0.0
        if f"{box}-right" in values:
            right = pixels(values[f"{box}-right"], basis) or 0.0
        return left, right

    def _is_row(self, wrapper: Any) -> bool:
        """Return whether an element is a flex container whose items stand side by side."""
        values = self._cascade.values(wrapper)
        return "flex" in values.get("display", "") and not values.get("flex-direction", "").startswith("column")

    def _flexed(self, wrapper: Any, parent: Any, basis: Basis) -> float:
        """Return the width of a flex item without its margins (CSS Flexbox 1, 9.7)."""
        values = self._cascade.values(parent)
        gap = pixels(values.get("column-gap", "0"), basis) or 0.0
        wraps = values.get("flex-wrap", "").startswith("wrap")
        children = list(islice(parent.iter_children(), MOST_SIBLINGS))
        grows = [pixels(self._cascade.values(child).get("flex-grow", "0"), basis) or 0.0 for child in children]
        items = [
            self._flex_item(child, grow, basis, grow_alike=not any(grows), wraps=wraps)
            for child, grow in zip(children, grows, strict=True)
        ]
        for line in _lines(items, gap, basis.container) if wraps else [items]:
            for item in line:
                if item.element is wrapper.etree_element:
                    return _grown(item, line, gap, basis.container) - self._sides(wrapper, "margin", basis)
        return basis.container

    def _flex_item(self, wrapper: Any, grow: float, basis: Basis, *, grow_alike: bool, wraps: bool) -> _FlexItem:
        base = self._given(wrapper, "flex-basis", basis)
        base = self._given(wrapper, "width", basis) if base is None else base
        margins = self._sides(wrapper, "margin", basis)
        if base is not None:
            return _FlexItem(wrapper.etree_element, base + margins, grow)
        if wraps:
            return _FlexItem(wrapper.etree_element, basis.container, grow)
        if grow_alike:
            return _FlexItem(wrapper.etree_element, margins, 1.0)
        return _FlexItem(wrapper.etree_element, min(self.preferred(wrapper), basis.container), grow)


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
    """Return the width of an item after the room of its line is shared out."""
    bases = sum(other.base for other in line)
    free = room - gap * (len(line) - 1) - bases
    if not item.grow:
        return item.base * (1 + min(free, 0.0) / bases) if bases else 0.0
    growing = [other.grow for other in line if other.grow]
    return max(item.base + max(free, 0.0) * item.grow / sum(growing), LEAST_SHARE * room / len(growing))


def text_width(element: Any) -> float:
    """Return the estimated width of the longest line of an element in which no line is broken."""
    widest = width = 0.0
    for event, found in islice(etree.iterwalk(element, events=("start", "end")), MOST_TAGS):
        if found is not element and found.tag not in INLINE_TAGS:
            widest, width = max(widest, width), 0.0
        text = found.text if event == "start" else found.tail if found is not element else ""
        width += len(" ".join((text or "").split())) * LETTER
        declared = (found.get("width") or "").strip() if event == "start" else ""
        if declared.isascii() and declared.isdigit():
            width += min(float(declared[:6]), 4_000.0)
    return max(widest, width)
