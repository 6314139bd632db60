"""The cascade of a page's stylesheets, and which elements have the same styles.

xhtml2pdf keeps what it has worked out for an element for that element's siblings only, so that matching selectors
takes a third of its time. Here elements share styles where no selector can tell them apart, on all the pages that
have the same stylesheets.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any
from xml.dom.minidom import Element

from xhtml2pdf.context import pisaCSSBuilder, pisaCSSParser
from xhtml2pdf.parser import POSITIONAL_PSEUDO_CLASSES, PSEUDO_CLASS_ATTRIBUTES
from xhtml2pdf.w3c import css

MAX_SHARED = 20_000
"""Of how many elements the styles are kept, for one set of stylesheets."""

_ANY = "*"


@dataclass(frozen=True, slots=True)
class _Compound:
    """The part of a selector that is about one element, if it asks for the element's place."""

    classes: frozenset[str]
    identifier: str
    questions: frozenset[str]
    """The pseudo-classes and sibling combinators."""

    def concerns(self, classes: set[str], identifier: str) -> bool:
        """Whether an element of these classes and this ID can match, as far as those go."""
        return self.classes <= classes and self.identifier in ("", identifier)


class Cascade:
    """A set of stylesheets ready for use, with the styles that it gave."""

    def __init__(self, strategy: Any) -> None:
        self.strategy = strategy
        self.styles: dict[int, Any] = {}
        """The styles by `key`; xhtml2pdf fills it."""

        self.pseudo_styles: dict[Any, Any] = {}
        self._numbers = itertools.count(1)
        self._known: dict[tuple[Any, ...], int] = {}
        self._places: dict[str, set[_Compound]] = defaultdict(set)
        self._attributes: dict[str, set[str]] = defaultdict(set)
        self._identifiers: set[str] = set()
        for ruleset in strategy.iterCSSRulesets():
            for selector in ruleset:
                self._read(selector)
        self._attributes[_ANY].add("style")

    def begin_page(self) -> None:
        """Forget what was kept, if it has become too much. The numbers go on: none ever means two things."""
        if len(self._known) > MAX_SHARED:
            self._known.clear()
            self.styles.clear()
            self.pseudo_styles.clear()

    def key(self, element: Any) -> int:
        """Return a number that two elements share only if every selector matches both or neither."""
        known = getattr(element, "style_key", None)
        if known is None:
            parent = element.parentNode
            own = (self.key(parent) if isinstance(parent, Element) else 0, *self._own(element))
            known = self._known.get(own)
            if known is None:
                known = self._known[own] = next(self._numbers)
            element.style_key = known
        return int(known)

    def _read(self, selector: Any) -> set[str]:
        """Note what `selector` asks of elements; return what its last compound asks of the element's place."""
        tag = str(selector.name).lower()
        questions: set[str] = set()
        classes, identifier = set(), ""
        for qualifier in getattr(selector, "qualifiers", ()):
            if qualifier.isClass():
                classes.add(qualifier.classId)
            elif qualifier.isHash():
                identifier = qualifier.hashId
                self._identifiers.add(identifier)
            elif qualifier.isAttr():
                # A name with a namespace is a pair.
                self._attributes[tag].add(qualifier.name if isinstance(qualifier.name, str) else qualifier.name[-1])
            elif qualifier.isCombiner():
                self._read(qualifier.selector)
                questions |= {qualifier.op} & {"+", "~"}
            elif qualifier.isPseudo():
                questions |= self._read_pseudo(qualifier, tag)
        if questions:
            self._places[tag].add(_Compound(frozenset(classes), identifier, frozenset(questions)))
        return questions

    def _read_pseudo(self, qualifier: Any, tag: str) -> set[str]:
        arguments = [self._read(argument) for argument in getattr(qualifier, "selectors", ())]
        if arguments:
            # What is in the parentheses of these three is about the element itself.
            if qualifier.name in ("not", "is", "where"):
                return set().union(*arguments)
            return {f"{qualifier.name}()"}
        name = str(qualifier.name)
        self._attributes[tag] |= {
            # That it is a link is all that these ask; where it leads would tell each link from all others.
            f"?{attribute}" if name in ("link", "any-link") else attribute
            for attribute in PSEUDO_CLASS_ATTRIBUTES.get(name, ())
        }
        return {name} if name in POSITIONAL_PSEUDO_CLASSES else set()

    def _own(self, element: Any) -> Iterator[Any]:
        """Return the properties of an element that selectors can match without its surroundings."""
        tag = element.tagName.lower()
        classes = element.getAttribute("class")
        identifier = element.getAttribute("id")
        yield tag
        yield classes
        yield identifier if identifier in self._identifiers else ""
        for name in (*self._attributes[_ANY], *self._attributes[tag]):
            if name.startswith("?"):
                yield element.hasAttribute(name[1:])
            else:
                yield element.getAttribute(name) if element.hasAttribute(name) else None
        compounds = self._places[_ANY] | self._places[tag]
        if compounds:
            names = set(classes.split())
            questions = {q for c in compounds if c.concerns(names, identifier) for q in c.questions}
            yield tuple(self._answer(element, question) for question in sorted(questions))

    def _answer(self, element: Any, question: str) -> Any:
        """Return the answer to a question of selectors about the position of an element."""
        if question == "+":
            before = _sibling(element, "previousSibling")
            return self.key(before) if before is not None else 0
        if question == "~":
            return self._earlier(element)
        answer = _ANSWERS.get(question)
        return answer(element) if answer else -next(self._numbers)  # a question that we cannot answer: like no other

    def _earlier(self, element: Any) -> frozenset[int]:
        before = _sibling(element, "previousSibling")
        if before is None:
            element.earlier = frozenset()
        elif hasattr(before, "earlier"):
            element.earlier = before.earlier | {self.key(before)}
        else:
            element.earlier = frozenset(self.key(e) for e in _siblings(element, "previousSibling"))
        return element.earlier  # type: ignore[no-any-return]


