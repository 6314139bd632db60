"""What a reader sees of a page: all of its text, large enough, on the page, and over no other text."""

from __future__ import annotations

import io
import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lxml.html
import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.support.rendered_pages import Asset, PageGeometry, boxes, render, text
from tests.system.conformance.layout import findings, letters
from wcspider.engines.base import Rendering, Step
from wcspider.engines.xhtml2pdf.adapters import MIDDLE
from wcspider.engines.xhtml2pdf.boxes.columns import shared_out

pytestmark = pytest.mark.slow

W = "word " * 60
LONG = "x" * 300
ADDRESS = "https://example.com/" + "a/very/long/path_" * 20
FILES = Path("/usr/share/doc")
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def assert_readable(rendering: Rendering) -> None:
    """Assert that all text is large enough, on the page, and over no other text."""
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert [str(finding) for finding in findings(document)] == []


def assert_all_there(rendering: Rendering, source: str) -> None:
    """Assert that every letter and digit of a source is shown as often as it stands there."""
    tree = lxml.html.fromstring(f"<div>{source}</div>")
    for sheet in tree.xpath("//style"):
        sheet.text = ""
    wanted, found = (Counter(re.findall(r"\w", t)) for t in (tree.text_content(), text(rendering)))
    assert wanted - found == Counter()


