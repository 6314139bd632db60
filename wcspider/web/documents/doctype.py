"""Document types: their internal subsets (XML 1.0, 2.8), which HTML parsers would show as text, and quirks mode."""

from __future__ import annotations

import re
from typing import Final

_PROLOG: Final = r"(?P<prolog>\s*+(?:<\?[^>]*+>\s*+|<!--(?:(?!-->).)*+-->\s*+)*+)"
_LITERAL: Final = r"""(?:"[^"]*"|'[^']*')"""
_START_RE: Final = re.compile(
    rf"""{_PROLOG}<!DOCTYPE[^<>\["']*(?:{_LITERAL}[^<>\["']*){{0,2}}\[""", re.IGNORECASE | re.DOTALL
)
"""The start of a document with an internal subset, after any public and system identifiers."""

_TYPE_RE: Final = re.compile(
    rf"{_PROLOG}<!DOCTYPE\s+html\b\s*(?:PUBLIC\s*(?P<public>{_LITERAL})\s*(?P<system>{_LITERAL})?)?",
    re.IGNORECASE | re.DOTALL,
)
"""The start of an HTML document with its public and system identifiers, in quotes."""

_TRANSITIONAL: Final = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")
_OLD: Final = (
    "+//silmaril//", "-//advasoft ltd//", "-//as//", "-//ietf//", "-//metrius//", "-//microsoft//", "-//netscape comm",
    "-//o'reilly", "-//softquad", "-//spyglass//", "-//sq//", "-//sun microsystems", "-//w3c//dtd html 3",
    "-//w3c//dtd html 4.0 frameset//", "-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental",
    "-//w3c//dtd w3 html", "-//w3o//", "-//webtechs//", "-/w3c/dtd html 4.0 transitional/en",
)  # fmt: skip
"""The beginnings of public identifiers of documents that are in quirks mode, in lower case."""

_ENDS: Final = {"<!--": "-->", "<?": "?>", '"': '"', "'": "'"}
_PART_RE: Final = re.compile(r"""<!--|<\?|"|'|\]""")
_REST_RE: Final = re.compile(r"\s*>")


def has_internal_subset(text: str) -> bool:
    """Tell whether a document, or the beginning of one, has an internal subset."""
    return _START_RE.match(text) is not None


def in_quirks_mode(text: str) -> bool:
    """Tell whether browsers show an HTML document, of which the beginning is given, in quirks mode (HTML, 13.2.6.4.1).

    >>> in_quirks_mode('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">')
    True
    """
    found = _TYPE_RE.match(text)
    public = (found["public"] or '""')[1:-1].lower() if found else "html"
    is_without_system = found is None or found["system"] is None
    return public == "html" or public.startswith(_OLD) or (is_without_system and public.startswith(_TRANSITIONAL))


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
