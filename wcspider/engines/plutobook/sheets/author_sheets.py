"""The author's style sheets, rewritten to the part of CSS that PlutoBook knows, and with absolute URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from wcspider.engines.base import Asset
from wcspider.engines.document.controls import CONTROL
from wcspider.engines.document.media import POSTER
from wcspider.engines.document.style_sheets import Import, Rule, Rules, StyleSheets
from wcspider.engines.plutobook.css.lengths import is_math
from wcspider.engines.plutobook.css.modern_values import plain_values
from wcspider.engines.plutobook.css.out_of_sight import PLACING, is_back_in_place, is_out_of_sight
from wcspider.engines.plutobook.css.rules import above_each_other
from wcspider.engines.plutobook.css.selectors import PSEUDO_ELEMENT, extended, parts_of
from wcspider.engines.plutobook.css.support import OF_PLACEHOLDER, is_met, known
from wcspider.engines.plutobook.css.transforms import with_unseen_scales
from wcspider.engines.plutobook.fonts.author_fonts import Family, plain_sources
from wcspider.engines.plutobook.fonts.font_weights import weights_of, with_weight
from wcspider.engines.plutobook.sheets import large_boxes, placeholders
from wcspider.engines.plutobook.sheets.declarations import HREF, Written, written
from wcspider.engines.plutobook.sheets.image_shapes import TALL, VARIABLES, stretches
from wcspider.engines.plutobook.sheets.page_values import of_elements
from wcspider.engines.plutobook.sheets.plain_painting import ground_of_controls
from wcspider.web.styles.layers import OUTSIDE, Layer, in_order
from wcspider.web.styles.responsive import Viewport
from wcspider.web.styles.tokens import declarations_of, serialized, significant, url_of

_HREF_VALUE = re.compile(r"\[\s*href(?=\s*[~|^$*]?=)")
_CODE = "pre,code,kbd,samp,tt"
_KEEPING_SIZE = frozenset({"monospace", "inherit", "initial", "unset", "revert"})
_OF_TEXT = frozenset({"font-family", "font-size"})
_SIZE, _FACTOR, _BASIS = "--wcspider-code-size", "--wcspider-code-factor", "--wcspider-code-basis"
"""The variables with the factors for the size of code; see `default.css`."""

_IS_ABOUT_CODE = re.compile(rf"(?<![\w.#-])(?:{_CODE.replace(',', '|')})(?![\w-])", re.IGNORECASE)
_RELATIVE = re.compile(r"(\d*\.?\d+)(em|%)")

_LEFT_TO_RIGHT: Final = re.compile(r"^(?:html)?\[dir=[\"']?ltr[\"']?\]\s+")
"""The condition of rules that have a mirrored twin for pages from right to left."""

_GENERATED: Final = re.compile(r":(?:before|after)\s*(?:,|$)", re.IGNORECASE)
_IS_BEFORE: Final = re.compile(r"^[^,]*:before\s*$", re.IGNORECASE)
_BLOCK: Final = re.compile(r"(?<![\w-])display:(?:block|list-item)", re.IGNORECASE)
"""What makes PlutoBook place absolute content before a text on the line below it; it is a block anyway."""

MAX_INITIAL: Final = 200
"""The number of custom properties of a page that have their initial values."""

_INITIAL: Final = Layer(("@property",))
"""The first layer, with the initial values of custom properties."""

_END: Final = "\0"
"""A character that no style sheet contains (CSS Syntax 3, 3.3)."""

_REFERENCE: Final = re.compile(rb"@import|url\((?!\s*[\"']?data:)|\0", re.IGNORECASE)
"""References in a style sheet, which depend on its URL. A null byte may be a part of UTF-16."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One style sheet without its imports."""

    imports: tuple[Import, ...]
    layers: Mapping[Layer, Sequence[str]]
    """The text of the rules of each layer. The layers are in the order of mention."""

    families: tuple[Family, ...]


