"""Boxes that are longer than a page: no line of text is cut, and boxes stay beside each other."""

from __future__ import annotations

import pypdfium2
import pytest
import tinycss2
from lxml import html

from tests.support.rendered_pages import task
from tests.system.conformance import layout
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.sheets.long_boxes import HALF_PAGE, MARK, PAGE, in_flow, mark

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


def test_columns_that_fit_on_a_page_stay_together() -> None:
    columns = f"<div class=a>{'<p>' + 'some words of a column ' * 12 + '</p>' * 8}</div>"
    with pages(f"{STYLE % ('columns: 2', '')}{TEXT[:8000]}{columns}") as document:
        assert list(layout.findings(document)) == []


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


# declarations, those of long boxes by their number of characters
IN_FLOW = [
    ("color: red", {}),
    ("position: static", {}),
    ("position: absolute; display: none", {}),
    ("position: absolute; visibility: hidden; top: 100%", {}),
    ("display: inline-flex !important", {PAGE: "display:flex!important"}),
    ("column-count: 3", {0: "break-inside:avoid", PAGE: "break-inside:auto;column-count:auto"}),
    ("position: relative; left: 3px", {}),
    ("position: relative; top: 3px; bottom: 2px", {HALF_PAGE: "top:auto;bottom:auto"}),
]
PLACED = "position:relative;top:auto;right:auto;bottom:auto;left:auto"
IN_FLOW += [
    (f"position: absolute; {offsets}", {HALF_PAGE: f"{PLACED}{placed}"})
    for offsets, placed in [
        ("left: 10em; right: 5%; width: auto", ";margin-right:5%;margin-left:10em"),
        ("top: 60px", ";margin-top:60px"),
        ("top: 10%", ""),
        ("left: 0; width: 200px", ";float:left;margin-right:-100%;margin-left:0"),
        ("right: 0; width: 200px", ";float:right;margin-left:-100%;margin-right:0"),
        ("left: 50%; width: 90%; transform: translateX(-50%)", ";transform:none"),
    ]
]


@pytest.mark.parametrize(("css", "expected"), IN_FLOW)
def test_declarations(css: str, expected: dict[int, str]) -> None:
    assert in_flow(tinycss2.parse_blocks_contents(css, True, True)) == expected


@pytest.mark.parametrize(
    ("length", "expected"), [(HALF_PAGE - 1, None), (HALF_PAGE, ""), (PAGE - 1, ""), (PAGE, "page")]
)
def test_marks(length: int, expected: str | None) -> None:
    root = html.document_fromstring(f"<div>  \n <p>{'x' * (length - 2)}</p> <b>x</b></div>")
    mark(root, [f"*:where([{MARK}])"])
    assert root.find("body/div").get(MARK) == expected


def test_pages_without_such_boxes_are_not_marked() -> None:
    root = html.document_fromstring(f"<div>{TEXT}</div>")
    mark(root, ["div { color: red }"])
    assert MARK not in root.find("body/div").attrib
