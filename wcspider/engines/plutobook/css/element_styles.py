"""The declared values of elements: of custom properties, and of those on which grids and hidden elements depend."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, islice
from operator import itemgetter
from typing import Any, Final

import cssselect2
from lxml import etree

from wcspider.engines.document.cascade import (
    LONGEST_SELECTOR,
    MAX_SELECTORS,
    Cascade,
    Declared,
    RuleSet,
)
from wcspider.engines.document.html_trees import STYLED
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.css.rules import declared_in, rules_of
from wcspider.engines.plutobook.css.selectors import (
    PSEUDO_ELEMENT,
    Compound,
    Finder,
    alternatives,
    finder,
    names_in,
    simplified,
)
from wcspider.engines.plutobook.css.shorthands import READ, longhands

OUT_OF_FLOW: Final = frozenset({"absolute", "fixed"})
"""The values of `position` that give an element no room of its own (CSS 2.1, 9.3.1)."""

OUTSIDE: Final = re.compile(f"position:({'|'.join(OUT_OF_FLOW)})", re.IGNORECASE)
"""The declarations of elements without room of their own, for `PageStyles.elements_with`."""

CUTTING: Final = frozenset({"hidden", "clip"})
"""The values of `overflow-x` and `overflow-y` that cut off the overflow of a box. Nobody can scroll to it."""

CUTS: Final = re.compile(f"overflow(-x)?:({'|'.join(sorted(CUTTING))}).*", re.IGNORECASE | re.DOTALL)
"""The declarations of boxes that may cut off their overflow at the sides, for `PageStyles.elements_with`."""

MAX_ELEMENTS: Final = 50_000
"""The number of elements of a page whose declarations are read; the grids of a larger page become blocks."""

MAX_ATTRIBUTES: Final = 16_384
"""The number of STYLE attributes whose declarations are kept: all those of a grid with the most items."""

MAX_SUBSTITUTIONS: Final = 10
"""The number of times that var() is replaced, because custom properties may refer to each other."""

MAX_VALUE: Final = 4_000
"""The number of characters of a value in which var() is replaced."""

MAX_VISITS: Final = 20_000_000
"""How many times elements of a page are visited to find those with certain declarations."""

_FEW: Final = 20
"""The number of elements whose order is found by their places, rather than by a visit to all elements."""

TEMPLATE: Final = "--wcspider-template-"
VALUE: Final = "--wcspider-value-"
"""The beginnings of the names of variables with values that depend on others, and with the results."""

_VAR: Final = re.compile(
    r"\bvar\( \s* (--[^\s,()]+) \s* (?: , ( (?: [^()] | \( (?: [^()] | \( [^()]* \) )* \) )* ) )? \) ((?=[\w.%-]))?",
    re.IGNORECASE | re.VERBOSE,
)
"""A var() with its fallback, in which parentheses are nested twice at most, and whether a value follows at once."""

_INHERITED: Final = frozenset({"inherit", "unset"})
"""The values of a custom property that are those of the parent."""

_WITHOUT_VALUE: Final = _INHERITED | {"initial"}
"""The values of a custom property that has none, at the root of a page."""

_COUNT: Final = etree.XPath("count(//*)")


class PageStyles:
    """The declared values of the elements of a page.

    ``root`` is the root of an lxml tree. ``sheets`` are the author's style sheets in the order of the cascade, with
    imports, conditions and nested rules resolved.
    """

    def __init__(self, root: Any, sheets: Sequence[str]) -> None:
        self.root = root
        self._sheets = tuple(sheets)
        self._values: dict[int, dict[str, str]] = {}
        self._wrappers: dict[Any, Any] = {}

    def elements_with(self, wanted: re.Pattern[str], *, with_generated: bool = True) -> set[Any]:
        """Return the elements for which any rule has a certain declaration; some elements may be too many.

        `wanted` matches the declaration, such as "display:grid". Names of properties are in lower case. Rules for the
        generated content of elements count as rules for the elements if `with_generated` is true.
        """
        finders = _finders_of(self._sheets, wanted, with_generated)
        useful = [search for search in finders if search.names <= self._names]
        found: set[Any] = set()
        for search in useful:
            if len(search.path) == 1:
                found |= self._elements_of(search.path)
        complex_ones = [search for search in useful if len(search.path) != 1]
        most = MAX_VISITS // self._size if complex_ones else 0
        for search in complex_ones[:most]:
            found.update(search.find(self.root) if search.find is not None else self._elements_of(search.path))
        styles = (style for style in self._styled_by_style if _declares(style, wanted))
        return found.union(*map(self._styled_by_style.__getitem__, styles))

    def wrappers_with(self, wanted: re.Pattern[str], *, where: Callable[[Any], bool] | None = None) -> Sequence[Any]:
        """Return the elements of `elements_with` for cssselect2, in document order; none if the page is too large.

        Only the elements for which `where` is true are returned.
        """
        return self.wrappers_of(e for e in self.elements_with(wanted) if where is None or where(e))

    def _elements_of(self, path: Sequence[Compound]) -> set[Any]:
        """Return the elements of a selector that consists of compound selectors."""
        *before, last = path
        found = set.intersection(*(self._named[name] for name in last.names))
        if not before or not found:
            return found
        around = self._elements_of(before)
        if last.is_child:
            return {element for element in found if element.getparent() in around}
        return {element for element in found if not around.isdisjoint(element.iterancestors())}

    @cached_property
    def styled(self) -> Sequence[Any]:
        """The elements with a STYLE attribute, in document order."""
        return STYLED(self.root)  # type: ignore[no-any-return]

    @cached_property
    def _styled_by_style(self) -> Mapping[str, Sequence[Any]]:
        """The elements with a STYLE attribute by this attribute; many elements have the same one."""
        found: dict[str, list[Any]] = defaultdict(list)
        for element in self.styled:
            found[element.get("style")].append(element)
        return dict(found)

    @property
    def is_too_large(self) -> bool:
        """Whether the values of many elements of the page would take too long to compute."""
        return self._size > MAX_ELEMENTS

    @cached_property
    def _size(self) -> int:
        """The number of elements of the page."""
        return int(_COUNT(self.root))

    @cached_property
    def _named(self) -> Mapping[str, set[Any]]:
        """The elements of the page by the names of `selectors.names_in`."""
        types: dict[str, list[Any]] = defaultdict(list)
        attributes: dict[str, list[Any]] = defaultdict(list)  # many elements have the same classes
        found: dict[str, set[Any]] = defaultdict(set)
        for element in self.root.iter(etree.Element):
            types[element.tag].append(element)
            if classes := element.get("class"):
                attributes[classes].append(element)
            if identifier := element.get("id"):
                found[f"#{identifier}"].add(element)
        for tag, elements in types.items():
            found[tag.lower()].update(elements)
        for classes, elements in attributes.items():
            for name in classes.split():
                found[f".{name}"].update(elements)
        return dict(found)

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of `selectors.names_in` that the page has."""
        return frozenset(self._named)

    def wrappers_of(self, elements: Iterable[Any]) -> Sequence[Any]:
        """Return elements of the page for cssselect2, in document order; none if the page is too large."""
        wanted = set(elements)
        if not wanted or self.is_too_large:
            return ()
        if len(wanted) > _FEW:
            return [self.wrapper_of(element) for element in self.root.iter(etree.Element) if element in wanted]
        found = ((place, element) for element in wanted if (place := self._place_of(element)) is not None)
        return [self.wrapper_of(element) for _, element in sorted(found, key=itemgetter(0))]

    def _place_of(self, element: Any) -> list[int] | None:
        """Return the places of an element and of those around it among their siblings; None if it was removed."""
        places: list[int] = []
        while element is not self.root:
            parent = element.getparent()
            if parent is None:
                return None
            places.append(parent.index(element))
            element = parent
        return places[::-1]

    def wrapper_of(self, element: Any) -> Any:
        """Return an element of the page for cssselect2, which needs its ancestors too."""
        path = [element]
        while path[-1] not in self._wrappers and path[-1] is not self.root:
            path.append(path[-1].getparent())
        for inner in reversed(path):
            if inner not in self._wrappers:
                self._wrap(inner)
        return self._wrappers[element]

    def _wrap(self, element: Any) -> None:
        """Wrap an element for cssselect2, with the siblings before it."""
        new, last = [element], None
        for sibling in element.itersiblings(etree.Element, preceding=True):
            last = self._wrappers.get(sibling)
            if last is not None:
                break
            new.append(sibling)
        parent = self._wrappers.get(element.getparent())
        for inner in reversed(new):
            place = 0 if last is None else last.index + 1
            last = cssselect2.ElementWrapper(inner, parent, place, last, in_html_document=True)
            self._wrappers[inner] = last

    @cached_property
    def _cascade(self) -> Cascade:
        """The rules that may match elements of the page; the style sheets of a site have many others."""
        readable = chain.from_iterable(map(_readable, self._sheets))
        rules = ((selector, declarations) for names, selector, declarations in readable if names <= self._names)
        return Cascade(RuleSet(rules))

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
        self._forget_styled()

    def append(self, element: Any, declarations: str) -> None:
        """Append declarations to the STYLE attribute of an element; `values` does not return them."""
        element.set("style", ";".join(filter(None, [element.get("style"), declarations])))
        self._forget_styled()

    def changed(self) -> None:
        """Note that STYLE attributes may have changed in another way than by `add` and `append`."""
        self._values.clear()
        self._forget_styled()

    def restructured(self) -> None:
        """Note that there may be new elements around or beside others, which the old wrappers do not know.

        The wrappers keep elements alive, and the values of an element are found by its `id`, so both are forgotten.
        """
        self._wrappers.clear()
        self.__dict__.pop("_named", None)
        self.changed()

    def _forget_styled(self) -> None:
        for name in ("styled", "_styled_by_style"):
            self.__dict__.pop(name, None)

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
        """Return a custom property of an element or of the nearest ancestor that declares it.

        A property with the value ``initial`` has none, so that the fallback of var() is used (CSS Variables 1, 2).
        """
        values, parent = own, wrapper.parent
        while (value := values.get(name, "inherit")).lower() in _INHERITED and parent is not None:
            values, parent = self.values(parent), parent.parent
        return None if value.lower() in _WITHOUT_VALUE else value