SPACES = ["1px", "10px", "0.1em", "2vmax", "calc(1px + 1em)", "normal", "0"]
INLINE = ["inline", "inline-block", "inline-flex", "inline-grid", "inline-table", "-webkit-box"]
CASES = {
    "flex": "<div style='display: flex'>" + f"<div style='flex: 1; padding: 10px'>{W}</div>" * 4 + "</div>",
    "grid": "<div style='display: grid; grid-template-columns: 1fr 1fr 1fr'>" + f"<div>{W}</div>" * 9 + "</div>",
    "fixed bar": f"<div style='position: fixed; top: 0; left: 0; right: 0; background: #fff'>bar</div><p>{W * 30}",
    "absolute": "<div style='position: relative; height: 40px'>"
    f"<div style='position: absolute; top: 0'>{W}</div><div style='position: absolute; top: 5px'>{W}</div></div>{W}",
    "absolute at a side": f"<div style='position: absolute; right: 0; top: 0; width: 200px'>{W}</div><p>{W}",
    "absolute at the foot": f"<div style='position: absolute; bottom: 0'>foot</div><p>{W * 40}",
    "moved": f"<p>a</p><p style='position: relative; top: -40px; left: -600px'>{W}</p><p>b",
    "negative margins": f"<p>{W}<p style='margin-top: -60px'>{W}<p style='margin: 0 -400px'>{W}",
    "room for a side column": f"<div style='margin-left: 900px'>{W}</div><div style='padding: 0 0 0 30em'>{W}</div>",
    "indent": f"<p style='text-indent: -9999px'>{W}</p><h1 style='text-indent: -9999em; overflow: hidden'>Logo</h1>",
    "widths": "".join(f"<div style='width: {w}'>{W}</div>" for w in ("0", "10px", "3000px", "100vw", "1%", "5vmin")),
    "heights": f"<div style='height: 20px; overflow: hidden'>{W}</div><p style='max-height: 1px'>{W}</p><p>{W}",
    "preformatted": f"<pre>{'abc def ' * 100}\n{LONG}</pre>",
    "no wrapping": f"<p style='white-space: nowrap'>{W * 3}<table><tr>" + f"<td nowrap>{W}" * 3 + "</table>",
    "addresses in cells": "<table>" + f"<tr><td>{ADDRESS}<td>b<td>{ADDRESS}" * 5 + "</table>",
    "code in cells": f"<table><tr><td><pre>{LONG}</pre><td><pre>{LONG}</pre></table>",
    "40 columns": "<table border=1>" + ("<tr>" + "".join(f"<td>cell{n}" for n in range(40))) * 5 + "</table>",
    "100 columns": "<table border=1>" + ("<tr>" + "".join(f"<td>c{n}" for n in range(100))) * 3 + "</table>",
    "500 columns": "<table border=1><tr>" + "".join(f"<td>c{n}" for n in range(500)) + "</table>",
    "a table that is too wide": f"<table width=3000><tr><td width=1500>{W}<td width=1500>{W}</table>",
    "layout table": f"<table width='100%'><tr><td width='1%'>narrow column words<td width='99%'>{W}</table>",
    "layout table of 1%": "<table width='100%'><tr>" + f"<td width='1%'>{W}" * 3 + "</table>",
    "cell of 5 pixels": f"<table><tr><td style='width: 5px'>narrowcolumn words<td>{W}</table>",
    "nested tables": f"<table width='100%'><tr><td><table width=900><tr><td>{W}<td><table><tr><td>{W}<td>{W}"
    f"</table></table><td>{W}</table>",
    "12 tables deep": "<table><tr><td>" * 12 + f"deep {W}",
    "a rule in a cell": f"<table><tr><td>one<hr>two<td>{W}</table>",
    "row span": f"<table border=1><tr><td rowspan=3>{W}<td>1 {W}<tr><td>2 {W}<tr><td>3 {W}</table>",
    "row span over pages": "<table border=1><tr><td rowspan=90>span<td>r0<td rowspan=2>z"
    + "".join(f"<tr><td>r{n} {W[:50]}" for n in range(1, 90))
    + "</table>",
    "floats": "<div style='float: left; width: 200px'>" + f"{W}</div><div style='float: right'>{W}</div><p>{W}",
    "shrinking": "<div style='font-size: 0.5em'>" * 8 + W + "<small>" * 15 + "tiny" + "<sub>a<sup>b" * 6,
    "leading": "".join(f"<p style='line-height: {v}'>{W}" for v in ("0", "0.5", "3px", "-1")),
    "spacing": "<p style='letter-spacing: -5px'>squeezed words<p style='word-spacing: -20px'>squeezed words",
    "wide spacing": "".join(f"<p style='{name}-spacing: {size}'>{W}" for name in ("letter", "word") for size in SPACES),
    "spacing in cells": f"<table><tr><td style='letter-spacing: 3px'>{W}<td style='word-spacing: 1em'>{W}</table>",
    "200 divs": "<div>" * 200 + W,
    "40 lists": "<ul><li>x" * 40 + "bottom",
    "30 quotations": "<blockquote>" * 30 + W + "<dl><dd>" * 30 + W,
    "inline blocks": f"<div style='display: inline-block; width: 300px'>{W}</div>" * 4,
    "long inline blocks": "".join(f"<div style='display: {name}'>{W * 40}</div>" for name in INLINE),
    "an inline block of many lines": f"<span style='display: inline-block'>{'<p>line</p>' * 90}</span>",
    **{f"{name} as a page": f"<body style='display: {name}'><p>hello" for name in INLINE},
    "inline-block as the root": "<style>html { display: inline-block }</style><p>hello",
    "a rule in an inline block": "<div style='display: inline-block; border: 1px solid'>above<hr>below</div> beside",
    "only a rule in an inline block": "a<span style='display: inline-block'><hr></span>b",
    "code in an inline block": f"<pre><code style='display: inline-block'>{W}</code></pre>",
    "code in a box in a cell": f"<table><tr><td><pre><code style='display: inline-block'>{W}</code></pre><td>b</table>",
    "a long word in an inline block": f"a <span style='display: inline-block; padding: 5px'>{LONG}</span> b",
    "large letters": "<p style='font-size: 60px'>Large words that need more than one line",
    "list at the edge": "<ul style='margin: 0; padding: 0'><li>one<li>two</ul>",
    "Arabic": "<div dir=rtl style='margin-right: -300px'>" + "كلمات عربية هنا " * 30 + "</div>",
    "a long paragraph": "<p>" + "lorem ipsum dolor " * 11_000,
}


@pytest.mark.parametrize("case", CASES)
def test_layouts(case: str) -> None:
    rendering = render(CASES[case])
    assert_readable(rendering)
    if case != "Arabic":  # PDFium gives the letters in the forms in which they are joined
        assert_all_there(rendering, CASES[case])


A4 = PageGeometry()
A6 = PageGeometry(width=298, height=420)
NARROW = PageGeometry(margin_left=200, margin_right=200)


def wide(columns: int, cell: str = "<td>c{0}", before: str = "", rows: int = 3, table: str = "border=1") -> str:
    return f"<table {table}>{before}" + ("<tr>" + "".join(cell.format(n) for n in range(columns))) * rows + "</table>"


