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
"""How many such boxes may stand in each other."""

_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_COSTLY = re.compile(
    r"(?:flex-direction|flex-flow)\s*:[^;]*column|columns\s*:|column-count\s*:"
    r"|display\s*:\s*(?:inline-)?(?:table|flex|grid)\b",
    re.IGNORECASE,
)
_AS_BLOCK = "display:block!important;columns:auto!important;column-count:auto!important"
_MAX_SELECTORS = 2_000
_DYNAMIC = re.compile(r"::?[a-z-]+(?:\([^()]*\))?")


def untangle(root: Any, sheets: Sequence[str]) -> None:
    """Let boxes that stand in `DEEPEST` others of their kind be blocks."""
    if not _is_deep(root):
        return
    costly = {e for e in root.xpath("//*[@style]") if _COSTLY.search(e.get("style"))}
    for selector in _selectors(tuple(sheets)):
        costly.update(selector(root))
    if len(costly) <= DEEPEST:
        return
    depths: dict[Any, int] = {root: 0}
    for element in root.iter(etree.Element):
        around = element.getparent()
        depth = (depths[around] if around is not None else 0) + (element in costly)
        depths[element] = depth
        if element in costly and depth > DEEPEST:
            element.set("style", f"{element.get('style', '')};{_AS_BLOCK}")


def _is_deep(root: Any) -> bool:
    level = [root]
    for _ in range(DEEPEST + 2):
        level = [child for element in level for child in element]
    return bool(level)


@lru_cache(maxsize=32)
def _selectors(sheets: tuple[str, ...]) -> tuple[Any, ...]:
    """Return what finds the elements that the sheets make such boxes."""
    texts = dict.fromkeys(_costly_selectors(sheets))
    return tuple(_compiled(list(texts)[:_MAX_SELECTORS]))


def _costly_selectors(sheets: Iterable[str]) -> Iterator[str]:
    for sheet in sheets:
        for rule in _RULE.finditer(sheet):
            if _COSTLY.search(rule[2]):
                yield from (part.strip() for part in _DYNAMIC.sub("", rule[1]).split(","))


def _compiled(selectors: Iterable[str]) -> Iterator[Any]:
    for selector in selectors:
        try:
            yield CSSSelector(selector, translator="html")
        except Exception:  # cssselect raises of all kinds for selectors that it does not know
            continue
