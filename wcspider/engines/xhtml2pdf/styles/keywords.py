"""The keywords that properties may have. A declaration with another one is ignored (CSS 2.1, 4.2), so that the one
before it holds: authors write for older browsers first, or for other ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinycss2 import color4

_LINES = frozenset({"none", "underline", "overline", "line-through", "blink"})
_BORDERS = frozenset({"none", "hidden", "dotted", "dashed", "solid", "double", "groove", "ridge", "inset", "outset"})
_WRAPS = frozenset({"normal", "break-word", "anywhere"})
_DISPLAYS = frozenset(
    {"none", "block", "inline", "inline-block", "flow-root", "contents", "flex", "grid", "inline-flex",
     "inline-grid", "list-item", "table", "inline-table", "table-row", "table-cell", "table-row-group",
     "table-header-group", "table-footer-group", "table-caption", "table-column", "table-column-group", "ruby",
     "ruby-base", "ruby-text", "run-in", "math"}
)  # fmt: skip
_MARKERS = frozenset(
    {"none", "disc", "circle", "square", "decimal", "decimal-leading-zero", "lower-roman", "upper-roman",
     "lower-alpha", "upper-alpha", "lower-latin", "upper-latin", "lower-greek", "armenian", "upper-armenian",
     "lower-armenian", "georgian", "hebrew", "arabic-indic", "bengali", "cambodian", "khmer", "cjk-decimal",
     "cjk-ideographic", "devanagari", "gujarati", "gurmukhi", "hiragana", "hiragana-iroha", "katakana",
     "katakana-iroha", "kannada", "lao", "malayalam", "mongolian", "myanmar", "oriya", "persian", "tamil", "telugu",
     "thai", "tibetan", "disclosure-open", "disclosure-closed", "cjk-earthly-branch", "cjk-heavenly-stem",
     "japanese-informal", "japanese-formal", "korean-hangul-formal", "korean-hanja-informal", "korean-hanja-formal",
     "simp-chinese-informal", "simp-chinese-formal", "trad-chinese-informal", "trad-chinese-formal",
     "ethiopic-numeric", "ethiopic-halehame-ti-er", "ethiopic-halehame-ti-et", "ethiopic-halehame", "hangul",
     "hangul-consonant", "urdu"}
)  # fmt: skip
_KEYWORDS = {
    "display": _DISPLAYS,
    "white-space": frozenset({"normal", "nowrap", "pre", "pre-wrap", "pre-line"}),
    "text-align": frozenset({"left", "right", "center", "justify", "start", "end", "match-parent", "justify-all"}),
    "list-style-type": _MARKERS,
    "float": frozenset({"none", "left", "right", "inline-start", "inline-end"}),
    "font-style": frozenset({"normal", "italic", "oblique"}),
    "font-weight": frozenset({"normal", "bold", "bolder", "lighter"}),
    "text-transform": frozenset({"none", "capitalize", "uppercase", "lowercase", "full-width", "full-size-kana"}),
    "vertical-align": frozenset({"baseline", "sub", "super", "top", "text-top", "middle", "bottom", "text-bottom"}),
    "overflow-wrap": _WRAPS,
    "word-wrap": _WRAPS,
    "word-break": frozenset({"normal", "break-all", "keep-all", "break-word", "auto-phrase"}),
    **{f"border-{side}-style": _BORDERS for side in ("top", "right", "bottom", "left")},
}
_FOR_ALL = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_SYNONYMS = {
    ("white-space", "break-spaces"): "pre-wrap",
    ("display", "-webkit-flex"): "flex",
    ("display", "-webkit-inline-flex"): "inline-flex",
    ("display", "-webkit-box"): "block",
    ("display", "-webkit-inline-box"): "inline-block",
    **{("text-align", f"-webkit-{side}"): side for side in ("left", "right", "center")},
}
"""Names under which browsers know others."""

_DECORATIONS = _LINES | {"solid", "double", "dotted", "dashed", "wavy", "auto", "from-font"}
_DECORATED = frozenset({"text-decoration", "text-decoration-line"})


def known(name: str, tokens: Sequence[Any]) -> str | None:
    """Return the keywords of a value; None if one is unknown, an empty string if the property has no table."""
    if name in _DECORATED:
        return _lines(tokens)
    if len(tokens) != 1 or tokens[0].type != "ident" or name not in _KEYWORDS:
        return ""
    word = _SYNONYMS.get((name, tokens[0].lower_value), tokens[0].lower_value)
    return word if word in _KEYWORDS[name] or word in _FOR_ALL else None


def _lines(tokens: Sequence[Any]) -> str | None:
    """Return the lines of a text decoration without style and color (CSS Text Decoration 3, 2.5); see `known`."""
    if any(token.type == "function" and token.lower_name == "var" for token in tokens):
        return ""
    words = [token for token in tokens if token.type == "ident"]
    if any(word.lower_value in _FOR_ALL for word in words):
        return ""
    if any(word.lower_value not in _DECORATIONS and color4.parse_color(word) is None for word in words):
        return None
    return " ".join(word.lower_value for word in words if word.lower_value in _LINES) or "none"
