"""TrueType programs with glyphs of any font, TrueType or CFF, which HarfBuzz copies or draws."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import uharfbuzz
from fontTools.fontBuilder import FontBuilder
from fontTools.misc.roundTools import noRound
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from fontTools.ttLib.tables._g_l_y_f import Glyph

_NOTDEF = ".notdef"
_SILENT = "silent"
"""The name of an empty glyph without a width."""

_ERROR = 1 / 1000
"""The largest distance between a quadratic curve and the cubic curve that it replaces, in ems."""

_TABLES: Final = frozenset({"glyf", "head", "hhea", "hmtx", "loca", "maxp"})
"""The tables of a program besides its cmap (9.9)."""

_FLAGS: Final = (
    uharfbuzz.SubsetFlags.NO_HINTING
    | uharfbuzz.SubsetFlags.NOTDEF_OUTLINE
    | uharfbuzz.SubsetFlags.NO_LAYOUT_CLOSURE  # no other forms of the glyphs
)


@dataclass(frozen=True, slots=True)
class Form:
    """The glyphs that are drawn for one code, and the text for which they stand. Lengths are in units of the font."""

    text: str
    parts: tuple[tuple[int, int, int], ...]
    """Glyph numbers, each with its position (x, y)."""

    advance: int


def program(font: uharfbuzz.Font, forms: Mapping[int, Form]) -> bytes:
    """Return a TrueType font program (9.9) with `forms` by code; equal forms give equal bytes.

    The codes are in a (1, 0) cmap, which readers use for simple symbolic fonts (9.6.6.4).
    """
    tables = font.face.table_tags
    is_fixed = "glyf" in tables and "fvar" not in tables
    if is_fixed and all(_is_glyph(font, form) for form in forms.values()):
        return _copied(font.face, forms)
    return _drawn(font, forms)


def _is_glyph(font: uharfbuzz.Font, form: Form) -> bool:
    """Tell whether a form is a glyph with its own advance, or neither drawn nor wide."""
    if not form.parts:
        return not form.advance
    (glyph, x, y), *others = form.parts
    return not (x or y or others) and form.advance == font.get_glyph_h_advance(glyph)


def _copied(face: uharfbuzz.Face, forms: Mapping[int, Form]) -> bytes:
    """Return a program with glyphs of a TrueType font as they are, but without instructions.

    This takes a tenth of the time of drawing them, and composite glyphs stay small.
    """
    glyphs = {code: form.parts[0][0] for code, form in forms.items() if form.parts}
    wanted = uharfbuzz.SubsetInput()
    wanted.sets(uharfbuzz.SubsetInputSets.GLYPH_INDEX).update(glyphs.values())
    wanted.flags = _FLAGS
    plan = uharfbuzz.SubsetPlan(face, wanted)
    numbers = plan.old_to_new_glyph_mapping
    copied = TTFont(io.BytesIO(plan.execute().blob.data), recalcBBoxes=False, recalcTimestamp=False)
    for tag in _TABLES.symmetric_difference(copied.keys()):
        del copied[tag]
    names = [_NOTDEF, *(f"g{number}" for number in range(1, copied["maxp"].numGlyphs))]
    copied.setGlyphOrder([*names, _SILENT])
    copied["glyf"].glyphs[_SILENT] = Glyph()
    copied["hmtx"].metrics[_SILENT] = (0, 0)
    copied["cmap"] = _cmap({code: names[numbers[glyphs[code]]] if code in glyphs else _SILENT for code in forms})
    return _bytes(copied)


def _drawn(font: uharfbuzz.Font, forms: Mapping[int, Form]) -> bytes:
    """Return a program with drawn glyphs."""
    coded = {_NOTDEF: Form("", ((0, 0, 0),), font.get_glyph_h_advance(0)), **{f"g{c}": f for c, f in forms.items()}}
    builder = FontBuilder(font.face.upem, isTTF=True)
    builder.font.recalcTimestamp = False
    builder.setupGlyphOrder(list(coded))
    builder.setupHead(unitsPerEm=font.face.upem, created=0, modified=0)
    outlines = {name: outline(font, form.parts) for name, form in coded.items()}
    builder.setupGlyf(outlines)
    edges = {name: getattr(drawn, "xMin", 0) for name, drawn in outlines.items()}
    builder.setupHorizontalMetrics({name: (max(form.advance, 0), edges[name]) for name, form in coded.items()})
    extents = font.get_font_extents("ltr")
    builder.setupHorizontalHeader(ascent=extents.ascender, descent=extents.descender)
    builder.setupMaxp()
    builder.font["cmap"] = _cmap({code: f"g{code}" for code in forms})
    return _bytes(builder.font)


def _bytes(font: TTFont) -> bytes:
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def tag_of(font_file: bytes) -> str:
    """Return a tag for the name of a font subset (9.6.4), computed from its bytes."""
    number = int.from_bytes(hashlib.md5(font_file, usedforsecurity=False).digest()[:8])
    return "".join(chr(65 + number // 26**place % 26) for place in range(6))


def outline(font: uharfbuzz.Font, parts: Iterable[tuple[int, int, int]]) -> Any:
    """Return a TrueType outline of glyphs, each with its position (x, y) in units of the font."""
    pen = TTGlyphPen(None)
    # PostScript contours run counter-clockwise, TrueType ones clockwise.
    quadratic = Cu2QuPen(pen, font.face.upem * _ERROR, reverse_direction="glyf" not in font.face.table_tags)
    for glyph, x, y in parts:
        moved = TransformPen(quadratic, (1, 0, 0, 1, x, y)) if x or y else quadratic
        font.draw_glyph_with_pen(glyph, moved)
    return pen.glyph(round=noRound)  # the coordinates are rounded when they are written


def _cmap(names: Mapping[int, str]) -> Any:
    table = newTable("cmap")
    table.tableVersion = 0
    subtable = CmapSubtable.newSubtable(6)
    subtable.platformID, subtable.platEncID, subtable.language = 1, 0, 0
    subtable.cmap = dict(names)
    table.tables = [subtable]
    return table
