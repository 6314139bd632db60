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
from PIL import Image

from tests.support.rendered_pages import Asset, PageGeometry, boxes, render, text
from tests.system.conformance.layout import findings
from wcspider.engines.base import Rendering

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


SPOILING = [
    "position: absolute; top: 0", "position: fixed; bottom: 0", "position: relative; top: -40px; left: -600px",
    "margin-top: -60px", "margin: 0 -400px", "margin-left: 900px", "padding: 0 0 0 30em", "text-indent: -9999px",
    "width: 0", "width: 10px", "width: 3000px", "height: 20px; overflow: hidden", "max-height: 1px", "float: left",
    "columns: 4", "font-size: 0.1em", "font-size: 2000px", "font-size: nanpx", "font: bold 900px/3000px serif",
    "line-height: 0", "line-height: 9999em", "letter-spacing: -5px", "word-spacing: 1em", "white-space: nowrap",
    "padding-top: 3000px", "border: 3000px solid", "color: white", "opacity: 0.1", "transform: rotate(45deg)",
    "page-break-before: always", "display: inline-block; width: 300px", "display: table-cell", "clip-path: inset(100%)",
]  # fmt: skip
"""Styles that would put text off the page, over other text, or make it unreadable."""

CASES = {
    "styles of blocks": "".join(f"<div style='{style}'>{W}</div><p style='{style}'>{W}" for style in SPOILING),
    "styles in lines": "".join(f"{W}<span style='{style}'>{W}</span>" for style in SPOILING),
    "styles of cells": "<table>" + "".join(f"<tr><td style='{style}'>{W}<td>{W}" for style in SPOILING) + "</table>",
    "attributes": f"<table width=3000 border=9999 cellpadding=9999 height=9999><tr><td width='1%' height=500>{W}"
    f"<td nowrap>{W}</table><hr size=9999><font size=99 color=white>{W}</font><p align=right>{W}<p>"
    f"<font size=+{'9' * 5000}>{W}",
    "flex": "<div style='display: flex'>" + f"<div style='flex: 1; padding: 10px'>{W}</div>" * 4 + "</div>",
    "grid": "<div style='display: grid; grid-template-columns: 1fr 1fr 1fr'>" + f"<div>{W}</div>" * 9 + "</div>",
    "preformatted": f"<pre>{'abc def ' * 100}\n{LONG}</pre>",
    "addresses in cells": "<table>" + f"<tr><td>{ADDRESS}<td>b<td>{ADDRESS}" * 5 + "</table>",
    "code in cells": f"<table><tr><td><pre>{LONG}</pre><td><pre>{LONG}</pre></table>",
    "40 columns": "<table border=1>" + ("<tr>" + "".join(f"<td>cell{n}" for n in range(40))) * 5 + "</table>",
    "500 columns": "<table border=1><tr>" + "".join(f"<td>c{n}" for n in range(500)) + "</table>",
    "nested tables": f"<table width='100%'><tr><td><table width=900><tr><td>{W}<td><table><tr><td>{W}<td>{W}"
    f"</table></table><td>{W}</table>",
    "12 tables deep": "<table><tr><td>" * 12 + f"deep {W}",
    "a rule in a cell": f"<table><tr><td>one<hr>two<td>{W}</table>",
    "row span": f"<table border=1><tr><td rowspan=3>{W}<td>1 {W}<tr><td>2 {W}<tr><td>3 {W}</table>",
    "row span over pages": "<table border=1><tr><td rowspan=90>span<td>r0<td rowspan=2>z"
    + "".join(f"<tr><td>r{n} {W[:50]}" for n in range(1, 90))
    + "</table>",
    "shrinking": "<small>" * 15 + "tiny" + "<sub>a<sup>b" * 6,
    "growing": "<div><font size=7>" * 9 + "deep" + "<big>" * 20 + "deeper" + "<h1>deepest",
    "200 divs": "<div>" * 200 + W,
    "40 lists": "<ul><li>x" * 40 + "bottom",
    "30 quotations": "<blockquote>" * 30 + W + "<dl><dd>" * 30 + W,
    "Arabic": "<div dir=rtl>" + "كلمات عربية هنا " * 30 + "</div>",
    "a long paragraph": "<p>" + "lorem ipsum dolor " * 5_000,
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
    **{f"{columns} columns": wide(columns) for columns in (15, 20, 60, 151)},
    "colspan": wide(149, before="<tr><th colspan=149>a title"),
    "colspans": wide(149, before="<tr>" + "".join(f"<th colspan=2>head{n}" for n in range(74))),
    "uneven": "<table>"
    + "".join("<tr>" + f"<td colspan={n}>c{n}" * (100 // n) for n in (1, 2, 3, 5, 7, 50))
    + "</table>",
    "row span": wide(99, before="<tr><td rowspan=4>span" + "<td>b" * 98),
    "a short row": wide(99, before="<tr><td>one"),
    "right to left": "<html dir=rtl>" + wide(99, before="<tr><th colspan=99>one<tr><td><td colspan=4>two"),
    "paragraphs": wide(60, "<td><p>c{0}<p style='margin-left: 30px'>d"),
    "lists": wide(30, "<td><ul><li>one<li>two</ul>"),
    "fields": wide(30, "<td><button>b{0}</button>"),
    "long words": wide(20, f"<td>{{0}}{LONG[:80]}"),
    "a table in it": f"<table border=1><tr><td>one<td>{wide(40)}<td>three</table>",
}


@pytest.mark.parametrize("case", WIDE)
@pytest.mark.parametrize("geometry", [A4, NARROW], ids=["A4", "narrow"])
def test_tables_of_more_columns_than_there_is_room_for(case: str, geometry: PageGeometry) -> None:
    rendering = render(WIDE[case], geometry=geometry, forms=False)
    assert_readable(rendering)
    assert_all_there(rendering, WIDE[case])


def test_600_rows_are_readable() -> None:
    rows = "".join(f"<tr><td>{n:04d}<td>value {n:04d}<td>a longer column" for n in range(600))
    rendering = render(f"<table border=1>{rows}</table>")
    assert_all_there(rendering, rows)
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert list(findings(document, range(1, len(document), 10))) == []


@pytest.mark.parametrize("style", ["display: none", "visibility: hidden", "visibility: collapse"])
def test_what_is_hidden_is_hidden(style: str) -> None:
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
    "where line breaks are hidden": "<style>br { display: none !important }</style>"
    "<p>Quantity: 1<span style='float: right'>250 EUR</span>",
}


@pytest.mark.parametrize("case", BESIDE)
def test_what_stands_beside_other_text_is_kept_apart_from_it(case: str) -> None:
    rendering = render(BESIDE[case])
    found = " ".join(text(rendering).replace("•", "").split())
    assert found == " ".join(PARTS)
    assert_readable(rendering)
    assert [heading.title for heading in rendering.structure.headings] in ([], [" ".join(PARTS)])


@pytest.mark.parametrize(
    "source",
    [
        "<p><b style='display: inline-block'>W</b>ord",
        "<p>Wo<a style='position: absolute' id=here></a>rd",
        "<p>Wo<img style='float: left' src=none>rd",
        "<p>Wo<b style='float: left; float: none'>r</b>d",
        "<p>Wo<b style='display: inline-block; width: 9px'><i style='display: none'>no</i></b>rd",
        "<p><b style='float: left'>W</b>ord",  # the large letter of a first line
    ],
)
def test_one_word_stays_one_word(source: str) -> None:
    assert text(render(source)) == "Word"


def test_the_later_style_sheet_wins_whatever_page_came_before() -> None:
    sheets = ["p.own { display: none }", "p.own { display: block }"]

    def shown(*order: int) -> str:
        styles = "".join(f"<style>{sheets[number]}</style>" for number in order)
        return text(render(f"{styles}<p class=own>x"))

    assert shown(1) == shown(0, 1) == "x"
    assert shown(0) == shown(1, 0) == ""


def test_images_without_text_between_them_go_on_in_the_next_line() -> None:
    out = io.BytesIO()
    Image.new("RGB", (80, 40), "red").save(out, "PNG")
    rendering = render("<img src=i>" * 30, {"https://example.com/dir/i": Asset(out.getvalue(), "image/png")})
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        edges = [o.get_bounds()[2] for page in document for o in page.get_objects(filter=[3])]
    assert len(edges) == 30
    assert max(edges) <= 595 - 42


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("<p><img src=/i> <img src=/i></p>", 2),
        ("<p>a</p><p><img src=/i><br><img src=/i></p>", 2),
        ("<p><a href=/x><img src=/i></a> <a href=/x><img src=/i></a></p>", 2),
        ("<p>a<br><img src=/i height=1500><br>b<br><img src=/i><img src=/i><br>c</p>", 3),
        ("<h2><img src=/i><br><img src=/i></h2><p>a", 2),
    ],
)
def test_images_of_most_of_a_page(source: str, count: int) -> None:
    body = io.BytesIO()
    Image.new("RGB", (500, 700), "red").save(body, "PNG")
    rendering = render(source, {"https://example.com/i": Asset(body.getvalue(), "image/png")})
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


