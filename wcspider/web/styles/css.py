"""The references in a style sheet to other sheets, fonts and images, in order (14.10.3.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import tinycss2

from wcspider.exceptions import InvalidURLError
from wcspider.web.numbers import with_readable_numbers
from wcspider.web.resources import AuxiliaryKind
from wcspider.web.styles.alternative_images import densest
from wcspider.web.styles.css_pieces import Pieces, mentions
from wcspider.web.styles.responsive import DEFAULT_VIEWPORT, Viewport, style_applies
from wcspider.web.styles.tokens import RESOLUTIONS, split_commas, url_of
from wcspider.web.urls import canonical_url, without_login

SHOWN_FORMATS: Final = frozenset(
    name + variations
    for name in ("woff2", "woff", "truetype", "opentype", "collection")
    for variations in ("", "-variations")
)
"""The font formats that are used from a src descriptor; others (``embedded-opentype``) are skipped."""

IMAGE_SETS: Final = ("image-set", "-webkit-image-set")
"""The functions that offer an image in several resolutions (CSS Images 4, 2.3)."""

_GROUPS: Final = frozenset(("container", "layer", "media", "page", "scope", "starting-style", "supports"))
_UNSEEN: Final = frozenset(("behavior", "-moz-binding", "-ms-behavior", "cursor"))
"""Properties whose files do not shape what a reader sees on a page."""

MAX_IMPORT_DEPTH: Final = 8
"""How many levels of @import below a style sheet of the page are followed."""

_MAX_NESTING: Final = 32


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to an auxiliary file of a page (14.10.3.3)."""

    url: str
    """The canonical URL, absolute and without fragment."""

    kind: AuxiliaryKind


class References:
    """References in the order of their first occurrence, each URL once.

    Behind the first `most` URLs, references are counted, but not resolved; 0 sets no limit.
    """

    def __init__(self, base: str, encoding: str = "utf-8", most: int = 0) -> None:
        self.base = base
        self._encoding = encoding
        self._most = most
        self._found: dict[str, Reference] = {}
        self.unread = 0
        """The number of references that were counted only."""

        self.characters = 0
        """The number of characters of style sheets that were read."""

        self.are_cut = False
        """True if a style sheet is so large that its last references were not read."""

    def are_full(self) -> bool:
        """Tell whether further references are only counted."""
        return 0 < self._most <= len(self._found)

    def add(self, reference: str, kind: AuxiliaryKind) -> None:
        """Add a reference as written, unless it names the document itself or cannot be fetched."""
        reference = reference.strip()
        if not reference or reference.startswith("#"):
            return
        if self.are_full():
            self.unread += 1
            return
        try:
            url = without_login(canonical_url(reference, self.base, encoding=self._encoding))
        except InvalidURLError:  # data: URLs above all
            return
        self._found.setdefault(url, Reference(url, kind))

    def __iter__(self) -> Iterator[Reference]:
        return iter(self._found.values())


def stylesheet_references(
    text: str, url: str, *, viewport: Viewport = DEFAULT_VIEWPORT, encoding: str = "utf-8", most: int = 0
) -> References:
    """Return the references of the style sheet at ``url``, in order of first reference, each URL once (14.10.3.3).

    Rules for other media and imports after other rules are ignored. If a font is offered in several formats,
    only the first supported one counts, as in browsers. Invalid CSS never raises. Behind the first `most` URLs,
    references are only counted; 0 sets no limit.
    """
    found = References(url, encoding, most)
    add_stylesheet(found, text, viewport)
    return found


def add_stylesheet(found: References, text: str, viewport: Viewport) -> None:
    """Add the references of a style sheet. Once there are enough, the rest of the sheet is not parsed."""
    if found.are_full():
        found.unread += mentions(text)
        return
    may_import = True
    sheet = Pieces(text, found.characters)
    for piece in sheet:
        rules = tinycss2.parse_stylesheet(with_readable_numbers(piece), skip_comments=True, skip_whitespace=True)
        imports = _add_imports(found, rules, viewport) if may_import else 0
        may_import = may_import and imports == len(rules)
        sheet.may_skip = not may_import
        _add_rules(found, rules[imports:], viewport, depth=0)
        if found.are_full():
            found.unread += mentions(text, sheet.end)
            break
    found.characters = sheet.read
    found.are_cut = found.are_cut or sheet.is_cut


def _add_imports(found: References, rules: list[Any], viewport: Viewport) -> int:
    """Add the imported sheets; return the number of rules before the first rule that ends the imports."""
    imports = 0
    for rule in rules:
        keyword = getattr(rule, "lower_at_keyword", None)
        if keyword == "import":
            _add_import(found, rule.prelude, viewport)
        elif rule.type != "error" and keyword != "charset" and not (keyword == "layer" and not rule.content):
            break
        imports += 1
    return imports


