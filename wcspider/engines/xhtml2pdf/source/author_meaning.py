"""The author's styles that the text depends on: hidden elements, preserved white space, blocks, and separate boxes.

All other declarations are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cssselect2
import tinycss2

from wcspider.engines.base import Asset
from wcspider.engines.document.absolute_urls import absolute
from wcspider.engines.document.css_urls import url_of
from wcspider.engines.document.html_trees import BLOCKS
from wcspider.engines.document.page_head import StyleSheets
from wcspider.web.styles.responsive import Viewport, applies

MEANING = "data-wcspider-meaning"
"""The attribute of elements with the meaning of their styles: declarations of DISPLAY and WHITE-SPACE."""

MAX_TESTS = 2_000_000
"""The largest number of selectors that are tested on the elements of a page, in total."""

MAX_SELECTORS = 10_000
LONGEST_SELECTOR = 1_000
"""The largest number of characters of a selector list. Rules with longer lists are ignored."""

MAX_SEARCHES = 3
"""The largest number of descendant and sibling combinators in a selector. The time to match it grows exponentially."""

_SEARCH = re.compile(r"(?<![>+~(\s])\s+(?![>+~)\s])|~")

TOO_MANY = "the style sheets have too many rules; some were not applied"
TOO_COMPLEX = "style rules with long or deeply nested selectors were not applied"

_BLOCKS = ("block", "list-item", "flow-root", "table", "table-row", "table-caption", "table-row-group",
           "table-header-group", "table-footer-group", "-webkit-box")  # fmt: skip
_INLINE = ("inline", "inline-block", "inline-table", "contents")
_PRE = ("pre", "pre-wrap", "break-spaces", "-moz-pre-wrap", "-o-pre-wrap")
_KEYWORDS: Mapping[str, Mapping[str, str]] = {
    "display": {
        "none": "none",
        **dict.fromkeys(_BLOCKS, "block"),
        **dict.fromkeys(_INLINE, "inline"),
        "table-cell": "apart",
        **dict.fromkeys(("flex", "grid", "-webkit-flex", "-ms-flexbox"), "row"),
        **dict.fromkeys(("inline-flex", "inline-grid"), "inline row"),
    },
    "visibility": {"hidden": "hidden", "collapse": "hidden", "visible": "visible"},
    # Without line breaks, text would run off the page.
    "white-space": {**dict.fromkeys(_PRE, "pre-wrap"), "pre-line": "pre-line", "normal": "normal", "nowrap": "normal"},
    "float": {"none": "none", **dict.fromkeys(("left", "right", "inline-start", "inline-end"), "aside")},
    "position": {"static": "none", "relative": "none", "sticky": "none", "absolute": "aside", "fixed": "aside"},
}
"""The meaning of keywords by property. Declarations with other values are ignored, so earlier declarations apply."""

_ALWAYS_SHOWN = frozenset({"html", "body"})
"""Elements that are always shown. Some pages hide them until a script has run."""

_DRAWING = "svg"
"""An element with its own styles. The style sheets of the page have no effect inside."""

_Declared = tuple[tuple[str, str, bool], ...]
"""Properties, each with its meaning and whether the declaration is important."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A style sheet, with the URLs of its imports."""

    imports: tuple[str, ...]
    rules: tuple[tuple[str, _Declared], ...]


class AuthorStyles(StyleSheets):
    """The style sheets of a page, in order."""

    def __init__(self, assets: Mapping[str, Asset], viewport: Viewport) -> None:
        super().__init__(assets, viewport)
        self._rules: list[tuple[str, _Declared]] = []

    def read(self, body: bytes, charset: str | None, url: str) -> Sheet:
        """Return the rules of a style sheet that have a meaning, and the URLs of its imports."""
        return _read(body, charset, url, self._viewport)

    def keep(self, sheet: Sheet) -> None:
        """Add a style sheet that was read."""
        self._rules += sheet.rules

    def apply(self, root: Any) -> list[str]:
        """Write the meaning of the styles into the elements of a page; return warnings."""
        matcher, is_complete = _matcher(tuple(self._rules))
        meanings: dict[Any, Mapping[str, str]] = {}
        tests = 0
        for wrapper in cssselect2.ElementWrapper.from_html_root(root).iter_subtree():
            element, parent = wrapper.etree_element, wrapper.etree_element.getparent()
            if parent is not None and (parent.tag == _DRAWING or parent not in meanings):
                continue  # inside a drawing
            tests += _test_count(matcher, wrapper)
            matched = [declared for *_, declared in matcher.match(wrapper)] if tests <= MAX_TESTS else []
            meanings[element] = _winning([*matched, _attribute(element.get("style", ""))])
        for element, meaning in meanings.items():
            _write(element, meaning, meanings.get(element.getparent(), {}))
        return [TOO_MANY] * (tests > MAX_TESTS) + [TOO_COMPLEX] * (not is_complete)


