"""The winning declarations of elements, for the properties that a grid depends on (CSS Cascading 5, 6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import cssselect2
from cssselect import ExpressionError, SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector

from wcspider.engines.plutobook.css.style_rules import (
    StyleRule,
    may_match,
    names_of,
    serialized,
    style_attribute,
    style_rules,
)
from wcspider.engines.plutobook.grid.shorthands import READ, longhands

Selectors = tuple[tuple[str, Any], ...]
"""Selectors, each with a function that finds its elements."""

MAX_ELEMENTS: Final = 50_000
"""The number of elements of a page whose declarations are read; the grids of a larger page become blocks."""

MAX_SELECTORS: Final = 20_000
"""The number of selectors of the style sheets of a page; further selectors are ignored."""

MAX_TESTS: Final = 300_000
"""The number of tests of a selector on an element for a page; grids that need more become blocks."""

MAX_SUBSTITUTIONS: Final = 10
"""The number of times that var() is replaced, because custom properties may refer to each other."""

MAX_VALUE: Final = 4_000
"""The number of characters of a value in which var() is replaced."""

TEMPLATE: Final = "--wcspider-template-"
VALUE: Final = "--wcspider-value-"
"""The beginnings of the names of variables with values that depend on others, and with the results."""

_GRID: Final = re.compile(r"^(inline-)?grid\b|^(inline|block)\s+grid\b", re.IGNORECASE)
_WORD: Final = re.compile("grid", re.IGNORECASE)
_VAR: Final = re.compile(
    r"\bvar\( \s* (--[^\s,()]+) \s* (?: , ( (?: [^()] | \( (?: [^()] | \( [^()]* \) )* \) )* ) )? \)",
    re.IGNORECASE | re.VERBOSE,
)
"""A var() with its fallback, in which parentheses are nested twice at most."""


def is_grid(values: Mapping[str, str]) -> bool:
    """Return whether an element with these declared values is a grid container."""
    return _GRID.match(values.get("display", "")) is not None


@lru_cache(maxsize=32)
def grid_selectors(sheet: str) -> Selectors:
    """Return the selectors of the rules that declare a grid, each with a function that finds its elements."""
    return selectors_with(sheet, _declares_grid) if _WORD.search(sheet) else ()


def selectors_with(sheet: str, is_wanted: Callable[[Any], bool]) -> Selectors:
    """Return the selectors of the rules with certain declarations, each with a function that finds its elements."""
    rules = (rule for rule in _rules(sheet) if any(map(is_wanted, rule.declarations)))
    selectors = dict.fromkeys(selector for rule in rules for selector in rule.selectors)
    return tuple((selector, _finder(selector)) for selector in islice(selectors, MAX_SELECTORS))


def matching(root: Any, selectors: Iterable[tuple[str, Any]]) -> set[Any]:
    """Return the elements that match any of the selectors."""
    selectors = list(selectors)
    names = names_of(root) if selectors else {}
    return {element for selector, find in selectors if may_match(selector, names) for element in find(root)}


def wrappers_of(root: Any) -> list[Any]:
    """Return the elements of a page for cssselect2, in document order; an empty list if there are too many."""
    found = list(islice(cssselect2.ElementWrapper.from_html_root(root).iter_subtree(), MAX_ELEMENTS + 1))
    return found if len(found) <= MAX_ELEMENTS else []


def _declares_grid(declaration: Any) -> bool:
    return declaration.lower_name == "display" and is_grid({"display": serialized(declaration.value)})


def _finder(selector: str) -> Any:
    """Return a function that finds the elements of a selector, or all elements if lxml does not know the selector."""
    try:
        return CSSSelector(selector, translator="html")
    except (SelectorError, ExpressionError, etree.XPathSyntaxError, RecursionError):
        return etree.XPath("//*")


@lru_cache(maxsize=8)
def _matcher(sheets: tuple[str, ...]) -> Any:
    """Return the selectors of style sheets for cssselect2, with the declarations that are read.

    The pages of a site share their style sheets.
    """
    matcher, left = cssselect2.Matcher(), MAX_SELECTORS
    for rule in (rule for sheet in sheets for rule in _rules(sheet)):
        declarations = _read(rule.declarations)
        for selector in _compiled(rule.selectors, left) if declarations else ():
            matcher.add_selector(selector, declarations)
            left -= 1
    return matcher


@lru_cache(maxsize=32)
def _rules(sheet: str) -> tuple[StyleRule, ...]:
    return tuple(style_rules(sheet))


def _read(declarations: Sequence[Any]) -> list[tuple[str, str, bool]]:
    """Return the names, values and importance of the declarations that are read."""
    return [
        (d.name if d.name.startswith("--") else d.lower_name, serialized(d.value).replace(VALUE, TEMPLATE), d.important)
        for d in declarations
        if d.lower_name in READ or d.lower_name.startswith(("--", "grid"))
    ]


def _compiled(selectors: Sequence[str], most: int) -> Iterator[Any]:
    """Yield the selectors of elements and of ``::before``; unknown selectors are left out."""
    for part in selectors[:most]:
        if ":has(" in part:  # would be tested on all descendants of each element
            continue
        try:
            compiled = cssselect2.compile_selector_list(part)
        except (cssselect2.SelectorError, RecursionError):
            continue
        yield from (selector for selector in compiled if selector.pseudo_element in (None, "before"))


class GridCascade:
    """The declarations that win for each element of a page."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self._matcher = _matcher(tuple(filter(None, sheets)))
        self._values: dict[int, Mapping[str, str]] = {}
        self._tests = 0

    def values(self, wrapper: Any) -> Mapping[str, str]:
        """Return the declared values of an element by longhand property, with var() replaced."""
        known = self._values.get(id(wrapper.etree_element))
        if known is None:
            known = self._values[id(wrapper.etree_element)] = self._cascaded(wrapper)
        return known

    def replace(self, wrapper: Any, values: Mapping[str, str]) -> None:
        """Give other values to an element."""
        self._values[id(wrapper.etree_element)] = values

    def before(self, wrapper: Any) -> Mapping[str, str]:
        """Return the declared values of the ``::before`` of an element; an empty mapping if it has none."""
        values = self._cascaded(wrapper, "before")
        return values if values.get("content", "none") not in ("none", "normal") else {}

    def _cascaded(self, wrapper: Any, pseudo: str | None = None) -> Mapping[str, str]:
        self._tests += _test_count(self._matcher, wrapper)
        if self._tests > MAX_TESTS:
            return {}
        matches = self._matcher.match(wrapper)
        declarations = [declared for *_, of, payload in matches if of == pseudo for declared in payload]
        if pseudo is None:
            declarations += _read(style_attribute(wrapper.etree_element.get("style") or ""))
        written: dict[str, str] = {}
        # The sort is stable, so the important declarations follow the others in the order of the cascade.
        for name, value, _ in sorted(declarations, key=lambda declared: declared[2]):
            # A shorthand overrides the longhands before it, so a declaration moves to the end.
            written.pop(name, None)
            written[name] = value
        result = {name: value for name, value in written.items() if name.startswith("--")}
        for name, value in written.items():
            if not name.startswith("--"):
                result.update(longhands(name, self.substituted(value, wrapper, result)))
        return result

    def substituted(self, value: str, wrapper: Any, own: Mapping[str, str]) -> str:
        """Return a value with custom properties in the place of var() (CSS Variables 1, 3)."""
        for _ in range(MAX_SUBSTITUTIONS):
            before, value = value, _VAR.sub(lambda var: self._variable(var, wrapper, own), value[:MAX_VALUE])
            if value == before:
                break
        return value

    def _variable(self, var: re.Match[str], wrapper: Any, own: Mapping[str, str]) -> str:
        """Return the value of a var(), or the var() if it has none."""
        value = self._custom(var[1], wrapper, own)
        return value if value is not None else var[0] if var[2] is None else var[2].strip()

    def _custom(self, name: str, wrapper: Any, own: Mapping[str, str]) -> str | None:
        """Return a custom property of an element or of the nearest ancestor that declares it."""
        values, parent = own, wrapper.parent
        while name not in values and parent is not None:
            values, parent = self.values(parent), parent.parent
        return values.get(name)


def _test_count(matcher: Any, wrapper: Any) -> int:
    """Return the number of selectors that are tested on an element."""
    count = len(matcher.other_selectors) + len(matcher.lower_local_name_selectors.get(wrapper.local_name, ()))
    count += len(matcher.id_selectors.get(wrapper.id, ()))
    return count + sum(len(matcher.class_selectors.get(name, ())) for name in wrapper.classes)
