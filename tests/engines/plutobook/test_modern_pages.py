"""Pages in modern CSS, laid out by the engine: where their words stand, and in which fonts."""

from __future__ import annotations

import ctypes
import io

import pikepdf
import pypdfium2
import pypdfium2.raw
import pytest

from tests.support.letter_places import A4, URL, letters, rendered
from tests.support.paths import ROOT
from tests.support.rendered_pages import boxes
from tests.system.conformance import layout
from wcspider.engines.base import Asset, PageGeometry, RenderTask
from wcspider.engines.registry import render

FONT = ROOT / "examples" / "modern" / "fonts" / "heading.woff2"


def test_a_grid_is_side_by_side() -> None:
    found = letters("<style>.g { display: grid; grid-template-columns: 1fr 1fr }</style><div class=g><p>A<p>B</div>")
    assert found["A"][1] == found["B"][1]
    assert found["B"][0] - found["A"][0] > 200


@pytest.mark.parametrize("offset", ["position: sticky; top: 90px", "position: sticky } table .s { top: 90px"])
def test_the_head_of_a_table_stays_above_its_body_when_it_is_sticky(offset: str) -> None:
    found = letters(f"<style>.s {{ {offset} }}</style><table><thead><tr><th class=s>A<tbody><tr><td>B</table>")
    assert 0 < found["B"][1] - found["A"][1] < 30


@pytest.mark.parametrize(
    "word", ["w" * 30, "<a>wwwwwwwwwwwwwww</a>(<a>wwwwwwwwwwwwwww</a>)", "wwwwwwwwww&nbsp;wwwwwwwww&nbsp;wwwwwwww"]
)
def test_a_long_word_does_not_cover_the_next_column_of_a_grid(word: str) -> None:
    columns = "grid-template-columns: minmax(15%, max-content) minmax(15%, auto) 1fr 1fr"
    style = f"<style>div {{ display: grid; {columns} }} p {{ overflow: auto }}</style>"
    cells = f"<p>{word}<p>{'text ' * 40}<p>text<p>text" * 2
    with pypdfium2.PdfDocument(rendered(f"{style}<div>{cells}</div>")) as document:
        assert list(layout.findings(document)) == []


@pytest.mark.parametrize(
    ("query", "applies"),
    [
        ("(min-width: 600px)", True),
        ("(min-width: 800px)", False),  # wider than the paper
        ("(width < 700px)", True),
        ("screen and (min-width: 600px)", False),
    ],
)
def test_media_queries_are_answered_for_the_paper(query: str, applies: bool) -> None:
    found = letters(f"<style>@media {query} {{ p {{ padding-left: 100px }} }}</style><p>A")
    assert (found["A"][0] > 100) is applies


@pytest.mark.parametrize("scale", [0.5, 1.0, 1.5])
def test_units_of_the_window_are_shares_of_the_scaled_paper(scale: float) -> None:
    found = letters(
        "<style>body { margin: 0 } p { width: 100vw } b { float: right } i { float: left }</style><p><i>A</i><b>B</b>",
        PageGeometry(scale=scale),
    )
    room = A4.width - A4.margin_left - A4.margin_right
    assert found["B"][0] - found["A"][0] == pytest.approx(room - 10 * scale, abs=10)


@pytest.mark.parametrize("element", ["<style>p { padding-left: 100px }</style>", "<link rel=stylesheet href=s.css>"])
def test_style_sheets_for_browsers_without_scripts_apply(element: str) -> None:
    assets = {"https://example.com/s.css": Asset(b"p { padding-left: 100px }", "text/css")}
    page = f"<!DOCTYPE html><head><title>t</title><noscript>{element}</noscript></head><p>A"
    with pypdfium2.PdfDocument(render("plutobook", RenderTask(URL, page.encode(), assets=assets)).pdf) as document:
        assert document[0].get_textpage().get_charbox(0)[0] > 100


def test_grids_have_the_columns_of_the_width_of_the_paper() -> None:
    css = ".g { display: grid; grid-template-columns: 1fr 1fr } @media (min-width: 900px) { .g { display: block } }"
    found = letters(f"<style>{css}</style><div class=g><p>A<p>B</div>")
    assert found["A"][1] == found["B"][1]


def test_a_web_font_that_is_declared_as_woff2_is_used() -> None:
    css = "@font-face { font-family: Heading; src: url(/heading) format('woff2') } p { font-family: Heading, serif }"
    pdf = rendered(f"<style>{css}</style><p>words", heading=FONT)
    with pikepdf.open(io.BytesIO(pdf)) as document:
        names = [str(item["/BaseFont"]) for item in document.objects if _is_font(item)]
    assert any("BoldItalic" in name for name in names), names


