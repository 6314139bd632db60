"""The author's stylesheets, made into the part of CSS that xhtml2pdf can take.

Imports are put in place, media queries decided, URLs made absolute; what is not for a page of paper, what
xhtml2pdf ignores and what is known to hang or to spoil it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import tinycss2
from xhtml2pdf.properties import SUPPORTED_PROPERTIES

from wcspider.engines.base import Asset
from wcspider.engines.document.absolute_urls import absolute, asset_key
from wcspider.engines.document.css_colors import with_gradients
from wcspider.engines.document.css_urls import resolved, url_of
from wcspider.engines.xhtml2pdf.styles import colors, fitting, keywords
from wcspider.web.styles.css import MAX_IMPORT_DEPTH
from wcspider.web.styles.responsive import Viewport, applies

MAX_SELECTOR_PARTS = 30
"""A selector of 200 parts keeps xhtml2pdf busy for ever, with signals blocked."""

_LIST_ITEM = re.compile(r"(^|[\s>])li([.#:\[][^\s>]*)?$")
"""A selector of list items."""

_SHORTHANDS = frozenset(
    {"background", "border", "border-top", "border-right", "border-bottom", "border-left", "border-color", "gap",
     "border-style", "border-width", "border-radius", "flex", "flex-flow", "font", "list-style", "margin", "padding",
     "text-decoration-line", "inset", "float"}
)  # fmt: skip
_KEPT = SUPPORTED_PROPERTIES.union(_SHORTHANDS).difference({"zoom", "overflow", "text-overflow"})
_ON_PAPER = {
    ("display", "flow-root"): ("display", "block"),
    ("display", "contents"): ("display", "inline"),
    # A line that may not be broken runs off the page.
    ("white-space", "nowrap"): ("white-space", "normal"),
    ("white-space", "pre"): ("white-space", "pre-wrap"),
    ("visibility", "hidden"): ("display", "none"),
}
"""Declarations that are read as others."""

_SYNONYMS = {"text-decoration-line": "text-decoration"}
"""Properties that are read as others."""


@dataclass(frozen=True, slots=True)
class FontFace:
    """An @font-face rule: the URLs in the order of preference."""

    family: str
    bold: bool
    italic: bool
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One stylesheet without its imports."""

    imports: tuple[str, ...]
    text: str
    faces: tuple[FontFace, ...]


@dataclass
class Styles:
    """Collects the stylesheets of a page, in order."""

    assets: Mapping[str, Asset]
    viewport: Viewport
    texts: list[str] = field(default_factory=list)
    faces: list[FontFace] = field(default_factory=list)

    def add_linked(self, url: str, depth: int = 0) -> None:
        """Add the stylesheet at `url`, with those that it imports before it."""
        asset = self.assets.get(asset_key(url, url))
        if asset is not None and depth <= MAX_IMPORT_DEPTH:
            self._add(_read(asset.body, asset.charset, asset.url or url, self.viewport), depth + 1)

    def add_text(self, text: str, base: str) -> None:
        """Add the contents of a STYLE element of a page whose base URL is `base`."""
        self._add(_read(text.encode(), "utf-8", base, self.viewport), 0)

    def _add(self, sheet: Sheet, import_depth: int) -> None:
        for url in sheet.imports:
            self.add_linked(url, import_depth)
        self.texts.append(sheet.text)
        self.faces += sheet.faces


def inline(text: str, base: str) -> str:
    """Return the declarations of a STYLE attribute."""
    return _declarations(tinycss2.parse_blocks_contents(text, True, True), base)


# The pages of a site name the same few stylesheets.
@lru_cache(maxsize=128)
def _read(body: bytes, charset: str | None, url: str, viewport: Viewport) -> Sheet:
    rules, _ = tinycss2.parse_stylesheet_bytes(
        body, protocol_encoding=charset, skip_comments=True, skip_whitespace=True
    )
    return _Reader(url, viewport).read(rules)


