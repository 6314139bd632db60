"""Shorthand properties written as the longhand properties that a grid depends on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import tinycss2

from wcspider.web.styles.tokens import serialized, words

_SIDES: Final = ("top", "right", "bottom", "left")
_PHYSICAL: Final = {
    "margin-inline-start": "margin-left",
    "margin-inline-end": "margin-right",
    "padding-inline-start": "padding-left",
    "padding-inline-end": "padding-right",
    "inset-inline-start": "left",
    "inset-inline-end": "right",
}
_PAIRS: Final = {
    "gap": ("row-gap", "column-gap"),
    "overflow": ("overflow-x", "overflow-y"),
    "margin-inline": ("margin-left", "margin-right"),
    "padding-inline": ("padding-left", "padding-right"),
    "inset-inline": ("left", "right"),
    "inset-block": ("top", "bottom"),
}
_LINES: Final = {
    "grid-area": ("grid-row-start", "grid-column-start", "grid-row-end", "grid-column-end"),
    "grid-row": ("grid-row-start", "grid-row-end"),
    "grid-column": ("grid-column-start", "grid-column-end"),
}
_COPIED: Final = {"grid-row-end": "grid-row-start", "grid-column-start": "grid-row-start",
                  "grid-column-end": "grid-column-start"}  # fmt: skip
"""The line whose name a line takes if it is not given itself (CSS Grid 2, 8.4)."""

_FLEX_KEYWORDS: Final = {"none": ("0", "0", "auto"), "auto": ("1", "1", "auto"), "initial": ("0", "1", "auto")}
_NAME: Final = re.compile(r"[^\s\d+-]\S*")
_NUMBER: Final = re.compile(r"\d*\.?\d+")

READ: Final = frozenset(
    {"display", "content", "color", "font-size", "position", "order", "width", "max-width", "box-sizing", "row-gap",
     "column-gap", "columns", "column-count", "column-width", "flex", "flex-basis", "flex-grow", "flex-shrink",
     "flex-flow", "flex-direction", "flex-wrap", "align-items", "align-self", "align-content", "justify-items",
     "justify-self", "justify-content", "margin", "padding", "height", "max-height", "opacity", "visibility",
     "inset", "transform", "transform-origin", "transform-box", "z-index", "float", "min-width",
     "min-height", "vertical-align", "container", "container-name", "container-type", "aspect-ratio",
     "overflow-x", "overflow-y", "direction", *_SIDES}
    | {f"{box}-{side}" for box in ("margin", "padding") for side in _SIDES}
    | _PHYSICAL.keys() | _PAIRS.keys()
)  # fmt: skip
"""The properties that are read, besides custom properties and those whose names begin with ``grid``."""


def longhands(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the longhand properties of a declaration, with their values."""
    parts = words(value)
    if name in _LINES:
        yield from _grid_lines(name, value)
    elif name in ("grid-template", "grid"):
        yield from _template(name, value)
    elif name in _PAIRS:
        yield from zip(_PAIRS[name], (parts[:1] + parts[-1:]), strict=False)
    elif name in ("margin", "padding"):
        yield from _four_sides(f"{name}-", parts)
    elif name == "inset":
        yield from _four_sides("", parts)
    elif name == "container":
        names, _, kind = value.partition("/")
        yield from (("container-name", names.strip()), ("container-type", kind.strip()))
    elif name == "flex":
        yield from _flex(parts)
    elif name == "flex-flow":
        yield from (("flex-wrap" if "wrap" in word else "flex-direction", word) for word in parts)
    else:
        yield _PHYSICAL.get(name, name), value.strip()


def _four_sides(prefix: str, parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the values for the top, the right, the bottom and the left (CSS Box 4, 4.2)."""
    for side, places in zip(_SIDES, ((0,), (1, 0), (2, 0), (3, 1, 0)), strict=True):
        yield from ((f"{prefix}{side}", parts[place]) for place in [p for p in places if p < len(parts)][:1])


def _flex(parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield how much a flex item grows and shrinks, and its size before it does (CSS Flexbox 1, 7.1)."""
    keyword = _FLEX_KEYWORDS.get(" ".join(parts).lower())
    numbers = [word for word in parts if _NUMBER.fullmatch(word)]
    sizes = [word for word in parts if word not in numbers]
    grow, shrink, *_ = (*numbers, *("1", "1")[len(numbers) :])
    flex = keyword or (grow, shrink, sizes[0] if sizes else "0px")
    yield from zip(("flex-grow", "flex-shrink", "flex-basis"), flex, strict=True)


def _grid_lines(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the lines between which an item stands (CSS Grid 2, 8.4)."""
    given = [part.strip() for part in value.split("/")]
    found: dict[str, str] = {}
    for place, line in enumerate(_LINES[name]):
        copied = found.get(_COPIED.get(line, ""), "auto")
        found[line] = given[place] if place < len(given) else copied if _NAME.fullmatch(copied) else "auto"
    yield from found.items()


def _template(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the rows, columns and areas of ``grid-template`` and ``grid`` (CSS Grid 2, 7.4 and 7.8)."""
    rows, _, columns = value.partition("/")
    if name == "grid" and "auto-flow" in rows.split():
        yield "grid-auto-flow", "row dense" if "dense" in rows.split() else "row"
        yield "grid-template-columns", columns.strip()
        return
    if name == "grid" and "auto-flow" in columns.split():
        yield "grid-auto-flow", "column"
        yield "grid-template-rows", rows.strip()
        return
    tokens = tinycss2.parse_component_value_list(rows)
    strings = [token for token in tokens if token.type == "string"]
    if strings:
        yield "grid-template-areas", " ".join(f'"{token.value}"' for token in strings)
        rows = serialized([token for token in tokens if token.type != "string"])
    yield "grid-template-rows", rows.strip() or "none"
    yield "grid-template-columns", columns.strip() or "none"
