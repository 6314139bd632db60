"""A script that makes the font of boxes in wcspider/fonts/, which shows characters that no other font has.

python tools/make_box_font.py
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from wcspider.engines.plutobook.text.absent_characters import COUNT, FAMILY, FIRST

TARGET = Path(__file__).parent.parent / "wcspider" / "fonts" / f"{FAMILY}-Regular.ttf"

_UNITS, _ADVANCE = 1_000, 600


def font() -> bytes:
    """Return a TrueType font that has a box for each private character; the same bytes in each process."""
    names = [f"box{place}" for place in range(COUNT)]
    builder = FontBuilder(_UNITS, isTTF=True)
    builder.font.recalcTimestamp = False
    builder.setupGlyphOrder([".notdef", "space", *names])
    builder.setupHead(unitsPerEm=_UNITS, created=0, modified=0)
    box, nothing = _box(), TTGlyphPen(None).glyph()
    builder.setupGlyf({".notdef": box, "space": nothing, **dict.fromkeys(names, box)})
    builder.setupHorizontalMetrics(dict.fromkeys((".notdef", "space", *names), (_ADVANCE, 50)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupCharacterMap({0x20: "space", **{FIRST + place: name for place, name in enumerate(names)}})
    builder.setupNameTable({"familyName": FAMILY, "styleName": "Regular", "psName": f"{FAMILY}-Regular"})
    builder.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    builder.setupPost(keepGlyphNames=False)
    out = io.BytesIO()
    builder.save(out)
    return out.getvalue()


def _box() -> Any:
    pen = TTGlyphPen(None)
    for left, bottom, right, top in ((50, 0, 550, 700), (100, 50, 500, 650)):
        corners = [(left, bottom), (left, top), (right, top), (right, bottom)]
        # The inner edge runs the other way round, which leaves the inside empty.
        for number, corner in enumerate(corners if left == 50 else reversed(corners)):
            (pen.lineTo if number else pen.moveTo)(corner)
        pen.closePath()
    return pen.glyph()


if __name__ == "__main__":
    TARGET.write_bytes(font())
