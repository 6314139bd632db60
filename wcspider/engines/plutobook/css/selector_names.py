"""The names in selectors. A selector cannot match if no element of a page has the classes and ids that it requires."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from lxml import etree

LONGEST_READ: Final = 500
"""The largest length of a selector whose names are read, in characters."""

_ARGUMENTS: Final = re.compile(r"\([^()]*\)")
_QUALIFIERS: Final = re.compile(r"\[[^\]]*\]|\"[^\"]*\"|'[^']*'")
_NAME: Final = re.compile(r"[.#](?:[\w-]|[^\x00-\x7f])+")
_PSEUDO: Final = re.compile(r"(^|[\s>+~])?(?<!\\)(?:::?[\w-]+)+")
_CLASSES: Final = etree.XPath("//@class", smart_strings=False)
_IDS: Final = etree.XPath("//@id", smart_strings=False)


def names_of(root: Any) -> frozenset[str]:
    """Return the classes and ids of the elements of a document, as selectors write them."""
    ids = (f"#{value.strip()}" for value in _IDS(root))
    return frozenset(chain(ids, (f".{name}" for value in set(_CLASSES(root)) for name in value.split())))


@lru_cache(maxsize=20_000)
def required_names(selector: str) -> frozenset[str]:
    """Return the classes and ids that matching elements, or the elements around them, must have.

    Arguments in parentheses are ignored, because those of ``:not()`` must not match. Long selectors and those with
    escaped names are ignored, too.
    """
    kept = selector if len(selector) <= LONGEST_READ and "\\" not in selector else ""
    return frozenset(_NAME.findall(_QUALIFIERS.sub("", _without_arguments(kept))))


def may_match(selector: str, names: frozenset[str]) -> bool:
    """Tell whether a selector may match elements of a document with certain names."""
    return required_names(selector) <= names


def without_pseudo_classes(selector: str) -> str:
    """Return a selector without pseudo-classes and pseudo-elements, so that it matches more elements."""
    return _PSEUDO.sub(lambda match: "" if match[1] is None else f"{match[1]}*", _without_arguments(selector))


def _without_arguments(selector: str) -> str:
    count = 1
    while count:
        selector, count = _ARGUMENTS.subn("", selector)
    return selector
