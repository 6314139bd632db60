"""The codes of glyphs in the fixed subsets of the bundled fonts."""

import pytest

from wcspider.engines.text import fonts
from wcspider.engines.text.common_characters import WIN_ANSI
from wcspider.engines.text.fixed_subsets import SPACE, FontUse


@pytest.mark.parametrize("name", sorted(fonts.NAMES))
def test_each_glyph_has_a_code_of_its_own(name: str) -> None:
    font = fonts.register(name)
    glyphs = {font.glyph_of(chr(character)) or 0 for character in font.characters}
    places = [(g.subset, g.code) for glyph in sorted(glyphs) if (g := font.fixed(glyph)) is not None and g.subset >= 0]
    assert len(places) == len(set(places))
    assert all(7 < code < 256 and code != SPACE for _, code in places)
    assert len(places) > 0.9 * len(glyphs)


@pytest.mark.parametrize("name", [name for name in sorted(fonts.NAMES) if "Scripts" not in name])
def test_latin_characters_have_the_codes_of_win_ansi(name: str) -> None:
    font = fonts.register(name)
    assert font.keeps_win_ansi
    places = {text: font.fixed(font.glyph_of(text) or 0) for text in ("A", "\u2022", "\u20ac", "\xe9", "~")}
    assert {text: glyph.code for text, glyph in places.items() if glyph} == {text: WIN_ANSI[text] for text in places}
    assert WIN_ANSI["\u2022"] == 0o225


def test_names_of_subsets_depend_on_their_glyphs() -> None:
    font = fonts.register("WcspiderSans-Regular")
    programs = [font.subset_program(number, FontUse(font.fontName)) for number in range(3)]
    assert len({program.name for program in programs}) == 3
    assert all(program.name.endswith("+WcspiderSans-Regular") for program in programs)
