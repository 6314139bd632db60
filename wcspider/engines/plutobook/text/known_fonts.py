"""The bundled fonts and the fonts of the system, by their PostScript names, with glyphs recognised by their outlines.

cairo numbers the glyphs of a subset in order of use, and gives no text for a glyph that no character has alone. It
copies the outlines of TrueType fonts unchanged, so equal outlines tell which glyph it is.
"""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont

from wcspider.engines.text import fonts, system_fonts
from wcspider.engines.text.shaping import ShapedFont

_DEEPEST = 8
"""How deep composite glyphs are followed; the specification wants no deep ones."""


@cache
def registered(name: str) -> ShapedFont | None:
    """Return the bundled font or the font of the system with a PostScript name, registered with reportlab."""
    if name in fonts.NAMES:
        return fonts.register(name)
    face = system_face(name)
    return system_fonts.register(face) if face is not None else None


@cache
def system_face(name: str) -> system_fonts.Face | None:
    """Return the face of the system with a PostScript name."""
    return next((face for face in system_fonts.faces() if face.name == name), None)


@cache
def glyphs_by_outline(name: str) -> dict[bytes, int]:
    """Return the glyph of each outline of a font, by its PostScript name; the first of several with one outline."""
    found: dict[bytes, int] = {}
    for glyph, outline in enumerate(_outlines(name)):
        found.setdefault(outline, glyph)
    return found


@cache
def canonical_glyphs(name: str) -> tuple[int, ...]:
    """Return for each glyph of a font the first glyph with the same outline; empty for a font without glyf table."""
    first = glyphs_by_outline(name)
    return tuple(first[outline] for outline in _outlines(name))


@cache
def _outlines(name: str) -> list[bytes]:
    face = system_face(name)
    if face is not None:
        return outlines(Path(face.file).read_bytes(), face.index)
    return outlines(fonts.program(name))


def outlines(program: bytes, index: int = 0) -> list[bytes]:
    """Return for each glyph of a TrueType font program its outline, which is the same in a subset of the font.

    An empty list for a program without a glyf table, or with a damaged one.
    """
    try:
        with TTFont(io.BytesIO(program), fontNumber=index, lazy=True) as font:
            if "glyf" not in font:
                return []
            # Names are needed to read the table, but those of the font are of no interest.
            font.setGlyphOrder([str(number) for number in range(font["maxp"].numGlyphs)])
            table = font["glyf"]
            # An empty glyph has no data, and a composite one loses them when its components are read.
            programs = [getattr(table.glyphs[name], "data", b"").rstrip(b"\0") for name in table.glyphOrder]
            return [_outline(table, programs, number) for number in range(len(programs))]
    except Exception:  # fontTools raises exceptions of many classes for a damaged font
        return []


def _outline(table: Any, programs: list[bytes], number: int, depth: int = 0) -> bytes:
    """Return the bytes of a glyph, with the outlines of its components in place of their numbers."""
    program = programs[number]
    if program[:1] < b"\x80" or depth > _DEEPEST:
        return program
    components = (component.getComponentInfo() for component in table[str(number)].components)
    parts = (b"%b %b" % (_outline(table, programs, int(name), depth + 1), repr(at).encode()) for name, at in components)
    return b"".join(parts)
