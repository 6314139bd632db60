"""The classes and ids that selectors require. A selector cannot match if no element of a page has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from math import inf
from typing import Any, Final

from lxml import etree

LONGEST_READ: Final = 500
"""The largest length of a selector whose names are read, in characters."""

_ARGUMENTS: Final = re.compile(r"\([^()]*\)")
_QUALIFIERS: Final = re.compile(r"\[[^\]]*\]|\"[^\"]*\"|'[^']*'")
_NAME: Final = re.compile(r"([.#])((?:[\w-]|[^\x00-\x7f])+)")
_COMBINATOR: Final = re.compile(r"[\s>+~|]+")
_CLASSES: Final = etree.XPath("//@class", smart_strings=False)
_IDS: Final = etree.XPath("//@id", smart_strings=False)


def names_of(root: Any) -> Counter[str]:
    """Return how many elements of a document have each class and id, as selectors write them."""
    names = Counter(f"#{value.strip()}" for value in _IDS(root))
    for value, count in Counter(_CLASSES(root)).items():
        for name in set(value.split()):
            names[f".{name}"] += count
    return names


@lru_cache(maxsize=20_000)
def required_names(selector: str) -> frozenset[str]:
    """Return the classes and ids that matching elements, or the elements around them, must have.

    Arguments in parentheses are ignored, because those of ``:not()`` must not match. Escaped names are ignored, too.
    """
    return frozenset(map("".join, _NAME.findall(_without_arguments(selector))))


@lru_cache(maxsize=20_000)
def _names_of_subject(selector: str) -> frozenset[str]:
    """Return the classes and ids that matching elements themselves must have."""
    return frozenset(map("".join, _NAME.findall(_COMBINATOR.split(_without_arguments(selector).strip())[-1])))


def _without_arguments(selector: str) -> str:
    """Return a selector without parentheses and brackets; "" for a long selector or one with escaped names."""
    kept = selector if len(selector) <= LONGEST_READ and "\\" not in selector else ""
    count = 1
    while count:
        kept, count = _ARGUMENTS.subn("", kept)
    return _QUALIFIERS.sub("", kept)


def most_matches(selector: str, names: Mapping[str, int]) -> float:
    """Return the largest possible number of elements that match a selector, in a document with certain names."""
    if not may_match(selector, names):
        return 0
    return min((names[name] for name in _names_of_subject(selector)), default=inf)


def may_match(selector: str, names: Mapping[str, int]) -> bool:
    """Tell whether a selector may match elements of a document with certain names."""
    return required_names(selector) <= names.keys()
