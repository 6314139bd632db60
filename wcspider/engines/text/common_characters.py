"""The order of characters in the subsets of fonts: frequent characters first, compatibility characters last."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

_COMMON = (
    *range(0xA1, 0xAD), *range(0xAE, 0x100), *range(0x2010, 0x2016), *range(0x2018, 0x201F), *range(0x2020, 0x2027),
    0x2030, 0x2032, 0x2033, 0x2039, 0x203A, 0x20AC, 0x2122, 0x2190, 0x2191, 0x2192, 0x2193, 0x2212, 0x2248,
    0x2260, 0x2264, 0x2265, 0x0131, 0x0152, 0x0153, 0x0160, 0x0161, 0x0178, 0x017D, 0x017E, 0x0192, 0x02C6, 0x02DC,
)  # fmt: skip
"""The common characters of Latin text besides ASCII."""

WIN_ANSI = {
    text: code
    for code in (*range(33, 127), *range(128, 0xA0), *range(0xA1, 0xAD), *range(0xAE, 0x100))
    if (text := bytes((code,)).decode("cp1252", "ignore"))
}
"""The codes of WinAnsiEncoding (D.2) by character, except for those of spaces and of the soft hyphen."""

GROUPS = (
    (*range(33, 127), *_COMMON),
    (*range(0x386, 0x3D0), *range(0x401, 0x460), 0x400, *range(0x490, 0x4A4), *range(0x4AE, 0x4C0), 0x2116),
    (*range(0x100, 0x180), *range(0x180, 0x250)),
)
"""The characters of the first subsets of each font: common Latin ones; Greek and Cyrillic; Latin Extended.

In the first subset, the characters of WinAnsiEncoding have its codes.
"""

EVERYDAY = frozenset(
    map(chr, (0x60C, 0x61B, 0x61F, *range(0x621, 0x653), *range(0x660, 0x66B), *range(0x6F0, 0x6FA)))
) | frozenset("\u067e\u0686\u0698\u06a9\u06af\u06c0\u06cc")
"""The characters of Arabic and Persian. Their forms are in one subset, so that words need no change of subset."""

_LEVELS = {
    "JP": ("euc_jp", range(0xB0, 0xD0), range(0xA1, 0xFF)),  # JIS X 0208, level 1
    "SC": ("gb2312", range(0xB0, 0xD8), range(0xA1, 0xFF)),  # GB 2312, level 1
    "TC": ("big5", range(0xA4, 0xC7), (*range(0x40, 0x7F), *range(0xA1, 0xFF))),  # Big5, level 1
    "KR": ("euc_kr", range(0xB0, 0xC9), range(0xA1, 0xFF)),  # KS X 1001, syllables
}
"""The rows and cells of the characters in general use, by font variant for Chinese, Japanese and Korean."""


def common_characters(variant: str) -> Iterable[int]:
    """Yield the common characters of a font variant, the most frequent first."""
    yield from map(ord, _frequent_characters().get(variant, ""))
    yield from (*range(0x21, 0x7F), *range(0x3001, 0x3100), *range(0xFF01, 0xFF61))
    for name in sorted(_LEVELS, key=lambda name: name != variant):
        codec, rows, cells = _LEVELS[name]
        for row in rows:
            text = b"".join(bytes((row, cell)) for cell in cells).decode(codec, "ignore")
            yield from map(ord, text)


@cache
def _frequent_characters() -> Mapping[str, str]:
    """Return the most frequent characters of Chinese, Japanese and Korean text, by font variant."""
    lines = resources.files(__package__).joinpath("frequent_characters.txt").read_text("utf-8").splitlines()
    return dict(line.split() for line in lines)


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
