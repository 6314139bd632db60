"""Heights in percent in boxes whose declared height is a least height on paper."""

from __future__ import annotations

import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.flow import shares_of_heights
from wcspider.engines.plutobook.sheets.author_sheets import Sheets
from wcspider.web.styles.responsive import Viewport


@pytest.mark.parametrize(
    ("css", "contents", "expected"),
    [
        (".o { height: 200px } #b { height: 60% }", "<i id=b></i>", "height:120.00px"),
        (".o { height: 200px } #b { height: 60% }", "<img id=b>", "height:120.00px"),
        (".o { height: 200px } #b { height: 60% }", "<p id=b>text</p>", "min-height:120.00px"),
        (".o { height: 200px } p { height: 50% } #b { height: 50% }", "<p><i id=b></i></p>", "height:50.00px"),
        (".o { height: 200px } #b { height: 60%; position: absolute }", "<i id=b></i>", ""),
        (".o { height: 200px } #b { height: 60% }", "<p><i id=b></i></p>", ""),
        (".o { height: 200px } #b { height: 60%; max-height: none }", "<button id=b></button>", ""),
        (".o { min-height: 200px } #b { height: 60% }", "<i id=b></i>", ""),
        (".o { height: auto } #b { height: 60% }", "<i id=b></i>", ""),
        (".o { height: 200px } #b { height: auto }", "<i id=b></i>", ""),
        (".o { height: 200px; max-height: 90px } #b { height: 60% }", "<i id=b></i>", "height:54.00px"),
        (".o { height: 90px; max-height: 200px } #b { height: 60% }", "<i id=b></i>", "height:54.00px"),
        (
            ".o { height: 90px; padding: 12px; box-sizing: border-box } #b { height: 100% }",
            "<i id=b></i>",
            "height:66.00px",
        ),
        (".o { height: 90px; padding: 12px } #b { height: 100% }", "<i id=b></i>", "height:90.00px"),
        (".o { height: 9px; padding: 12px; box-sizing: border-box } #b { height: 100% }", "<i id=b></i>", ""),
        (
            ".o { height: 90px } p, #b { height: 50%; padding-top: 5px; box-sizing: border-box }",
            "<p><i id=b></i></p>",
            "height:20.00px",
        ),
        # Slides beside each other, of which a box shows one
        (".o { height: 200px } p { width: 100%; height: 100% }", "<p id=b>1</p><p>2</p>", "min-height:200.00px"),
        (".o { height: 200px } p { width: 100%; height: 100% }", "<p>1</p><p id=b>2</p>", ""),
        (".o { height: 200px } p { width: 100%; height: 100% }", "<p>1</p><p>2</p><p id=b>3</p>", ""),
        (".o { height: 200px } p { width: 100%; height: 100% }", "<p>1</p><p id=b></p>", "height:200.00px"),
        (".o { height: 200px } p { width: 50%; height: 100% }", "<p>1</p><p id=b>2</p>", "min-height:200.00px"),
        (".o { height: 200px } p { width: 100%; height: 50% }", "<p>1</p><p id=b>2</p>", "min-height:100.00px"),
        (
            ".o { height: 200px; display: flex } p { width: 100%; height: 100% }",
            "<p>1</p><p id=b>2</p>",
            "min-height:200.00px",
        ),
        # Inline elements between the box and the element
        (".o { height: 200px } #b { height: 60% }", "<a><img id=b></a>", "height:120.00px"),
        (".o { height: 200px } #b { height: 60% }", "<a><picture><img id=b></picture></a>", "height:120.00px"),
        (".o { height: 200px } #b { height: 60% } a { display: block }", "<a><img id=b></a>", ""),
        (".o { height: 200px } #b { height: 60% } a { float: left }", "<a><img id=b></a>", ""),
        (".o { height: 200px; display: flex } #b { height: 60% }", "<a><img id=b></a>", ""),
        (".o { height: 200px } #b { height: 60% }", "<a><p><img id=b></p></a>", ""),
    ],
)
def test_which_elements_get_their_share(css: str, contents: str, expected: str) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(css, "https://example.com/")
    root = html.document_fromstring(f"<div class=o>text {contents}</div>")
    shares_of_heights.keep(PageStyles(root, sheets.texts))
    assert root.get_element_by_id("b").get("style", "").removesuffix(" !important") == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (".o { height: 200px; max-height: 90px }", "min-height:90.00px !important"),
        (".o { height: 20rem } div { max-height: 90px }", "min-height:90.00px !important"),
        (".o { height: 80px; max-height: 90px }", ""),
        (".o { height: 200px; max-height: 50% }", ""),
        (".o { height: 100vh; max-height: 90px }", ""),
        (".o { height: 200px } i { max-height: 90px }", ""),
    ],
)
def test_a_least_height_is_not_above_the_largest_one(css: str, expected: str) -> None:
    sheets = Sheets({}, Viewport(), author_fonts=True)
    sheets.add_text(css, "https://example.com/")
    root = html.document_fromstring("<div class=o>text<i>text</i></div>")
    shares_of_heights.keep(PageStyles(root, sheets.texts))
    assert root.find("body").find("div").get("style", "") == expected


@pytest.mark.slow
def test_text_in_the_middle_of_a_banner_is_in_its_middle() -> None:
    css = "header { height: 300px } div { height: 100%; position: relative } b { position: absolute; top: 50% }"
    page = f"<!DOCTYPE html><style>{css}</style><p>A</p><header><div><b>B</b></div></header><p>C</p>"
    top = {letter: box[3] for _, letter, box in boxes(PlutoBookEngine().render(task(page)))}
    assert top["A"] - top["B"] == pytest.approx(top["B"] - top["C"], abs=30)