def boxes_in(box: Any, where: Callable[[Any], bool]) -> Iterator[Any]:
    """Yield a box and the boxes in it, for cssselect2. What `where` is false for is left out, with its contents."""
    open_boxes = [box]
    while open_boxes:
        found = open_boxes.pop()
        if where(found):
            yield found
            open_boxes += found.iter_children()


def is_in_flow(values: Mapping[str, str]) -> bool:
    """Tell whether a box with these declared values takes room in the box around it."""
    return values.get("display") != "none" and values.get("position") not in OUT_OF_FLOW


def content_height(height: float, values: Mapping[str, str]) -> float:
    """Return the height of the contents of a box with a declared height, in CSS pixels (CSS Sizing 3, 3.3)."""
    if values.get("box-sizing") != "border-box":
        return height
    return max(height - sum(pixels(values.get(f"padding-{side}", ""), PAGE) or 0.0 for side in ("top", "bottom")), 0.0)


def is_containing_block(values: Mapping[str, str]) -> bool:
    """Tell whether absolute boxes refer to the box around them with these declared values (CSS 2.1, 10.1)."""
    return values.get("position", "static") != "static" or values.get("transform", "none") != "none"


def add_style(element: Any, declarations: str) -> None:
    """Add declarations as important ones to the style attribute of an element."""
    if not declarations:
        return
    important = "; ".join(f"{declaration.strip()} !important" for declaration in declarations.split(";"))
    own = (element.get("style") or "").strip().rstrip(";")
    element.set("style", f"{own}; {important}" if own else important)