WIDE = {
    **{f"{columns} columns": wide(columns) for columns in (20, 60, 100, 149, 151)},
    "without lines": wide(149, table=""),
    "colspan": wide(149, before="<tr><th colspan=149>a title"),
    "colspans": wide(149, before="<tr>" + "".join(f"<th colspan=2>head{n}" for n in range(74))),
    "uneven": "<table>"
    + "".join("<tr>" + f"<td colspan={n}>c{n}" * (100 // n) for n in (1, 2, 3, 5, 7, 50))
    + "</table>",
    "row span": wide(99, before="<tr><td rowspan=4>span" + "<td>b" * 98),
    "a short row": wide(99, before="<tr><td>one"),
    "right to left": "<html dir=rtl>" + wide(99, before="<tr><th colspan=99>one<tr><td><td colspan=4>two"),
    "padding": wide(60, "<td style='padding: 10px 20px; border: 2px solid'>c{0}"),
    "more padding than paper": wide(3, "<td style='padding: 150px'>c{0}"),
    "margins": wide(20, table="style='margin: 0 150px'"),
    "paragraphs": wide(60, "<td><p>c{0}<p style='margin-left: 30px'>d"),
    "wide letters": wide(40, "<td style='font-size: 40px'>W"),
    "lists": wide(30, "<td><ul><li>one<li>two</ul>"),
    "fields": wide(30, "<td><button>b{0}</button>"),
    "long words": wide(20, f"<td>{{0}}{LONG[:80]}"),
    "a table in it": f"<table border=1><tr><td>one<td>{wide(40)}<td>three</table>",
}


@pytest.mark.parametrize("case", WIDE)
@pytest.mark.parametrize("geometry", [A4, A6, NARROW], ids=["A4", "A6", "narrow"])
def test_tables_of_more_columns_than_there_is_room_for(case: str, geometry: PageGeometry) -> None:
    rendering = render(WIDE[case], geometry=geometry, forms=False)
    assert_readable(rendering)
    assert_all_there(rendering, WIDE[case])


def test_a_row_that_is_too_wide_goes_on_below_itself_in_its_colors() -> None:
    styles = "<style>th { background: #003366; color: white }</style>"
    heads = wide(80, "<th>h{0}", rows=1)
    rendering = render(styles + heads.replace("</table>", wide(80, rows=1)[len("<table border=1>") :]), geometry=A6)
    words = text(rendering).split()
    assert words == [f"h{n}" for n in range(80)] + [f"c{n}" for n in range(80)]
    lines = {round(box[1]) for number, character, box in boxes(rendering) if (number, character) == (0, "h")}
    assert 5 < len(lines) < 40
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        picture = document[0].render().to_pil().convert("RGB")
        assert (0, 0x33, 0x66) in {color for _, color in picture.getcolors(100_000)}


def test_a_folded_row_begins_at_the_right_where_lines_do() -> None:
    cells = [f"<td>{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    found = boxes(render(f"<html dir=rtl><table><tr>{''.join(cells * 2)}</table>", geometry=A6))
    left, highest = zip(*((box[0], box[3]) for _, character, box in found if character == "a"), strict=True)
    b = max((box for _, character, box in found if character == "b"), key=lambda box: box[3])
    assert left[highest.index(max(highest))] > b[0]


SIZES = ["2000px", "300px", "100vw", "90vh", "9999em", "1e30px", "5000%", "200pt", "0", "-5px", "nanpx", "1e999px"]
HEIGHTS = ["2000px", "700px", "9999em", "100", "1e30", "50000%", "100vh", "-50px", "0", "nan", "inf"]
LARGE = {
    **{f"size {size}": f"<p>a</p><p style='font-size: {size}'>Huge words here</p>{W}" for size in SIZES},
    **{f"item {size}": f"<ul><li style='font-size: {size}'>ab<ol><li>c</ol></ul>" for size in SIZES},
    **{f"cell {size}": f"<table><tr><td><h1 style='font-size: {size}'>H</h1><td>b</table>" for size in SIZES},
    **{f"line {height}": f"<p>a</p><p style='line-height: {height}'>words here</p>{W}" for height in HEIGHTS},
    **{f"row {height}": f"<table style='line-height: {height}'><tr><td>words<td>here</table>" for height in HEIGHTS},
    "shorthand": "<p style='font: bold 900px/3000px serif'>words here",
    "level by level": "<div style='font-size: 2em'>" * 12 + "deep" + "<big>" * 20 + "deeper",
    "raised": "<p style='font-size: 400px'>a<sup>2</sup> b<sub>3</sub>",
    "in a line": f"<p>a<span style='font-size: 3000px; line-height: 900px'>2</span> b {W}",
    "in a box": "<span style='display: inline-block; font-size: 3000px'>Press here</span>",
    "generated": "<style>p:before { content: 'x'; font-size: 3000px }</style><p>a",
    "deep": "<blockquote>" * 12 + "<p style='font-size: 2000px'>Wide",
}


@pytest.mark.parametrize("case", LARGE)
@pytest.mark.parametrize("geometry", [A4, A6], ids=["A4", "A6"])
def test_text_and_lines_larger_than_a_page(case: str, geometry: PageGeometry) -> None:
    rendering = render(LARGE[case], geometry=geometry)
    assert_readable(rendering)
    assert_all_there(rendering, LARGE[case])


@pytest.mark.parametrize(
    ("style", "points"),
    [
        ("font-size: 40px", 30),
        ("font-size: 5vw", 25.5),  # of a page that is 680 pixels wide
        ("font-size: 2000px", 510.2 / 3),
        ("font: 50vh/2 serif", 510.2 / 3),
        ("font-size: nanpx", 12),
    ],
)
def test_sizes_of_text(style: str, points: float) -> None:
    with pypdfium2.PdfDocument(render(f"<p style='{style}'>x").pdf) as document:
        assert letters(document[0])[0].size == pytest.approx(points, rel=0.01)


def test_5000_rows_are_readable_and_in_the_same_columns() -> None:
    rows = "".join(f"<tr><td>{n:04d}<td>value {n:04d}<td>a longer column" for n in range(5000))
    rendering = render(f"<table border=1>{rows}</table>")
    assert_all_there(rendering, rows)
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert list(findings(document, range(1, len(document), 20))) == []
        shown = [letter for page in (0, 60) for letter in letters(document[page])]
    starts = {round(letter.box[0]) for letter in shown if letter.character == "v"}
    assert len(starts) == 1


@pytest.mark.parametrize(
    "style",
    [
        "position: absolute; left: -9999px",
        "position: absolute; top: -1000em",
        "position: absolute; width: 1px; height: 1px; clip: rect(0 0 0 0); overflow: hidden",
        "display: none",
    ],
)
def test_what_is_hidden_aside_is_hidden(style: str) -> None:
    assert text(render(f"<p>a <span style='{style}'>for screen readers</span> b")).split() == ["a", "b"]


PARTS = "Quantity: 1", "250 EUR"
BESIDE = {
    **{
        f"{display}, {tag}": f"<div style='display: {display}'><{tag}>Quantity: 1</{tag}><{tag}>250 EUR</{tag}></div>"
        for display in ("flex", "grid", "inline-flex", "inline-grid")
        for tag in ("span", "a", "a href=x", "b", "label", "li style='display: inline'")
    },
    "text in a flex container": "<div style='display: flex'>Quantity: 1<b>250 EUR</b></div>",
    "text around an image": f"<div style='display: flex'>Quantity: 1<img src='{PIXEL}'>250 EUR</div>",
    "floats": "<p><span style='float: left'>Quantity: 1</span><span style='float: right'>250 EUR</span>",
    "a float": "<p>Quantity: 1<span style='float: right'>250 EUR</span>",
    "text behind a float": "<p><span style='float: inline-start'>Quantity: 1</span>250 EUR",
    "by a style sheet": "<style>p b { float: left } p i { float: none }</style><p><i>Quantity: 1</i><b>250 EUR</b>",
    "floating items": "<style>li { float: left }</style><ul><li>Quantity: 1</li><li>250 EUR</li></ul>",
    "in a link": "<a href=x>Quantity: 1<b style='position: absolute'>250 EUR</b></a>",
    "placed": "<p>Quantity: 1<span style='position: fixed; left: 300px'>250 EUR</span>",
    "in a heading": "<h1>Quantity: 1<span style='float: right'>250 EUR</span></h1>",
    "in a box": "<p><b style='display: inline-block'>Quantity: 1<i style='float: right'>250 EUR</i></b>",
    "where line breaks are hidden": "<style>br { display: none !important }</style>"
    "<p>Quantity: 1<span style='float: right'>250 EUR</span>",
    "an empty box": "<p>Quantity: 1<span style='display: inline-block; width: 100px'></span>250 EUR",
    "boxes": "<p><b style='display: inline-block'>Quantity: 1</b> <b style='display: inline-block'>250 EUR</b>",
}


@pytest.mark.parametrize("case", BESIDE)
def test_what_stands_beside_other_text_is_kept_apart_from_it(case: str) -> None:
    rendering = render(BESIDE[case])
    found = " ".join(text(rendering).replace("•", "").split())
    assert found == " ".join(PARTS)
    assert_readable(rendering)
    assert [heading.title for heading in rendering.headings] in ([], [" ".join(PARTS)])


@pytest.mark.parametrize(
    "source",
    [
        "<p><b style='display: inline-block'>W</b>ord",
        "<p>Wo<a style='position: absolute' id=here></a>rd",
        "<p>Wo<img style='float: left' src=none>rd",
        "<p>Wo<b style='float: left; float: none'>r</b>d",
        "<p>Wo<b style='float: left'><i style='display: none'>no</i></b>rd",
        "<p>Wo<b style='display: inline-block; width: 9px'><i style='display: none'>no</i></b>rd",
        "<p><b style='float: left'>W</b>ord",  # the large letter of a first line
    ],
)
def test_one_word_stays_one_word(source: str) -> None:
    assert text(render(source)) == "Word"


def test_what_is_generated_before_boxes_stays_there() -> None:
    styles = "<style>b + b::before { content: '|' } p { display: flex }</style>"
    assert text(render(f"{styles}<p><b>One</b><b>Two</b>")).split() == ["One", "|Two"]


def test_the_later_style_sheet_wins_whatever_page_came_before() -> None:
    """What a style sheet was parsed to is kept for other pages, where another one may stand before it."""
    sheets = ["p.own { padding-left: 40px }", "p.own { padding-left: 90px }"]

    def left(*order: int) -> float:
        styles = "".join(f"<style>{sheets[number]}</style>" for number in order)
        return boxes(render(f"{styles}<p class=own>x"))[0][2][0]

    assert left(1) == left(0, 1) == left(1, 0, 1)
    assert left(0) == left(1, 0) < left(1)


def test_small_shifts_stay() -> None:
    def left(style: str) -> float:
        [box] = [box for _, c, box in boxes(render(f"<p>a<p style='{style}'>x")) if c == "x"]
        return box[0]

    assert left("position: relative; left: 8px") == pytest.approx(left("") + 6, abs=0.5)
    assert left("position: relative; left: 80px") == left("")


def test_images_without_text_between_them_go_on_in_the_next_line() -> None:
    out = io.BytesIO()
    Image.new("RGB", (80, 40), "red").save(out, "PNG")
    rendering = render("<img src=i>" * 30, {"https://example.com/dir/i": Asset(out.getvalue(), "image/png")})
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        edges = [o.get_bounds()[2] for page in document for o in page.get_objects(filter=[3])]
    assert len(edges) == 30
    assert max(edges) <= 595 - 42


FIGURE = f"<figure style='display: inline-block'><img src=i style='width: 100%'><figcaption>{W}</figcaption></figure>"


@pytest.mark.parametrize(
    ("source", "width"),
    [
        (FIGURE, 432),
        (FIGURE * 3, 432),
        ("<span style='display: inline-block'><img src=i height=2000></span>", 432),
        ("<div style='display: inline-block; width: 200px'><img src=i style='width: 50%'>a</div>", 75),
        ("<div style='display: inline-block'><img src=i width=100>a</div>", 75),
    ],
)
def test_images_in_inline_blocks(source: str, width: float) -> None:
    body = io.BytesIO()
    Image.new("RGB", (500, 700), "red").save(body, "PNG")
    rendering = render(source, {"https://example.com/dir/i": Asset(body.getvalue(), "image/png")})
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        shown = [o.get_bounds() for page in document for o in page.get_objects(filter=[3])]
    assert len(shown) == source.count("<img")
    for left, bottom, right, top in shown:
        assert right - left == pytest.approx(width, abs=1)
        assert top - bottom == pytest.approx(width * 1.4, abs=1)
        assert 0 < left < right < 595
        assert 0 < bottom < top < 842
    assert_readable(rendering)
    assert_all_there(rendering, source)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("<p><img src=/i> <img src=/i></p>", 2),
        ("<p>a</p><p><img src=/i><br><img src=/i></p>", 2),
        ("<p><a href=/x><img src=/i></a> <a href=/x><img src=/i></a></p>", 2),
        ("<p>a<br><img src=/i height=1500><br>b<br><img src=/i><img src=/i><br>c</p>", 3),
        ("<h2><img src=/i><br><img src=/i></h2><p>a", 2),
        ("<div style='border: 1px solid; page-break-inside: avoid'><p><img src=/i><br><img src=/i></p></div>", 2),
    ],
)
@pytest.mark.parametrize("step", [Step.FULL, Step.NO_AUTHOR_STYLES])
def test_images_of_most_of_a_page(source: str, count: int, step: Step) -> None:
    body = io.BytesIO()
    Image.new("RGB", (500, 700), "red").save(body, "PNG")
    rendering = render(source, {"https://example.com/i": Asset(body.getvalue(), "image/png")}, step=step)
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        shown = [o.get_bounds() for page in document for o in page.get_objects(filter=[3])]
    assert len(shown) == count
    assert all(0 < left < right < 595 and 0 < bottom < top < 842 for left, bottom, right, top in shown)
    assert_all_there(rendering, source)


@pytest.mark.parametrize(
    "unit", ["<img src=/i>", "<img src=/i> ", "<a href=/x><img src=/i></a>", "日本<img src=/i>語。"]
)
def test_many_images_go_on_on_the_next_pages(unit: str) -> None:
    body = io.BytesIO()
    Image.new("RGB", (100, 100), "red").save(body, "PNG")
    rendering = render(f"<div>{unit * 150}</div>", {"https://example.com/i": Asset(body.getvalue(), "image/png")})
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert len(document) > 1
        pictures = [
            picture.get_bounds()
            for page in document
            for picture in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        ]
    assert len(pictures) == 150
    assert all(0 < left < right < 595 and 0 < bottom < top < 842 for left, bottom, right, top in pictures)


ROWS = {
    "a row of more text than its height": f"<table><tr><td height=20>{W * 3}<td>b</table><p>after",
    "a share of something unknown": "<table><tr><td height='100%'>a<td>b</table>",
    "no heights at all": "<table><tr><td height=-50>a<td height=nan>b<tr><td height=1e30>c<td style='height: 9999em'>d"
    "</table>",
    "rows over pages": f"<table><thead><tr><th height=200>h</thead>{f'<tr><td height=500>{W}' * 4}</table>",
}


@pytest.mark.parametrize("case", ROWS)
@pytest.mark.parametrize("step", [Step.FULL, Step.NO_AUTHOR_STYLES])
def test_rows_of_a_height(case: str, step: Step) -> None:
    rendering = render(ROWS[case], step=step)
    assert_readable(rendering)
    assert_all_there(rendering, ROWS[case])


def test_the_height_of_a_row_is_the_least_that_it_has() -> None:
    rows = f"<tr><td height=150>a<td>{W}<tr><td>b<td style='height: 150pt'>d<tr><td>c<td height=150>d"
    baselines = {character: box[1] for _, character, box in boxes(render(f"<table>{rows}</table>"))}
    assert baselines["a"] - baselines["b"] == pytest.approx(150, abs=5)
    assert baselines["b"] - baselines["c"] == pytest.approx(150, abs=5)


def test_rows_keep_their_heights_over_the_pages() -> None:
    found = boxes(render(f"<table>{'<tr><td height=100 valign=top>a' * 30}</table>"))
    last = [box[1] for number, _, box in found if number == max(number for number, *_ in found)]
    assert last[0] - last[1] == pytest.approx(100, abs=1)
    assert len(found) == 30


@pytest.mark.parametrize("span", ["1000", "0", "-3", "abc", "9" * 20, "9" * 5000])
@pytest.mark.parametrize("name", ["colspan", "rowspan"])
def test_spans_of_any_size(name: str, span: str) -> None:
    """Columns and rows that are only spanned take neither time nor room."""
    row = f"<tr><td {name}={span}>one<td {name}={span}>two"
    source = f"<table>{row * 12}<tr><td>three<td>four</table>"
    rendering = render(source)
    assert_readable(rendering)
    assert_all_there(rendering, source)


def test_lines_stand_in_the_middle_of_their_boxes() -> None:
    rendering = render("<div style='border: 1px solid; font-size: 40px; line-height: 40px'>Hp</div>")
    (_, _, capital), (_, _, descender) = boxes(rendering)
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        edges = [o.get_bounds() for o in document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_PATH])]
    top, bottom = max(edge[3] for edge in edges), min(edge[1] for edge in edges)
    assert bottom < descender[1] < capital[3] < top
    assert capital[1] == pytest.approx((top + bottom) / 2 - MIDDLE * 30, abs=1)  # 40 pixels are 30 points


