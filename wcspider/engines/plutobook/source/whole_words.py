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

_WITH_HYPHENS: Final = etree.XPath(f"descendant-or-self::*/text()[contains(., '-') or contains(., '{_SOFT_HYPHEN}')]")
_WORD: Final = re.compile(rf"[^\s{_SOFT_HYPHEN}-]*[-{_SOFT_HYPHEN}]\S+")
_HYPHEN: Final = re.compile(r"-(?=\S)")
_UNSEEN: Final = frozenset({"script", "style", "template", "title"})


def keep_whole(body: Any) -> None:
    """Keep the words of an element on one line, except for long words."""
    for text in _WITH_HYPHENS(body):
        element = text.getparent()
        if text.is_tail:
            element.tail = _kept(element.tail, element.getparent())
        elif element.tag not in _UNSEEN:
            element.text = _kept(element.text, element)


def _kept(text: str, parent: Any) -> str:
    most = LONG_IN_CELL if is_in_cell(parent) else LONG
    return _WORD.sub(lambda match: _joined(match[0]) if len(match[0]) < most else match[0], text)


def _joined(word: str) -> str:
    return _HYPHEN.sub("-" + _NO_BREAK, word.replace(_SOFT_HYPHEN, ""))
