"""What a style sheet refers to: other sheets, fonts and images, in order (14.10.3.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import tinycss2

from wcspider.exceptions import InvalidURLError
from wcspider.web.numbers import with_readable_numbers
from wcspider.web.resources import AuxiliaryKind
from wcspider.web.responsive import DEFAULT_VIEWPORT, Viewport, applies, densest
from wcspider.web.urls import canonical_url

SHOWN_FORMATS: Final = frozenset(
    name + variations
    for name in ("woff2", "woff", "truetype", "opentype", "collection")
    for variations in ("", "-variations")
)
"""The formats of a font that a src descriptor can offer; others (``embedded-opentype``) are passed over."""

_GROUPS: Final = frozenset(("container", "layer", "media", "page", "scope", "starting-style", "supports"))
_UNSEEN: Final = frozenset(("behavior", "-moz-binding", "-ms-behavior", "cursor"))
"""Properties whose files do not shape what a reader sees on a page."""

_MAX_NESTING: Final = 32


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to an auxiliary file of a page (14.10.3.3)."""

    url: str
    """The canonical URL, absolute and without fragment."""

    kind: AuxiliaryKind


class References:
    """References in the order in which they are first made, each URL once."""

    def __init__(self, base: str, encoding: str = "utf-8") -> None:
        self._base = base
        self._encoding = encoding
        self._found: dict[str, Reference] = {}

    def add(self, reference: str, kind: AuxiliaryKind) -> None:
        """Add a reference as it is written, unless it is to the document itself or cannot be fetched."""
        reference = reference.strip()
        if not reference or reference.startswith("#"):
            return
        try:
            url = canonical_url(reference, self._base, encoding=self._encoding)
        except InvalidURLError:  # data: URLs above all
            return
        self._found.setdefault(url, Reference(url, kind))

    def __iter__(self) -> Iterator[Reference]:
        return iter(self._found.values())


def stylesheet_references(
    text: str, url: str, *, viewport: Viewport = DEFAULT_VIEWPORT, encoding: str = "utf-8"
) -> tuple[Reference, ...]:
    """What the style sheet at ``url`` refers to, in order of first reference, each URL once (14.10.3.3).

    Rules for other media count for nothing, nor do imports behind other rules. Of a font that is offered
    in several formats only the first that can be shown counts, as in browsers. Never raises for what stands
    in the sheet.
    """
    found = References(url, encoding)
    add_stylesheet(found, text, viewport)
    return tuple(found)


def add_stylesheet(found: References, text: str, viewport: Viewport) -> None:
    """Add what a style sheet refers to."""
    rules = tinycss2.parse_stylesheet(with_readable_numbers(text), skip_comments=True, skip_whitespace=True)
    imports = 0
    for rule in rules:
        keyword = getattr(rule, "lower_at_keyword", None)
        if keyword == "import":
            _add_import(found, rule.prelude, viewport)
        elif rule.type != "error" and keyword != "charset" and not (keyword == "layer" and not rule.content):
            break
        imports += 1
    _add_rules(found, rules[imports:], viewport, outline_order=0)


def add_declarations(found: References, text: str, viewport: Viewport) -> None:
    """Add what the content of a style attribute refers to."""
    _add_rules(found, tinycss2.parse_blocks_contents(with_readable_numbers(text)), viewport, outline_order=0)


def _add_rules(found: References, nodes: list[Any], viewport: Viewport, outline_order: int) -> None:
    """Add what rules and declarations refer to, but for imports, which can only stand before them."""
    if outline_order > _MAX_NESTING:
        return
    for node in nodes:
        if node.type == "declaration":
            if node.lower_name not in _UNSEEN:
                _add_images(found, node.value, outline_order)
        elif node.type == "qualified-rule":
            _add_rules(found, tinycss2.parse_blocks_contents(node.content), viewport, outline_order + 1)
        elif node.type == "at-rule" and node.content is not None:
            _add_at_rule(found, node, viewport, outline_order)


