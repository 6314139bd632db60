"""Which files of a web font are tried, and which of them can be used."""

from __future__ import annotations

import io
from base64 import b64encode

import pypdfium2
import pytest
import tinycss2
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables.DefaultTable import DefaultTable
from fontTools.ttLib.tables.TupleVariation import TupleVariation

from tests.support.paths import ROOT
from tests.support.rendered_pages import Asset, task, text
from wcspider.engines.document.absolute_urls import in_quotes
from wcspider.engines.plutobook.css.data_urls import private_url
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.fonts.author_fonts import (
    Family,
    font_file,
    for_layout,
    in_data_urls,
    plain_sources,
    with_usable_sources,
)
from wcspider.engines.plutobook.fonts.font_weights import Weight

FONT = (ROOT / "wcspider" / "fonts" / "WcspiderSans-Regular.ttf").read_bytes()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("url(a.ttf)", "url(a.ttf)"),
        ('url("a.woff2") format("woff2"), url(a.woff) format("woff")', 'url("a.woff2") , url(a.woff) '),
        ("url(a.eot) format('embedded-opentype'), url(a.woff) format('woff')", " url(a.woff) "),
        ("local(Name), url(a.woff2) format(woff2) tech(variations)", "local(Name), url(a.woff2)  "),
        ("url(a.svg) format('svg')", ""),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_formats_are_decided_here(value: str, expected: str) -> None:
    assert tinycss2.serialize(plain_sources(tinycss2.parse_component_value_list(value))) == expected


# URLs of the files of a family, those of the assets, whether their bytes are a font, expected value
SOURCES = [
    (["http://h/a.ttf"], {"http://h/a.ttf": True}, 'url("http://h/a.ttf")'),
    (["http://h/a.ttf#fix"], {"http://h/a.ttf": True}, 'url("http://h/a.ttf#fix")'),
    (["http://h/a.ttf"], {}, 'local("")'),
    (["http://h/a.ttf"], {"http://h/a.ttf": False}, 'local("")'),
    (["http://h/a.ttf", "http://h/b.ttf"], {"http://h/b.ttf": True}, 'local(""), url("http://h/b.ttf")'),
    (['http://h/a".ttf'], {}, 'local("")'),
    (["data:font/ttf;base64,AAAA"], {}, 'local("")'),
]


@pytest.mark.parametrize(("urls", "assets", "expected"), SOURCES)
def test_files_that_are_no_usable_fonts_are_no_sources(urls: list[str], assets: dict[str, bool], expected: str) -> None:
    sheet = '@font-face{{src:{}}} p{{background:url("http://h/p.png")}}'
    value = ", ".join(f'url("{in_quotes(url, url)}")' for url in urls)
    bodies = {url: Asset(FONT if is_font else b"nothing", "font/ttf") for url, is_font in assets.items()}
    assert with_usable_sources([sheet.format(value)], [Family("a", tuple(urls))], bodies) == (sheet.format(expected),)


def test_fonts_in_data_urls_are_not_read_by_plutobook() -> None:
    families = [Family("a", (f"data:font/ttf;base64,{b64encode(FONT).decode()}", "data:,x", "data:nothing"))]
    assets = in_data_urls(families)
    assert [asset.body for asset in assets.values()] == [FONT, b"x"]
    sheet = ",".join(f'url("{url}")' for url in families[0].urls)
    (found,) = with_usable_sources([sheet], families, assets)
    assert found == f'url("{private_url(families[0].urls[0])}"),local(""),local("")'
    assert '"data:' not in found


def test_a_font_that_was_not_fetched_leaves_no_message(capfd: pytest.CaptureFixture[str]) -> None:
    page = "<style>@font-face{font-family:A;src:url(a.ttf)} p{font-family:A}</style><p>text"
    PlutoBookEngine().render(task(page))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("flavor", [None, "woff", "woff2"])
def test_a_whole_font_can_be_used(flavor: str | None) -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(FONT)) as font:
        font.flavor = flavor
        font.save(out)
    body = out.getvalue()
    assert font_file(body)
    assert not font_file(body[: len(body) * 3 // 4])


def test_remarks_on_fonts_that_can_be_used_are_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(FONT)) as font:
        font["post"].formatType = 2.0
        font["post"].extraNames, font["post"].mapping = [], {}
        data = font["post"].compile(font) + b"more"
        del font["post"]
        font.tables["post"] = DefaultTable("post")
        font.tables["post"].data = data
        font.save(out)
    font_file.cache_clear()
    assert font_file(out.getvalue())
    assert not caplog.records


TWINS = {"\u2215": "/", "\u00ad": "-", "\u2011": "-", "\u00a0": " ", "\u2126": "\u03a9", "\u00b5": "\u03bc"}
"""Characters with the glyph of another one, as in many fonts of the web."""


@pytest.mark.parametrize("shown", ["/usr/bin/x-y and/or", "2\u2126 3\u00b5m", "2\u03a9 3\u03bcm"])
def test_text_is_that_of_the_page_if_characters_have_one_glyph(shown: str) -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(FONT)) as font:
        for table in font["cmap"].tables:
            table.cmap |= {ord(twin): table.cmap[ord(character)] for twin, character in TWINS.items()}
        for name in font["name"].names:
            name.string = "Twins"
        font.save(out)
    page = f"<style>@font-face{{font-family:A;src:url(a.ttf)}} p{{font-family:A}}</style><p>{shown}"
    found = PlutoBookEngine().render(task(page, {"https://example.com/dir/a.ttf": Asset(out.getvalue(), "font/ttf")}))
    assert text(found).strip() == shown


