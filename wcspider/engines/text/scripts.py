"""The scripts of characters, the Debian packages with fonts for them, and line breaks in scripts without spaces."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from fontTools.unicodedata import block, script, script_name
from xhtml2pdf.bidi import bidi_class

_CORE, _CJK, _EMOJI = "fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji"
_RARE_IDEOGRAPHS = "fonts-hanazono"
_COMMON = ("Zyyy", "Zinh", "Zzzz")
"""The codes of characters that belong to several scripts, or to none (UAX #24)."""

_EAST_ASIAN = {
    "Hani": "Chinese characters",
    "Bopo": "Chinese characters",
    "Hira": "Japanese",
    "Kana": "Japanese",
    "Hang": "Korean",
}
"""The scripts in fonts-noto-cjk, by their code."""

_EAST_ASIAN_BLOCKS = {
    "Katakana": "Kana",
    "Hiragana": "Hira",
    **dict.fromkeys(("CJK", "Ideographic", "Kanbun", "Halfwidth", "Small Form"), "Hani"),
}
"""The scripts of common characters, by a part of the name of their block."""

_RARE = range(0x20000, 0x40000)
"""The planes of ideographs of which fonts-noto-cjk has only a part."""

_IS_EMOJI = re.compile(
    "[\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab\u26bd"
    "\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755"
    "\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001ffff]"
)
"""Emoji, and the other characters with an emoji presentation (UTS #51, 1.4.2)."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script and the Debian package that provides a font for it; "" if the page must bring the font."""

    name: str
    package: str

    @property
    def advice(self) -> str:
        """How to get a font for the script."""
        return f"install {self.package}" if self.package else "icons whose own font is missing"


SHAPED = re.compile(
    "[\u0590-\u1098\u1700-\u18af\u1900-\u1aff\u1b00-\u1c4f\ua800-\ua8ff\ua900-\uaaff\uabc0-\uabff\ufb1d-\ufdff\ufe70-\ufefc]"
)
"""Characters that need shaping: their glyphs depend on their neighbours, or they are written from right to left."""

MARK = re.compile("[\u0300-\u036f\u0483-\u0487\u1dc0-\u1dff\u20d0-\u20dc\u20e1\u20e5-\u20f0\ufe20-\ufe2f]")
"""Characters that are drawn over, under or through the letter before them, in several scripts."""

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
    code = script(character)
    if code in _COMMON:
        name = block(character)
        code = next((of_block for part, of_block in _EAST_ASIAN_BLOCKS.items() if part in name), code)
    if code == "Hani" and ord(character) in _RARE:
        return Script("rare Chinese characters", _RARE_IDEOGRAPHS)
    if code in _EAST_ASIAN:
        return Script(_EAST_ASIAN[code], _CJK)
    if code not in _COMMON:
        return Script(script_name(code), _CORE)
    if unicodedata.category(character) == "Co":
        return Script("private characters", "")
    return Script("emoji", _EMOJI) if _IS_EMOJI.match(character) else Script("symbols", _CORE)


SILENT = re.compile("[\u034f\u180b-\u180f\u2065\ufe00-\ufe0f\ufff0-\ufff8\U000e0000-\U000e0fff]")
"""The other characters without a glyph, which change at most that of another one (Default_Ignorable_Code_Point).

The fillers of Hangul are not among them, because fonts have glyphs for them.
"""


def is_ignorable(character: str) -> bool:
    """Tell whether a character only controls the layout, so that fonts need no glyph for it."""
    return unicodedata.category(character) in ("Cf", "Cc") or SILENT.match(character) is not None


def extends(character: str) -> bool:
    """Tell whether a character extends the character before it: marks, joiners, selectors."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf")


def is_rtl(text: str) -> bool:
    """Tell whether a text has a character that is written from right to left."""
    return not text.isascii() and any(bidi_class(character) in ("R", "AL") for character in text)


def unbroken(text: str) -> list[str]:
    """Split a word at the places where a line may end (UAX #14, without dictionaries)."""
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