class Sheets(StyleSheets):
    """Collects the stylesheets of a page, in order."""

    def __init__(self, assets: Mapping[str, Asset], viewport: Viewport, *, author_fonts: bool) -> None:
        super().__init__(assets, viewport)
        self.layers = {_INITIAL: []}
        self.families: list[Family] = []
        self._author_fonts = author_fonts

    @property
    def texts(self) -> list[str]:
        """The texts of the rules in the order of the cascade, in which a higher specificity overcomes no layer."""
        initial, *layers = (list(filter(None, self.layers[layer])) for layer in in_order(self.layers))
        return [*initial, *above_each_other(list(filter(None, layers)))]

    def read(self, body: bytes, charset: str | None, url: str, path: tuple[str, ...]) -> Sheet:
        """Return a stylesheet of the layer with a path, rewritten and with absolute URLs."""
        base = url if _REFERENCE.search(body) else ""
        return _read(body, charset, base, self._viewport, path, self._author_fonts)

    def keep(self, sheet: Sheet) -> None:
        """Add a stylesheet that was read."""
        super().keep(sheet)
        self.layers[_INITIAL] = "\n".join(filter(None, self.layers[_INITIAL])).split("\n")[:MAX_INITIAL]
        self.families += sheet.families


# The pages of a site name the same few stylesheets, and have the same rules in STYLE elements.
@lru_cache(maxsize=128)
def _read(
    body: bytes, charset: str | None, base: str, viewport: Viewport, path: tuple[str, ...], author_fonts: bool
) -> Sheet:
    rules = Rules(body, charset, viewport, path, meets=is_met, known=_known)
    return _Writer(base, author_fonts).written(rules)


def _known(selector: str) -> str:
    return _HREF_VALUE.sub(f"[{HREF}", known(selector))


class _Writer:
    """Writes the rules of one stylesheet."""

    def __init__(self, base: str, author_fonts: bool) -> None:
        self.base = base
        self.author_fonts = author_fonts
        self.initial: list[str] = []
        """The initial values of custom properties."""

        self.families: list[Family] = []
        self.placed: dict[str, dict[str, Sequence[Any]]] = {}
        """The values that place elements out of the flow, by selector and property."""

    def written(self, rules: Rules) -> Sheet:
        """Return the sheet with some rules, each of which is on a line of its own."""
        layers = {
            layer: [" ".join(text.split("\n")) for rule in found for text in self._texts(rule)]
            for layer, found in rules.layers.items()
        }
        layers.setdefault(OUTSIDE, []).extend(self._hiding_rules())
        layers = {_INITIAL: self.initial, **layers}
        texts = with_unseen_scales(_END.join(map("\n".join, layers.values()))).split(_END)
        return Sheet(tuple(rules.imports), dict(zip(layers, zip(texts), strict=True)), tuple(self.families))

    def _hiding_rules(self) -> Iterator[str]:
        """Yield a rule for each selector of elements out of sight; not for those that another rule shows again."""
        shown = [s for s, placing in self.placed.items() if is_back_in_place(placing) and not PSEUDO_ELEMENT.search(s)]
        others = f":not({','.join(shown)})" if shown else ""
        for selector, placing in self.placed.items():
            if is_out_of_sight(placing):
                condition = "" if PSEUDO_ELEMENT.search(selector) else others
                yield f"{selector}{condition}{{display:none!important}}"

    def _texts(self, rule: Any) -> list[str]:
        """Return the rules for PlutoBook that take the place of a rule."""
        with suppress(RecursionError):  # tinycss2 cannot write deeply nested values
            if isinstance(rule, Rule):
                return list(self._style_rules(rule.selector, rule.declarations))
            if rule.lower_at_keyword == "property":
                self._note_initial_value(rule)
            elif rule.lower_at_keyword == "counter-style":
                return [rule.serialize()]
            elif self.author_fonts:
                return list(self._font_face(declarations_of(rule.content or [])))
        return []

    def _style_rules(self, selector: str, own: Sequence[Any]) -> Iterator[str]:
        if OF_PLACEHOLDER in selector:
            parts = parts_of(selector)
            of_placeholder = ",".join(part for part in parts if OF_PLACEHOLDER in part)
            yield from self._plain_rules(of_placeholder, placeholders.declarations_of_control(own))
            selector = ",".join(part for part in parts if OF_PLACEHOLDER not in part)
        if selector:
            yield from self._plain_rules(selector, own)

    def _plain_rules(self, selector: str, own: Sequence[Any]) -> Iterator[str]:
        declarations = plain_values(own)
        is_generated = _GENERATED.search(selector) is not None
        rule = written(declarations, self.base, is_generated=is_generated)
        self._note_places(selector, {d.lower_name: d.value for d in declarations if d.lower_name in PLACING})
        text = rule.text
        if is_generated and "position:absolute" in text and _IS_BEFORE.search(selector):
            text = _BLOCK.sub("display:inline", text)
        if _has_absolute_size(own):
            text = f"{text};{_SIZE}:1"
        if text:
            yield f"{selector}{{{text}}}"
        if rule.templates:
            yield f"{of_elements(selector)}{{{rule.templates}}}"
        if PSEUDO_ELEMENT.search(selector):
            selector = ",".join(part for part in parts_of(selector) if not PSEUDO_ELEMENT.search(part))
        if selector:
            yield from self._rules_of_elements(selector, declarations, rule)
            yield from _sizes_of_code(selector, own)

    def _rules_of_elements(self, selector: str, declarations: Sequence[Any], rule: Written) -> Iterator[str]:
        """Yield the rules that follow from a rule for some of its elements; `selector` has no pseudo-element."""
        ground = written(ground_of_controls(declarations), self.base)
        if ground.text:
            yield f"{extended(selector, f':where([{CONTROL}])')}{{{ground.text}}}"
        if ground.templates:
            yield f"{selector}{{{ground.templates}}}"
        for condition, text in rule.parts.items():
            if text:
                yield f"{extended(selector, condition)}{{{text}}}"
        if stretches(declarations):
            yield f":where({selector}):where(img:not([{TALL}],[{POSTER}])){{object-fit:fill}}"
        yield from large_boxes.rules(selector, declarations)

    def _note_places(self, selector: str, placing: Mapping[str, Sequence[Any]]) -> None:
        """Note values of a rule that place elements; rules with the same selector complete each other."""
        if placing:
            for part in parts_of(selector):
                self.placed.setdefault(_LEFT_TO_RIGHT.sub("", part), {}).update(placing)

    def _note_initial_value(self, rule: Any) -> None:
        """Give a custom property its initial value (CSS Properties and Values API 1, 2)."""
        items = declarations_of(rule.content or [])
        values = {d.lower_name: " ".join(serialized(d.value).split()) for d in items}
        name = serialized(rule.prelude)
        if "initial-value" in values and name.startswith("--") and not name.startswith(VARIABLES):
            elements = ":where(:root)" if values.get("inherits") == "true" else "*,::before,::after"
            value = written(plain_values(declarations_of(f"{name}:{values['initial-value']}")), self.base).text
            self.initial.append(f"{elements}{{{value}}}")

    def _font_face(self, declarations: Sequence[Any]) -> Iterator[str]:
        """Yield a rule for each weight of a font."""
        values = {d.lower_name: significant(d.value) for d in declarations}
        family = " ".join(str(getattr(t, "value", "")) for t in values.get("font-family", []))
        sources = plain_sources(values.get("src", []))
        rest = written([d for d in declarations if d.lower_name not in ("src", "font-weight")], self.base).text
        for weight in weights_of(values.get("font-weight", [])):
            found = with_weight(sources, self.base, weight)
            urls = tuple(filter(None, map(url_of, found)))
            if family and urls:
                self.families.append(Family(family.lower(), urls))
            yield f"@font-face{{{rest};font-weight:{weight:g};src:{serialized(found)}}}"