def _is_font(item: object) -> bool:
    return isinstance(item, pikepdf.Dictionary) and item.get("/Type") == "/Font" and "/BaseFont" in item


@pytest.mark.parametrize("text", ["words in a line and at its end <a>{word}</a> more", "words <b>{word}</b> more"])
@pytest.mark.parametrize("css", ["", "p { overflow-wrap: break-word }", "* { word-break: break-word }"])
def test_words_that_fit_on_a_line_are_whole(text: str, css: str) -> None:
    word = "sqlite3_vfs_register()"
    pages = "".join(f"<p style='width: {width}px'>{text.format(word=word)}" for width in range(200, 500, 10))
    with pypdfium2.PdfDocument(rendered(f"<style>{css}</style>{pages}")) as document:
        found = "".join(page.get_textpage().get_text_bounded() for page in document)
    assert found.count(word) == 30


@pytest.mark.parametrize(
    ("css", "body", "size"),
    [
        ("", "<pre>M</pre>", 13),
        ("", "<pre><code>M</code></pre>", 13),
        ("", "<h1><code>M</code></h1>", 26),
        ("code { font-family: monospace }", "<code>M</code>", 13),
        ("code { font-family: Menlo, monospace }", "<code>M</code>", 16),
        ("code { font-family: monospace, monospace }", "<code>M</code>", 16),
        ("code { font-family: Menlo, monospace; font-size: 10px }", "<code>M</code>", 10),
        ("pre { font-family: inherit }", "<pre>M</pre>", 16),
        ("pre, code { font-family: inherit }", "<tt><code>M</code></tt>", 13),
        ("code { font-size: 10px } p code { font-family: Menlo }", "<p><code>M</code>", 10),
        ("body { font-family: Arial }", "<pre>M</pre>", 13),
        ("code { font-family: Menlo, monospace }", "<pre><code>M</code></pre>", 16),
        ("code { font-family: Menlo, monospace; font-size: 0.875em }", "<pre><code>M</code></pre>", 14),
        ("code { font-family: Menlo, monospace; font-size: 0.875em }", "<p><code>M</code>", 14),
        ("pre, code { font-family: Menlo, monospace; font-size: 75% }", "<pre><code>M</code></pre>", 9),
        ("pre { font-size: 20px } code { font-family: Menlo; font-size: 1em }", "<pre><code>M</code></pre>", 20),
        ("pre { font-family: Menlo } .x { font-family: Menlo }", "<pre><code class=x>M</code></pre>", 16),
        ("code { font-size: 50% }", "<pre><code>M</code></pre>", 6.5),
        ("pre { font-size: 1em }", "<pre>M</pre>", 13),
        ("pre { font-size: 1em } code { font-family: Menlo }", "<pre><code>M</code></pre>", 16),
        ("pre { font-family: Menlo } pre { font-size: 75% }", "<pre>M</pre>", 12),
        ("body { font-size: 14px }", "<pre><code>M</code></pre>", 14),
        ("body { font: 1rem/2 Arial }", "<p><code>M</code>", 16),
        ("body { font-size: calc(1rem + 4px) }", "<p><code>M</code>", 20),
        ("body { font-size: 125% }", "<p><code>M</code>", 16.25),
        ("body { font-size: 20px } code { font-family: Menlo }", "<pre><code>M</code></pre>", 20),
    ],
)
def test_code_is_as_large_as_in_browsers(css: str, body: str, size: float) -> None:
    with pypdfium2.PdfDocument(rendered(f"<style>{css}</style>{body}")) as document:
        (text,) = (item for item in document[0].get_objects() if item.type == pypdfium2.raw.FPDF_PAGEOBJ_TEXT)
        assert text.get_matrix().a / 0.75 == pytest.approx(size)


