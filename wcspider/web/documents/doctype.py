"""The internal subset of a document type declaration (XML 1.0, 2.8), which HTML parsers would show as text."""

from __future__ import annotations

import re
from typing import Final

_START_RE: Final = re.compile(
    r"""(?P<prolog>\s*+(?:<\?[^>]*+>\s*+|<!--(?:(?!-->).)*+-->\s*+)*+)<!DOCTYPE[^<>\["']*"""
    r"""(?:(?:"[^"]*"|'[^']*')[^<>\["']*){0,2}\[""",
    re.IGNORECASE | re.DOTALL,
)
"""The start of a document with an internal subset, after any public and system identifiers."""

_ENDS: Final = {"<!--": "-->", "<?": "?>", '"': '"', "'": "'"}
_PART_RE: Final = re.compile(r"""<!--|<\?|"|'|\]""")
_REST_RE: Final = re.compile(r"\s*>")


def has_internal_subset(text: str) -> bool:
    """Tell whether a document, or the beginning of one, has an internal subset."""
    return _START_RE.match(text) is not None


def without_internal_subset(text: str) -> str:
    """Return a document without its document type, if that has an internal subset; otherwise unchanged.

    >>> without_internal_subset('<!DOCTYPE html [<!ENTITY e "]>">]><p>text')
    '<p>text'
    """
    start = _START_RE.match(text)
    if start is None:
        return text
    end = _end(text, start.end())
    return text if end is None else start["prolog"] + text[end:]


def _end(text: str, position: int) -> int | None:
    """Return the position after the document type; None if its subset does not end."""
    while (part := _PART_RE.search(text, position)) is not None:
        if part[0] == "]":
            rest = _REST_RE.match(text, part.end())
            return rest.end() if rest else None
        found = text.find(_ENDS[part[0]], part.end())
        if found < 0:
            return None
        position = found + len(_ENDS[part[0]])
    return None
