"""The items of grid containers (CSS Grid 2, 6) as boxes.

Their sizes are declared, or estimated from the text (CSS Sizing 3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.controls import CONTROLS
from wcspider.engines.document.html_trees import BLOCKS, CELLS
from wcspider.engines.plutobook.css.element_styles import PageStyles, is_in_flow
from wcspider.engines.plutobook.css.lengths import FONT_SIZE, Basis, pixels
from wcspider.engines.plutobook.grid.flex_lines import GROUP
from wcspider.engines.plutobook.sheets.image_shapes import WIDTH
from wcspider.web.numbers import DIMENSION

MOST_TAGS: Final = 1_000
"""The number of start and end tags that are read for the width of the text of an element."""

LETTER: Final = 0.56 * FONT_SIZE
"""The estimated width of a letter in pixels."""

WIDEST: Final = 4_000.0
"""The largest width in pixels of an image, or in a ``width`` attribute."""

BODY_MARGIN: Final = 8.0
"""The margin of the body in pixels, in the default style sheet."""

REPLACED: Final = frozenset({*CONTROLS, "img", "svg", "object", "embed", "video"})
"""The elements with a width of their own, which do not become as wide as the box around them."""

_DEFAULT_SIDES: Final[Mapping[str, Mapping[str, tuple[float, float]]]] = {
    "body": {"margin": (BODY_MARGIN, BODY_MARGIN)},
    "blockquote": {"margin": (40.0, 40.0)},
    "figure": {"margin": (40.0, 40.0)},
    "ul": {"padding": (40.0, 0.0)},
    "ol": {"padding": (40.0, 0.0)},
    "dd": {"margin": (40.0, 0.0)},
}
"""The left and right sides of the default style sheet."""

_WHOLE_ROW: Final = {"grid-column-start": "1", "grid-column-end": "-1"}


@dataclass(frozen=True)
class Box:
    """An element with its declared values."""

    element: Any
    values: Mapping[str, str]

    @property
    def order(self) -> int:
        """The value of ``order`` (CSS Display 4, 3.1)."""
        value = self.values.get("order", "0")
        return int(value) if re.fullmatch(r"[+-]?\d{1,4}", value) else 0

    @property
    def display(self) -> str:
        """The value of ``display``; that of the default style sheet if none is declared (HTML, 15.3)."""
        return self.values.get("display") or ("block" if self.element.tag in BLOCKS else "inline")

    @property
    def is_column(self) -> bool:
        """True if the items of a flex container are below each other."""
        return self.values.get("flex-direction", "").startswith("column")

    @property
    def is_row(self) -> bool:
        """True for a flex container whose items are side by side."""
        return "flex" in self.values.get("display", "") and not self.is_column

    @property
    def is_container(self) -> bool:
        """True for a flex or grid container."""
        display = self.values.get("display", "")
        return "flex" in display or "grid" in display

    @property
    def is_cell(self) -> bool:
        """True for a cell of a table."""
        return self.values.get("display", "table-cell" if self.element.tag in CELLS else "") == "table-cell"

    def sides(self, name: str, basis: Basis) -> tuple[float, float]:
        """Return the ``margin`` or the ``padding`` at the left and at the right."""
        left, right = _DEFAULT_SIDES.get(self.element.tag, {}).get(name, (0.0, 0.0))
        if f"{name}-left" in self.values:
            left = pixels(self.values[f"{name}-left"], basis) or 0.0
        if f"{name}-right" in self.values:
            right = pixels(self.values[f"{name}-right"], basis) or 0.0
        return left, right

    def given(self, name: str, basis: Basis) -> float | None:
        """Return a declared size with the paddings; None if it depends on the contents, or on an unknown width."""
        value = self.values.get(name, "auto")
        size = None if "%" in value and not basis.container else pixels(value, basis)
        if size is None or self.values.get("box-sizing", "") == "border-box":
            return size
        return size + sum(self.sides("padding", basis))

    def preferred(self, basis: Basis) -> float:
        """Return the width of the box and its margins if no line is broken."""
        basis = replace(basis, container=0.0)
        size = self.given("width", basis)
        if size is None:
            size = self._text_width() + sum(self.sides("padding", basis))
        most = self.given("max-width", basis)
        return (size if most is None else min(size, most)) + sum(self.sides("margin", basis))

    def _text_width(self) -> float:
        """Return the estimated width of the longest line if no line is broken."""
        widest = width = 0.0
        for event, found in islice(etree.iterwalk(self.element, events=("start", "end")), MOST_TAGS):
            if found is not self.element and (found.tag in BLOCKS or found.tag == "br"):
                widest, width = max(widest, width), 0.0
            text = found.text if event == "start" else found.tail if found is not self.element else ""
            width += len(" ".join((text or "").split())) * LETTER
            declared = DIMENSION.match(found.get(WIDTH, found.get("width", ""))) if event == "start" else None
            if declared is not None and not declared[2]:
                width += min(float(declared[1]), WIDEST)
        return max(widest, width)


def wrap_text(element: Any) -> bool:
    """Put an element around each text between the children of an element, because the text is an item.

    Return whether there was such a text.
    """
    children = len(element)
    for child in list(element):
        if (child.tail or "").strip():
            text, child.tail = child.tail, None
            child.addnext(_group_of_text(element, text))
    if (element.text or "").strip():
        text, element.text = element.text, None
        element.insert(0, _group_of_text(element, text))
    return len(element) > children


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


def items_of(wrapper: Any, styles: PageStyles) -> list[Box]:
    """Return the items of a grid container, in the order in which they are placed."""
    items = [box_of(child, styles) for child in wrapper.iter_children()]
    return sorted(filter(_is_in_flow, items), key=lambda item: item.order)


def box_of(wrapper: Any, styles: PageStyles) -> Box:
    """Return an item of a grid container."""
    values = styles.values(wrapper)
    # The legend of a FIELDSET stands above the grid.
    return Box(wrapper.etree_element, {**values, **_WHOLE_ROW} if wrapper.local_name == "legend" else values)


def box_around(wrapper: Any, styles: PageStyles) -> Box:
    """Return the parent of an element that is not the root."""
    return Box(wrapper.parent.etree_element, styles.values(wrapper.parent))


def _is_in_flow(item: Box) -> bool:
    return item.element.tag != "head" and is_in_flow(item.values)
