"""The estimated width of elements in flex containers, which decides how many columns of a grid fit."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import html

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.grid.boxes import LETTER
from wcspider.engines.plutobook.grid.container_width import MOST_SIBLINGS, NARROWEST, ContainerWidths
from wcspider.engines.plutobook.sheets.author_sheets import Sheets
from wcspider.web.styles.responsive import Viewport

WIDTH = 680


def measured(css: str, body: str) -> tuple[ContainerWidths, Any]:
    """Return the widths of a body of `WIDTH` pixels, and its I element."""
    root = html.document_fromstring(f"<body style='margin: 0'>{body}")
    sheets = Sheets({}, Viewport("print", WIDTH), author_fonts=False)
    sheets.add_text(css, "https://example.org/")
    styles = PageStyles(root, sheets.texts)
    [found] = styles.wrappers_of(styles.root.iter("i"))
    return ContainerWidths(styles, WIDTH), found


def width(css: str, body: str) -> float:
    """Return the width of the content box of the I element in a body of `WIDTH` pixels."""
    widths, found = measured(css, body)
    return widths.basis(found).container


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("", 300),
        ("i { width: 50% }", 300),
        ("b { padding: 0 10px }", 280),
        ("i { position: absolute }", 400),
        ("i { position: fixed } b { position: relative }", 300),
        ("i { position: absolute } b { position: relative; padding: 0 10px }", 300),
        ("i { position: absolute } p { position: static }", WIDTH),
        ("i { position: relative }", 300),
    ],
)
def test_width_of_the_containing_block(css: str, expected: float) -> None:
    widths, found = measured(
        f"p {{ width: 400px; position: relative }} b {{ display: block; width: 300px; box-sizing: border-box }} {css}",
        "<p><b><i>",
    )
    assert widths.around(found).container == pytest.approx(expected)


@pytest.mark.parametrize(
    ("css", "expected"), [("", WIDTH / 4), ("td { width: 100px }", 100), ("table { width: 50% }", WIDTH / 8)]
)
def test_cells_share_the_width_of_a_row(css: str, expected: float) -> None:
    assert width(css, "<table><tr><td><i></i><td><td><th></table>") == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("", WIDTH),
        ("p { display: flex }", WIDTH / 2),
        ("p { display: inline-flex }", WIDTH / 2),
        ("p { display: flex; flex-direction: column } b { width: 200px }", WIDTH),
        ("p { display: flex } b { width: 200px }", WIDTH - 200),
        ("p { display: flex } b { flex: 0 0 25% }", WIDTH * 0.75),
        ("p { display: flex } b { width: 200px; flex-grow: 1 }", NARROWEST),  # all the rest belongs to the other item
        ("p { display: flex } i, b { flex: 1 } b { padding: 0 50px }", WIDTH / 2 - 50),
        ("p { display: flex } i { flex: 3 } b { flex: 1 }", WIDTH * 0.75),
        ("p { display: flex } i { flex: 1 } b { flex: 0 0 200px }", WIDTH - 200),
        ("p { display: flex } i { flex: 1 1 100px } b { flex: 1 1 200px }", 100 + 380 / 2),
        ("p { display: flex } i, b { flex: 0 1 1000px }", WIDTH / 2),
        ("p { display: flex; gap: 10px } i, b { flex: 1 }", WIDTH / 2 - 5),
        ("p { display: flex } i { width: 50% }", WIDTH / 2),
        ("p { display: flex } i { width: 50%; padding: 0 10px; box-sizing: border-box }", WIDTH / 2 - 20),
        ("p { display: flex; flex-wrap: wrap } i { width: 50% }", WIDTH / 2),
        ("p { display: flex; flex-wrap: wrap }", WIDTH),
        ("p { display: flex; flex-flow: row wrap } i, b { width: 100% }", WIDTH),
        ("p { display: flex; flex-wrap: wrap } i, b { flex: 1 1 300px }", 300),
        ("p { display: flex; flex-wrap: wrap } i, b { flex: 1 1 1000px }", WIDTH),
        ("p { display: flex; flex-flow: column wrap }", WIDTH),
        ("i { inline-size: 50%; padding-inline: 10px; box-sizing: border-box }", WIDTH / 2 - 20),
        ("p { display: flex } i { flex: 0 0 150px }", 150),
        ("p { display: flex } i { width: 300px }", 300),
        ("p { display: flex } b { width: 600px }", WIDTH - 600),
        ("p { display: flex } i { padding: 0 10px }", WIDTH / 2 - 20),
        ("p { display: flex; gap: 700px } i, b { flex: 1 }", NARROWEST),  # the gap alone is wider than the page
    ],
)
def test_width_of_one_of_two_items(css: str, expected: float) -> None:
    assert width(css, "<p><i></i><b></b>") == pytest.approx(expected, rel=1e-4)


def test_an_item_beside_one_that_grows_is_as_wide_as_its_text() -> None:
    css = "p { display: flex } b { flex: 1 }"
    assert width(css, "<p><i>ten  letters</i><b></b>") == pytest.approx(11 * LETTER)
    assert width(css, "<p><i>ten <q>letters</q><br>one</i><b></b>") == pytest.approx(10 * LETTER)


def test_only_the_first_items_are_asked_for_their_sizes() -> None:
    items = "<b></b>" * (2 * MOST_SIBLINGS)
    assert width("p { display: flex } b { width: 1px }", f"<p><i></i>{items}") == WIDTH - (MOST_SIBLINGS - 1)