class _Reader:
    """Reads the rules of one stylesheet."""

    def __init__(self, url: str, viewport: Viewport) -> None:
        self.url = url
        self.viewport = viewport
        self.imports: list[str] = []
        self.rules: list[str] = []
        self.faces: list[FontFace] = []
        self.at_rules: Mapping[str, Callable[[Any], None]] = {
            "import": self._import,
            "media": self._media,
            "layer": self._nested,
            "font-face": self._font_face,
        }

    def read(self, rules: Sequence[Any]) -> Sheet:
        self._all(rules)
        return Sheet(tuple(self.imports), "\n".join(self.rules), tuple(self.faces))

    def _all(self, rules: Sequence[Any]) -> None:
        for rule in rules:
            if rule.type == "qualified-rule":
                self._qualified(rule)
            elif rule.type == "at-rule" and (read := self.at_rules.get(rule.lower_at_keyword)):
                read(rule)

    def _qualified(self, rule: Any) -> None:
        if _longest_selector(rule.prelude) > MAX_SELECTOR_PARTS:
            return
        selector = tinycss2.serialize(rule.prelude).strip()
        text = _declarations(tinycss2.parse_blocks_contents(rule.content, True, True), self.url)
        if _LIST_ITEM.search(selector) and fitting.is_floating(rule.content):
            # The items of a menu stand side by side; xhtml2pdf knows no floats.
            text = f"{text}; display: inline-block"
        if selector in ("html", "body"):
            # Hidden until a script shows it, and there are no scripts here.
            text = text.replace("display: none", "display: block")
        if text:
            self.rules.append(f"{selector} {{{text}}}")

    def _import(self, rule: Any) -> None:
        tokens = [t for t in rule.prelude if t.type != "whitespace"]
        target = url_of(tokens[0]) if tokens else None
        if target and applies(tinycss2.serialize(tokens[1:]), self.viewport):
            self.imports.append(absolute(self.url, target))

    def _media(self, rule: Any) -> None:
        if rule.content is not None and applies(tinycss2.serialize(rule.prelude), self.viewport):
            self._nested(rule)

    def _nested(self, rule: Any) -> None:
        if rule.content is not None:
            self._all(tinycss2.parse_rule_list(rule.content, True, True))

    def _font_face(self, rule: Any) -> None:
        values = {
            d.lower_name: [t for t in d.value if t.type != "whitespace"]
            for d in tinycss2.parse_blocks_contents(rule.content or [], True, True)
            if d.type == "declaration"
        }
        family = " ".join(str(getattr(t, "value", "")) for t in values.get("font-family", []))
        sources = tuple(absolute(self.url, u) for t in values.get("src", []) if (u := url_of(t)))
        weight = tinycss2.serialize(values.get("font-weight", [])).lower()
        style = tinycss2.serialize(values.get("font-style", [])).lower()
        if family and sources:
            bold = weight in ("bold", "bolder", "600", "700", "800", "900")
            self.faces.append(FontFace(family.lower(), bold, style.startswith(("italic", "oblique")), sources))


def _longest_selector(prelude: Sequence[Any]) -> int:
    longest = parts = 0
    for token in prelude:
        parts = 0 if token == "," else parts + (token.type != "ident")
        longest = max(longest, parts)
    return longest


def _declarations(items: Sequence[Any], base: str) -> str:
    declarations = with_gradients([item for item in items if item.type == "declaration"])
    if fitting.is_aside(declarations):
        return "display: none"
    return "; ".join(text for item in declarations if _wanted(item) and (text := _declaration(item, base)))


def _wanted(item: Any) -> bool:
    name = item.lower_name
    if name.startswith("-"):
        # xhtml2pdf's own properties would let an author turn pages and frames about.
        return bool(name.startswith("--"))
    if name == "visibility":
        return any(t.type == "ident" and t.lower_value == "hidden" for t in item.value)
    return name in _KEPT


def _declaration(item: Any, base: str) -> str:
    understood = _understood(item.lower_name, item.value)
    tokens = None if understood is None else fitting.fitted(item.lower_name, understood)
    if tokens is None:
        return ""
    value = tinycss2.serialize(resolved(tokens, base)).strip()
    name = item.name if item.name.startswith("--") else _SYNONYMS.get(item.lower_name, item.lower_name)
    name, value = _ON_PAPER.get((name, value.lower()), (name, value))
    return f"{name}: {value}{' !important' if item.important else ''}"


def _understood(name: str, value: Sequence[Any]) -> Sequence[Any] | None:
    """Return the value of a property in terms of xhtml2pdf; None if browsers would ignore it too."""
    if name in colors.COLORED:
        return colors.read(name, value)
    tokens = [token for token in value if token.type not in ("whitespace", "comment")]
    words = keywords.known(name, tokens)
    return value if words == "" else words and tinycss2.parse_component_value_list(words)
