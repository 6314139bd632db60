"""Selectors as text: the names in them, and searches for the elements that they match (Selectors 4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from cssselect import ExpressionError, SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector

from wcspider.engines.document.cascade import LONGEST_SELECTOR

PSEUDO_ELEMENT: Final = re.compile(
    r"(?<!\\)(?:::(?!slotted|part)|:(?:before|after|first-line|first-letter)\b)", re.IGNORECASE
)
"""A pseudo-element in a selector."""

_ESCAPED: Final = r"[:/.@%!+]"
"""The characters that the names of utility classes have, such as ``md:w-1/2``; selectors escape them."""

_CHARACTERS: Final = rf"(?:[A-Za-z0-9_\u0080-\U0010ffff-]|\\{_ESCAPED})+"
_NAME: Final = re.compile(f"[.#]{_CHARACTERS}")
"""A class or an id."""

_ANY_NAME: Final = re.compile(f"[.#]?{_CHARACTERS}")
"""A type, a class or an id."""

_OTHER_ESCAPE: Final = re.compile(rf"\\(?!{_ESCAPED})")
_SIMPLE: Final = re.compile(rf"[a-z][a-z0-9]*|(?:[a-z][a-z0-9]*)?(?:{_NAME.pattern})+", re.IGNORECASE)
"""A compound selector of a type, classes and ids."""

_COMBINATOR: Final = re.compile(r"\s*>\s*|\s+")
"""The combinators for children and for descendants (Selectors 4, 15)."""

_ARGUMENTS: Final = re.compile(r"\([^()]*\)")
_ATTRIBUTES: Final = re.compile(r"\[[^\]]*\]|\"[^\"]*\"|'[^']*'")

_LEADING: Final = re.compile(r"\s*:(?:is|where)\(", re.IGNORECASE)
"""The beginning of a list of selectors in a pseudo-class, as rules for marked elements have it."""

_LIST_MARK: Final = re.compile(r"""[(),]|\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
"""What divides lists and begins and ends them, and escapes and strings, which may contain these characters."""

_DEPTH: Final = {"(": 1, ")": -1}

_CONDITION: Final = re.compile(r"""(?<=[\w-])\[[^]"']*(?:"[^"]*"|'[^']*')?[^]"']*\]""")
"""A condition for an attribute behind a type, a class or an id."""

_PSEUDO: Final = re.compile(r"(^|[\s>+~])?(?<!\\)(?:::?[\w-]+)+")


@dataclass(frozen=True, slots=True)
class Compound:
    """A compound selector of a type, classes and ids."""

    names: frozenset[str]
    is_child: bool = False
    """True for children of the elements of the selector before it, false for all descendants."""


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds the elements of a selector."""

    names: frozenset[str]
    """The names without which a page has no such element; see `names_in`."""

    path: Sequence[Compound] = ()
    """The compound selectors of which the selector consists; empty if it has other parts."""

    find: Callable[[Any], Iterable[Any]] | None = None
    """Finds the elements below a root if there is no `path`."""


def finder(selector: str) -> Finder:
    """Return what finds the elements of a selector; nothing if the selector is invalid."""
    parts = _COMBINATOR.split(selector)
    if all(map(_SIMPLE.fullmatch, parts)):
        children = (False, *(">" in combinator for combinator in _COMBINATOR.findall(selector)))
        path = [Compound(names_in(part), is_child) for part, is_child in zip(parts, children, strict=True)]
        return Finder(frozenset[str]().union(*(compound.names for compound in path)), path)
    with suppress(SelectorError, ExpressionError, etree.XPathSyntaxError, RecursionError):
        return Finder(names_in(selector), find=CSSSelector(selector, translator="html"))
    return Finder(names_in(selector), find=lambda root: ())


def names_in(selector: str) -> frozenset[str]:
    """Return the names that an element and the elements around it need to match a selector.

    These are types in lower case, and classes and ids with the "." or "#" before them: ``{"ul", ".menu"}`` for
    ``ul > .menu:not(.closed)``. None are returned for selectors with namespaces or with unusual escapes.
    """
    return frozenset() if _is_unusual(selector) else _names(_ATTRIBUTES.sub("", selector))


def names_of_each(selectors: str) -> set[frozenset[str]]:
    """Return the names that the selectors of a list need, also of the lists at their beginning; see `names_in`.

    None are returned for long selectors, and for a list whose parentheses are not balanced.
    """
    plain = _ATTRIBUTES.sub("", selectors)
    if _is_unusual(selectors) or plain.count("(") != plain.count(")"):
        return {frozenset()}
    lists = (alternatives(part) if len(part) <= LONGEST_SELECTOR else [""] for part in parts_of(plain))
    return set(map(_names, chain.from_iterable(lists)))


def _is_unusual(selectors: str) -> bool:
    return "|" in selectors or _OTHER_ESCAPE.search(selectors) is not None


def _names(plain: str) -> frozenset[str]:
    """Return the names in a selector without strings."""
    simple = simplified(plain) if ":" in plain else plain
    return frozenset(n.replace("\\", "") if n[0] in ".#" else n.lower() for n in _ANY_NAME.findall(simple))


def parts_of(selectors: str) -> Sequence[str]:
    """Return the selectors of a list."""
    parts, depth, begin = [], 0, 0
    for mark in _LIST_MARK.finditer(selectors):
        depth += _DEPTH.get(mark[0], 0)
        if mark[0] == "," and not depth:
            parts.append(selectors[begin : mark.start()].strip())
            begin = mark.end()
    return [*parts, selectors[begin:].strip()]


def extended(selectors: str, end: str) -> str:
    """Return a list of selectors with the same end, such as a condition.

    Its rules take less time than those of ``:is()`` with a condition, which PlutoBook would try on each element. And
    each selector keeps its specificity.
    """
    return ",".join(f"{part}{end}" for part in parts_of(selectors))


def alternatives(selector: str) -> Sequence[str]:
    """Return ``a:empty`` and ``b:empty`` for a selector such as ``:is(a, b):empty``; others are returned unchanged."""
    leading = _LEADING.match(selector)
    if leading is None:
        return [selector]
    begin, end, depth = leading.end(), len(selector), 1
    for mark in _LIST_MARK.finditer(selector, begin):
        depth += _DEPTH.get(mark[0], 0)
        if not depth:
            end = mark.start()
            break
    return [part + selector[end + 1 :] for part in parts_of(selector[begin:end])]


def simplified(selector: str) -> str:
    """Return a selector without pseudo-classes, pseudo-elements and conditions, so that it matches more elements."""
    count = 1
    while count:
        selector, count = _ARGUMENTS.subn("", selector)
    return _CONDITION.sub("", _PSEUDO.sub(lambda match: "" if match[1] is None else f"{match[1]}*", selector))
