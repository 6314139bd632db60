"""What style sheets say of the properties that a grid depends on (CSS Cascading 5, 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import cssselect2
import tinycss2
from cssselect import ExpressionError, SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector

from wcspider.engines.plutobook.css.style_rules import StyleRule, serialized, style_attribute, style_rules

MAX_SELECTORS: Final = 20_000
"""How many selectors are matched; those behind them are not."""

MAX_TESTS: Final = 300_000
"""How many selectors are tested on containers, their items and what is around them; grids beyond become blocks."""

MAX_SUBSTITUTIONS: Final = 10
"""How deep var() may refer to values with var()."""

MAX_VALUE: Final = 4_000
"""How many characters a value may have."""

_SIDES: Final = ("top", "right", "bottom", "left")
_READ: Final = frozenset(
    {"display", "gap", "row-gap", "column-gap", "grid-gap", "grid-row-gap", "grid-column-gap", "order", "position",
     "width", "max-width", "min-width", "box-sizing", "float", "flex", "flex-basis", "flex-grow", "flex-direction",
     "align-items", "align-self", "align-content", "justify-items", "justify-self", "justify-content", "place-items",
     "place-self", "place-content", "margin", "padding", "margin-inline", "padding-inline", "border", "direction"}
    | {f"{box}-{side}" for box in ("margin", "padding") for side in _SIDES}
)  # fmt: skip
_SPLIT: Final = {
    "gap": ("row-gap", "column-gap"),
    "place-items": ("align-items", "justify-items"),
    "place-self": ("align-self", "justify-self"),
    "place-content": ("align-content", "justify-content"),
    "margin-inline": ("margin-left", "margin-right"),
    "padding-inline": ("padding-left", "padding-right"),
}
_OLD_NAMES: Final = {"grid-gap": "gap", "grid-row-gap": "row-gap", "grid-column-gap": "column-gap"}
_LINES: Final = {
    "grid-area": ("grid-row-start", "grid-column-start", "grid-row-end", "grid-column-end"),
    "grid-row": ("grid-row-start", "grid-row-end"),
    "grid-column": ("grid-column-start", "grid-column-end"),
}
_SOURCES: Final[dict[str, tuple[int | None, ...]]] = {
    "grid-area": (None, 0, 0, 1),
    "grid-row": (None, 0),
    "grid-column": (None, 0),
}
"""Which line of a shorthand stands for one that is not given, if it is a name."""

_NAME: Final = re.compile(r"[^\s\d+-]\S*")
_GRID: Final = re.compile(r"^(inline-)?grid\b|^(inline|block)\s+grid\b", re.IGNORECASE)
_VAR: Final = re.compile(r"\bvar\(", re.IGNORECASE)


def is_grid(display: str) -> bool:
    """Return whether a value of ``display`` makes an element a grid container."""
    return _GRID.match(display) is not None


@lru_cache(maxsize=8)
def matcher_of(sheets: tuple[str, ...], properties: frozenset[str] | None = None) -> Any:
    """Return the selectors of style sheets, ready to be matched, with the declarations that are of use here.

    Only rules for one of ``properties`` are taken, if that is given. The pages of a site share their style sheets.
    """
    matcher, left = cssselect2.Matcher(), MAX_SELECTORS
    for rule in (rule for sheet in sheets for rule in rules_of(sheet)):
        payload = [
            (d.lower_name, serialized(d.value), d.important)
            for d in rule.declarations
            if (is_read(d.lower_name) if properties is None else d.lower_name in properties)
        ]
        for selector in _compiled(rule.selectors, left) if payload else ():
            matcher.add_selector(selector, payload)
            left -= 1
    return matcher


@lru_cache(maxsize=32)
def rules_of(sheet: str) -> tuple[StyleRule, ...]:
    """Return the style rules of a style sheet."""
    return tuple(style_rules(sheet))


@lru_cache(maxsize=32)
def grid_selectors(sheet: str) -> tuple[tuple[str, Any], ...]:
    """Return the selectors of the rules of a style sheet that make grids, each with what finds its elements."""
    selectors = (
        selector
        for rule in rules_of(sheet)
        if any(d.lower_name == "display" and is_grid(serialized(d.value)) for d in rule.declarations)
        for selector in rule.selectors
    )
    return tuple((selector, _finder(selector)) for selector in islice(selectors, MAX_SELECTORS))


def _finder(selector: str) -> Any:
    """Return what finds the elements of a selector; of a selector that is not understood, all elements."""
    try:
        return CSSSelector(selector, translator="html")
    except (SelectorError, ExpressionError, etree.XPathSyntaxError, RecursionError):
        return etree.XPath("//*")


def _compiled(selectors: Sequence[str], most: int) -> Iterator[Any]:
    """Yield the selectors of a list that match elements; those that are not understood are left out."""
    for part in selectors[:most]:
        if ":has(" in part:  # looks through all that is below each element
            continue
        try:
            compiled = cssselect2.compile_selector_list(part)
        except (cssselect2.SelectorError, RecursionError):
            continue
        yield from (selector for selector in compiled if selector.pseudo_element is None)


class GridCascade:
    """The winning declarations of elements, for the properties that a grid depends on."""

    def __init__(self, matcher: Any, wrappers: Sequence[Any]) -> None:
        self._matcher = matcher
        self._parents = {id(wrapper.etree_element): wrapper.parent for wrapper in wrappers}
        self._values: dict[int, Mapping[str, str]] = {}
        self._tests = 0

    def values(self, wrapper: Any) -> Mapping[str, str]:
        """Return the declared values of an element by property, shorthands written out, var() replaced."""
        known = self._values.get(id(wrapper.etree_element))
        if known is None:
            known = self._values[id(wrapper.etree_element)] = self._cascaded(wrapper)
        return known

    def _cascaded(self, wrapper: Any) -> Mapping[str, str]:
        self._tests += test_count(self._matcher, wrapper)
        if self._tests > MAX_TESTS:
            return {}
        matches = [payload for *_, payload in self._matcher.match(wrapper)]
        own = [
            (d.lower_name, serialized(d.value), d.important)
            for d in style_attribute(wrapper.etree_element.get("style") or "")
            if is_read(d.lower_name)
        ]
        normal: dict[str, str] = {}
        important: dict[str, str] = {}
        for name, value, is_important in (entry for payload in [*matches, own] for entry in payload):
            target = important if is_important else normal
            # A shorthand takes the place of what was said before, so the order counts.
            target.pop(name, None)
            target[name] = value
        written = {**{n: v for n, v in normal.items() if n not in important}, **important}
        custom = {name: value for name, value in written.items() if name.startswith("--")}
        result = dict(custom)
        for name, value in written.items():
            if not name.startswith("--"):
                result.update(longhands(name, self._substituted(value, wrapper, custom, 0)))
        return result

    def _substituted(self, value: str, wrapper: Any, own: Mapping[str, str], depth: int) -> str:
        """Return a value with custom properties in the place of var() (CSS Variables 1, 3)."""
        if not _VAR.search(value) or depth > MAX_SUBSTITUTIONS or len(value) > MAX_VALUE:
            return value
        parts = []
        for token in tinycss2.parse_component_value_list(value):
            parts.append(self._without_var(token, wrapper, own, depth))
        return "".join(parts)

    def _without_var(self, token: Any, wrapper: Any, own: Mapping[str, str], depth: int) -> str:
        if token.type == "() block":
            return f"({self._substituted(serialized(token.content), wrapper, own, depth + 1)})"
        if token.type != "function":
            return serialized([token])
        if token.lower_name != "var":
            return f"{token.name}({self._substituted(serialized(token.arguments), wrapper, own, depth + 1)})"
        name, _, fallback = serialized(token.arguments).partition(",")
        found = self._custom(name.strip(), wrapper, own)
        return self._substituted(fallback if found is None else found, wrapper, own, depth + 1)

    def _custom(self, name: str, wrapper: Any, own: Mapping[str, str]) -> str | None:
        """Return a custom property, which is inherited."""
        if name in own:
            return own[name]
        parent = self.parent(wrapper)
        while parent is not None:
            values = self.values(parent)
            if name in values:
                return values[name]
            parent = self.parent(parent)
        return None

    def parent(self, wrapper: Any) -> Any:
        """Return the element around an element; None for the root."""
        return self._parents.get(id(wrapper.etree_element))


def test_count(matcher: Any, wrapper: Any) -> int:
    """Return how many selectors are tested on an element."""
    count = len(matcher.other_selectors) + len(matcher.lower_local_name_selectors.get(wrapper.local_name, ()))
    count += len(matcher.id_selectors.get(wrapper.id, ()))
    return count + sum(len(matcher.class_selectors.get(name, ())) for name in wrapper.classes)


def is_read(name: str) -> bool:
    """Return whether a property is of use here."""
    return name in _READ or name.startswith(("--", "grid"))


def longhands(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield what a declaration says, shorthands written out."""
    name = _OLD_NAMES.get(name, name)
    if name in ("grid-area", "grid-row", "grid-column"):
        yield from _grid_lines(name, value)
    elif name in ("grid-template", "grid"):
        yield from _template(name, value)
    elif name in _SPLIT:
        first, second = _SPLIT[name]
        words = _words(value)
        yield first, words[0] if words else ""
        yield second, words[-1] if words else ""
    elif name in ("margin", "padding"):
        words = _words(value)
        if 1 <= len(words) <= 4:
            sides = (words[0], words[min(1, len(words) - 1)], words[2] if len(words) > 2 else words[0], words[-1])
            if len(words) in (1, 3):
                sides = (*sides[:3], sides[1])
            yield from ((f"{name}-{side}", word) for side, word in zip(_SIDES, sides, strict=True))
    elif name == "flex":
        yield from _flex(_words(value))
    else:
        yield name, value.strip()