def _write(element: Any, meaning: Mapping[str, str], around: Mapping[str, str]) -> None:
    """Write the meaning of the styles of an element into its attribute `MEANING`.

    `around` is the meaning of the styles of its parent. ``display: apart`` means a box of its own in a line.
    """
    written = [f"white-space: {meaning['white-space']}"] if "white-space" in meaning else []
    display = meaning.get("display", "")
    if element.tag not in _ALWAYS_SHOWN and (display == "none" or meaning.get("visibility") == "hidden"):
        written.append("display: none")
    elif display in ("block", "row"):
        written.append("display: block")
    elif element.tag not in BLOCKS:
        is_aside = "aside" in (meaning.get("float"), meaning.get("position")) or display == "apart"
        if is_aside or around.get("display", "").endswith("row"):
            written.append("display: apart")
    if written:
        element.set(MEANING, "; ".join(written))


def _winning(matched: Sequence[_Declared]) -> Mapping[str, str]:
    """Return the values that apply (CSS 2.1, 6.4.1): the last value of a property, or its last important value."""
    entries = (entry for declared in matched for entry in declared)
    return {name: value for name, value, _ in sorted(entries, key=lambda entry: entry[2])}


@lru_cache(maxsize=8)
def _matcher(rules: tuple[tuple[str, _Declared], ...]) -> tuple[Any, bool]:
    """Return a matcher for the selectors of rules, and False if it lacks selectors that take too long to match.

    Invalid selectors are ignored, as in browsers.
    """
    matcher, left, is_complete = cssselect2.Matcher(), MAX_SELECTORS, True
    for selectors, declared in rules:
        if _is_complex(selectors):
            is_complete = False
            continue
        try:
            compiled = cssselect2.compile_selector_list(selectors)
        except (cssselect2.SelectorError, RecursionError):
            continue
        for selector in compiled[:left]:
            if selector.pseudo_element is None:
                matcher.add_selector(selector, declared)
        is_complete = is_complete and len(compiled) <= left
        left = max(left - len(compiled), 0)
    return matcher, is_complete


def _is_complex(selectors: str) -> bool:
    """Tell whether the time to match a list of selectors may grow exponentially, or with the size of the page."""
    if len(selectors) > LONGEST_SELECTOR or ":has(" in selectors:
        return True
    return any(len(_SEARCH.findall(part.strip())) > MAX_SEARCHES for part in selectors.split(","))


def _test_count(matcher: Any, wrapper: Any) -> int:
    """Return how many selectors are tested on an element."""
    count = len(matcher.other_selectors) + len(matcher.lower_local_name_selectors.get(wrapper.local_name, ()))
    count += len(matcher.id_selectors.get(wrapper.id, ()))
    return count + sum(len(matcher.class_selectors.get(name, ())) for name in wrapper.classes)


# Most pages of a site have the same style sheets.
@lru_cache(maxsize=128)
def _read(body: bytes, charset: str | None, url: str, viewport: Viewport) -> Sheet:
    nodes, _ = tinycss2.parse_stylesheet_bytes(
        body, protocol_encoding=charset, skip_comments=True, skip_whitespace=True
    )
    imports: list[str] = []
    rules: list[tuple[str, _Declared]] = []
    for rule in _rules(nodes, viewport):
        if rule.type == "qualified-rule":
            declared = _declared(rule.content)
            if declared:
                rules.append((tinycss2.serialize(rule.prelude).strip(), declared))
        else:
            tokens = [token for token in rule.prelude if token.type != "whitespace"]
            target = url_of(tokens[0]) if tokens else None
            if target and applies(tinycss2.serialize(tokens[1:]), viewport):
                imports.append(absolute(url, target))
    return Sheet(tuple(imports), tuple(rules))


def _rules(nodes: Sequence[Any], viewport: Viewport) -> Iterator[Any]:
    """Yield the style rules and imports, also from at-rules that apply."""
    for node in nodes:
        keyword = node.lower_at_keyword if node.type == "at-rule" else ""
        if node.type == "qualified-rule" or keyword == "import":
            yield node
        elif keyword == "layer" or (keyword == "media" and applies(tinycss2.serialize(node.prelude), viewport)):
            yield from _rules(tinycss2.parse_rule_list(node.content or [], True, True), viewport)


@lru_cache(maxsize=4096)
def _attribute(text: str) -> _Declared:
    """Return the declarations of a STYLE attribute."""
    return _declared(text) if text else ()


def _declared(content: Any) -> _Declared:
    return tuple(
        (item.lower_name, meaning, item.important)
        for item in tinycss2.parse_blocks_contents(content, True, True)
        if item.type == "declaration" and item.lower_name in _KEYWORDS
        if (meaning := _KEYWORDS[item.lower_name].get(tinycss2.serialize(item.value).strip().lower()))
    )
