"""Shadows of boxes, which are drawn as outlines or colors."""

from __future__ import annotations

import pypdfium2
import pytest

from tests.support.declarations import serialized
from tests.support.rendered_pages import task
from wcspider.engines.plutobook.css.css_colors import LAYERED
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.sheets.shadows import SHADOWS, with_filling, with_outline
from wcspider.web.styles.tokens import declarations_of


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("box-shadow: 0 0 0 2px red", "outline: 2px solid red; outline-offset: 0"),
        ("box-shadow: INSET 0 0 0 .1in", "outline: none"),  # too wide
        ("box-shadow: inset 0px 0 0 1px !important", "outline: 1px solid !; outline-offset: -1px !"),
        ("box-shadow: 0 0 0 1px var(--a), 0 1px 3px red", "outline: 1px solid var(--a); outline-offset: 0"),
        ("box-shadow: 0 0 0 1px red; outline: 0; top: 0", "outline: 1px solid red; outline-offset: 0; top: 0"),
        ("box-shadow: 0 1px 0 1px red", "outline: none"),
        ("box-shadow: 0 0 0 calc(1px + 1px) red", "outline: 2px solid red; outline-offset: 0"),
        ("box-shadow: 0 0 0 9999px red; outline: 1px solid", "outline: none; outline: 1px solid"),
        ("box-shadow: none !important", "outline: none !"),
        ("top: 0", "top: 0"),
        # Blurred shadows.
        ("box-shadow: 0 1px 3px rgba(0, 0, 0, .4)", "outline: 1px solid #0000004d; outline-offset: -1px"),
        ("box-shadow: #f00 0 0 1em -1px !important", "outline: 1px solid #ff0000bf !; outline-offset: -1px !"),
        ("box-shadow: 0 1px 3px", "outline: 1px solid #000000bf; outline-offset: -1px"),
        (
            "box-shadow: 0 1px 2px #00f4, 0 4px 9px #f008, 0 1px 0 lime",
            "outline: 1px solid #ff000066; outline-offset: -1px",
        ),
        ("box-shadow: inset 0 1px 3px red", "outline: none"),
        ("box-shadow: 0 1px 3px #0000", "outline: none"),
        ("outline: none; box-shadow: 0 1px 3px red", "outline: 1px solid #ff0000bf; outline-offset: -1px"),
        # Shadows that depend on variables, in a rule and on an element.
        (
            "box-shadow: var(--a), 0 0 1px red; top: 0",
            f"outline: {SHADOWS}(var(--a), 0 0 1px red); outline-offset: -1px; top: 0",
        ),
        (f"outline: {SHADOWS}(0 0 #0000, 0 0 9px red)", "outline: 1px solid #ff0000bf"),
        (f"outline: {SHADOWS}(0 0 0 3px red) !important", "outline: 3px solid red !"),
        (f"outline: {SHADOWS}(none)", "outline: none"),
        (f"outline: {SHADOWS}()", "outline: none"),
        ("outline: 1px solid red", "outline: 1px solid red"),
    ],
)
def test_shadows_are_outlines(written: str, expected: str) -> None:
    assert serialized(with_outline(declarations_of(written))) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "background-color: var(--b) !important; box-shadow: inset 0 0 0 9999px var(--a), 0 0 2px red",
            f"background-color: {LAYERED}(var(--a) var(--b)) !; box-shadow: 0 0 2px red",
        ),
        (
            "background-color: #fff; box-shadow: inset 0 0 0 20em red",
            f"background-color: {LAYERED}(red #fff); box-shadow: none",
        ),
        ("box-shadow: inset 0 0 0 9999px red", None),
        ("background-color: red", None),
        ("background-color: red; box-shadow: 0 0 0 9999px blue", None),
        ("background-color: red; box-shadow: inset 0 0 0 10px blue", None),
        ("background-color: red; box-shadow: inset 0 0 9999px blue", None),
        ("background-color: red; box-shadow: none", None),
    ],
)
def test_shadows_that_fill_a_box_are_in_its_background(written: str, expected: str | None) -> None:
    assert serialized(with_filling(declarations_of(written))) == (expected or written)


@pytest.mark.parametrize(
    ("css", "color"),
    [
        ("p { box-shadow: inset 0 0 0 2px red }", (255, 0, 0)),
        ("p::before { content: ''; box-shadow: 0 0 0 2px red }", (255, 0, 0)),
        ("p { box-shadow: 0 9px 9px blue }", (64, 64, 255)),
        ("p { box-shadow: 0 0 #0000, var(--s, none) } body { --s: 0 1px 4px blue }", (64, 64, 255)),
        ("p { box-shadow: var(--s) } body { --s: 0 0 0 2px red }", (255, 0, 0)),
        ("p { box-shadow: 0 0 0 calc(2px + var(--s)) red } body { --s: 0 }", (255, 0, 0)),
        ("p { box-shadow: inset 0 0 0 9999px rgba(0, 0, 255, .25); background-color: #fff }", (191, 191, 255)),
        (
            "p { box-shadow: inset 0 0 0 9999px var(--row, var(--column)); background-color: var(--c); --c: #fff }"
            "p { --row: initial; --column: rgba(0, 0, 255, .25) }",
            (191, 191, 255),
        ),
    ],
)
def test_shadows_are_drawn(css: str, color: tuple[int, int, int]) -> None:
    assert color in _colors(css)


@pytest.mark.parametrize("css", ["p { box-shadow: var(--none) }", "p { box-shadow: var(--s); --s: none }"])
def test_no_outline_of_unknown_shadows(css: str) -> None:
    assert all(len(set(color)) == 1 for color in _colors(css))


def test_an_outline_makes_no_page_too_wide() -> None:
    page = "<!DOCTYPE html><style>body {{ margin: 0 }} div {{ width: 100%; {} }}</style><div>text</div>"
    sizes = [_size(page.format(css)) for css in ("box-shadow: 0 1px 3px red", "color: black")]
    assert sizes[0] == sizes[1]


def _size(page: str) -> float:
    with pypdfium2.PdfDocument(PlutoBookEngine().render(task(page)).pdf) as document:
        left, _, right, _ = document[0].get_textpage().get_charbox(0)
    return right - left


def _colors(css: str) -> set[tuple[int, int, int]]:
    rendering = PlutoBookEngine().render(task(f"<!DOCTYPE html><style>{css}</style><p>text"))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        found = document[0].render(scale=4).to_pil().convert("RGB").getcolors(maxcolors=100_000)
    return {color for _, color in found or ()}
