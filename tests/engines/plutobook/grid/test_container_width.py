"""The estimated width of elements in flex containers, which decides how many columns of a grid fit."""

from __future__ import annotations

import cssselect2
import pytest
from lxml import html

from wcspider.engines.plutobook.grid.container_width import MOST_SIBLINGS, ContainerWidths
from wcspider.engines.plutobook.grid.grid_cascade import GridCascade, matcher_of

WIDTH = 680


def width(css: str, body: str) -> float:
    """Return the width of the content box of the I element in a body of `WIDTH` pixels."""
    root = html.document_fromstring(f"<body style='margin: 0'>{body}")
    wrappers = list(cssselect2.ElementWrapper.from_html_root(root).iter_subtree())
    [measured] = [wrapper for wrapper in wrappers if wrapper.local_name == "i"]
    return ContainerWidths(GridCascade(matcher_of((css,)), wrappers), WIDTH).content(measured)


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("", WIDTH),
        ("p { display: flex }", WIDTH / 2),
        ("p { display: inline-flex }", WIDTH / 2),
        ("p { display: flex; flex-direction: column } b { width: 200px }", WIDTH),
        ("p { display: flex } b { width: 200px }", WIDTH - 200),
        ("p { display: flex } b { flex: 0 0 25% }", WIDTH * 0.75),
        ("p { display: flex } b { width: 200px; flex-grow: 1 }", WIDTH / 2),
        ("p { display: flex } b { flex: 1 1 200px }", WIDTH / 2),
        ("p { display: flex } i { flex: 0 0 150px }", 150),
        ("p { display: flex } i { width: 300px }", 300),
        ("p { display: flex } b { width: 600px }", WIDTH / 4),  # never less than a quarter
        ("p { display: flex } i { padding: 0 10px }", WIDTH / 2 - 20),
    ],
)
def test_width_of_one_of_two_items(css: str, expected: float) -> None:
    assert width(css, "<p><i></i><b></b>") == expected


def test_only_the_first_items_are_asked_for_their_sizes() -> None:
    items = "<b></b>" * (2 * MOST_SIBLINGS)
    assert width("p { display: flex } b { width: 1px }", f"<p><i></i>{items}") == WIDTH - (MOST_SIBLINGS - 1)
