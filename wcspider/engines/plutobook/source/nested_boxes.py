"""Nested boxes that PlutoBook lays out twice for each box of the same kind around them.

With 20 of them nested, the layout takes a million times as long as without. Those that are nested too deep are laid
out as blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import Any

from lxml import etree
from lxml.cssselect import CSSSelector

from wcspider.engines.document.html_trees import STYLED
from wcspider.engines.plutobook.css.selector_names import most_matches, names_of

DEEPEST = 8
"""The largest number of such boxes in each other. Columns count as three, because each has half the room."""

_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_KINDS = (
    (3, re.compile(r"(?<![\w-])columns\s*:|column-count\s*:", re.IGNORECASE)),
    (1, re.compile(r"(?:flex-direction|flex-flow)\s*:[^;]*column|display\s*:\s*table(?![\w-])", re.IGNORECASE)),
)
"""The weights of these kinds of boxes, and the declarations that make them.

Flexible boxes whose items are side by side are laid out once, whatever is around them.
"""

_AS_BLOCK = "display:block!important;columns:auto!important;column-count:auto!important"
_DEEP = etree.XPath(f"boolean({'/*' * (DEEPEST // 3 + 5)})")
"""True if elements are nested so deep that there may be too many such boxes in each other."""

_FEW = 200
"""The largest number of such boxes for which it is faster to follow their ancestors than to visit all elements."""

_MAX_SELECTORS = 2_000
_DYNAMIC = re.compile(r"::?[a-z-]+(?:\([^()]*\))?")


def untangle(root: Any, sheets: Sequence[str]) -> None:
    """Turn boxes inside `DEEPEST` others of their kind into blocks."""
    if not _DEEP(root):
        return
    weights = _weights(root, _selectors(tuple(sheets)))
    if sum(weights.values()) <= DEEPEST:
        return
    for element, depth in list(_depths(root, weights)):
        if depth > DEEPEST:
            element.set("style", f"{element.get('style', '')};{_AS_BLOCK}")


def _depths(root: Any, weights: Mapping[Any, int]) -> Iterator[tuple[Any, int]]:
    """Yield the elements with weights, each with the sum of the weights from the root to itself."""
    if len(weights) <= _FEW:
        for element, weight in weights.items():
            yield element, weight + sum(weights.get(around, 0) for around in element.iterancestors())
        return
    depths: dict[Any, int] = {}
    for element in root.iter(etree.Element):
        around = element.getparent()
        depths[element] = (depths[around] if around is not None else 0) + weights.get(element, 0)
        if element in weights:
            yield element, depths[element]


def _weights(root: Any, selectors: Sequence[tuple[str, Any, int]]) -> dict[Any, int]:
    """Return the elements with such boxes and their weights. If there are few, some elements may be missing."""
    weights = {e: weight for e in STYLED(root) if (weight := _weight(e.get("style")))}
    if not selectors:
        return weights
    names = names_of(root)
    # The number of elements of a class is known. Only for selectors without a class, the elements have to be found.
    bounds = [most_matches(selector, names) for selector, _, _ in selectors]
    _add(weights, root, [entry for entry, bound in zip(selectors, bounds, strict=True) if bound == inf])
    counted = [(entry, bound) for entry, bound in zip(selectors, bounds, strict=True) if 0 < bound < inf]
    if sum(weights.values()) + sum(entry[2] * bound for entry, bound in counted) > DEEPEST:
        _add(weights, root, [entry for entry, _ in counted])
    return weights


def _add(weights: dict[Any, int], root: Any, selectors: Sequence[tuple[str, Any, int]]) -> None:
    for _, find, weight in selectors:
        for element in find(root):
            weights[element] = max(weights.get(element, 0), weight)


def _weight(declarations: str) -> int:
    return next((weight for weight, kind in _KINDS if kind.search(declarations)), 0)


@lru_cache(maxsize=32)
def _selectors(sheets: tuple[str, ...]) -> tuple[tuple[str, Any, int], ...]:
    """Return the selectors of such boxes, each with a function that finds its elements, and its weight."""
    found: dict[str, int] = {}
    for sheet in sheets:
        for rule in _RULE.finditer(sheet):
            if weight := _weight(rule[2]):
                for part in _DYNAMIC.sub("", rule[1]).split(","):
                    found[part.strip()] = max(found.get(part.strip(), 0), weight)
    return tuple(_compiled(list(found.items())[:_MAX_SELECTORS]))


def _compiled(selectors: Iterable[tuple[str, int]]) -> Iterator[tuple[str, Any, int]]:
    for selector, weight in selectors:
        try:
            yield selector, CSSSelector(selector, translator="html"), weight
        except Exception:  # cssselect raises exceptions of many classes for unknown selectors
            continue
