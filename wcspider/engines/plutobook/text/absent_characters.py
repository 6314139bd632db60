"""Characters that no font has. Each is shown as a box with the right text, and is named in a warning.

PlutoBook draws the same glyph for all characters that no font has, so their text would be lost. In the layout,
a private character stands for each of them; a font of boxes has these private characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

import pikepdf

from wcspider.engines.document.html_trees import change_texts
from wcspider.engines.text import fonts, system_fonts
from wcspider.engines.text.scripts import is_ignorable

FAMILY = "WcspiderBoxes"
FIRST = 0xE000
"""The first of the private characters."""

_LAST = 0xF8FF
"""The last of the private characters. An author's icon font may have icons for them."""

COUNT = 1_000
"""How many different characters of a page keep their text."""

_PLAIN = "\u0250"
"""Below this character, the bundled fonts have all characters."""

_SELECTORS = re.compile("[\u034f\u2065\ufe00-\ufe0f\ufff0-\ufff8\U000e0100-\U000e01ef]")
_FACES = (fonts.SANS_FACE, fonts.SCRIPTS_FACES[0], fonts.SYMBOLS_FACE)


def absent(texts: Iterable[str], *, system: bool) -> list[str]:
    """Return the characters of texts that neither the bundled fonts nor, if allowed, those of the system have."""
    found = set(chain.from_iterable(text for text in texts if not text.isascii()))
    return sorted(c for c in found if c >= _PLAIN and not _is_covered(c, system))


def missing(pdf: pikepdf.Pdf, texts: Iterable[str], *, system: bool) -> list[str]:
    """Return the absent characters of a page with author's fonts, which may have characters that no other font has.

    `pdf` is the layout of the page. If it has no box, the author's fonts have all characters.
    """
    found = absent(texts, system=system) if _has_boxes(pdf) else []
    return [character for character in found if not FIRST <= ord(character) <= _LAST]


def _has_boxes(pdf: pikepdf.Pdf) -> bool:
    """Tell whether a font of the file shows a character that it does not have (U+FFFD in ToUnicode)."""
    return any(
        b"<fffd>" in thing["/ToUnicode"].read_bytes().lower()
        for thing in pdf.objects
        if isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == "/Font" and "/ToUnicode" in thing
    )


@lru_cache(maxsize=20_000)
def _is_covered(character: str, system: bool) -> bool:
    if is_ignorable(character) or character.isspace():
        return True
    if any(ord(character) in fonts.register(face).characters for face in _FACES):
        return True
    return system and any(face.has(ord(character)) for face in system_fonts.faces())


def stand_ins(characters: Iterable[str]) -> dict[str, str]:
    """Return a private character for each character, as long as there are private characters."""
    return {character: chr(FIRST + place) for place, character in enumerate(characters) if place < COUNT}


def silent(texts: Iterable[str]) -> dict[str, str]:
    """Return the characters of texts that have no glyph and select a variant of another one, each with "".

    PlutoBook draws a space without a width for each, which would be a space in the text of the page.
    """
    return dict.fromkeys(set(chain.from_iterable(map(_SELECTORS.findall, texts))), "")


def replace(body: Any, by: Mapping[str, str]) -> None:
    """Replace characters in the texts of an element."""
    if by:
        table = str.maketrans(dict(by))
        change_texts(body, lambda text, _: text if text.isascii() else text.translate(table))