@pytest.mark.parametrize(
    "css",
    [
        "font-variant-numeric: tabular-nums",
        "font-feature-settings: 'tnum'",
        "font-variant: normal",
        "font-variant: small-caps tabular-nums",
        "font-variant-ligatures: common-ligatures",
    ],
)
def test_text_is_that_of_the_page_if_a_font_has_other_glyphs_for_it(css: str) -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(FONT)) as font:
        glyphs = font.getBestCmap()
        others = [glyphs[code] for code in range(0x3B1, 0x3BC)]  # those of Greek letters
        for table in font["cmap"].tables:
            table.cmap = {code: glyph for code, glyph in table.cmap.items() if glyph not in others}
        figures = "".join(
            f"sub {glyphs[ord(digit)]} by {other};" for digit, other in zip("0123456789", others, strict=False)
        )
        ligature = f"sub {glyphs[ord('f')]} {glyphs[ord('i')]} by {others[10]};"
        addOpenTypeFeaturesFromString(font, f"feature tnum {{{figures}}} tnum; feature liga {{{ligature}}} liga;")
        for name in font["name"].names:
            name.string = "Figures"
        font.save(out)
    page = f"<style>@font-face{{font-family:A;src:url(a.ttf)}} p{{font-family:A;{css}}}</style><p>fi 0123456789"
    found = PlutoBookEngine().render(task(page, {"https://example.com/dir/a.ttf": Asset(out.getvalue(), "font/ttf")}))
    assert text(found).strip() == "fi 0123456789"


@pytest.mark.parametrize("shown", ["يولد جميع الناس أحرارًا متساوين", "Ⅳ Ⅻ ⅷ ⅔"])
def test_words_stay_apart_if_a_font_has_only_their_spaces(shown: str) -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(FONT)) as font:
        for table in font["cmap"].tables:
            table.cmap = {code: glyph for code, glyph in table.cmap.items() if code < 0x100}
        font["hmtx"][font.getBestCmap()[0x20]] = (font["head"].unitsPerEm // 6, 0)
        for name in font["name"].names:
            name.string = "Narrow"
        font.save(out)
    page = f"<style>@font-face{{font-family:A;src:url(a.ttf)}} p{{font-family:A}}</style><p>{shown}"
    found = PlutoBookEngine().render(task(page, {"https://example.com/dir/a.ttf": Asset(out.getvalue(), "font/ttf")}))
    assert text(found).split() == shown.split()


@pytest.mark.slow
@pytest.mark.parametrize(("flavor", "is_in_sheet"), [(None, False), ("woff2", False), ("woff2", True)])
@pytest.mark.parametrize(("language", "shown"), [("tr", "iyi"), ("vi", "đẹp"), ("nl", "ijs")])
def test_text_is_that_of_the_page_if_a_font_has_forms_for_its_language(
    language: str, shown: str, flavor: str | None, is_in_sheet: bool
) -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(FONT)) as font:
        glyphs = font.getBestCmap()
        one, other = [glyphs[code] for code in (0x3B1, 0x3B2)]  # those of Greek letters
        for table in font["cmap"].tables:
            table.cmap = {code: glyph for code, glyph in table.cmap.items() if glyph not in (one, other)}
        features = (
            "languagesystem DFLT dflt; languagesystem latn dflt; languagesystem latn TRK; languagesystem latn NLD;"
            f"feature locl {{script latn; language TRK; sub {glyphs[ord('i')]} by {one};}} locl;"
            f"feature ccmp {{sub {glyphs[ord('ẹ')]} by {one} {other};}} ccmp;"
            f"feature rlig {{script latn; language NLD; sub {glyphs[ord('i')]} {glyphs[ord('j')]} by {one};}} rlig;"
        )
        addOpenTypeFeaturesFromString(font, features)
        for name in font["name"].names:
            name.string = "Forms"
        font.flavor = flavor
        font.save(out)
    url = f"data:font/woff2;base64,{b64encode(out.getvalue()).decode()}" if is_in_sheet else "a"
    page = (
        f"<html lang={language}><style>@font-face{{font-family:A;src:url({url})}} p{{font-family:A}}</style><p>{shown}"
    )
    assets = {} if is_in_sheet else {"https://example.com/dir/a": Asset(out.getvalue(), "font/ttf")}
    found = PlutoBookEngine().render(task(page, assets))
    assert text(found).strip() == shown