@pytest.mark.parametrize(
    ("declared", "lows", "highs", "total", "expected"),
    [
        ((None, None), (10, 20), (30, 40), None, (30, 40)),  # as wide as the contents
        ((None, None), (10, 20), (30, 40), 100, (42.9, 57.1)),
        ((None, None), (10, 20), (60, 140), None, (30.6, 69.4)),  # lines are broken where there are long ones
        ((None, None), (10, 200), (60, 400), None, (10, 90)),  # a word is, in the widest column
        (("1%", None), (20, 20), (90, 50), 100, (20, 80)),
        (("50%", "50%"), (10, 10), (20, 30), None, (30, 30)),
        ((5, None), (20, 20), (90, 40), None, (20, 40)),  # no narrower than a word
    ],
)
def test_columns(
    declared: tuple[object, ...],
    lows: tuple[float, ...],
    highs: tuple[float, ...],
    total: float | None,
    expected: tuple[float, ...],
) -> None:
    assert shared_out(declared, lows, highs, 100, total) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("row", [1, 35, 42, 44, 45, 46])
@pytest.mark.parametrize("repeated", ["thead", "tbody"])
def test_headings_stand_at_the_top_of_a_page_only(row: int, repeated: str) -> None:
    rows = "".join(f"<tr><td>{n}<td>{'word ' * 220 if n == row else 'ok'}" for n in range(1, 49))
    rendering = render(f"<table border=1><{repeated}><tr><th>Heading<th>Remark</{repeated}>{rows}</table>")
    assert_readable(rendering)
    assert text(rendering).count("word") == 220
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        found = [page.get_textpage().get_text_range().count("Heading") for page in document]
    assert found == ([1] * len(found) if repeated == "thead" else [1, *[0] * (len(found) - 1)])