def _add_at_rule(found: References, rule: Any, viewport: Viewport, outline_order: int) -> None:
    keyword = rule.lower_at_keyword
    if keyword == "font-face":
        _add_font(found, tinycss2.parse_blocks_contents(rule.content))
    elif keyword == "media" and not applies(_media_text(rule.prelude), viewport):
        return
    elif keyword in _GROUPS:
        content = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        if keyword == "page" or any(node.type == "error" for node in content):  # declarations stand there
            content = tinycss2.parse_blocks_contents(rule.content)
        _add_rules(found, content, viewport, outline_order + 1)
    elif keyword == "counter-style":
        _add_rules(found, tinycss2.parse_blocks_contents(rule.content), viewport, outline_order + 1)


def _add_import(found: References, prelude: list[Any], viewport: Viewport) -> None:
    """Add an imported sheet, if its media query, behind any layer and condition, applies."""
    first, rest = _first(prelude)
    url = _url(first, strings=True) if first is not None else None
    for name in ("layer", "supports"):
        token, behind = _first(rest)
        if name in (getattr(token, "lower_name", ""), getattr(token, "lower_value", "")):
            rest = behind
    if url is not None and applies(_media_text(rest), viewport):
        found.add(url, AuxiliaryKind.STYLESHEET)


def _first(tokens: list[Any]) -> tuple[Any, list[Any]]:
    """The first token that is no white space, and those behind it; None and nothing if there is none."""
    for index, token in enumerate(tokens):
        if token.type not in ("whitespace", "comment"):
            return token, tokens[index + 1 :]
    return None, []


def _media_text(tokens: list[Any]) -> str:
    """A media query list as text; one that is nested too deep to be written out is one that is unknown."""
    try:
        return str(tinycss2.serialize(tokens))
    except RecursionError:
        return "unknown()"


def _add_font(found: References, declarations: list[Any]) -> None:
    """Add the first file of the last src descriptor, which is the one that counts, that can be shown."""
    sources = [node for node in declarations if node.type == "declaration" and node.lower_name == "src"]
    for alternative in _split_commas(sources[-1].value) if sources else ():
        url = next(filter(None, map(_url, alternative)), None)
        if url is not None and _formats(alternative) & SHOWN_FORMATS:
            found.add(url, AuxiliaryKind.FONT)
            return


def _formats(alternative: list[Any]) -> frozenset[str]:
    """What format() says of a font, in lower case; where it says nothing, any format."""
    for token in alternative:
        if token.type == "function" and token.lower_name == "format":
            return frozenset(str(part.value).lower() for part in token.arguments if hasattr(part, "value"))
    return SHOWN_FORMATS


def _add_images(found: References, tokens: list[Any], outline_order: int) -> None:
    """Add every url() in a value, in order, and of each image-set() the image for one dot to a pixel."""
    if outline_order > _MAX_NESTING:
        return
    for token in tokens:
        url = _url(token)
        if url is not None:
            found.add(url, AuxiliaryKind.IMAGE)
        elif token.type == "function":
            if token.lower_name in ("image-set", "-webkit-image-set"):
                found.add(densest(_image_set(token.arguments)), AuxiliaryKind.IMAGE)
            else:
                _add_images(found, token.arguments, outline_order + 1)
        elif token.type in ("() block", "[] block", "{} block"):
            _add_images(found, token.content, outline_order + 1)


def _image_set(arguments: list[Any]) -> Iterator[tuple[str, float]]:
    """The images of an image-set(), each with its resolution in dots to a CSS pixel."""
    units = {"x": 1.0, "dppx": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}
    for option in _split_commas(arguments):
        url = next(filter(None, (_url(token, strings=True) for token in option)), None)
        sizes = [token for token in option if token.type == "dimension" and token.lower_unit in units]
        if url is not None:
            yield url, sizes[0].value * units[sizes[0].lower_unit] if sizes else 1.0


def _url(token: Any, *, strings: bool = False) -> str | None:
    """The reference in a url token, a url() function or, where that is one too, a string."""
    if token.type == "url" or (strings and token.type == "string"):
        return str(token.value)
    if token.type == "function" and token.lower_name in ("url", "src"):
        return next((str(part.value) for part in token.arguments if part.type == "string"), None)
    return None


def _split_commas(tokens: list[Any]) -> list[list[Any]]:
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