@pytest.mark.parametrize("table", [b"", b"\0\1\0", b"\0\1\0\0\xff\xff\xff\xff\xff\xff", b"\xff" * 99])
@pytest.mark.parametrize("flavor", [None, "woff2"])
def test_fonts_with_damaged_features_are_used(table: bytes, flavor: str | None) -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(FONT)) as font:
        font["GSUB"] = DefaultTable("GSUB")
        font["GSUB"].data = table
        font.flavor = flavor
        font.save(out)
        letters = font.getBestCmap()
    with TTFont(io.BytesIO(for_layout(out.getvalue(), keeps_forms=False) or b"")) as font:
        assert font.getBestCmap() == letters


def test_other_files_are_no_fonts() -> None:
    assert for_layout(b"wOF2 nothing", keeps_forms=False) is None


@pytest.mark.parametrize("units", [30, 0])
@pytest.mark.parametrize("flavor", [None, "woff"])
def test_small_text_of_fonts_with_low_lines_is_shown(flavor: str | None, units: int) -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(FONT)) as font:
        font["hhea"].ascent = font["OS/2"].sTypoAscender = units
        font["hhea"].descent = font["OS/2"].sTypoDescender = -units
        font["hhea"].lineGap = font["OS/2"].sTypoLineGap = 0
        font["OS/2"].usWinAscent = font["OS/2"].usWinDescent = units
        font["OS/2"].fsSelection |= 1 << 7
        for name in font["name"].names:
            name.string = "Low"
        font.flavor = flavor
        font.save(out)
    page = (
        "<style>@font-face{font-family:A;src:url(a)} b{font-family:A;line-height:0;display:inline-block;padding:9px}"
        "i{font-size:60%}</style><p><b>base <i>exponent</i></b>"
    )
    found = PlutoBookEngine().render(task(page, {"https://example.com/dir/a": Asset(out.getvalue(), "font/ttf")}))
    assert text(found).split() == ["base", "exponent"]


def test_lines_of_fonts_that_only_one_table_describes_keep_their_height() -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(FONT)) as font:
        font["hhea"].ascent = font["hhea"].descent = 0  # FreeType reads the table OS/2 then
        font.save(out)
    assert for_layout(out.getvalue(), keeps_forms=True) == out.getvalue()


def _variable_font(default: float = 400.0) -> bytes:
    """Return a font whose glyph A is 500 units wide at weight 100, and 1300 units at weight 900."""
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder([".notdef", "A"])
    font.setupCharacterMap({65: "A"})
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((400, 0))
    pen.lineTo((200, 700))
    pen.closePath()
    glyph = pen.glyph()
    font.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "A": glyph})
    usual = round(400 + default)
    font.setupHorizontalMetrics({".notdef": (500, 0), "A": (usual, 0)})
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Variable", "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.setupFvar([("wght", 100, default, 900, "Weight")], [])
    width = 400 + 100 - usual, 400 + 900 - usual
    sides = [{"wght": (-1, -1, 0)}, {"wght": (0, 1, 1)}]
    changes = [
        TupleVariation(axes, [(0, 0), (change, 0), (change // 2, 0), (0, 0), (change, 0), (0, 0), (0, 0)])
        for axes, change in zip(sides, width, strict=True)
    ]
    font.setupGvar({"A": changes})
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


@pytest.mark.parametrize("default", [100.0, 400.0, 700.0])
@pytest.mark.parametrize("is_in_sheet", [False, True])
@pytest.mark.parametrize("weights", ["font-weight: 100 900", "font-weight: 400 700"])
def test_text_in_a_variable_font_has_its_weight(default: float, is_in_sheet: bool, weights: str) -> None:
    font = _variable_font(default)
    url = f"data:font/ttf;base64,{b64encode(font).decode()}" if is_in_sheet else "a"
    css = f"@font-face{{font-family:A;src:url({url}) format('woff2');{weights}}} p{{font:100px A}}"
    page = f"<style>{css}</style><p>AA<p><b>AA</b>"
    found = PlutoBookEngine().render(task(page, {} if is_in_sheet else {"https://example.com/dir/a": Asset(font, "")}))
    with pypdfium2.PdfDocument(found.pdf) as document:
        letters = [document[0].get_textpage().get_charbox(n, loose=True)[0] for n in (0, 1, 4, 5)]
    assert (letters[3] - letters[2]) / (letters[1] - letters[0]) == pytest.approx(1100 / 800, abs=0.01)


def test_a_font_with_damaged_variations_is_used_in_its_usual_weight() -> None:
    out = io.BytesIO()
    with TTFont(io.BytesIO(_variable_font())) as font:
        font["gvar"] = DefaultTable("gvar")
        font["gvar"].data = b"\xff" * 99
        font.save(out)
    for weight in (400.0, 700.0):
        made = for_layout(out.getvalue(), keeps_forms=True, weight=Weight(weight))
        with TTFont(io.BytesIO(made or b"")) as font:
            assert font["hmtx"]["A"] == (800, 0)