def share(element: Any, cascade: Cascade, _: Any = None) -> int:
    """Return the key under which xhtml2pdf caches the styles of an element."""
    return cascade.key(element)


@lru_cache(maxsize=8)
def cascade_of(stylesheets: tuple[str, ...]) -> tuple[Cascade, tuple[str, ...]]:
    """Return the cascade of the author's style sheets, and warnings about them."""
    parsed, problems = [], []
    for text in stylesheets:
        try:
            parsed.append(_parse(text))
        except Exception as error:  # xhtml2pdf's parser has no error of its own
            problems.append(f"a stylesheet was left out: {type(error).__name__}")
    order = itertools.count()
    ordered = [tuple(_in_order(rules, order) for rules in sheet) for sheet in parsed]
    strategy = _Strategy(userAgent=_parse(_default()), user=parser().cssBuilder.stylesheet(ordered, []))
    strategy.parser = parser()
    return Cascade(strategy), tuple(problems)


def _in_order(rules: Any, order: Iterator[int]) -> Any:
    """Return the rules of a style sheet, numbered in their order on this page."""
    made = type(rules)()
    for selector, declarations in rules.items():
        own = copy(selector)
        own.order = next(order)
        made[own] = declarations
    return made


@cache
def parser() -> Any:
    """Return the parser of style sheets, which does not depend on a page."""
    made = _Parser(_Builder(mediumSet=["all"]))
    made.rootPath = ""
    return made


# A page of a site often has the stylesheets of the page before, and one more.
@lru_cache(maxsize=64)
def _parse(text: str) -> Any:
    return parser().parse(text)


@cache
def _default() -> str:
    return resources.files("wcspider.engines.xhtml2pdf.styles").joinpath("default.css").read_text("utf-8")


class _Strategy(css.CSSCascadeStrategy):  # type: ignore[misc]
    """What is important wins whatever the specificity (CSS 2.1, 6.4.1); to xhtml2pdf that comes first."""

    def findStylesForElement(self, element: Any, attrNames: Any) -> dict[str, Any]:  # noqa: N802, N803
        """Return the winning values of properties."""
        found: dict[str, Any] = super().findStylesForElement(element, attrNames)
        above = self.important(element)
        return found | {name: above[name] for name in above.keys() & set(attrNames)} if above else found

    def important(self, element: Any) -> dict[str, Any]:
        """Return the winning ``!important`` values of the style sheets for an element."""
        rules = self.user[1].findMatchingRules(element) if self.user[1] else ()
        ordered = sorted(rules, key=lambda rule: (rule[0].specificity(), rule[0].order))
        return {name: value for _, declarations in ordered for name, value in declarations.items()}


class _Builder(pisaCSSBuilder):  # type: ignore[misc]
    c: Any = None


class _Parser(pisaCSSParser):  # type: ignore[misc]
    c: Any = None

    def parseExternal(self, cssResourceName: str) -> None:  # noqa: N802, N803
        """Nothing: imports were put in place before."""


def _siblings(element: Any, direction: str) -> Iterator[Any]:
    """Yield the siblings of an element, the nearest first."""
    while (element := _sibling(element, direction)) is not None:
        yield element


def _sibling(element: Any, direction: str) -> Any:
    sibling = getattr(element, direction)
    while sibling is not None and sibling.nodeType != sibling.ELEMENT_NODE:
        sibling = getattr(sibling, direction)
    return sibling


def _is_first(element: Any) -> bool:
    return _sibling(element, "previousSibling") is None


def _is_last(element: Any) -> bool:
    return _sibling(element, "nextSibling") is None


def _is_first_of_type(element: Any) -> bool:
    return all(e.tagName != element.tagName for e in _siblings(element, "previousSibling"))


def _is_last_of_type(element: Any) -> bool:
    return all(e.tagName != element.tagName for e in _siblings(element, "nextSibling"))


def _index(element: Any) -> int:
    before = _sibling(element, "previousSibling")
    known = getattr(before, "place", None)
    element.place = known + 1 if known is not None else sum(1 for _ in _siblings(element, "previousSibling"))
    return int(element.place)


_ANSWERS: dict[str, Callable[[Any], Any]] = {
    "first-child": _is_first,
    "last-child": _is_last,
    "only-child": lambda e: _is_first(e) and _is_last(e),
    "first-of-type": _is_first_of_type,
    "last-of-type": _is_last_of_type,
    "only-of-type": lambda e: _is_first_of_type(e) and _is_last_of_type(e),
    "nth-child": _index,
    "empty": lambda e: not any(getattr(child, "data", "x") for child in e.childNodes),
}
