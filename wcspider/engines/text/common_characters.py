"""The order of characters in the subsets of fonts: frequent characters first, compatibility characters last."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from wcspider.engines.text.frequent_characters import FREQUENT

EVERYDAY = frozenset(
    map(chr, (0x60C, 0x61B, 0x61F, *range(0x621, 0x653), *range(0x660, 0x66B), *range(0x6F0, 0x6FA)))
) | frozenset("\u067e\u0686\u0698\u06a9\u06af\u06c0\u06cc")
"""The characters of Arabic and Persian. Their forms are in the first subset, so that words need no change of subset."""

_LEVELS = {
    "JP": ("euc_jp", range(0xB0, 0xD0), range(0xA1, 0xFF)),  # JIS X 0208, level 1
    "SC": ("gb2312", range(0xB0, 0xD8), range(0xA1, 0xFF)),  # GB 2312, level 1
    "TC": ("big5", range(0xA4, 0xC7), (*range(0x40, 0x7F), *range(0xA1, 0xFF))),  # Big5, level 1
    "KR": ("euc_kr", range(0xB0, 0xC9), range(0xA1, 0xFF)),  # KS X 1001, syllables
}
"""The rows and cells of the characters in general use, by font variant for Chinese, Japanese and Korean."""


def common_characters(variant: str) -> Iterable[int]:
    """Yield the common characters of a font variant, the most frequent first."""
    yield from map(ord, FREQUENT.get(variant, ""))
    yield from (*range(0x21, 0x7F), *range(0x3001, 0x3100), *range(0xFF01, 0xFF61))
    for name in sorted(_LEVELS, key=lambda name: name != variant):
        codec, rows, cells = _LEVELS[name]
        for row in rows:
            text = b"".join(bytes((row, cell)) for cell in cells).decode(codec, "ignore")
            yield from map(ord, text)


def is_compatible(character: str) -> tuple[bool, str]:
    """Return a sort key that puts compatibility characters after the characters that they stand for."""
    return "\u2e80" <= character < "\u3000" or bool(unicodedata.decomposition(character)), character


def is_form(character: int) -> bool:
    """Tell whether a character is a presentation form."""
    return 0xFB1D <= character <= 0xFDFF or 0xFE70 <= character <= 0xFEFC


def plain(character: str) -> str:
    """Return the letters that a presentation form shows; other characters unchanged."""
    if is_form(ord(character)):
        return unicodedata.normalize("NFKC", character).strip() or character
    return character