def add_declarations(found: References, text: str, viewport: Viewport) -> None:
    """Add the references in the value of a style attribute."""
    _add_rules(found, tinycss2.parse_blocks_contents(with_readable_numbers(text)), viewport, depth=0)


def _add_rules(found: References, nodes: list[Any], viewport: Viewport, depth: int) -> None:
    """Add the references of rules and declarations, but not of imports, which are only valid before them."""
    if depth > _MAX_NESTING:
        return
    for node in nodes:
        if node.type == "declaration":
            if node.lower_name not in _UNSEEN:
                _add_images(found, node.value, depth)
        elif node.type == "qualified-rule":
            _add_rules(found, tinycss2.parse_blocks_contents(node.content), viewport, depth + 1)
        elif node.type == "at-rule" and node.content is not None:
            _add_at_rule(found, node, viewport, depth)


def _add_at_rule(found: References, rule: Any, viewport: Viewport, depth: int) -> None:
    """Add the references of an at-rule with a block, if it applies."""
    keyword = rule.lower_at_keyword
    if keyword == "font-face":
        _add_font(found, tinycss2.parse_blocks_contents(rule.content))
    elif keyword == "media" and not style_applies(_media_text(rule.prelude), viewport):
        return
    elif keyword in _GROUPS:
        content = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        if keyword == "page" or any(node.type == "error" for node in content):  # declarations stand there
            content = tinycss2.parse_blocks_contents(rule.content)
        _add_rules(found, content, viewport, depth + 1)
    elif keyword == "counter-style":
        _add_rules(found, tinycss2.parse_blocks_contents(rule.content), viewport, depth + 1)


def _add_import(found: References, prelude: list[Any], viewport: Viewport) -> None:
    """Add an imported sheet if its media query, which follows any layer and condition, applies."""
    first, rest = _first(prelude)
    url = url_of(first, strings=True) if first is not None else None
    for name in ("layer", "supports"):
        token, following = _first(rest)
        if name in (getattr(token, "lower_name", ""), getattr(token, "lower_value", "")):
            rest = following
    if url is not None and style_applies(_media_text(rest), viewport):
        found.add(url, AuxiliaryKind.STYLESHEET)


def _first(tokens: list[Any]) -> tuple[Any, list[Any]]:
    """Return the first token that is not white space, and the tokens after it; None and [] if there is none."""
    for index, token in enumerate(tokens):
        if token.type not in ("whitespace", "comment"):
            return token, tokens[index + 1 :]
    return None, []


def _media_text(tokens: list[Any]) -> str:
    """Return a media query list as text; an unknown query if it is nested too deep to be serialised."""
    try:
        return str(tinycss2.serialize(tokens))
    except RecursionError:
        return "unknown()"


def _add_font(found: References, declarations: list[Any]) -> None:
    """Add the first supported file of the last src descriptor; CSS ignores the earlier descriptors."""
    sources = [node for node in declarations if node.type == "declaration" and node.lower_name == "src"]
    for alternative in split_commas(sources[-1].value) if sources else ():
        url = next(filter(None, map(url_of, alternative)), None)
        if url is not None and _formats(alternative) & SHOWN_FORMATS:
            found.add(url, AuxiliaryKind.FONT)
            return


def _formats(alternative: list[Any]) -> frozenset[str]:
    """Return the formats that format() names, in lower case; every supported format if there is no format()."""
    for token in alternative:
        if token.type == "function" and token.lower_name == "format":
            return frozenset(str(part.value).lower() for part in token.arguments if hasattr(part, "value"))
    return SHOWN_FORMATS


def _add_images(found: References, tokens: list[Any], depth: int) -> None:
    """Add every url() in a value, in order, and from each image-set() the image for one dot per pixel."""
    if depth > _MAX_NESTING:
        return
    for token in tokens:
        url = url_of(token)
        if url is not None:
            found.add(url, AuxiliaryKind.IMAGE)
        elif token.type == "function":
            if token.lower_name in IMAGE_SETS:
                found.add(image_of_set(token), AuxiliaryKind.IMAGE)
            else:
                _add_images(found, token.arguments, depth + 1)
        elif token.type in ("() block", "[] block", "{} block"):
            _add_images(found, token.content, depth + 1)


def image_of_set(function: Any) -> str:
    """Return the reference of an image-set() that is fetched: the image for one dot per pixel; "" if it has none."""
    return densest(_image_set(function.arguments))


def _image_set(arguments: list[Any]) -> Iterator[tuple[str, float]]:
    """Yield the images of an image-set(), each with its resolution in dots per CSS pixel."""
    for option in split_commas(arguments):
        url = next(filter(None, (url_of(token, strings=True) for token in option)), None)
        sizes = [token for token in option if token.type == "dimension" and token.lower_unit in RESOLUTIONS]
        if url is not None:
            yield url, sizes[0].value * RESOLUTIONS[sizes[0].lower_unit] if sizes else 1.0