def _flex(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the parts of the flex shorthand that say how an item shares room (CSS Flexbox 1, 7.1)."""
    numbers = [word for word in words if re.fullmatch(r"\d*\.?\d+", word)]
    sizes = [word for word in words if word not in numbers]
    if [word.lower() for word in words] == ["none"]:
        yield from (("flex-grow", "0"), ("flex-basis", "auto"))
        return
    yield "flex-grow", numbers[0] if numbers else "1"
    yield "flex-basis", sizes[0] if sizes else "0px"


def _grid_lines(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of an item (CSS Grid 2, 8.4): a name also counts for the side that is not given."""
    given = [part.strip() for part in value.split("/")]
    found: list[str] = []
    for place, source in enumerate(_SOURCES[name]):
        inherited = found[source] if source is not None else "auto"
        otherwise = inherited if _NAME.fullmatch(inherited) else "auto"
        found.append(given[place] if place < len(given) else otherwise)
    yield from zip(_LINES[name], found, strict=True)


def _template(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the rows, columns and areas of ``grid-template`` and ``grid`` (CSS Grid 2, 7.4 and 7.8)."""
    rows, _, columns = value.partition("/")
    if name == "grid" and "auto-flow" in rows.split():
        yield "grid-auto-flow", "row dense" if "dense" in rows.split() else "row"
        yield "grid-template-columns", columns.strip()
        return
    if name == "grid" and "auto-flow" in columns.split():
        yield "grid-auto-flow", "column"
        yield "grid-template-rows", rows.strip()
        return
    tokens = tinycss2.parse_component_value_list(rows)
    strings = [token for token in tokens if token.type == "string"]
    if strings:
        yield "grid-template-areas", " ".join(f'"{token.value}"' for token in strings)
        rows = serialized([token for token in tokens if token.type != "string"])
    yield "grid-template-rows", rows.strip() or "none"
    yield "grid-template-columns", columns.strip() or "none"


def _words(value: str) -> list[str]:
    """Return the component values of a value."""
    tokens = tinycss2.parse_component_value_list(value)
    return [serialized([token]) for token in tokens if token.type not in ("whitespace", "comment")]