@pytest.mark.parametrize(
    ("style", "color"),
    [
        ("background: linear-gradient(red, blue); -webkit-background-clip: text; color: transparent", (255, 0, 0)),
        ("background: linear-gradient(#0f0, blue) text; -webkit-text-fill-color: #0000", (0, 255, 0)),
        (
            "--c: #00f; background-image: linear-gradient(var(--c), red); background-clip: text; color: #0000",
            (0, 0, 255),
        ),
        ("background: url(x.png); background-clip: text; color: transparent", (0, 0, 0)),
        ("background: red; background-clip: content-box; color: #0f0", (0, 255, 0)),
    ],
)
def test_text_that_is_painted_with_its_background_has_a_color(style: str, color: tuple[int, int, int]) -> None:
    with pypdfium2.PdfDocument(rendered(f"<style>h1 {{ {style} }}</style><h1>M</h1>")) as document:
        (text,) = (item for item in document[0].get_objects() if item.type == pypdfium2.raw.FPDF_PAGEOBJ_TEXT)
        channels = [ctypes.c_uint() for _ in range(4)]
        assert pypdfium2.raw.FPDFPageObj_GetFillColor(text, *channels)
    assert tuple(channel.value for channel in channels) == (*color, 255)


@pytest.mark.parametrize(
    ("style", "is_shown"),
    [
        ("position: fixed; left: -310px; width: 300px", False),
        ("position: fixed; left: -310px; width: 400px", True),
        ("position: fixed; left: 0; right: 0; width: 225px; transform: translateX(-225px)", False),
        ("position: fixed; right: 0; width: 225px; transform: translateX(240px)", False),
        ("position: fixed; left: 0; width: 225px; transform: translateX(-20px)", True),
        ("position: fixed; left: 0; width: 100%; max-width: 15em; transform: translateX(-17rem)", False),
        ("position: fixed; right: -15em; top: 0", False),  # its width is in another rule
        ("position: fixed; bottom: -20em", False),
        ("position: fixed; right: 0; margin-right: -75%; width: 75%", False),
        ("position: fixed; left: -100%; top: 0", False),
        ("position: fixed; left: -200px; right: -200px; top: 0; padding-right: 250px", True),
        ("position: fixed; transform: translateX(-102%)", False),
        ("position: absolute; left: 50%; transform: translate(-50%, 0)", True),
        ("position: fixed; left: 100%; top: 1rem", False),
        ("position: fixed; left: 80%; margin-left: 20vw", False),
        ("position: fixed; top: 100vh", False),
        ("position: fixed; left: 100%; margin-left: -50px", True),
        ("position: fixed; left: 100%; transform: translateX(-300px)", True),
    ],
)
def test_menus_that_wait_beside_the_window_are_left_out(style: str, is_shown: bool) -> None:
    css = f"nav {{ {style}; text-align: right }}"
    assert ("M" in letters(f"<style>{css}</style><nav>M</nav><p>A")) is is_shown


@pytest.mark.parametrize(
    ("style", "is_shown"),
    [
        ("position: fixed; clip: rect(0, 0, 0, 0)", False),
        ("position: absolute; clip: rect(1px 1px 1px 1px)", False),
        ("position: absolute; clip: rect(0, 200px, auto, 0)", True),
        ("position: absolute; clip: rect(0, 200px, 50px, 0)", True),
        ("position: static; clip: rect(0, 0, 0, 0)", True),  # it has no effect
        ("position: absolute; clip-path: inset(50%)", False),
        ("position: absolute; clip-path: inset(5% round 3px)", True),
        ("position: absolute; clip-path: inset(5% 50px)", True),
        ("position: fixed; clip-path: polygon(0 0, 100% 0, 100% 0%, 0 0)", False),
        ("position: absolute; clip-path: polygon(50% 0, 50% 100%)", False),
        ("position: absolute; clip-path: polygon(0 0, 100% 0, 100% 100%)", True),
        ("position: absolute; clip-path: polygon(evenodd, 0 0, 1em 0)", True),
        ("position: absolute; clip-path: polygon()", True),
        ("position: absolute; clip-path: circle(0 at 100% 0)", False),
        ("position: absolute; clip-path: circle(50px)", True),
        ("position: absolute; clip-path: circle()", True),
    ],
)
def test_what_is_clipped_away_is_left_out(style: str, is_shown: bool) -> None:
    assert ("M" in letters(f"<style>a {{ {style} }}</style><a href=#main>M</a><p>A")) is is_shown


def test_what_is_clipped_away_is_shown_again_by_another_rule() -> None:
    hidden, shown = (
        ".h { position: absolute; width: 1px; height: 1px }",
        "{ position: static; width: auto; height: auto }",
    )
    css = f"{hidden} @media (min-width: 600px) {{ .sm\\:s {shown} }} @media (min-width: 2000px) {{ .xl\\:s {shown} }}"
    body = "<p class='h sm:s'>A</p><p class='h xl:s'>B</p><p class='h'>C</p><p>D</p>"
    assert letters(f"<style>{css} p.h::before {shown}</style>{body}").keys() == {"A", "D"}