def test_an_image_is_no_wider_than_the_room_between_the_indents() -> None:
    body = io.BytesIO()
    Image.new("RGB", (900, 20), "red").save(body, "PNG")
    source = "<ul><li>" * 9 + "<img src=i>"
    rendering = render(source, {"https://example.com/dir/i": Asset(body.getvalue(), "image/png")})
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        [picture] = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        assert picture.get_bounds()[2] <= 595 - 42


@pytest.mark.parametrize("source", ["<img src=i><br>Hp", "<div><img src=i></div><div>Hp</div>"])
def test_text_is_not_over_an_image_before_it(source: str) -> None:
    body = io.BytesIO()
    Image.new("RGB", (100, 50), "red").save(body, "PNG")
    rendering = render(source, {"https://example.com/dir/i": Asset(body.getvalue(), "image/png")})
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        [picture] = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        bottom = picture.get_bounds()[1]
    assert [character for _, character, box in boxes(rendering) if box[3] < bottom] == ["H", "p"]


@pytest.mark.parametrize("span", ["1000", "0", "-3", "abc", "9" * 20, "9" * 5000])
@pytest.mark.parametrize("name", ["colspan", "rowspan"])
def test_spans_of_any_size(name: str, span: str) -> None:
    """Columns and rows that are only spanned take neither time nor room."""
    row = f"<tr><td {name}={span}>one<td {name}={span}>two"
    source = f"<table>{row * 12}<tr><td>three<td>four</table>"
    rendering = render(source)
    assert_readable(rendering)
    assert_all_there(rendering, source)