COLUMN = st.tuples(
    st.one_of(st.none(), st.floats(0, 900), st.integers(0, 120).map(lambda n: f"{n}%")),
    st.floats(0, 600),
    st.floats(0, 900),
)


@given(st.lists(COLUMN, min_size=1, max_size=8), st.one_of(st.none(), st.floats(0, 500)))
@settings(max_examples=300, deadline=None)
def test_columns_fit_and_words_are_whole_where_there_is_room(
    columns: list[tuple[object, float, float]], total: float | None
) -> None:
    declared, lows, highs = zip(*((d, low, low + more) for d, low, more in columns), strict=True)
    widths = shared_out(declared, lows, highs, 500, total)
    assert sum(widths) <= 500 + 0.01
    assert all(width >= 0 for width in widths)
    if sum(lows) <= 500:
        assert all(width >= low - 0.01 for width, low in zip(widths, lows, strict=True))


class TestTheCheckItself:
    """It finds what is wrong where something is."""

    @pytest.mark.parametrize(
        ("content", "what"),
        [
            (b"BT /F1 3 Tf 100 100 Td (small) Tj ET", "smaller than can be read"),
            (b"0.2 0 0 0.2 0 0 cm BT /F1 12 Tf 500 500 Td (small) Tj ET", "smaller than can be read"),
            (b"BT /F1 12 Tf 590 100 Td (outside) Tj ET", "outside of the page"),
            (b"BT /F1 12 Tf 100 100 Td (one line) Tj 2 3 Td (another) Tj ET", "over other text"),
        ],
    )
    def test_finds(self, content: bytes, what: str) -> None:
        assert [finding.what for finding in self._findings(content)] == [what]

    def test_finds_nothing_in_lines(self) -> None:
        assert self._findings(b"BT /F1 12 Tf 100 100 Td (one line) Tj 0 14 Td (another) Tj ET") == []

    def _findings(self, content: bytes) -> list[object]:
        pdf = pikepdf.new()
        page = pdf.add_blank_page(page_size=(595, 842))
        font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        page.Contents = pdf.make_stream(content)
        out = io.BytesIO()
        pdf.save(out)
        with pypdfium2.PdfDocument(out.getvalue()) as document:
            return list(findings(document))


