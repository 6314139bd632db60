"""The codes of the fixed subsets for the codes of an embedded font."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from struct import unpack

from wcspider.engines.plutobook.text.embedded_fonts import EmbeddedFont, glyphs_by_signature
from wcspider.engines.text.fonts import SharedFont
from wcspider.engines.text.scripts import SHAPED
from wcspider.engines.text.shaping import ShapedFont

Code = tuple[int, int]
"""The number of a subset and a code in it; the number is `ANY` for a code that is the same in each subset."""

ANY = -1
Segment = tuple[int, bytes | float]
"""Codes of one subset, with its number, or a number that moves the place of the text."""

KEEP = -2
"""In place of the number of a subset: the codes are those of the embedded font."""

_SPACES = (0x20, 0xA0)


class Recoding:
    """The codes of one embedded font, each with the code in the fixed subsets that shows the same glyph."""

    def __init__(self, embedded: EmbeddedFont) -> None:
        self.embedded = embedded
        self.font: SharedFont | ShapedFont | None = embedded.replacement

    @cached_property
    def codes(self) -> dict[int, Code]:
        """The codes with an equivalent in the fixed subsets; all other codes remain codes of the embedded font."""
        if isinstance(self.font, SharedFont):
            return dict(self._shared(self.font))
        if isinstance(self.font, ShapedFont):
            return dict(self._shaped(self.font))
        return {}

    @cached_property
    def keeps_ascii(self) -> bool:
        """Whether ASCII characters have the same codes in the first subset."""
        return self.embedded.is_simple and isinstance(self.font, SharedFont)

    def codes_of(self, string: bytes) -> Sequence[int]:
        """Return the codes in a string: bytes, or pairs of bytes (9.4.3)."""
        return string if self.embedded.is_simple else unpack(f">{len(string) // 2}H", string)

    def segments(self, codes: bytes) -> Iterator[Segment]:
        """Yield codes as those of the fixed subsets, in segments of one subset."""
        if self.keeps_ascii and codes.isascii():
            yield 0, codes
            return
        length = 1 if self.embedded.is_simple else 2
        segment, current = bytearray(), ANY
        for number in self.codes_of(codes):
            subset, code = self.codes.get(number, (KEEP, 0))
            if subset == ANY and current != KEEP:
                subset = current
            if segment and subset != current and (current != ANY or subset == KEEP):
                yield current, bytes(segment)
                segment = bytearray()
            segment += number.to_bytes(length) if subset == KEEP else bytes((code,))
            current = subset
        yield current, bytes(segment)

    @cached_property
    def is_shaped(self) -> bool:
        """Whether glyphs of the font stand for more or less than one character, or are placed by their neighbours."""
        if not isinstance(self.font, ShapedFont):
            return False
        texts = (self.font.text_of(glyph) for code, glyph in self.glyphs.items() if code)
        return any(not text or SHAPED.match(text) for text in texts)

    @cached_property
    def glyphs(self) -> dict[int, int]:
        """The glyph of each code, by its number in the whole font."""
        found = dict(self._nominal())
        if len(found) < len(self.embedded.widths) - 1:
            known = glyphs_by_signature(self.embedded.name)
            for code, signature in enumerate(self.embedded.signatures):
                if code and code not in found and signature in known:
                    found[code] = known[signature]
        return found

    def _nominal(self) -> Iterator[tuple[int, int]]:
        for code, text in self.embedded.texts.items():
            glyph = self._glyph_of(text) if len(text) == 1 else None
            if glyph:
                yield code, glyph

    def _glyph_of(self, character: str) -> int | None:
        if isinstance(self.font, ShapedFont):
            return self.font.glyph_of(character)
        found: int | None = self.font.face.charToGlyph.get(ord(character)) if self.font is not None else None
        return found

    def _shared(self, font: SharedFont) -> Iterator[tuple[int, Code]]:
        characters = _characters(font)
        for code, glyph in self.glyphs.items():
            character = characters.get(glyph)
            if character in _SPACES:
                yield code, (ANY, 32)
            elif character in font.codes:
                yield code, font.codes[character]

    def _shaped(self, font: ShapedFont) -> Iterator[tuple[int, Code]]:
        for code, glyph in self.glyphs.items():
            fixed = font.fixed(glyph)
            if fixed is not None:
                yield code, (fixed.subset, fixed.code)


@lru_cache(maxsize=100)
def _characters(font: SharedFont) -> dict[int, int]:
    """Return the character of each glyph of a font."""
    return {glyph: character for character, glyph in font.face.charToGlyph.items()}
