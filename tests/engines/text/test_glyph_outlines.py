"""TrueType programs with glyphs that are copied or drawn."""

import io

import pytest
import uharfbuzz
from fontTools.pens.areaPen import AreaPen
from fontTools.ttLib import TTFont

from wcspider.engines.text import fonts
from wcspider.engines.text.glyph_outlines import Form, program

NAME = "WcspiderSans-Regular"
TEXTS = {65: "A", 228: "\u00e4", 46: "."}
SILENT = {1: Form("\u200d", (), 0), 2: Form("\u200c", (), 0)}


@pytest.fixture(scope="module")
def font() -> uharfbuzz.Font:
    return uharfbuzz.Font(uharfbuzz.Face(fonts.program(NAME)))


@pytest.fixture
def forms(font: uharfbuzz.Font) -> dict[int, Form]:
    glyphs = {code: font.get_nominal_glyph(ord(text)) for code, text in TEXTS.items()}
    return SILENT | {
        code: Form(TEXTS[code], ((glyph, 0, 0),), font.get_glyph_h_advance(glyph)) for code, glyph in glyphs.items()
    }


def opened(data: bytes) -> TTFont:
    return TTFont(io.BytesIO(data), recalcTimestamp=False)


def names_of(font: TTFont) -> dict[int, str]:
    """Return the names of the glyphs by their codes."""
    table = font["cmap"].getcmap(1, 0)
    assert table is not None
    return dict(table.cmap)


def area(font: TTFont, glyph: str) -> float:
    pen = AreaPen(font.getGlyphSet())
    font.getGlyphSet()[glyph].draw(pen)
    return float(pen.value)


def test_glyphs_are_copied(font: uharfbuzz.Font, forms: dict[int, Form]) -> None:
    copied, original = opened(program(font, forms)), opened(fonts.program(NAME))
    names = names_of(copied)
    assert {code: copied["hmtx"][name][0] for code, name in names.items()} == {c: f.advance for c, f in forms.items()}
    characters = original.getBestCmap()
    for code, text in TEXTS.items():
        assert area(copied, names[code]) == area(original, characters[ord(text)])
    assert all(area(copied, names[code]) == 0 for code in SILENT)
    assert area(copied, ".notdef") == area(original, ".notdef")
    assert copied["glyf"][names[228]].isComposite()
    assert set(copied.keys()) == {"GlyphOrder", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp"}


def test_one_moved_glyph_is_drawn_with_the_others(font: uharfbuzz.Font, forms: dict[int, Form]) -> None:
    ((glyph, _, _),) = forms[65].parts
    drawn = opened(program(font, forms | {3: Form("A", ((glyph, 100, 200),), forms[65].advance)}))
    names = names_of(drawn)
    moved, still = (drawn["glyf"][names[code]] for code in (3, 65))
    assert (moved.xMin - still.xMin, moved.yMin - still.yMin) == (100, 200)


def test_programs_depend_on_the_forms_alone(font: uharfbuzz.Font, forms: dict[int, Form]) -> None:
    another = uharfbuzz.Font(uharfbuzz.Face(fonts.program(NAME)))
    assert program(font, forms) == program(another, forms)
