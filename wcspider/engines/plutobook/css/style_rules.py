"""The style rules of a style sheet whose at-rules have been resolved, and the names that their selectors require.

Selectors that require a class or an id that no element of a page has cannot match.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any, Final

import tinycss2
from lxml import etree

from wcspider.web.numbers import with_readable_numbers
from wcspider.web.styles.tokens import declarations_of, split_list

MAX_RULES: Final = 50_000
"""The largest number of rules that are read from one style sheet."""

LONGEST_SELECTOR: Final = 4_000
"""The largest length of a selector list, in characters; rules with longer lists are ignored."""

LONGEST_READ: Final = 500
"""The largest length of a selector whose names are read, in characters."""

_ARGUMENTS: Final = re.compile(r"\([^()]*\)")
_QUALIFIERS: Final = re.compile(r"\[[^\]]*\]|\"[^\"]*\"|'[^']*'")
_NAME: Final = re.compile(r"([.#])((?:[\w-]|[^\x00-\x7f])+)")
_COMBINATOR: Final = re.compile(r"[\s>+~|]+")
_CLASSES: Final = etree.XPath("//@class", smart_strings=False)
_IDS: Final = etree.XPath("//@id", smart_strings=False)


@dataclass(frozen=True, slots=True)
class StyleRule:
    """A style rule (CSS Syntax 3, 9.1)."""

    selectors: tuple[str, ...]
    declarations: tuple[Any, ...]
    """The declarations, as objects of tinycss2."""


def style_rules(text: str) -> Iterator[StyleRule]:
    """Yield the style rules of a style sheet that are not inside an at-rule."""
    rules = tinycss2.parse_stylesheet(with_readable_numbers(text), skip_comments=True, skip_whitespace=True)
    for rule in rules[:MAX_RULES]:
        if rule.type == "qualified-rule":
            selectors = split_list(rule.prelude)
            declarations = declarations_of(rule.content)
            if declarations and sum(map(len, selectors)) <= LONGEST_SELECTOR:
                yield StyleRule(selectors, declarations)


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