@pytest.mark.parametrize("row", [1, 35, 44])
def test_the_headings_of_a_table_are_not_repeated(row: int) -> None:
    rows = "".join(f"<tr><td>{n}<td>{'word ' * 220 if n == row else 'ok'}" for n in range(1, 49))
    rendering = render(f"<table border=1><thead><tr><th>Heading<th>Remark</thead>{rows}</table>")
    assert_readable(rendering)
    assert text(rendering).count("word") == 220
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        found = [page.get_textpage().get_text_range().count("Heading") for page in document]
    assert found == [1, *[0] * (len(found) - 1)]


class TestTheCheckItself:
    """It finds what is wrong where something is."""

    @pytest.mark.parametrize(
        ("content", "what"),
        [
            (b"BT /F1 3 Tf 100 100 Td (small) Tj ET", "smaller than can be read"),
            (b"0.2 0 0 0.2 0 0 cm BT /F1 12 Tf 500 500 Td (small) Tj ET", "smaller than can be read"),
            (b"BT /F1 12 Tf 590 100 Td (outside) Tj ET", "outside of the page"),
            (b"BT /F1 12 Tf 100 100 Td (one line) Tj 2 3 Td (another) Tj ET", "over other text"),
            (b"1 g BT /F1 12 Tf 100 100 Td (white) Tj ET", "invisible"),
            (b"90 90 16 30 re W n BT /F1 12 Tf 100 100 Td (clipped) Tj ET", "invisible"),
            (b"BT /F1 12 Tf 100 100 Td (covered) Tj ET 90 90 60 30 re f", "invisible"),
        ],
    )
    def test_finds(self, content: bytes, what: str) -> None:
        assert [finding.what for finding in self._findings(content)] == [what]

    def test_finds_nothing_in_lines(self) -> None:
        assert self._findings(b"BT /F1 12 Tf 100 100 Td (one line) Tj 0 14 Td (another) Tj ET") == []

    def test_finds_lines_that_the_end_of_a_page_cuts(self) -> None:
        ends, begins = b"BT /F1 12 Tf 100 39 Td (a line) Tj ET", b"BT /F1 12 Tf 100 796 Td (a line) Tj ET"
        assert [str(found) for found in self._findings(ends, begins)] == [
            "page 2: cut by the end of the page before: 'aline'"
        ]
        assert self._findings(ends, b"", begins) == []
        assert self._findings(ends, b"BT /F1 12 Tf 100 796 Td (another line) Tj ET") == []

    def _findings(self, *contents: bytes) -> list[object]:
        pdf = pikepdf.new()
        font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
        for content in contents:
            page = pdf.add_blank_page(page_size=(595, 842))
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


SQUARE = f"<img src='{PIXEL}' width=60 height=60"
ODD = [
    f"<p>{SQUARE}> one. {SQUARE} align=right> two three four.</p><p>{W}",
    f"<p>small {SQUARE} align=left> <font size=7>Large words {W}</font> {SQUARE}></p><p>{W}",
    f"<p>{W}{SQUARE} align=left>{W * 30}{SQUARE}></p><p>{W}",
    f"<table><tr><td><img src='{PIXEL}' align=right width=90><td>{W}</table>",
    f"<table><thead><tr><th>{'<p>head</p>' * 60}</thead>{'<tr><td>row' * 60}</table>",
    f"<table><thead>{f'<tr><th>{W}' * 30}</thead>{'<tr><td>row' * 60}</table>",
]


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
        f"<p>a</p><h1>b</h1>{TALL}<h3>c</h3>",
        f"<p>a</p><h2>{W * 15}</h2>",
    ],
)
def test_headings_of_more_than_a_page_with_nothing_behind_them(source: str) -> None:
    body = io.BytesIO()
    Image.new("RGB", (500, 700), "red").save(body, "PNG")
    with seconds(20):
        rendering = render(source, {"https://example.com/dir/i": Asset(body.getvalue(), "image/png")})
    assert_all_there(rendering, source)


@pytest.mark.parametrize("source", ODD)
def test_what_no_author_meant_is_laid_out(source: str) -> None:
    rendering = render(source)
    assert_readable(rendering)
    assert_all_there(rendering, source)
