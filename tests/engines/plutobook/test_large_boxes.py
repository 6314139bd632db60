"""Boxes that are longer than a page, or wider: no text is cut, and boxes stay beside each other."""

from __future__ import annotations

import pypdfium2
import pytest
import tinycss2
from lxml import html

from tests.support.rendered_pages import task
from tests.system.conformance import layout
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.sheets import large_boxes
from wcspider.engines.plutobook.sheets.large_boxes import (
    LINE,
    LONG,
    LONG_BOX,
    LONGER,
    MANY,
    OF_ANY,
    OF_LONGER,
    OF_WIDE,
    WIDE_BOX,
    mark,
    placed,
    suited,
)

STYLE = "<style>p { font-size: 15.7px; line-height: 1.37 } header { height: 7px } .a { %s } .b { %s } </style>"
TEXT = "".join(f"<p>{f'words of paragraph {number} ' * 20}</p>" for number in range(20))

# declarations of a box with 10,000 characters
BOXES = [
    "position: absolute",
    "position: absolute; width: 100%; height: 100%",
    "position: absolute; left: 250px; right: 0",
    "position: absolute; left: 50%; transform: translateX(-50%)",
    "position: fixed; top: 0; left: 0; width: 250px",
    "position: relative; top: 13px",
    "position: relative } div { top: 13px",
    "display: inline-block",
    "columns: 2",
    "column-width: 200px",
]


def pages(body: str) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(PlutoBookEngine().render(task(f"<!DOCTYPE html><title>t</title>{body}")).pdf)


@pytest.mark.parametrize("css", BOXES)
def test_no_line_of_a_long_box_is_cut(css: str) -> None:
    with pages(f"{STYLE % (css, '')}<header></header><div class=a>{TEXT}</div>") as document:
        assert len(document) > 2
        assert list(layout.findings(document)) == []


def test_a_style_attribute_counts_as_well() -> None:
    with pages(f'{STYLE % ("", "")}<header></header><div style="position: absolute">{TEXT}</div>') as document:
        assert list(layout.findings(document)) == []


def test_no_line_of_long_code_is_cut() -> None:
    code = "".join(f"line {number}\n" for number in range(60))
    style = STYLE % ("display: inline-block; font-size: 15.7px; line-height: 1.37", "")
    with pages(f"{style}<header></header><pre class=a>{code}</pre>") as document:
        assert len(document) == 2
        assert list(layout.findings(document)) == []


def test_columns_that_fit_on_a_page_stay_together() -> None:
    columns = f"<div class=a>{'<p>' + 'some words of a column ' * 12 + '</p>' * 8}</div>"
    with pages(f"{STYLE % ('columns: 2', '')}{TEXT[:8000]}{columns}") as document:
        assert list(layout.findings(document)) == []


PLACED = [
    ("", "position: absolute; left: 20px; bottom: 0", 0),
    ("", "position: absolute; top: 20px; width: 150px", 0),
    ("padding: 0", "position: absolute; bottom: 5px", 0),
    # invisible text
    ("", "position: absolute; top: 20px; visibility: hidden", 1),
    ("", "position: absolute; top: 20px; clip: rect(0 0 0 0)", 1),
]


@pytest.mark.parametrize(("around", "css", "first_page"), PLACED)
def test_a_box_with_text_over_it_stays_on_one_page(around: str, css: str, first_page: int) -> None:
    style = STYLE % (f"position: relative; height: 260px; {around}", css)
    box = f"<div class=a>begin<div class=b>{'several words ' * 30}</div></div>"
    with pages(f"{style}<div style='height: 830px'>before</div>{box}") as document:
        text = document[0].get_textpage().get_text_range()
        assert ("begin" in text) == bool(first_page)
        assert first_page or list(layout.findings(document)) == []


