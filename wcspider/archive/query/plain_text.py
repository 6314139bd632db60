"""Text from web pages in a form that is safe to display."""

from __future__ import annotations

import re
import unicodedata

JOINERS = "\u200c\u200d\u00ad"
"""Formatting characters that belong to words: the zero-width joiners and the soft hyphen."""

_CONTROLS_RE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""The control characters, with which a text could send commands to a terminal."""


def visible(text: str, kept: str = "") -> str:
    r"""Return a text with control and formatting characters replaced by U+FFFD, except those in `kept`.

    Such characters could move the cursor of a terminal, change colours, or reverse the text around them.

    >>> visible("a\x1b[31mb\u202ec")
    'a�[31mb�c'
    """
    return "".join("\ufffd" if _is_hidden(character) and character not in kept else character for character in text)


def without_controls(text: str, kept: str = "") -> str:
    r"""Return a text with control characters replaced by U+FFFD, except those in `kept`.

    Formatting characters stay, because texts in some languages need them.

    >>> without_controls("a\x1b[31mb\x9bc\u200fd", kept="\n")
    'a�[31mb�c\u200fd'
    """
    return _CONTROLS_RE.sub(lambda found: found[0] if found[0] in kept else "\ufffd", text)


def _is_hidden(character: str) -> bool:
    category = unicodedata.category(character)
    return category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and character not in JOINERS)