def _sizes_of_code(selector: str, declarations: Sequence[Any]) -> Iterator[str]:
    """Yield the rules for the size of code that follow from a rule of the author; see `default.css`."""
    values = {d.lower_name: serialized(d.value).lower() for d in declarations if d.lower_name in _OF_TEXT}
    has_family = values.get("font-family", "monospace") not in _KEEPING_SIZE
    if has_family:
        yield f":where({selector}):where({_CODE}){{{_FACTOR}:var({_BASIS},1)}}"
    elif values.get("font-family") == "inherit":  # code in PRE inherits monospace
        yield f":where({selector}):where(pre){{{_FACTOR}:1}}"
    if values and _IS_ABOUT_CODE.search(selector):
        size = _RELATIVE.fullmatch(values.get("font-size", ""))
        if size is not None:
            ems = float(size[1]) / (100 if size[2] == "%" else 1)
            yield f"{extended(selector, f':where({_CODE})')}{{font-size:calc({ems:g}em*var({_FACTOR},1))}}"
        if has_family:
            yield f":where({selector}):where({_CODE})>:where({_CODE}){{{_BASIS}:1}}"


def _has_absolute_size(declarations: Sequence[Any]) -> bool:
    """Tell whether a rule sets a font size that does not depend on the text around it."""
    value = next((d.value for d in reversed(declarations) if d.lower_name in ("font-size", "font")), ())
    size = next((token for token in value if token.type in ("dimension", "function")), None)
    if size is None:
        return False
    return is_math(size) or (size.type == "dimension" and size.lower_unit not in ("em", "ex", "ch"))
