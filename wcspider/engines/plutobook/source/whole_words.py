"""Words with hyphens, kept on one line (CSS Text 3, 5.1).

Programs that extract text remove a hyphen at the end of a line, as if it divided a word.
"""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.source.long_words import LONG, LONG_IN_CELL, is_in_cell

_NO_BREAK: Final = "\ufeff"
"""A character after which no line ends (UAX 14, WJ). PlutoBook draws no glyph for it, and takes no font for it."""

_SOFT_HYPHEN: Final = "\u00ad"
"""PlutoBook may end a line at this character, but draws no hyphen."""

_WORD: Final = re.compile(rf"(?<!\S)[^\s{_SOFT_HYPHEN}-]*[-{_SOFT_HYPHEN}]\S+")
_HYPHEN: Final = re.compile(r"-(?=\S)")
_UNSEEN: Final = frozenset({"script", "style", "template", "title"})


def keep_whole(body: Any) -> None:
    """Keep the words of an element on one line, except for long words."""
    for element in body.iter(etree.Element):
        text, tail = element.text, element.tail
        if text and ("-" in text or _SOFT_HYPHEN in text) and element.tag not in _UNSEEN:
            element.text = _kept(text, element)
        if tail and ("-" in tail or _SOFT_HYPHEN in tail) and element is not body:
            element.tail = _kept(tail, element.getparent())


def _kept(text: str, parent: Any) -> str:
    return _WORD.sub(lambda match: match[0] if _is_long(match[0], parent) else _joined(match[0]), text)


def _is_long(word: str, parent: Any) -> bool:
    return len(word) >= LONG_IN_CELL and (len(word) >= LONG or is_in_cell(parent))


def _joined(word: str) -> str:
    return _HYPHEN.sub("-" + _NO_BREAK, word.replace(_SOFT_HYPHEN, ""))
