"""Boxes of a kind that PlutoBook lays out twice for each box of the kind around them.

With 20 of them in each other, the layout takes a million times as long as with none. Those that stand too deep are
laid out as blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from lxml import etree
from lxml.cssselect import CSSSelector

DEEPEST = 8
"""How many such boxes may stand in each other; columns count for three, since each has half the room."""

_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_KINDS = (
    (3, re.compile(r"\bcolumns\s*:|column-count\s*:", re.IGNORECASE)),
    (
        1,
        re.compile(
            r"(?:flex-direction|flex-flow)\s*:[^;]*column|display\s*:\s*(?:inline-)?(?:table|flex|grid)\b",
            re.IGNORECASE,
        ),
    ),
)
"""What makes a box of these kinds, and for how many it counts."""

_AS_BLOCK = "display:block!important;columns:auto!important;column-count:auto!important"
_MAX_SELECTORS = 2_000
_DYNAMIC = re.compile(r"::?[a-z-]+(?:\([^()]*\))?")


def untangle(root: Any, sheets: Sequence[str]) -> None:
    """Let boxes that stand in `DEEPEST` others of their kind be blocks."""
    if not _is_deep(root):
        return
    weights = _weights(root, tuple(sheets))
    if sum(weights.values()) <= DEEPEST:
        return
    depths: dict[Any, int] = {}
    for element in root.iter(etree.Element):
        around = element.getparent()
        depth = (depths[around] if around is not None else 0) + weights.get(element, 0)
        depths[element] = depth
        if element in weights and depth > DEEPEST:
            element.set("style", f"{element.get('style', '')};{_AS_BLOCK}")


def _weights(root: Any, sheets: tuple[str, ...]) -> dict[Any, int]:
    """Return the elements whose boxes are of such a kind, with that for which each counts."""
    weights = {e: weight for e in root.xpath("//*[@style]") if (weight := _weight(e.get("style")))}
    for selector, weight in _selectors(sheets):
        for element in selector(root):
            weights[element] = max(weights.get(element, 0), weight)
    return weights


def _weight(declarations: str) -> int:
    return next((weight for weight, kind in _KINDS if kind.search(declarations)), 0)


def _is_deep(root: Any) -> bool:
    level = [root]
    for _ in range(DEEPEST // 3 + 4):
        level = [child for element in level for child in element]
    return bool(level)


@lru_cache(maxsize=32)
def _selectors(sheets: tuple[str, ...]) -> tuple[tuple[Any, int], ...]:
    """Return what finds the elements that the sheets make such boxes."""
    found: dict[str, int] = {}
    for sheet in sheets:
        for rule in _RULE.finditer(sheet):
            if weight := _weight(rule[2]):
                for part in _DYNAMIC.sub("", rule[1]).split(","):
                    found[part.strip()] = max(found.get(part.strip(), 0), weight)
    return tuple(_compiled(list(found.items())[:_MAX_SELECTORS]))


def _compiled(selectors: Iterable[tuple[str, int]]) -> Iterator[tuple[Any, int]]:
    for selector, weight in selectors:
        try:
            yield CSSSelector(selector, translator="html"), weight
        except Exception:  # cssselect raises of all kinds for selectors that it does not know
            continue