def test_a_box_with_many_elements_does_not_leave_a_page_blank() -> None:
    style = STYLE % ("position: relative", "position: absolute; top: 0")
    lines = "<p><b>x</b></p>" * (large_boxes.MOST_IN_ONE_PIECE // 2)
    with pages(f"{style}before<div class=a>begin<div class=b>over</div>{lines}</div>") as document:
        assert "begin" in document[0].get_textpage().get_text_range()


def test_a_long_sidebar_stays_beside_the_text() -> None:
    sidebar, main = "position: fixed; left: 0; top: 0; width: 200px", "position: absolute; left: 220px; top: 0"
    body = f"<nav class=a>first {TEXT}</nav><main class=b>second {TEXT}</main>"
    with pages(f"{STYLE % (sidebar, main)}{body}") as document:
        text = document[0].get_textpage()
        (left, _, _, top), (right, _, _, other) = (
            text.get_charbox(text.get_text_range().index(word)) for word in ("first", "second")
        )
        assert right - left > 150
        assert abs(top - other) < 20
        assert list(layout.findings(document)) == []


@pytest.mark.parametrize("cell", ["<td>", "<th valign=bottom>", "<td style='vertical-align: middle'>"])
def test_cells_beside_a_long_cell_begin_with_it(cell: str) -> None:
    with pages(f"<table><tr>{cell}menu<td>{TEXT}</table><table><tr>{cell}low<td>top<br>b<br>c</table>") as document:
        assert "menu" in document[0].get_textpage().get_text_range()
        text = document[len(document) - 1].get_textpage()
        low, top = (text.get_charbox(text.get_text_range().index(word))[3] for word in ("low", "top"))
        assert top - low > 5


@pytest.mark.parametrize("offsets", ["left: 220px; right: 0", "inset: 0 0 0 220px", "inset-inline: 220px 0"])
def test_long_boxes_stay_beside_each_other_if_several_rules_place_them(offsets: str) -> None:
    style = (
        "<style>body { margin: 0 } .f { position: fixed } .w { width: 200px } .l { left: 0 } .a { position: absolute }"
        f"div .b {{ {offsets} }} .t {{ top: 0 }}</style>"
    )
    body = f"<nav class='f l w t'>first {TEXT}</nav><div><main class='a b t'>second {TEXT}</main></div>"
    with pages(f"{style}{body}") as document:
        text = document[0].get_textpage()
        (left, _, _, top), (right, _, _, other) = (
            text.get_charbox(text.get_text_range().index(word)) for word in ("first", "second")
        )
        assert 150 < right - left < 170
        assert abs(top - other) < 20
        assert list(layout.findings(document)) == []


# declarations, those of long boxes by their number of characters
SUITED = [
    ("color: red", {}),
    ("position: absolute; left: 10em", {}),
    ("display: none; columns: 2", {}),
    ("display: inline-flex !important", {OF_LONGER: "display:flex!important"}),
    ("column-count: 3", {OF_ANY: "break-inside:avoid", OF_LONGER: "break-inside:auto;column-count:auto"}),
    ("position: relative; left: 3px", {}),
    ("overflow: auto", {OF_WIDE: "overflow:visible"}),
    ("overflow: hidden !important; max-height: 900px", {OF_WIDE: "overflow:visible!important"}),
    ("overflow: hidden; max-height: 0", {}),
    ("overflow-x: auto", {OF_WIDE: "overflow:visible"}),
    ("overflow-y: auto", {}),
]


@pytest.mark.parametrize(("css", "expected"), SUITED)
def test_declarations(css: str, expected: dict[str, str]) -> None:
    assert suited(tinycss2.parse_blocks_contents(css, True, True)) == expected


BLOCK = "position:relative;top:auto;right:auto;bottom:auto;left:auto"
# the values of a box, and the declarations that place it
PLACED = [
    ({"position": "relative", "left": "3px", "top": "auto"}, ""),
    ({"position": "relative", "top": "3px", "bottom": "2px"}, "top:auto;bottom:auto;margin-top:3px"),
    ({"position": "relative", "top": "3px", "margin-top": "0"}, "top:auto"),
    ({"position": "relative", "top": "3%"}, "top:auto"),
    ({"position": "absolute", "display": "none"}, ""),
    ({"position": "absolute", "visibility": "hidden", "top": "100%"}, ""),
    ({"position": "absolute", "left": "10em", "right": "5%", "width": "auto"}, ";margin-right:5%;margin-left:10em"),
    ({"position": "fixed", "top": "60px"}, ";margin-top:60px"),
    ({"position": "absolute", "top": "10%"}, ""),
    ({"position": "absolute", "left": "0", "width": "200px"}, ";float:left;margin-right:-100%;margin-left:0"),
    ({"position": "absolute", "right": "0", "width": "200px"}, ";float:right;margin-left:-100%;margin-right:0"),
    ({"position": "absolute", "left": "50%", "width": "90%", "transform": "translateX(-50%)"}, ";transform:none"),
]


@pytest.mark.parametrize(("values", "expected"), PLACED)
def test_declarations_of_positioned_boxes(values: dict[str, str], expected: str) -> None:
    is_placed = values["position"] != "relative" and not {"display", "visibility"} & values.keys()
    assert placed(values) == (BLOCK + expected if is_placed else expected)


@pytest.mark.parametrize(("length", "expected"), [(LONG - 1, None), (LONG, ""), (LONGER - 1, ""), (LONGER, "page")])
def test_marks(length: int, expected: str | None) -> None:
    root = html.document_fromstring(f"<div>  \n <p>{'x' * (length - 2)}</p> <b>x</b></div>")
    mark(PageStyles(root, []), [f"*:where([{LONG_BOX}])"])
    assert root.find("body/div").get(LONG_BOX) == expected


@pytest.mark.parametrize(
    ("lines", "expected"), [(LONG // LINE, None), (LONG // LINE + 1, ""), (LONGER // LINE + 1, "page")]
)
def test_marks_of_code(lines: int, expected: str | None) -> None:
    code, space = "x" + "\n" * lines, "\n" * LONG
    root = html.document_fromstring(f"<div><p>{space}</p><section><pre>{code}</pre></section></div>")
    mark(PageStyles(root, []), [f"*:where([{LONG_BOX}])"])
    assert [root.find(f"body/div/{path}").get(LONG_BOX) for path in ("section/pre", "section", "p")] == [
        expected, expected, None
    ]  # fmt: skip


def test_pages_without_such_boxes_are_not_marked() -> None:
    root = html.document_fromstring(f"<div>{TEXT}</div>")
    mark(PageStyles(root, []), ["div { color: red }"])
    assert LONG_BOX not in root.find("body/div").attrib


WIDE = "<table>" + f"<tr>{''.join(f'<td>unbreakable-{n}' for n in range(12))}" * 3 + "</table>"


@pytest.mark.parametrize("attribute", ["class=a", 'style="overflow: auto"'])
def test_a_wide_table_is_not_cut_off(attribute: str) -> None:
    with pages(f"{STYLE % ('overflow: hidden', '')}<div {attribute}><div>{WIDE}</div></div>") as document:
        assert list(layout.findings(document)) == []


def test_a_wide_table_that_is_a_block_is_not_cut_off() -> None:
    with pages(f"<style>table {{ display: block; overflow: auto }}</style>{WIDE}") as document:
        assert list(layout.findings(document)) == []


@pytest.mark.parametrize("overflow", ["overflow: hidden", "overflow-x: scroll"])
def test_a_table_with_long_words_is_not_cut_off(overflow: str) -> None:
    cells = "".join(f"<td><code>{letter * 26}</code>" for letter in "ABC")
    with pages(f"{STYLE % (overflow, '')}<div class=a><table><tr>{cells}</table></div>") as document:
        assert list(layout.findings(document)) == []
        assert "C" * 26 in document[0].get_textpage().get_text_range()


@pytest.mark.parametrize(
    ("css", "columns", "is_marked"),
    [
        ("", 1, False),
        ("", 2, True),
        ("aside { float: left }", 2, False),
        ("aside { float: left }", MANY - 1, False),
        ("aside { float: left }", MANY, True),
        ("aside { float: left } section { float: right }", 2, True),
        ("td { float: left }", 2, True),
        ("html { float: left }", 2, True),
    ],
)
def test_which_boxes_around_tables_are_marked(css: str, columns: int, is_marked: bool) -> None:
    table = f"<table><tr>{'<td>x' * columns}</table>"
    root = html.document_fromstring(f"<aside>y</aside><section>{table}</section><div><section>x</section></div>")
    mark(PageStyles(root, [css]), [f"*:where([{WIDE_BOX}])"])
    assert [WIDE_BOX in section.attrib for section in root.iter("section")] == [is_marked, False]


def test_a_box_that_shows_its_overflow_contains_its_floats() -> None:
    style = STYLE % ("overflow: hidden", "float: left; height: 300px")
    table = f"<table><tr>{'<td>x' * MANY}</table>"
    with pages(f"{style}<div class=a><p class=b>float</p>{table}</div><p>Z") as document:
        text = document[0].get_textpage()
        start = text.get_text_range()
        assert text.get_charbox(start.index("float"))[3] - text.get_charbox(start.index("Z"))[3] > 200
