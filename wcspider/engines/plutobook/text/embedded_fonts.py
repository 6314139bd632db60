"""The fonts that cairo embeds in a page, and the fonts of wcspider that take their place.

cairo subsets fonts per document, so no two pages have a font in common. A glyph of a bundled font or a font of the
system can be shown as well with a fixed subset of `engines.text`, which is the same bytes on every page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Name
from reportlab.pdfbase import pdfmetrics

from wcspider.engines.plutobook.text.glyph_signatures import signatures
from wcspider.engines.text import fonts, runs, system_fonts
from wcspider.engines.text.fonts import SharedFont
from wcspider.engines.text.shaping import ShapedFont

NO_TEXT = "\ufffd"
"""The text that cairo writes for a glyph without a character."""

_PAIR = re.compile(rb"<([0-9a-f]+)> <([0-9a-f]+)>")
_BLOCK = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_TAG = 7
"""The length of the tag before the name of a subset, with its plus sign (9.6.4)."""


class EmbeddedFont:
    """A font object (9.5) that cairo wrote: a simple font, or a composite one with codes of two bytes."""

    def __init__(self, font: Any) -> None:
        self.object = font
        self.name = str(font.BaseFont)[1 + _TAG :]
        self.is_simple = font.Subtype == Name.TrueType or font.Subtype == Name.Type1

    @cached_property
    def texts(self) -> dict[int, str]:
        """The text of each code, by the ToUnicode CMap (9.10.3); without those that have none."""
        return {code: text for code, text in self._pairs() if text != NO_TEXT}

    def _pairs(self) -> Iterator[tuple[int, str]]:
        if Name.ToUnicode in self.object:
            for block in _BLOCK.findall(self.object.ToUnicode.read_bytes()):
                for code, text in _PAIR.findall(block):
                    yield int(code, 16), bytes.fromhex(text.decode()).decode("utf-16-be", "replace")

    @cached_property
    def replacement(self) -> Any:
        """The font of `engines.text` with the same glyphs; None for a font that is not known, such as the author's."""
        return _registered(self.name) if self._has_known_outlines() else None

    def _has_known_outlines(self) -> bool:
        """Whether the glyphs are those of the known font: a font of the author's may have the name of another."""
        if _system_face(self.name) is None:
            return True
        known = glyphs_by_signature(self.name)
        return all(signature in known for signature in self._outlines)

    @cached_property
    def _outlines(self) -> list[bytes]:
        """The outline of each glyph of the embedded program; empty for a program without TrueType outlines."""
        font = self.object if self.is_simple else self.object.DescendantFonts[0]
        descriptor = font.FontDescriptor
        return signatures(descriptor.FontFile2.read_bytes()) if Name.FontFile2 in descriptor else []

    @property
    def signatures(self) -> list[bytes]:
        """The outline of each glyph, by code; empty for a simple font, whose codes are not its glyphs."""
        return [] if self.is_simple else self._outlines

    @cached_property
    def widths(self) -> dict[int, float]:
        """The width of each code in thousandths of the font size (9.2.4)."""
        if self.is_simple:
            first = int(self.object.FirstChar)
            return {first + place: float(width) for place, width in enumerate(self.object.Widths)}
        return dict(_ranges(self.object.DescendantFonts[0].get("/W", pikepdf.Array())))


def _ranges(array: Any) -> Iterator[tuple[int, float]]:
    """Yield the widths of a W array (9.7.4.3) that has the form which cairo writes: a code and a list."""
    entries = list(array)
    for first, widths in zip(entries[::2], entries[1::2], strict=False):
        yield from ((int(first) + place, float(width)) for place, width in enumerate(widths))


@cache
def _registered(name: str) -> SharedFont | ShapedFont | None:
    """Return the bundled font or the font of the system with a PostScript name, registered with reportlab."""
    bundled = runs.bundled(name)
    if bundled is not None:
        return bundled
    face = _system_face(name)
    registered = system_fonts.register(face) if face is not None else None
    font = pdfmetrics.getFont(registered) if registered is not None else None
    return font if isinstance(font, SharedFont | ShapedFont) else None


@cache
def _system_face(name: str) -> system_fonts.Face | None:
    return next((face for face in system_fonts.faces() if face.name == name), None)


@cache
def glyphs_by_signature(name: str) -> dict[bytes, int]:
    """Return the glyph of each outline of a font, by its PostScript name; the first of several with one outline."""
    found: dict[bytes, int] = {}
    for glyph, signature in enumerate(_signatures(name)):
        found.setdefault(signature, glyph)
    return found


@cache
def canonical_glyphs(name: str) -> tuple[int, ...]:
    """Return for each glyph of a font the first glyph with the same outline; empty for a font without glyf table."""
    first = glyphs_by_signature(name)
    return tuple(first[signature] for signature in _signatures(name))


@cache
def _signatures(name: str) -> list[bytes]:
    face = _system_face(name)
    if face is not None:
        return signatures(Path(face.file).read_bytes(), face.index)
    return signatures(fonts.program(name))