@pytest.mark.parametrize(("language", "sides"), [("en", "ba"), ("en-GB", "ba"), ("fr", "ab"), ("de", "ab")])
def test_rules_for_a_language_apply_to_it(language: str, sides: str) -> None:
    css = "p { text-align: left } p:lang(en) { text-align: right } .b { text-align: center }"
    found = letters(f"<html lang='{language}'><style>{css}</style><div><p>a</p><p class=b lang=de>b</p></div>")
    assert "".join(sorted(found, key=lambda letter: found[letter][0])) == sides


@pytest.mark.parametrize(("direction", "sides"), [("", "ab"), ("ltr", "ab"), ("rtl", "ba")])
def test_rules_for_one_direction_apply_to_it(direction: str, sides: str) -> None:
    css = ".x:where(:dir(ltr), [dir=ltr]) { text-align: left } .x:dir( rtl ) { text-align: right }"
    css += " p { direction: ltr } .y:dir(rtl) { text-align: left } .y:where(:dir(ltr)) { text-align: right }"
    found = letters(f"<style>{css}</style><div dir='{direction}'><p class=x>a</p><p class=y>b</p></div>")
    assert "".join(sorted(found, key=lambda letter: found[letter][0])) == sides


@pytest.mark.parametrize(
    "selector",
    ["table", ".t:not(:where(.n *))", "tr:nth-child(2n), .sm\\:t", "p::before, table", "table:has(td):not(.n, .m)"],
)
def test_wide_tables_in_boxes_that_are_scrolled_are_not_cut(selector: str) -> None:
    cells = "".join(f"<td>{'W' * 12}" for _ in range(9))
    css = f"{selector} {{ display: block; overflow: auto }} td {{ white-space: nowrap; width: 9em }}"
    page = f"<style>{css}</style><table class='t sm:t'><tr>{cells}<td>Z</table>"
    with pypdfium2.PdfDocument(rendered(page)) as document:
        assert list(layout.findings(document)) == []
        assert "Z" in document[0].get_textpage().get_text_range()


@pytest.mark.parametrize(
    ("rules", "is_shown"),
    [
        ("nav { position: fixed; width: 300px; left: 0 } nav { left: -300px }", False),
        ("nav { position: fixed; width: 300px; left: -300px } nav { left: 0 }", True),
        ("p, nav { position: fixed; left: -300px } nav { position: static }", True),
        ("nav { position: fixed; width: 300px } @media (min-width: 9in) { nav { left: -300px } }", True),
        ("nav { position: absolute; width: 1px } nav { height: 1px }", False),
        ("nav { position: absolute; width: 0; height: 0; border: 10px solid }", True),  # the dot of a radio button
        ("nav { position: absolute; width: 1px; border: 0 } nav { height: 1px }", False),
        ("[dir=ltr] nav { left: -9em } [dir=rtl] nav { right: -9em } nav { position: fixed; width: 9em }", False),
    ],
)
def test_rules_with_one_selector_place_elements_together(rules: str, is_shown: bool) -> None:
    assert ("M" in letters(f"<style>{rules}</style><nav>M</nav>")) is is_shown


@pytest.mark.parametrize(
    ("css", "lines"),
    [
        ("display: flex; overflow-x: auto", 3),
        ("display: flex; flex-wrap: nowrap; overflow: hidden", 3),
        ("white-space: nowrap; overflow-x: scroll", 3),
        ("display: flex; flex-direction: column; overflow: auto", 5),
        ("display: flex; flex-flow: row; overflow: visible", 1),
    ],
)
def test_rows_that_are_scrolled_on_a_screen_have_more_lines(css: str, lines: int) -> None:
    cards = " ".join(f"<b>{letter}</b>" for letter in "VWXYZ")
    found = letters(f"<style>b {{ display: inline-block; width: 300px }} p {{ {css} }}</style><p>{cards}")
    assert len({top for _, top in found.values()}) == lines


def test_items_of_a_scrolled_row_are_not_wider_than_the_row() -> None:
    css = "p { display: flex; overflow-x: auto; width: 300px } b { flex-shrink: 0; max-width: 500px }"
    found = letters(f"<style>{css}</style><p><b>{'a ' * 200} Z</b><b>b</b>")
    assert found["Z"][0] < found["a"][0] + 300


