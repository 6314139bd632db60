"""The declared values of elements: of custom properties, and of those on which grids and hidden elements depend."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache, partial
from itertools import chain, islice
from typing import Any, Final

import cssselect2
import tinycss2
from cssselect import ExpressionError, SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector

from wcspider.engines.document.cascade import (
    LONGEST_SELECTOR,
    MAX_SELECTORS,
    Cascade,
    Compiled,
    Declared,
    RuleSet,
    compiled,
)
from wcspider.engines.document.html_trees import STYLED
from wcspider.engines.plutobook.css.shorthands import READ, longhands
from wcspider.web.numbers import with_readable_numbers
from wcspider.web.styles.tokens import declarations_of, serialized, split_list

OUT_OF_FLOW: Final = frozenset({"absolute", "fixed"})
"""The values of `position` that give an element no room of its own (CSS 2.1, 9.3.1)."""

MAX_ELEMENTS: Final = 50_000
"""The number of elements of a page whose declarations are read; the grids of a larger page become blocks."""

MAX_RULES: Final = 50_000
"""The largest number of rules that are read from one style sheet."""

MAX_SUBSTITUTIONS: Final = 10
"""The number of times that var() is replaced, because custom properties may refer to each other."""

MAX_VALUE: Final = 4_000
"""The number of characters of a value in which var() is replaced."""

MAX_VISITS: Final = 20_000_000
"""How many times elements of a page are visited to find those with certain declarations."""

TEMPLATE: Final = "--wcspider-template-"
VALUE: Final = "--wcspider-value-"
"""The beginnings of the names of variables with values that depend on others, and with the results."""

_VAR: Final = re.compile(
    r"\bvar\( \s* (--[^\s,()]+) \s* (?: , ( (?: [^()] | \( (?: [^()] | \( [^()]* \) )* \) )* ) )? \) ((?=[\w.%-]))?",
    re.IGNORECASE | re.VERBOSE,
)
"""A var() with its fallback, in which parentheses are nested twice at most, and whether a value follows at once."""

_COUNT: Final = etree.XPath("count(//*)")

_CLASSES: Final = etree.XPath("//@class", smart_strings=False)
_IDS: Final = etree.XPath("//@id", smart_strings=False)
_OF_ID: Final = etree.XPath("//*/@id[. = $name]/..")
_OF_CLASS: Final = etree.XPath(
    "//*/@class[contains(., $name)][contains(concat(' ', normalize-space(.), ' '), concat(' ', $name, ' '))]/.."
)
_NAME: Final = re.compile(r"[.#](?:[\w-]|[^\x00-\x7f])+")
_ARGUMENTS: Final = re.compile(r"\([^()]*\)")
_ATTRIBUTES: Final = re.compile(r"\[[^\]]*\]|\"[^\"]*\"|'[^']*'")
_GENERATED: Final = re.compile(
    r"(?<!\\)(?:::(?!slotted|part)|:(?:before|after|first-line|first-letter)\b)", re.IGNORECASE
)
"""A pseudo-element in a selector."""

_LEADING: Final = re.compile(r"^\s*:(?:is|where)\(([^(),]*)\)", re.IGNORECASE)
"""A selector in a pseudo-class at the beginning of another selector, such as those for marked elements."""

_PSEUDO: Final = re.compile(r"(^|[\s>+~])?(?<!\\)(?:::?[\w-]+)+")


_Finder = tuple[frozenset[str], Callable[[Any], Iterable[Any]]]
"""The classes and ids without which a page has no element of a selector, and a function that finds the elements."""


class PageStyles:
    """The declared values of the elements of a page.

    ``root`` is the root of an lxml tree. ``sheets`` are the author's style sheets in the order of the cascade, with
    imports, conditions and nested rules resolved.
    """

    def __init__(self, root: Any, sheets: Sequence[str]) -> None:
        self.root = root
        self._sheets = tuple(sheets)
        self._values: dict[int, dict[str, str]] = {}

    def elements_with(self, wanted: re.Pattern[str], *, with_generated: bool = True) -> set[Any]:
        """Return the elements for which any rule has a certain declaration; some elements may be too many.

        `wanted` matches the declaration, such as "display:grid". Names of properties are in lower case. Rules for the
        generated content of elements count as rules for the elements if `with_generated` is true.
        """
        finders: dict[str, _Finder] = {}
        for sheet in self._sheets:
            finders |= _finders_with(sheet, wanted, with_generated)
        useful = [find for names, find in finders.values() if names <= self._names]
        most = MAX_VISITS // int(_COUNT(self.root)) if useful else 0
        found = {element for find in useful[:most] for element in find(self.root)}
        return found.union(e for e in STYLED(self.root) if _has_declaration(_attribute(e.get("style")), wanted))

    def wrappers_with(self, wanted: re.Pattern[str]) -> list[Any]:
        """Return the elements of `elements_with` for cssselect2, in document order; none if the page is too large."""
        found = self.elements_with(wanted)
        return [wrapper for wrapper in self.wrappers if wrapper.etree_element in found] if found else []

    @cached_property
    def _names(self) -> frozenset[str]:
        """The classes and ids of the page, as selectors write them."""
        classes = (f".{name}" for value in set(_CLASSES(self.root)) for name in value.split())
        return frozenset(chain(classes, map("#{}".format, _IDS(self.root))))

    @cached_property
    def wrappers(self) -> Sequence[Any]:
        """The elements of the page for cssselect2, in document order; none if there are too many."""
        found = list(islice(cssselect2.ElementWrapper.from_html_root(self.root).iter_subtree(), MAX_ELEMENTS + 1))
        return found if len(found) <= MAX_ELEMENTS else []

    @cached_property
    def _cascade(self) -> Cascade:
        return Cascade(_rule_set(self._sheets))

    def values(self, wrapper: Any) -> Mapping[str, str]:
        """Return the declared values of an element by longhand property, with var() replaced."""
        known = self._values.get(id(wrapper.etree_element))
        if known is None:
            attribute = _read(_attribute(wrapper.etree_element.get("style") or ""))
            known = self._values[id(wrapper.etree_element)] = {}
            winning = self._cascade.winning(wrapper, attribute)
            known.update((name, value) for name, value in winning.items() if name.startswith("--"))
            for name, value in winning.items():
                if not name.startswith("--"):
                    known.update(longhands(name, self.substituted(value, wrapper, known)))
        return known

    def add(self, wrapper: Any, declarations: str) -> None:
        """Add declarations as important ones to the style attribute of an element."""
        add_style(wrapper.etree_element, declarations)
        self._values.pop(id(wrapper.etree_element), None)

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
        found = value if value is not None else var[0] if var[2] is None else var[2].strip()
        return found if var[3] is None else f"{found} "  # such as "#fff" before "30%" (CSS Syntax 3, 9)

    def _custom(self, name: str, wrapper: Any, own: Mapping[str, str]) -> str | None:
        """Return a custom property of an element or of the nearest ancestor that declares it."""
        values, parent = own, wrapper.parent
        while name not in values and parent is not None:
            values, parent = self.values(parent), parent.parent
        return values.get(name)


def add_style(element: Any, declarations: str) -> None:
    """Add declarations as important ones to the style attribute of an element."""
    if not declarations:
        return
    important = "; ".join(f"{declaration.strip()} !important" for declaration in declarations.split(";"))
    own = (element.get("style") or "").strip().rstrip(";")
    element.set("style", f"{own}; {important}" if own else important)


# The pages of a site share their style sheets: those of WordPress have up to fifty, and eight modules ask for rules.
@lru_cache(maxsize=512)
def _finders_with(sheet: str, wanted: re.Pattern[str], with_generated: bool) -> Mapping[str, _Finder]:
    """Return the finders of the rules with a certain declaration, by selectors without pseudo-classes.

    A finder also finds elements for which only the pseudo-classes are false. lxml does not know all pseudo-classes, and
    the time to count siblings grows with the square of their number.
    """
    rules = (selectors for selectors, declarations in _rules(sheet) if _has_declaration(declarations, wanted))
    short = (selector for selector in chain.from_iterable(rules) if len(selector) <= LONGEST_SELECTOR)
    if not with_generated:
        short = (selector for selector in short if not _GENERATED.search(selector))
    simple = dict.fromkeys(map(_without_pseudo_classes, short))
    return {selector: _finder(selector) for selector in islice(simple, MAX_SELECTORS)}


def _has_declaration(declarations: Iterable[Declared], wanted: re.Pattern[str]) -> bool:
    return any(wanted.fullmatch(f"{name}:{value}") for name, value, _ in declarations)


def _finder(selector: str) -> _Finder:
    names = frozenset(_NAME.findall(_ATTRIBUTES.sub("", selector))) if "\\" not in selector else frozenset[str]()
    if names == {selector}:  # libxml2 finds attributes faster than elements with a condition
        return names, partial(_OF_CLASS if selector[0] == "." else _OF_ID, name=selector[1:])
    with suppress(SelectorError, ExpressionError, etree.XPathSyntaxError, RecursionError):
        return names, CSSSelector(selector, translator="html")
    return names, lambda root: ()


def _without_pseudo_classes(selector: str) -> str:
    """Return a selector without pseudo-classes and pseudo-elements, so that it matches more elements."""
    selector, count = _LEADING.sub(r"\1", selector), 1
    while count:
        selector, count = _ARGUMENTS.subn("", selector)
    return _PSEUDO.sub(lambda match: "" if match[1] is None else f"{match[1]}*", selector)


@lru_cache(maxsize=8)
def _rule_set(sheets: tuple[str, ...]) -> RuleSet:
    return RuleSet(chain.from_iterable(map(_compiled, sheets)))


@lru_cache(maxsize=64)
def _compiled(sheet: str) -> Sequence[Compiled]:
    rules = ((selectors, _read(declarations)) for selectors, declarations in _rules(sheet))
    return compiled((selector, read) for selectors, read in rules if read for selector in selectors)


@lru_cache(maxsize=64)
def _rules(sheet: str) -> Sequence[tuple[Sequence[str], Sequence[Declared]]]:
    """Return the selectors and the declarations of each rule."""
    nodes = tinycss2.parse_stylesheet(with_readable_numbers(sheet), skip_comments=True, skip_whitespace=True)
    rules = (node for node in nodes[:MAX_RULES] if node.type == "qualified-rule")
    return [(split_list(rule.prelude), _declared(rule.content)) for rule in rules]


@lru_cache(maxsize=4096)
def _attribute(text: str) -> Sequence[Declared]:
    """Return the declarations of a STYLE attribute."""
    return _declared(text)


def _declared(content: str | Sequence[Any]) -> Sequence[Declared]:
    found = declarations_of(content)
    return [(d.name if d.name.startswith("--") else d.lower_name, serialized(d.value), d.important) for d in found]


def _read(declarations: Iterable[Declared]) -> list[Declared]:
    """Return the declarations that are read, with the templates of values that depend on others."""
    return [
        (name, value.replace(VALUE, TEMPLATE), is_important)
        for name, value, is_important in declarations
        if name in READ or name.startswith(("--", "grid"))
    ]
