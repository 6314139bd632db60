"""Boxes of elements, with their sizes from declarations or estimated from the text (CSS Sizing 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import tinycss2
from lxml import etree

from wcspider.engines.plutobook.css.lengths import FONT_SIZE, Basis, pixels

MOST_TAGS: Final = 1_000
"""The number of start and end tags that are read for the width of the text of an element."""

LETTER: Final = 0.56 * FONT_SIZE
"""The estimated width of a letter in pixels."""

WIDEST: Final = 4_000.0
"""The largest width in pixels that is read from a ``width`` attribute."""

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


@dataclass
class Before:
    """The ``::before`` of an element, with those methods of elements that are needed to change styles."""

    element: Any
    style: str = ""

    tag = "span"

    def get(self, name: str) -> str:
        """Return the style."""
        return self.style

    def set(self, name: str, style: str) -> None:
        """Change the style."""
        self.style = style

    def iterdescendants(self) -> tuple[()]:
        """Return the elements inside: none."""
        return ()


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
    def is_column(self) -> bool:
        """True if the items of a flex container are below each other."""
        return self.values.get("flex-direction", "").startswith("column")

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
        if isinstance(self.element, Before):
            tokens = tinycss2.parse_component_value_list(self.values["content"])
            return LETTER * sum(len(token.value) if token.type == "string" else 1 for token in tokens)
        widest = width = 0.0
        for event, found in islice(etree.iterwalk(self.element, events=("start", "end")), MOST_TAGS):
            if found is not self.element and found.tag not in INLINE_TAGS:
                widest, width = max(widest, width), 0.0
            text = found.text if event == "start" else found.tail if found is not self.element else ""
            width += len(" ".join((text or "").split())) * LETTER
            declared = (found.get("width") or "").strip() if event == "start" else ""
            if declared.isascii() and declared.isdigit():
                width += min(float(declared[:6]), WIDEST)
        return max(widest, width)
