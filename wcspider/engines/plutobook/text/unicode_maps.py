"""The ToUnicode CMaps (9.10.3) that cairo writes, and their correction in the fonts that stay as cairo embeds them.

cairo looks up a character for each glyph in the font. The page may contain another character with the same glyph: a
letter instead of its presentation form, an ideograph instead of a radical, or a slash instead of a division slash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from pikepdf import Name

_ENTRY = re.compile(rb"<([0-9a-f]+)> <([0-9a-f]+)>")
_BLOCK = re.compile(rb"beginbfchar.*?endbfchar", re.DOTALL)

_RADICALS = {0x2EA0: "民", 0x2EA9: "王", 0x2EBC: "肉", 0x2EC4: "西", 0x2EC5: "見", 0x2EC9: "贝", 0x2ECB: "车",
             0x2ED1: "長", 0x2ED3: "长", 0x2ED4: "门", 0x2EDA: "页", 0x2EDB: "风", 0x2EDC: "飞", 0x2EDD: "食",
             0x2EE0: "饣", 0x2EE2: "马", 0x2EE5: "鱼", 0x2EE8: "麦", 0x2EEC: "齐", 0x2EED: "歯", 0x2EEE: "齿",
             0x2EEF: "竜", 0x2EF0: "龙", 0x2EF3: "龟"}  # fmt: skip
"""The ideographs that look like radicals without a decomposition (CJK Radicals Supplement)."""


def spelled(text: str, characters: Container[str], twins: Mapping[str, Sequence[str]]) -> str:
    """Return the characters of the page for a text in a ToUnicode CMap of cairo.

    `twins` are the characters with one glyph in the author's fonts; an ASCII character is the most probable of them.
    """
    return "".join(_of_page(character, characters, twins.get(character, ())) for character in text)


def _of_page(character: str, characters: Container[str], twins: Sequence[str]) -> str:
    if character.isascii():
        return character
    probable = (*filter(str.isascii, twins), *(twin for twin in (character, *twins) if twin in characters))
    return probable[0] if probable else _plain(character)


def _plain(character: str) -> str:
    if ord(character) in _RADICALS:
        return _RADICALS[ord(character)]
    is_compatible = character >= "\u2000" and unicodedata.decomposition(character)
    return unicodedata.normalize("NFKC", character).strip() or character if is_compatible else character


def texts(font: Any) -> dict[int, str]:
    """Return the text of each code of a font object."""
    blocks = _BLOCK.findall(font.ToUnicode.read_bytes()) if Name.ToUnicode in font else ()
    return {int(code, 16): _decoded(text) for block in blocks for code, text in _ENTRY.findall(block)}


def correct(font: Any, change: Callable[[str], str]) -> None:
    """Change the texts of a font object."""

    def changed(match: re.Match[bytes]) -> bytes:
        text = change(_decoded(match[2])).encode("utf-16-be", "replace").hex()
        return b"<%b> <%b>" % (match[1], text.encode())

    if Name.ToUnicode not in font:
        return
    content = font.ToUnicode.read_bytes()
    found = _BLOCK.sub(lambda block: _ENTRY.sub(changed, block[0]), content)
    if found != content:
        font.ToUnicode.write(found)


def _decoded(text: bytes) -> str:
    return bytes.fromhex(text.decode()).decode("utf-16-be", "replace")