# The pages of a site share their style sheets: those of WordPress have up to fifty, and eight modules ask for rules.
@lru_cache(maxsize=512)
def _finders_with(sheet: str, wanted: re.Pattern[str], with_generated: bool) -> Mapping[str, Finder]:
    """Return the finders of the rules with a certain declaration, by selectors without pseudo-classes and conditions.

    A finder also finds elements for which only these are false. lxml does not know all pseudo-classes, the time to
    count siblings grows with the square of their number, and a search for attributes visits all elements.
    """
    places = sorted({place for text, found in _places(sheet).items() if wanted.fullmatch(text) for place in found})
    rules = rules_of(sheet)
    selectors = chain.from_iterable(alternatives(s) for place in places for s in rules[place][0])
    short = (selector for selector in selectors if len(selector) <= LONGEST_SELECTOR)
    if not with_generated:
        short = (selector for selector in short if not PSEUDO_ELEMENT.search(selector))
    simple = dict.fromkeys(map(simplified, short))
    return {selector: finder(selector) for selector in islice(simple, MAX_SELECTORS)}


@lru_cache(maxsize=512)
def _finders_of(sheets: tuple[str, ...], wanted: re.Pattern[str], with_generated: bool) -> Collection[Finder]:
    """Return the finders of several style sheets; see `_finders_with`."""
    found: dict[str, Finder] = {}
    for sheet in sheets:
        found |= _finders_with(sheet, wanted, with_generated)
    return found.values()


@lru_cache(maxsize=64)
def _places(sheet: str) -> Mapping[str, Sequence[int]]:
    """Return the numbers of the rules with each declaration; many rules have the same ones."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, (_, declarations) in enumerate(rules_of(sheet)):
        for name, value, _ in declarations:
            found[f"{name}:{value}"].append(place)
    return dict(found)


@lru_cache(maxsize=MAX_ATTRIBUTES)
def _declares(style: str, wanted: re.Pattern[str]) -> bool:
    """Tell whether a STYLE attribute has a certain declaration."""
    return any(wanted.fullmatch(f"{name}:{value}") for name, value, _ in _attribute(style))


@lru_cache(maxsize=64)
def _readable(sheet: str) -> Sequence[tuple[frozenset[str], str, Sequence[Declared]]]:
    """Return the selectors with declarations that are read: the names that they need, and these declarations."""
    rules = ((selectors, _read(declarations)) for selectors, declarations in rules_of(sheet))
    return [(names_in(selector), selector, read) for selectors, read in rules if read for selector in selectors]


@lru_cache(maxsize=MAX_ATTRIBUTES)
def _attribute(text: str) -> Sequence[Declared]:
    """Return the declarations of a STYLE attribute."""
    return declared_in(text)


def _read(declarations: Iterable[Declared]) -> list[Declared]:
    """Return the declarations that are read, with the templates of values that depend on others."""
    return [
        (name, value.replace(VALUE, TEMPLATE), is_important)
        for name, value, is_important in declarations
        if name in READ or name.startswith(("--", "grid"))
    ]
