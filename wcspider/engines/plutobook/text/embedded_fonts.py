"""The fonts that cairo embeds in a page, and the codes of fixed subsets with the same glyphs.

cairo subsets fonts per document, so no two pages have a font in common. A glyph of a bundled font or a font of the
system can also be shown with a fixed subset of `engines.text`, which has the same bytes on every page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property
from struct import unpack
from typing import Any

import pikepdf
from pikepdf import Name

from wcspider.engines.plutobook.text import unicode_maps
from wcspider.engines.plutobook.text.known_fonts import glyphs_by_outline, outlines, registered, system_face
from wcspider.engines.text.fixed_subsets import FontUse
from wcspider.engines.text.scripts import MARK, SHAPED
from wcspider.engines.text.shaping import ShapedFont

NO_TEXT = "\ufffd"
"""The text that cairo writes for a glyph without a character."""

ANY = -1
"""In place of the number of a subset: a code that is the same in each subset."""

KEEP = -2
"""In place of the number of a subset: the codes are those of the embedded font."""

UNUSUAL = frozenset((*range(32), 127, 160, 173))
"""The codes of a simple font that are no codes of WinAnsiEncoding, and those of its second space and hyphen."""

_TAG = 7
"""The length of the tag before the name of a subset, with its plus sign (9.6.4)."""


class EmbeddedFont:
    """A font object (9.5) that cairo wrote: a simple font, or a composite one with codes of two bytes."""

    def __init__(self, font: Any, characters: Container[str], use_in: Callable[[ShapedFont], FontUse]) -> None:
        """`characters` are those of the page; `use_in` returns the parts of a font that the document uses."""
        self.object = font
        self._characters = characters
        self._use_in = use_in
        self.name = str(font.BaseFont)[1 + _TAG :]
        self.length = 1 if font.Subtype in (Name.TrueType, Name.Type1) else 2
        """The length of a code in bytes."""

    @cached_property
    def font(self) -> ShapedFont | None:
        """The font of `engines.text` with the same glyphs; None for a font that is not known, such as the author's."""
        return registered(self.name) if self._has_known_outlines() else None

    def _has_known_outlines(self) -> bool:
        """Whether the glyphs are those of the known font: a font of the author's may have the name of another."""
        return system_face(self.name) is None or glyphs_by_outline(self.name).keys() >= set(self._outlines)

    @cached_property
    def _outlines(self) -> list[bytes]:
        """The outline of each glyph of the embedded program; empty for a program without TrueType outlines."""
        font = self.object if self.length == 1 else self.object.DescendantFonts[0]
        descriptor = font.FontDescriptor
        return outlines(descriptor.FontFile2.read_bytes()) if Name.FontFile2 in descriptor else []

    @cached_property
    def widths(self) -> Mapping[int, float]:
        """The width of each code in thousandths of the font size (9.2.4); 0 for codes without one."""
        if self.length == 1:
            return defaultdict(float, enumerate(map(float, self.object.Widths), int(self.object.FirstChar)))
        return defaultdict(float, _ranges(self.object.DescendantFonts[0].get("/W", pikepdf.Array())))

    @cached_property
    def glyphs(self) -> dict[int, int]:
        """The glyph of each code, by its number in the whole font: by its character, or else by its outline."""
        if self.font is None:
            return {}
        texts = unicode_maps.texts(self.object)
        single = {code: text for code, text in texts.items() if len(text) == 1 and text != NO_TEXT}
        found = {code: glyph for code, text in single.items() if (glyph := self.font.glyph_of(text))}
        # The codes of a simple font are not the numbers of its glyphs.
        if self.length == 2 and len(found) < len(texts):
            known = glyphs_by_outline(self.name)
            unknown = ((code, outline) for code, outline in enumerate(self._outlines) if code and code not in found)
            found |= {code: known[outline] for code, outline in unknown if outline in known}
        return found

    @cached_property
    def is_shaped(self) -> bool:
        """Whether glyphs of the font stand for more or less than one character, or are placed by their neighbours."""
        if self.font is None:
            return False
        texts = (self.font.text_of(glyph) for code, glyph in self.glyphs.items() if code)
        return any(not text or SHAPED.match(text) or MARK.match(text) for text in texts)

    @cached_property
    def keeps_codes(self) -> bool:
        """Whether the codes have the same glyphs in the first subset, except for those of `UNUSUAL`.

        cairo encodes simple fonts in WinAnsiEncoding.
        """
        return self.length == 1 and self.font is not None and self.font.keeps_win_ansi

    @cached_property
    def _codes(self) -> dict[int, tuple[int, int]]:
        """The subset and the code in it that show the same glyph, for each code with such an equivalent."""
        if self.font is None:
            return {}
        fixed = {code: self._place(self.font, glyph) for code, glyph in self.glyphs.items()}
        return {code: place for code, place in fixed.items() if place is not None}

    def _place(self, font: ShapedFont, glyph: int) -> tuple[int, int] | None:
        """Return the subset and the code in it that show a glyph as a character of the page."""
        fixed, text = font.fixed(glyph), font.text_of(glyph)
        if fixed is None:
            return None
        if not text.isascii() and text not in self._characters:
            for twin in filter(self._characters.__contains__, font.twins.get(glyph, ())):
                return font.place(self._use_in(font), font.form(twin, glyph))
        return fixed.subset, fixed.code

    def codes_of(self, string: bytes) -> Sequence[int]:
        """Return the codes in a string: bytes, or pairs of bytes (9.4.3)."""
        return string if self.length == 1 else unpack(f">{len(string) // 2}H", string)

    def segments(self, string: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield a string as codes of the fixed subsets: the number of a subset, `ANY` or `KEEP`, with codes in it."""
        if self.keeps_codes and UNUSUAL.isdisjoint(string):
            yield 0, string
            return
        segment, current = bytearray(), ANY
        for number in self.codes_of(string):
            subset, code = self._codes.get(number, (KEEP, 0))
            if subset == ANY and current != KEEP:
                subset = current
            if segment and subset != current and (current != ANY or subset == KEEP):
                yield current, bytes(segment)
                segment = bytearray()
            segment += number.to_bytes(self.length) if subset == KEEP else bytes((code,))
            current = subset
        yield current, bytes(segment)


def _ranges(array: Any) -> Iterator[tuple[int, float]]:
    """Yield the widths of a W array (9.7.4.3) that has the form which cairo writes: a code and a list."""
    entries = list(array)
    for first, widths in zip(entries[::2], entries[1::2], strict=False):
        yield from ((int(first) + place, float(width)) for place, width in enumerate(widths))
