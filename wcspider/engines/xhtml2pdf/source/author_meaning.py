"""The author's styles that the text depends on: hidden elements, preserved white space, blocks, and separate boxes.

All other declarations are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import cssselect2

from wcspider.engines.document.cascade import Cascade, Declared, RuleSet
from wcspider.engines.document.html_trees import BLOCKS
from wcspider.engines.document.style_sheets import Rule, Rules, StyleSheets
from wcspider.web.styles.responsive import Viewport
from wcspider.web.styles.tokens import declarations_of, serialized

DISPLAY, WHITE_SPACE = "data-wcspider-display", "data-wcspider-white-space"
"""The attributes of elements with the meaning of their styles."""

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


class AuthorStyles(StyleSheets):
    """The style sheets of a page, in order."""

    def read(self, body: bytes, charset: str | None, url: str, path: tuple[str, ...]) -> Rules:
        """Return the rules of a style sheet of the layer with a path."""
        return _read(body, charset, self._viewport, path)

    def apply(self, root: Any) -> list[str]:
        """Write the meaning of the styles into the elements of a page; return warnings."""
        rules = _rule_set(tuple(self.rules))
        cascade = Cascade(rules)
        meanings: dict[Any, Mapping[str, str]] = {}
        for wrapper in cssselect2.ElementWrapper.from_html_root(root).iter_subtree():
            element, parent = wrapper.etree_element, wrapper.etree_element.getparent()
            if parent is None or (parent.tag != _DRAWING and parent in meanings):  # not inside a drawing
                meanings[element] = cascade.winning(wrapper, _attribute(element.get("style", "")))
        for element, meaning in meanings.items():
            _write(element, meaning, meanings.get(element.getparent(), {}))
        return [TOO_MANY] * (not cascade.is_complete) + [TOO_COMPLEX] * (not rules.is_complete)


def _write(element: Any, meaning: Mapping[str, str], around: Mapping[str, str]) -> None:
    """Write the meaning of the styles of an element into its attributes `DISPLAY` and `WHITE_SPACE`.

    `around` is the meaning of the styles of its parent. `DISPLAY` is "none", "block", or "apart" for a box of its own
    in a line.
    """
    if "white-space" in meaning:
        element.set(WHITE_SPACE, meaning["white-space"])
    display = meaning.get("display", "")
    if element.tag not in _ALWAYS_SHOWN and (display == "none" or meaning.get("visibility") == "hidden"):
        element.set(DISPLAY, "none")
    elif display in ("block", "row"):
        element.set(DISPLAY, "block")
    elif element.tag not in BLOCKS:
        is_aside = "aside" in (meaning.get("float"), meaning.get("position")) or display == "apart"
        if is_aside or around.get("display", "").endswith("row"):
            element.set(DISPLAY, "apart")


@lru_cache(maxsize=8)
def _rule_set(rules: tuple[Any, ...]) -> RuleSet:
    """Return the style rules that have a meaning."""
    styles = ((rule.selector, _declared(rule.declarations)) for rule in rules if isinstance(rule, Rule))
    return RuleSet((selector, declared) for selector, declared in styles if declared)


# Most pages of a site have the same style sheets.
@lru_cache(maxsize=128)
def _read(body: bytes, charset: str | None, viewport: Viewport, path: tuple[str, ...]) -> Rules:
    return Rules(body, charset, viewport, path, meets=lambda condition: False)


@lru_cache(maxsize=4096)
def _attribute(text: str) -> tuple[Declared, ...]:
    """Return the declarations of a STYLE attribute."""
    return _declared(declarations_of(text)) if text else ()


def _declared(declarations: Sequence[Any]) -> tuple[Declared, ...]:
    """Return the declarations that have a meaning, with their meaning as value."""
    return tuple(
        (item.lower_name, meaning, item.important)
        for item in declarations
        if item.lower_name in _KEYWORDS
        if (meaning := _KEYWORDS[item.lower_name].get(serialized(item.value).lower()))
    )
