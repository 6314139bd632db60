"""The weights of the author's fonts, and bold text in families without a bold font."""

from __future__ import annotations

import io

import pypdfium2
import pytest
import tinycss2
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.ttGlyphPen import TTGlyphPen

from tests.support.rendered_pages import Asset, font_names, task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.fonts import emboldening, font_weights
from wcspider.engines.plutobook.fonts.emboldening import emboldened
from wcspider.engines.plutobook.fonts.font_weights import Weight, weight_of, weights_of, with_bold_faces

BASE = "https://example.com/dir/"
SUFFIX = "-Emboldened"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", (400,)),
        ("normal", (400,)),
        ("BOLD", (700,)),
        ("600", (600,)),
        ("100 300", (100, 200, 300)),
        ("900 750", (800, 900)),
        ("normal bold", (400, 500, 600, 700)),
        ("410 490", (410,)),
        ("1 1000", tuple(range(100, 1000, 100))),
        ("nonsense", (400,)),
    ],
)
def test_a_font_is_used_for_text_of_all_weights_in_its_range(value: str, expected: tuple[float, ...]) -> None:
    assert weights_of(tinycss2.parse_component_value_list(value)) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h/a", None),
        ("http://h/a#wcspider-weight=400", Weight(400)),
        ("http://h/a#wcspider-weight=350.5+bold", Weight(350.5, is_emboldened=True)),
    ],
)
def test_the_weight_in_a_url(url: str, expected: Weight | None) -> None:
    assert weight_of(url) == expected


def square(is_postscript: bool = False) -> bytes:
    """Return the font Square, whose letter A is a square with a side of half the font size."""
    font = FontBuilder(1000, isTTF=not is_postscript)
    font.setupGlyphOrder([".notdef", "A"])
    font.setupCharacterMap({65: "A"})
    pen = T2CharStringPen(600, None) if is_postscript else TTGlyphPen(None)
    corners = [(50, 0), (50, 500), (550, 500), (550, 0)]
    pen.moveTo(corners[0])
    for corner in reversed(corners[1:]) if is_postscript else corners[1:]:
        pen.lineTo(corner)
    pen.closePath()
    if is_postscript:
        empty = T2CharStringPen(600, None).getCharString()
        font.setupCFF("Square", {}, {".notdef": empty, "A": pen.getCharString()}, {})
    else:
        font.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "A": pen.glyph()})
    font.setupHorizontalMetrics({".notdef": (600, 0), "A": (600, 50)})
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Square", "styleName": "Regular", "psName": "Square"})
    font.setupOS2()
    font.setupPost()
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def fonts(css: str, body: str = "<p>A<p><b>A</b>") -> list[str]:
    """Return the names of the fonts of a page, without tags. `css` contains URLs from a to d."""
    assets = {f"{BASE}{name}": Asset(square(), "font/ttf") for name in "abcd"}
    return font_names(PlutoBookEngine().render(task(f"<style>{css} p {{ font-family: S }}</style>{body}", assets)))


def face(name: str, rest: str = "") -> str:
    return f"@font-face {{ font-family: S; src: url({name}); {rest} }}"


@pytest.mark.slow
@pytest.mark.parametrize("is_postscript", [False, True])
def test_bold_text_has_bolder_outlines_and_the_same_widths(is_postscript: bool) -> None:
    page = f"<style>{face('a')} p {{ font: 100px S; margin: 0 }}</style><p>AA<p><b>AA</b>"
    rendering = PlutoBookEngine().render(task(page, {f"{BASE}a": Asset(square(is_postscript), "font/ttf")}))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        text = document[0].get_textpage()
        boxes = [text.get_charbox(number) for number in (0, 4)]
        places = [text.get_charbox(number, loose=True)[0] for number in (0, 1, 4, 5)]
    sides = [top - bottom for _, bottom, _, top in boxes]
    assert sides == pytest.approx([37.5, 37.5 + 75 * emboldening.STRENGTH], abs=0.2)
    assert places[1] - places[0] == pytest.approx(places[3] - places[2], abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("css", "is_made"),
    [
        (face("a"), True),
        (face("a", "font-weight: 300") + face("b", "font-weight: 500"), True),
        (face("a", "font-weight: 300") + face("b", "font-weight: 600"), False),
        (face("a", "font-weight: 100 900"), False),
        (face("a") + face("b", "font-weight: 700; font-style: italic"), True),
        (face("a") + ":root { font-synthesis: none }", False),
        (face("a") + "body { color: red; font-synthesis-weight: none }", False),
        (face("a") + "html, p { font-synthesis: style }", False),
        (face("a") + "* { font-synthesis: weight style }", True),
        (face("a") + "i { font-synthesis: none }", True),
        (face("a") + face("b").replace(" S;", " s;").replace("src", "font-weight: bold; src"), False),
    ],
)
def test_families_without_a_bold_font(css: str, is_made: bool) -> None:
    assert set(fonts(css)) == ({"Square", f"Square{SUFFIX}"} if is_made else {"Square"})


@pytest.mark.slow
@pytest.mark.parametrize(("weight", "is_made"), [(500, False), (600, True), (900, True)])
def test_the_least_weight_of_bold_text(weight: int, is_made: bool) -> None:
    assert fonts(face("a"), f"<p style='font-weight: {weight}'>A") == [f"Square{SUFFIX * is_made}"]


def test_the_heaviest_font_stands_in_for_the_bold_one() -> None:
    faces = [f'@font-face{{font-family:"S";font-weight:{n};src:url("u#wcspider-weight={n}")}}' for n in (300, 500, 400)]
    *_, added = with_bold_faces(faces)
    assert added == '@font-face{font-family:"S";font-weight:700;src:url("u#wcspider-weight=500+bold")}'


@pytest.mark.parametrize(
    "sheet",
    [
        "",
        "p{font-weight:bold}",
        '@font-face{font-family:S;font-weight:400;src:local("S")}',
        '@font-face{font-family:S;font-weight:400;src:url("u#wcspider-weight=400")}' * (font_weights.MAX_FILES + 1),
    ],
)
def test_sheets_that_stay_as_they_are(sheet: str) -> None:
    assert with_bold_faces([sheet]) == [sheet]


def test_fonts_that_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emboldening, "MAX_GLYPHS", 1)
    assert emboldened(square()) == square()
