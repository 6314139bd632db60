"""Warnings of characters that no font has. PlutoBook draws a box in their place without a warning."""

from __future__ import annotations

import pikepdf
from reportlab.lib.fonts import tt2ps

from wcspider.engines.text import fonts, runs

_PLAIN = 0x250
"""Below this code point, the bundled fonts have all characters."""

_PRIVATE = (0xE000, 0xF900)


def warnings(pdf: pikepdf.Pdf, text: str, language: str, *, system_fonts: bool, author_fonts: bool) -> list[str]:
    """Return a line for each script of a page that has characters which no font has."""
    if not _has_boxes(pdf):
        return []
    characters = {c for c in set(text) if ord(c) >= _PLAIN and not c.isspace()}
    if author_fonts:  # an icon font has icons for private characters
        characters = {c for c in characters if not _PRIVATE[0] <= ord(c) < _PRIVATE[1]}
    runs.load()
    found = runs.Runs(language, system=system_fonts)
    faces = [tt2ps(family, 0, 0) for family in (fonts.SANS, fonts.SERIF, fonts.MONO, fonts.SYMBOLS)]
    found.cut("".join(sorted(characters)), faces)
    return found.warnings()


def _has_boxes(pdf: pikepdf.Pdf) -> bool:
    """Tell whether a font of the file shows a character that it does not have (U+FFFD in ToUnicode)."""
    return any(
        b"<fffd>" in thing["/ToUnicode"].read_bytes().lower()
        for thing in pdf.objects
        if isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == "/Font" and "/ToUnicode" in thing
    )