@pytest.mark.parametrize(
    "source",
    [
        "<table align=center {}</table>",
        "<center><table {}</table></center>",
        "<div align=Center><form><table {}</table></form></div>",
        "<table width=100%><tr><td align=center><table {}</table></table>",
        "<table width=100%><tr align=center><td><table {}</table></table>",
    ],
)
def test_the_align_attribute_moves_tables_but_not_their_text(source: str) -> None:
    found = letters("<p>P</p>" + source.format("width=200><tr><td>X<br>Y" + "y" * 9))
    assert found["X"][0] == pytest.approx(found["Y"][0], abs=2)
    assert found["X"][0] > found["P"][0] + 100


@pytest.mark.parametrize(("terms", "is_whole"), [(9, True), (22, False)])
def test_a_formula_of_its_own_line_is_broken_only_if_it_is_long(terms: int, is_whole: bool) -> None:
    formula = "<mi>X</mi>" + "<mo>=</mo><mtext>a b</mtext>" * terms + "<mo>=</mo><mi>Y</mi>"
    cells = f"<td width=50%></td><td><math display=block>{formula}</math></td><td width=50%></td>"
    found = letters(f"<table width=100%><tr>{cells}</table>")
    assert (found["X"][1] == pytest.approx(found["Y"][1], abs=2)) is is_whole


def test_turned_vertical_text_is_not_upside_down() -> None:
    css = "b { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg) }"
    found = letters(f"<style>{css}</style><p><b>XY</b>")
    assert found["X"][0] < found["Y"][0]


def test_a_heading_does_not_cover_the_next_column() -> None:
    css = "div { display: flex; width: 200px } section { flex: 1; min-width: 0 }"
    columns = "<section><h2>InternationalizatioN</h2></section><section>x</section>"
    found = letters(f"<style>{css}</style><div>{columns}</div>")
    assert found["N"][0] < found["x"][0]


@pytest.mark.parametrize(
    "code",
    ["<pre><code class=c>{}</code></pre>", "<div class=c>{}</div>", "<div style='overflow: auto; white-space: PRE'>{}"],
)
def test_no_line_of_code_is_cut_off_where_it_could_be_scrolled(code: str) -> None:
    style = "<style>pre, .c { overflow: auto } .c { white-space: pre !important }</style>"
    with pypdfium2.PdfDocument(rendered(style + code.format("word " * 60))) as document:
        assert list(layout.findings(document)) == []


@pytest.mark.parametrize(
    ("line_break", "is_below"),
    [
        ("<br>", False),
        ("<br clear=all>", True),
        ("<br clear=LEFT>", True),
        ("<br clear=right>", False),
        ("<br clear=none>", False),
        ("<br class=c>", True),
        ("<br style='clear: both'>", True),
        ("<br style='clear: none'>", False),
    ],
)
def test_a_line_break_clears_floats(line_break: str, is_below: bool) -> None:
    css = "div { float: left; height: 200px } br.c { clear: both } p { margin: 0 }"
    found = letters(f"<style>{css}</style><div>A</div><p>B{line_break}Z")
    assert (found["Z"][0] < found["B"][0]) is is_below
    assert (abs(found["Z"][1] - found["A"][1]) > 100) is is_below


@pytest.mark.parametrize(("display", "is_below"), [("table-cell", True), ("block", False)])
def test_text_is_aligned_in_the_height_of_a_cell(display: str, is_below: bool) -> None:
    found = letters(f"<b>X</b><div style='display: {display}; height: 300px; vertical-align: bottom'>A</div>")
    assert (found["A"][1] - found["X"][1] > 150) is is_below


@pytest.mark.parametrize(
    ("style", "is_below"),
    [
        ("", False),
        ("display: flow-root", True),
        ("display: block flow-root", True),
        ("display: inline flow-root", True),
        ("display: flow-root; display: block", False),
    ],
)
@pytest.mark.parametrize("source", ["<style>div {{ {} }}</style><div>", "<div style='{}'>"])
def test_a_flow_root_contains_its_floats(source: str, style: str, is_below: bool) -> None:
    floats = "<style>b { float: left; height: 200px } p { margin: 0 }</style>"
    found = letters(f"{floats}{source.format(style)}<b>A</b>B</div><p>C")
    assert (found["C"][1] - found["A"][1] > 100) is is_below


@pytest.mark.parametrize(("style", "is_below"), [("", True), ("display: block", True), ("display: inline", False)])
def test_a_fieldset_contains_its_floats(style: str, is_below: bool) -> None:
    css = f"b {{ float: left; height: 200px }} p {{ margin: 0 }} fieldset {{ {style} }}"
    found = letters(f"<style>{css}</style><fieldset><b>A</b>B</fieldset><p>C")
    assert (found["C"][1] - found["A"][1] > 100) is is_below


