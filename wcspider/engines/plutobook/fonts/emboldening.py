"""Bolder outlines for the letters of a font, as browsers make them for families without a bold font."""

from __future__ import annotations

import io
from typing import Final

import uharfbuzz
from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib import TTFont

from wcspider.engines.text.glyph_outlines import outline

STRENGTH: Final = 1 / 28
"""How much wider lines become, as a share of the font size: between the 1/24 of small and the 1/32 of large text."""

MAX_GLYPHS: Final = 10_000
"""The largest number of glyphs of a font that gets bolder outlines, which takes a second and a half."""

_OUTDATED: Final = ("CFF ", "CFF2", "VORG", "fpgm", "prep", "cvt ", "hdmx", "VDMX", "LTSH", "DSIG")
"""The tables with the former outlines, and with what depends on them."""

_TRUETYPE: Final = "\0\1\0\0"
_POSTSCRIPT_NAME: Final = 6


def emboldened(body: bytes) -> bytes:
    """Return a font with bolder outlines and the same widths; a font without outlines, or with too many, as it is."""
    source = uharfbuzz.Font(uharfbuzz.Face(body))
    source.synthetic_bold = (STRENGTH, STRENGTH, True)
    with TTFont(io.BytesIO(body), lazy=True, recalcTimestamp=False) as font:
        glyphs = font.getGlyphOrder()
        if len(glyphs) > MAX_GLYPHS or not {"glyf", "CFF "}.intersection(font.keys()):
            return body
        outlines = {name: outline(source, [(number, 0, 0)]) for number, name in enumerate(glyphs)}
        widths = {name: font["hmtx"][name][0] for name in glyphs}
        for tag in filter(font.__contains__, _OUTDATED):
            del font[tag]
        builder = FontBuilder(font=font)
        builder.isTTF = True
        builder.setupGlyf(outlines)
        builder.setupHorizontalMetrics({name: (widths[name], outlines[name].xMin) for name in glyphs})
        builder.setupMaxp()
        font.sfntVersion = _TRUETYPE
        _rename(font)
        out = io.BytesIO()
        font.save(out, reorderTables=None)
    return out.getvalue()


def _rename(font: TTFont) -> None:
    """Give a font another PostScript name, so that nothing takes its glyphs for those of the original."""
    for record in font["name"].names if "name" in font else ():
        if record.nameID == _POSTSCRIPT_NAME:
            record.string = f"{record.toUnicode()}-Emboldened"