REAL = [
    "python3.11/html/library/unicodedata.html",
    "python3.11/html/library/string.html",
    "sqlite3/nulls.html",
    "sqlite3/fts3.html",
    "git/html/git-bisect.html",
    "apache2-doc/manual/en/mod/mod_rewrite.html",
    "debian-handbook/html/ar-MA/foreword.html",
    "debian-handbook/html/ja-JP/foreword.html",
]


@pytest.mark.parametrize("page", REAL)
def test_real_pages(page: str) -> None:
    file = FILES / page
    if not file.is_file():
        pytest.skip("the documentation is not installed")
    styles = {sheet.name: sheet for sheet in file.parent.glob("**/*.css")}
    assets = {}
    for link in lxml.html.fromstring(file.read_bytes()).xpath("//link[contains(@rel, 'stylesheet')]/@href"):
        if sheet := styles.get(link.rpartition("/")[2].partition("?")[0]):
            assets[f"https://example.com/dir/{link.partition('?')[0]}"] = Asset(sheet.read_bytes(), "text/css")
    rendering = render(file.read_bytes(), assets)
    assert len(text(rendering)) > 500
    assert_readable(rendering)


NEXT = "<p>a</p><p style='page-break-before: always'>b</p><p style='page-break-after: right'>c</p>"
SQUARE = f"<img src='{PIXEL}' width=60 height=60"
ODD = [
    f"<p>{SQUARE}> one. {SQUARE} align=right> two three four.</p><p>{W}",
    f"<p>small {SQUARE} align=left> <font size=7>Large words {W}</font> {SQUARE}></p><p>{W}",
    f"<p>{W}{SQUARE} align=left>{W * 30}{SQUARE}></p><p>{W}",
    f"<p>a</p><p><img src='{PIXEL}' style='vertical-align: -3px'> b",
    "<table><tr><td style='vertical-align: 2px'>a<td>b</table>",
    "<p>a</p><h1 style='padding-top: 3000px'>b</h1>",
    "<p>a</p><h1 style='border-top: 3000px solid'>b</h1>",
    "<p>a</p><blockquote style='padding-top: 99999px'>b</blockquote>",
    "<table style='padding: 1e30px 0'><tr><td>a<td>b</table>",
    "<p>a</p><table><tr><td><h2 style='border-width: -3px'>b</h2></table>",
    "<p>a</p><p><font size=99>b</font>",
    "<p>a</p><hr size=9999><p>b</p>",
    f"<p>a</p><hr size={'9' * 5000}><p><font size=+{'9' * 5000}>b</font>",
    "<table border=9999 cellpadding=9999 height=9999><tr><td>a<td>b</table>",
    "<table><tr><td>a<td><div style='page-break-inside: avoid'>" + "<p>b</p>" * 100 + "</div>c</table>",
    f"<p style='line-height: 0'><img src='{PIXEL}' width=90 height=90 align=left>{W}</p>",
    f"<table><tr><td style='font-size: 0; line-height: 0'><img src='{PIXEL}' align=right width=90><td>{W}</table>",
    f"<div style='font-size: 0; line-height: 1.5'><img src='{PIXEL}' width=90 align=left><p>{W}</p></div>",
    f"<table><thead><tr><th>{'<p>head</p>' * 60}</thead>{'<tr><td>row' * 60}</table>",
    f"<table><thead>{f'<tr><th>{W}' * 30}</thead>{'<tr><td>row' * 60}</table>",
    f"<table><tr><td>{NEXT}<td>d</table>",
    f"<table><tr><td><div style='border: 1px solid'>{NEXT}</div><table><tr><td>{NEXT}</table></table>",
    f"<table><tr><td>{W * 10}{NEXT}{W * 10}</table>",
    f"<span style='display: inline-block'>{NEXT}</span><table><tr><td>d</table>",
]


