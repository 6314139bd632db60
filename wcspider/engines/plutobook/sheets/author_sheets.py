"""The author's style sheets, rewritten to the part of CSS that PlutoBook knows.

Imports are inserted, conditions are evaluated, nested rules are resolved, and URLs become absolute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import tinycss2

from wcspider.engines.base import Asset
from wcspider.engines.document.absolute_urls import absolute
from wcspider.engines.document.css_urls import References, url_of, with_targets
from wcspider.engines.document.page_head import StyleSheets
from wcspider.engines.plutobook.css import selectors
from wcspider.engines.plutobook.css.feature_queries import is_met
from wcspider.engines.plutobook.css.modern_values import plain_values
from wcspider.engines.plutobook.css.style_rules import serialized, split_list
from wcspider.engines.plutobook.css.transforms import with_unseen_scales
from wcspider.engines.plutobook.sheets import large_boxes
from wcspider.engines.plutobook.sheets.author_fonts import plain_sources
from wcspider.engines.plutobook.sheets.declarations import PLACING, is_out_of_sight, written
from wcspider.engines.plutobook.sheets.image_shapes import VARIABLES
from wcspider.engines.plutobook.sheets.page_values import of_elements
from wcspider.engines.plutobook.sheets.picture_boxes import MARK as PICTURES
from wcspider.web.styles.responsive import Viewport, applies

HREF = "data-wcspider-href"
"""The attribute of a link with the original value of its HREF."""

_HREF_VALUE = re.compile(r"\[\s*href(?=\s*[~|^$*]?=)")
_REPLACED = f"[{PICTURES}],img,svg,svg *,input,select,textarea,button,hr,html,body,col,tr,td,th,table"
"""Elements that keep their height: pictures, controls, rulers, and elements that are as high as their text anyway."""

_CODE = "pre,code,kbd,samp,tt"
_KEEPING_SIZE = frozenset({"monospace", "inherit", "initial", "unset", "revert"})

_PLAIN_PSEUDO = re.compile(
    r":(?:(?:first|last|only)-(?:child|of-type)|nth-[a-z-]+\([^()]*\)|link|root|not\([^():]*\)|is\([^():]*\))"
)
_LEFT_TO_RIGHT: Final = re.compile(r"^(?:html)?\[dir=[\"']?ltr[\"']?\]\s+")
"""The condition of rules that have a mirrored twin for pages from right to left."""

_GENERATED: Final = re.compile(r":(?:before|after)\s*(?:,|$)", re.IGNORECASE)
_HTML_OR_BODY = frozenset({"html", "body"})

MAX_INITIAL: Final = 200
"""The number of custom properties of a page that have their initial values."""

_INITIAL: Final = "@property"
"""The name of the first layer, with the initial values of custom properties."""

_END: Final = "\0"
"""A character that no style sheet contains (CSS Syntax 3, 3.3)."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One style sheet without its imports. Its references are not resolved."""

    imports: tuple[str, ...]
    layers: tuple[str, ...]
    """The names of its layers, in order; "" are the rules outside of layers."""

    text: str
    """The rules of each layer, with `_END` between layers, and with a number in place of each reference."""

    references: tuple[str, ...]
    """The references in the text, by number."""

    families: tuple[tuple[str, tuple[str, ...]], ...]
    """The font families that it declares, each with the references to its files."""

    def at(self, url: str) -> Sheet:
        """Return the sheet with its references resolved against `url`."""
        if not (self.imports or self.references or self.families):
            return self
        return replace(
            self,
            imports=tuple(absolute(url, imported) for imported in self.imports),
            text=with_targets(self.text, self.references, url),
            families=tuple((family, tuple(absolute(url, file) for file in files)) for family, files in self.families),
        )


class Sheets(StyleSheets):
    """Collects the stylesheets of a page, in order."""

    def __init__(self, assets: Mapping[str, Asset], viewport: Viewport, *, author_fonts: bool) -> None:
        super().__init__(assets, viewport)
        self._layers: dict[str, list[str]] = {_INITIAL: []}
        self.families: list[tuple[str, tuple[str, ...]]] = []
        self._author_fonts = author_fonts

    @property
    def texts(self) -> list[str]:
        """The rules in order: those outside of layers win over those in layers (CSS Cascading 5, 6.4.3)."""
        inside = chain(*(texts for name, texts in self._layers.items() if name))
        return [*filter(None, inside), *self._layers.get("", [])]

    def read(self, body: bytes, charset: str | None, url: str) -> Sheet:
        """Return a stylesheet, rewritten and with absolute URLs."""
        return _read_at(body, charset, url, self._viewport, self._author_fonts)

    def keep(self, sheet: Sheet) -> None:
        """Add a stylesheet that was read."""
        for name, text in zip(sheet.layers, sheet.text.split(_END), strict=True):
            self._layers.setdefault(name, []).append(text)
        self._layers[_INITIAL] = "\n".join(filter(None, self._layers[_INITIAL])).split("\n")[:MAX_INITIAL]
        self.families += sheet.families