def test_the_last_element_in_a_flow_root_remains_the_last() -> None:
    css = "div { display: flow-root } b { float: right } p:last-child { margin-left: 200px }"
    assert letters(f"<style>{css}</style><div><b>A</b><p>B</p></div>")["B"][0] > 150


def test_a_line_break_that_clears_floats_keeps_its_line() -> None:
    places = [letters(f"<p>A</p>{line_break}<p>B</p>") for line_break in ("", "<br>", "<br clear=all>")]
    none, plain, clearing = (found["B"][1] - found["A"][1] for found in places)
    assert none < plain == clearing


@pytest.mark.parametrize(
    "css",
    [
        "b { width: 25% } i { width: 75% }",
        "b { width: 33.33333333% } i { width: 66.66666667%; padding-left: 9px }",
        "b { width: 16.6666666667% } i { width: 83.3333333333% }",
        "b { width: 48%; margin-right: 4% } i { width: 48% }",
    ],
)
def test_floats_that_fill_their_box_stay_beside_each_other(css: str) -> None:
    """The widths of the boxes are such that the sums of the widths of their floats are rounded."""
    rows = "".join(f"<div style='width: {200 + number * 1.37}px'><b>B</b><i>I</i></div>" for number in range(100))
    css = f"div {{ overflow: hidden; font-size: 5px }} b, i {{ float: left; box-sizing: border-box }} {css}"
    places = boxes(render("plutobook", RenderTask(URL, f"<!DOCTYPE html><style>{css}</style>{rows}".encode())))
    bottoms = [[(page, round(box[1])) for page, letter, box in places if letter == name] for name in "BI"]
    assert len(bottoms[0]) == 100
    assert bottoms[0] == bottoms[1]


@pytest.mark.parametrize(
    ("css", "is_beside"),
    [
        ("flex-flow: column wrap; height: 200px", True),
        ("flex-direction: column-reverse; flex-wrap: wrap; height: 200px", True),
        ("flex-direction: column; height: 200px", False),
        ("flex-flow: column wrap", False),
        ("flex-flow: column wrap; height: 400px", False),
    ],
)
def test_columns_of_items_that_wrap_have_their_declared_height(css: str, is_beside: bool) -> None:
    found = letters(
        f"<style>div {{ display: flex; {css} }} p {{ height: 90px; margin: 0 }}</style><div><p>A<p>B<p>C</div>"
    )
    assert (abs(found["C"][0] - found["A"][0]) > 50) is is_beside


@pytest.mark.parametrize(("visibility", "is_beside"), [("hidden", False), ("visible", True)])
def test_a_hidden_bar_at_the_lower_edge_of_the_window_takes_no_room(visibility: str, is_beside: bool) -> None:
    css = f"div {{ display: flex }} nav {{ position: fixed; bottom: 0; visibility: {visibility}; width: 300px }}"
    left, _ = letters(f"<style>{css}</style><div><nav>N</nav><p>A</div>")["A"]
    assert (left > 200) is is_beside


@pytest.mark.parametrize("display", ["inline", "block", "list-item"])
def test_absolute_content_before_a_text_is_on_its_line(display: str) -> None:
    css = f"b::before {{ content: 'B'; position: absolute; left: 9em; display: {display} }}"
    found = letters(f"<style>{css}</style><p><b>A</b>")
    assert found["A"][1] == found["B"][1]


def test_code_with_numbers_of_lines_stays_a_table_in_many_flexible_boxes() -> None:
    css = "div { display: flex } code { display: table } b { display: table-row } i { display: table-cell }"
    found = letters(f"<style>{css}</style>{'<div>' * 12}<pre><code><b><i>1</i><i>A</i></b></code></pre>")
    assert found["1"][1] == found["A"][1]


def test_lines_of_a_grid_are_a_gap_apart() -> None:
    css = (
        ".g { display: grid; grid-template-columns: 1fr 1fr; row-gap: 8px } .g > * { padding: 40px; border: 9px solid }"
    )
    found = letters(f"<style>{css}</style><div class=g><div>A</div><div>B</div><div>C</div><div>D</div></div>")
    line = found["C"][1] - found["A"][1]
    assert 0.75 * (2 * (40 + 9) + 8) < line < 0.75 * (2 * (40 + 9) + 8 + 30)
