"""The scripts of characters, the Debian packages with fonts for them, and line breaks in scripts without spaces."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

_CORE, _CJK, _EXTRA = "fonts-noto-core", "fonts-noto-cjk", "fonts-noto-extra"
_HAN = "Chinese characters"


@dataclass(frozen=True, slots=True)
class Script:
    """A script and the Debian package that provides a font for it."""

    name: str
    package: str


_BLOCKS = (
    (0x0000, "Latin", _CORE), (0x0370, "Greek", _CORE), (0x0400, "Cyrillic", _CORE), (0x0530, "Armenian", _CORE),
    (0x0590, "Hebrew", _CORE), (0x0600, "Arabic", _CORE), (0x0700, "Syriac", _CORE), (0x0750, "Arabic", _CORE),
    (0x0780, "Thaana", _CORE), (0x07C0, "N'Ko", _CORE), (0x0800, "Samaritan", _CORE), (0x0840, "Mandaic", _CORE),
    (0x0860, "Arabic", _CORE), (0x0900, "Devanagari", _CORE), (0x0980, "Bengali", _CORE), (0x0A00, "Gurmukhi", _CORE),
    (0x0A80, "Gujarati", _CORE), (0x0B00, "Oriya", _CORE), (0x0B80, "Tamil", _CORE), (0x0C00, "Telugu", _CORE),
    (0x0C80, "Kannada", _CORE), (0x0D00, "Malayalam", _CORE), (0x0D80, "Sinhala", _CORE), (0x0E00, "Thai", _CORE),
    (0x0E80, "Lao", _CORE), (0x0F00, "Tibetan", _CORE), (0x1000, "Myanmar", _CORE), (0x10A0, "Georgian", _CORE),
    (0x1100, "Korean", _CJK), (0x1200, "Ethiopic", _CORE), (0x13A0, "Cherokee", _CORE), (0x1400, "Canadian", _CORE),
    (0x1680, "Ogham", _CORE), (0x16A0, "Runic", _CORE), (0x1780, "Khmer", _CORE), (0x1800, "Mongolian", _CORE),
    (0x1900, "other scripts", _CORE), (0x1C80, "Cyrillic", _CORE), (0x1C90, "Georgian", _CORE),
    (0x1CC0, "other scripts", _CORE), (0x1CD0, "Devanagari", _CORE), (0x1D00, "Latin", _CORE),
    (0x1F00, "Greek", _CORE), (0x2000, "symbols", _CORE), (0x2E80, _HAN, _CJK), (0x3000, _HAN, _CJK),
    (0x3040, "Japanese", _CJK), (0x3100, _HAN, _CJK), (0x3130, "Korean", _CJK), (0x3190, _HAN, _CJK),
    (0x31F0, "Japanese", _CJK), (0x3200, _HAN, _CJK), (0xA000, "other scripts", _CORE),
    (0xA640, "Cyrillic", _CORE), (0xA6A0, "other scripts", _CORE), (0xA700, "Latin", _CORE),
    (0xA800, "other scripts", _CORE), (0xA8E0, "Devanagari", _CORE), (0xA900, "other scripts", _CORE),
    (0xA960, "Korean", _CJK), (0xA980, "other scripts", _CORE), (0xAC00, "Korean", _CJK),
    (0xD800, "private characters", _EXTRA), (0xF900, _HAN, _CJK), (0xFB00, "Latin", _CORE),
    (0xFB1D, "Hebrew", _CORE), (0xFB50, "Arabic", _CORE), (0xFE00, "symbols", _CORE), (0xFE30, _HAN, _CJK),
    (0xFE70, "Arabic", _CORE), (0xFF00, _HAN, _CJK), (0xFF61, "Japanese", _CJK), (0xFFA0, "Korean", _CJK),
    (0xFFE0, _HAN, _CJK), (0xFFF0, "symbols", _CORE), (0x10000, "historic scripts", _EXTRA),
    (0x1B000, "Japanese", _CJK), (0x1B170, "historic scripts", _EXTRA), (0x1D000, "symbols", _CORE),
    (0x1E000, "other scripts", _CORE), (0x1EE00, "symbols", _CORE), (0x1F000, "emoji", "fonts-noto-color-emoji"),
    (0x20000, _HAN, _CJK), (0x323B0, "other scripts", _EXTRA), (0xE0000, "private characters", _EXTRA),
)  # fmt: skip
"""The first character of each block, its script and package (Blocks.txt of the Unicode Character Database)."""

_STARTS = [start for start, _, _ in _BLOCKS]
_SCRIPTS = [Script(name, package) for _, name, package in _BLOCKS]

SHAPED = re.compile(
    "[\u0590-\u1098\u1700-\u18af\u1900-\u1aff\u1b00-\u1c4f\ua800-\ua8ff\ua900-\uaaff\uabc0-\uabff\ufb1d-\ufdff\ufe70-\ufefc]"
)
"""Characters that need shaping: the context changes their glyph or its position, or they run right to left."""

_IDEOGRAPHS = "\u2e80-\u2fdf\u3000-\u30ff\u3100-\u312f\u3190-\u4dbf\u4e00-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
_SYLLABLES = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1980-\u19df\u1a20-\u1aaf"
UNSPACED = re.compile(f"[{_IDEOGRAPHS}{_SYLLABLES}\U0001b000-\U0001b16f\U00020000-\U000323af]")
"""Characters of scripts without spaces between words."""

_CLOSING = frozenset(
    "!%),.:;?]}¢°’”†‡℃、。々〉》」』】〕〗〙〛〟ぁぃぅぇぉっゃゅょゎゕゖゝゞァィゥェォッャュョヮヵヶ・ーヽヾ！％），．：；？］｝～｡｣､･ｰ"
    "ฯะาำๅๆ๏๚๛ຯະາຳໆ་།༎༏༐༑༔၊။។៕៖ៗ"
)
"""Characters that must not begin a line."""

_OPENING = frozenset("$([{£¥‘“〈《「『【〔〖〘〚〝＄（［｛｢￡￥เแโใไເແໂໃໄ")
"""Characters that must not end a line, including the vowels of Thai and Lao that precede their consonant."""


def script_of(character: str) -> Script:
    """Return the script of a character."""
    return _SCRIPTS[bisect_right(_STARTS, ord(character)) - 1]


def is_ignorable(character: str) -> bool:
    """Tell whether a character only controls the layout, so that fonts need no glyph for it."""
    return unicodedata.category(character) in ("Cf", "Cc") or "\ufe00" <= character <= "\ufe0f"


def extends(character: str) -> bool:
    """Tell whether a character extends the character before it: marks, joiners, selectors."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf")


def unbroken(text: str) -> list[str]:
    """Split a word where a line may end without a space (UAX #14, without dictionaries)."""
    if not UNSPACED.search(text):
        return [text]
    pieces, start = [], 0
    for place in range(1, len(text)):
        if _may_break(text[place - 1], text[place]):
            pieces.append(text[start:place])
            start = place
    return [*pieces, text[start:]]


def _may_break(before: str, after: str) -> bool:
    if not (UNSPACED.match(before) or UNSPACED.match(after)):
        return False
    return after not in _CLOSING and before not in _OPENING and not extends(after) and before != "\u0e4d"