# The pages of a site name the same few stylesheets.
@lru_cache(maxsize=128)
def _read_at(body: bytes, charset: str | None, url: str, viewport: Viewport, author_fonts: bool) -> Sheet:
    return _read(body, charset, viewport, author_fonts).at(url)


# The same rules are in STYLE elements of many pages, and translations of a site have copies of its stylesheets.
@lru_cache(maxsize=128)
def _read(body: bytes, charset: str | None, viewport: Viewport, author_fonts: bool) -> Sheet:
    rules, _ = tinycss2.parse_stylesheet_bytes(
        body, protocol_encoding=charset, skip_comments=True, skip_whitespace=True
    )
    return _Reader(viewport, author_fonts).read(rules)


class _Reader:
    """Reads the rules of one stylesheet."""

    def __init__(self, viewport: Viewport, author_fonts: bool) -> None:
        self.references = References()
        self.viewport = viewport
        self.imports: list[str] = []
        self.layers: dict[str, list[str]] = {_INITIAL: [], "": []}
        self.rules = self.layers[""]
        self.families: list[tuple[str, tuple[str, ...]]] = []
        self.placed: dict[str, dict[str, Any]] = {}
        """The declarations that place elements out of the flow, by selector and name."""

        self.at_rules: Mapping[str, Callable[[Any, str], None]] = {
            "import": self._import,
            "media": self._media,
            "layer": self._layer,
            "property": self._property,
            "supports": self._supports,
            "scope": self._nested,
            "starting-style": lambda rule, within: None,
            **({"font-face": self._font_face} if author_fonts else {}),
            "counter-style": lambda rule, _: self.rules.append(rule.serialize()),
        }

    def read(self, rules: Sequence[Any]) -> Sheet:
        self._all(rules, "")
        hidden = (selector for selector, placing in self.placed.items() if is_out_of_sight(placing))
        self.rules += [f"{selector}{{display:none!important}}" for selector in hidden]
        text = with_unseen_scales(_END.join(map("\n".join, self.layers.values())))
        targets = tuple(self.references.targets)
        return Sheet(tuple(self.imports), tuple(self.layers), text, targets, tuple(self.families))

    def _all(self, rules: Sequence[Any], within: str) -> None:
        """Read rules. `within` is the selector of the rule around them, or empty."""
        for rule in rules:
            with suppress(RecursionError):  # tinycss2 cannot write deeply nested rules
                if rule.type == "qualified-rule":
                    self._qualified(rule, within)
                elif rule.type == "at-rule" and (read := self.at_rules.get(rule.lower_at_keyword)):
                    read(rule, within)

    def _qualified(self, rule: Any, within: str) -> None:
        selector = _HREF_VALUE.sub(f"[{HREF}", selectors.known(tinycss2.serialize(rule.prelude).strip()))
        if within and selector:
            selector = selectors.nested(within, selector)
        if selector:
            self._block(selector, rule.content)

    def _block(self, selector: str, content: Sequence[Any]) -> None:
        items = tinycss2.parse_blocks_contents(content, True, True)
        declarations = self._declarations(items)
        is_generated = _GENERATED.search(selector) is not None
        rule = written(declarations, self.references.number, is_generated=is_generated)
        self._note_places(selector, {d.lower_name: d for d in declarations if d.lower_name in PLACING})
        text = rule.text
        if selector in _HTML_OR_BODY:
            # Pages that are hidden until a script shows them are shown.
            text = text.replace("display:none", "display:block").replace("visibility:hidden", "visibility:visible")
        if text:
            self.rules.append(f"{selector}{{{text}}}")
        if rule.templates:
            self.rules.append(f"{of_elements(selector)}{{{rule.templates}}}")
        if ":" not in _PLAIN_PSEUDO.sub("", selector):
            if rule.of_boxes:
                self.rules.append(f":is({selector}):not({_REPLACED}){{{rule.of_boxes}}}")
            if rule.has_ratio:  # an image that fills a box of some ratio has to make room for itself
                self.rules.append(f":is({selector})>img{{position:static!important}}")
            self.rules += large_boxes.rules(selector, declarations)
        if _sets_size_of_code(items):
            self.rules.append(f":where({selector}):where({_CODE}){{font-size:inherit}}")
        inside = [item for item in items if item.type in ("qualified-rule", "at-rule")]
        if inside:
            self._all(inside, selector)

    def _note_places(self, selector: str, placing: Mapping[str, Any]) -> None:
        """Note declarations of a rule that place elements; rules with the same selector complete each other."""
        if placing:
            for part in selectors.parts(selector) if "(" in selector else map(str.strip, selector.split(",")):
                self.placed.setdefault(_LEFT_TO_RIGHT.sub("", part), {}).update(placing)

    def _declarations(self, items: Sequence[Any]) -> list[Any]:
        return plain_values([item for item in items if item.type == "declaration"], self.viewport.width)

    def _import(self, rule: Any, within: str) -> None:
        tokens = [t for t in rule.prelude if t.type != "whitespace"]
        target = url_of(tokens[0]) if tokens else None
        conditions = [t for t in tokens[1:] if not (t.type == "function" and t.lower_name in ("layer", "supports"))]
        conditions = [t for t in conditions if not (t.type == "ident" and t.lower_value == "layer")]
        # Inside another rule, the imported rules would apply to the whole page.
        if target and not within and applies(" ".join(t.serialize() for t in conditions), self.viewport):
            self.imports.append(target)

    def _media(self, rule: Any, within: str) -> None:
        if applies(tinycss2.serialize(rule.prelude), self.viewport):
            self._nested(rule, within)

    def _supports(self, rule: Any, within: str) -> None:
        if is_met(rule.prelude):
            self._nested(rule, within)

    def _layer(self, rule: Any, within: str) -> None:
        """Read a layer, or the order of layers. The rules of a layer inside a layer belong to the outer one."""
        if self.rules is self.layers[""]:
            layers = [self.layers.setdefault(name or f" {len(self.layers)}", []) for name in split_list(rule.prelude)]
            self.rules = layers[0]
            self._nested(rule, within)
            self.rules = self.layers[""]
        else:
            self._nested(rule, within)

    def _property(self, rule: Any, within: str) -> None:
        """Give a custom property its initial value (CSS Properties and Values API 1, 2)."""
        items = tinycss2.parse_blocks_contents(rule.content or [], True, True)
        values = {d.lower_name: " ".join(serialized(d.value).split()) for d in items if d.type == "declaration"}
        name = serialized(rule.prelude)
        if "initial-value" in values and name.startswith("--") and not name.startswith(VARIABLES):
            elements = ":where(:root)" if values.get("inherits") == "true" else "*,::before,::after"
            self.layers[_INITIAL].append(f"{elements}{{{name}:{values['initial-value']}}}")

    def _nested(self, rule: Any, within: str) -> None:
        if rule.content is None:
            return
        if within:
            self._block(within, rule.content)
        else:
            self._all(tinycss2.parse_rule_list(rule.content, True, True), within)

    def _font_face(self, rule: Any, within: str) -> None:
        items = tinycss2.parse_blocks_contents(rule.content or [], True, True)
        declarations = [item for item in items if item.type == "declaration"]
        for declaration in declarations:
            if declaration.lower_name == "src":
                declaration.value = plain_sources(declaration.value)
        text = written(declarations, self.references.number).text
        values = {d.lower_name: [t for t in d.value if t.type != "whitespace"] for d in declarations}
        family = " ".join(str(getattr(t, "value", "")) for t in values.get("font-family", []))
        sources = tuple(u for t in values.get("src", []) if (u := url_of(t)))
        if family and sources:
            self.families.append((family.lower(), sources))
        self.rules.append(f"@font-face{{{text}}}")


def _sets_size_of_code(items: Sequence[Any]) -> bool:
    """Tell whether a rule sets the size of code to that of other text.

    Browsers make text in ``monospace`` smaller, but only if no other family is named.
    """
    families = [d.value for d in items if d.type == "declaration" and d.lower_name == "font-family"]
    return any(tinycss2.serialize(value).strip().lower() not in _KEEPING_SIZE for value in families)
