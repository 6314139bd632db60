"""Glyphs recognised by their outlines: which glyph of a font an embedded subset of the font shows.

cairo numbers the glyphs of a subset in order of use, and gives no text for a glyph that no character has alone.
It copies outlines unchanged (the glyf table of a TrueType font), so equal outlines tell which glyph it is.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from struct import unpack_from

_ARGUMENTS_ARE_WORDS, _SCALE, _MORE, _TWO_SCALES, _MATRIX = 0x1, 0x8, 0x20, 0x40, 0x80
"""Flags of a component of a composite glyph."""

_DEEPEST = 8
"""How deep composite glyphs are followed; the specification wants no deep ones."""


def signatures(program: bytes, index: int = 0) -> list[bytes]:
    """Return for each glyph of a TrueType font program what is the same in a subset of it: the outline.

    An empty list for a program without a glyf table, or with a damaged one.
    """
    try:
        tables = dict(_tables(program, index))
        if not {b"glyf", b"loca", b"head", b"maxp"} <= tables.keys():
            return []
        places = _places(program, tables)
        glyphs = [program[start:end].rstrip(b"\0") for start, end in itertools.pairwise(places)]
        return [_signature(glyphs, number, 0) for number in range(len(glyphs))]
    except (struct.error, LookupError, ValueError):
        return []


def _tables(program: bytes, index: int) -> Iterator[tuple[bytes, int]]:
    start = unpack_from(">I", program, 12 + 4 * index)[0] if program[:4] == b"ttcf" else 0
    for entry in range(unpack_from(">H", program, start + 4)[0]):
        tag, _, offset, _ = unpack_from(">4sIII", program, start + 12 + 16 * entry)
        yield tag, offset


def _places(program: bytes, tables: dict[bytes, int]) -> list[int]:
    count = unpack_from(">H", program, tables[b"maxp"] + 4)[0] + 1
    is_long = unpack_from(">h", program, tables[b"head"] + 50)[0]
    offsets = unpack_from(f">{count}{'I' if is_long else 'H'}", program, tables[b"loca"])
    return [tables[b"glyf"] + offset * (1 if is_long else 2) for offset in offsets]


def _signature(glyphs: list[bytes], number: int, depth: int) -> bytes:
    glyph = glyphs[number]
    if len(glyph) < 10 or glyph[0] < 0x80 or depth > _DEEPEST:
        return glyph
    return glyph[:10] + b"".join(_components(glyphs, glyph, depth))


def _components(glyphs: list[bytes], glyph: bytes, depth: int) -> Iterator[bytes]:
    """Yield the components of a composite glyph, each with its outline in place of its number."""
    place, more = 10, True
    # The zeros that end a glyph may have been cut off as padding.
    glyph += bytes(16)
    while more:
        flags, component = unpack_from(">HH", glyph, place)
        length = 4 if flags & _ARGUMENTS_ARE_WORDS else 2
        length += 2 if flags & _SCALE else 4 if flags & _TWO_SCALES else 8 if flags & _MATRIX else 0
        yield glyph[place : place + 2] + glyph[place + 4 : place + 4 + length]
        yield _signature(glyphs, component, depth + 1)
        place, more = place + 4 + length, bool(flags & _MORE)
