"""Component values and declarations of style sheets (CSS Syntax 3, 5), as objects of tinycss2."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import tinycss2
from tinycss2.ast import Declaration

from wcspider.web.numbers import with_readable_numbers

PIXELS: Final = {
    "px": 1.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54, "pt": 96 / 72, "pc": 16.0,
}  # fmt: skip
"""The absolute units of lengths in CSS pixels (CSS Values 4, 6.2)."""

RESOLUTIONS: Final = {"x": 1.0, "dppx": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}
"""The units of resolutions in dots per CSS pixel (CSS Values 4, 7.4)."""

_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


def significant(tokens: Iterable[Any]) -> list[Any]:
    """Return tokens without white space and comments."""
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def single(tokens: Iterable[Any]) -> Any | None:
    """Return the only significant token of a value; None if there are none or several."""
    found = significant(tokens)
    return found[0] if len(found) == 1 else None


def split_commas(tokens: Iterable[Any]) -> list[list[Any]]:
    """Split a list at its commas; those in parentheses, brackets and strings belong to their parts."""
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def serialized(tokens: Sequence[Any]) -> str:
    """Return tokens as text; "" for tokens that are nested too deep for tinycss2."""
    try:
        return text_of(tokens)
    except RecursionError:
        return ""


def text_of(tokens: Sequence[Any]) -> str:
    r"""Return tokens as text. Raise RecursionError for tokens that are nested too deep for tinycss2.

    White space that is escaped gets a number, as in the ``4px \9`` that style sheets for old browsers contain: a
    backslash without the white space behind it would escape the brace at the end of the rule.
    """
    return _ESCAPE.sub(_numbered, tinycss2.serialize(tokens)).strip()


def _numbered(escape: re.Match[str]) -> str:
    return f"\\{ord(escape[1]):x} " if escape[1].isspace() else escape[0]


def keywords(tokens: Iterable[Any]) -> tuple[str, ...]:
    """Return the keywords of a value in lower case."""
    return tuple(token.lower_value for token in tokens if token.type == "ident")


def words(value: str | Sequence[Any]) -> list[str]:
    """Return the component values of a value as text."""
    return [serialized([token]) for token in significant(_tokens(value))]


def split_list(value: str | Sequence[Any]) -> tuple[str, ...]:
    """Split a list at its commas and return the parts as text."""
    return tuple(map(serialized, split_commas(_tokens(value))))


def url_of(token: Any, *, strings: bool = False) -> str | None:
    """Return the reference in a url token or url() function, and also in a string if `strings` is set."""
    if token.type == "url" or (strings and token.type == "string"):
        return str(token.value)
    if token.type == "function" and token.lower_name in ("url", "src"):
        return next((str(part.value) for part in token.arguments if part.type == "string"), None)
    return None


def declarations_of(content: str | Sequence[Any]) -> tuple[Any, ...]:
    """Return the declarations of a STYLE attribute, or of the block of a rule."""
    content = with_readable_numbers(content) if isinstance(content, str) else content
    return tuple(node for node in tinycss2.parse_blocks_contents(content, True, True) if node.type == "declaration")


def declared(source: Any, name: str, value: str | Sequence[Any]) -> Any:
    """Return a declaration with the importance of another (CSS Cascading and Inheritance 5, 6.4.1)."""
    return Declaration(source.source_line, source.source_column, name, name.lower(), _tokens(value), source.important)


def _tokens(value: str | Sequence[Any]) -> Sequence[Any]:
    return tinycss2.parse_component_value_list(value) if isinstance(value, str) else value