def test_page_breaks_of_rows_and_behind_tables() -> None:
    """They stay: there are pages there."""
    for source in (f"<table><tr><td>a</table><span style='display: inline-block'>b</span>{NEXT}",
                   "<p>a<table><tr style='page-break-before: always'><td>b</table>"):  # fmt: skip
        assert max(number for number, *_ in boxes(render(source))) > 0


TALL = f"<h2>{W}<img src=i height=650 width=100>{W}</h2>"


@contextmanager
def seconds(limit: float) -> Iterator[None]:
    """A time after which a layout has not ended."""

    def stop(*_: object) -> None:
        pytest.fail(f"the layout has not ended in {limit} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "source",
    [
        f"<p>a</p>{TALL}",
        f"<p>a</p>{TALL}<p style='page-break-before: always'>b",
        f"<p>a</p><h1>b</h1>{TALL}<h3>c</h3>",
        f"<p>a</p><h2>{W * 15}</h2>",
        f"<p>a</p><h2 style='page-break-inside: avoid'>{W * 15}</h2>",
        f"<p>a</p><div style='page-break-after: avoid'>{f'<p>{W}</p>' * 30}</div>",
    ],
)
@pytest.mark.parametrize("step", [Step.FULL, Step.NO_AUTHOR_STYLES])
def test_headings_of_more_than_a_page_with_nothing_behind_them(source: str, step: Step) -> None:
    body = io.BytesIO()
    Image.new("RGB", (500, 700), "red").save(body, "PNG")
    with seconds(20):
        rendering = render(source, {"https://example.com/dir/i": Asset(body.getvalue(), "image/png")}, step=step)
    assert_all_there(rendering, source)


@pytest.mark.parametrize("source", ODD)
def test_what_no_author_meant_is_laid_out(source: str) -> None:
    rendering = render(source)
    assert_readable(rendering)
    assert_all_there(rendering, source)
