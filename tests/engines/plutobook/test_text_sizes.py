"""Sizes of text in style sheets: it can be read on paper."""

from __future__ import annotations

import io

import pypdfium2
import pytest

from tests.support.rendered_pages import task
from tests.system.conformance.layout import letters
from wcspider.engines.plutobook.engine import PlutoBookEngine


def size_of(character: str, source: str) -> float:
    rendering = PlutoBookEngine().render(task(source))
    with pypdfium2.PdfDocument(io.BytesIO(rendering.pdf)) as document:
        return next(letter.size for letter in letters(document[0]) if letter.character == character)


# declarations, the size in points
SIZES = [
    ("font-size: 0.1px", 4.5),
    ("font-size: 0.1px !important", 4.5),
    ("font: 0.1px/1 serif", 4.5),
    ("font-size: 1%", 4.5),
    ("font-size: 0.01rem", 4.5),
    ("font-size: 0.5em", 6),
    ("font-size: 7px", 5.25),
    ("font-size: 1px; font-size: 20px", 15),
    ("font-size: calc(2px + 1px)", 4.5),
    ("font-size: clamp(1px, 0.2vw, 4px)", 4.5),
    ("font: min(3px, 1em)/1 serif", 4.5),
    ("font-size: calc(var(--unknown, 1px) * 2)", 4.5),
    ("font-size: calc(var(--unknown, 8px) * 2) !important", 12),
    ("font-size: calc(4px + 4px)", 6),
]


@pytest.mark.parametrize(("css", "size"), SIZES)
def test_no_text_is_too_small(css: str, size: float) -> None:
    for source in (f"<style>p {{ {css} }}</style><p>X", f'<p style="{css}">X', f"<style>p {{ {css} }}</style><p><b>X"):
        assert size_of("X", source) == pytest.approx(size, abs=0.01)


def test_a_later_rule_wins() -> None:
    assert size_of("X", "<style>.a { font-size: 1px } .a { font-size: 20px }</style><p class=a>X") == 15


def test_a_list_of_selectors_is_no_more_specific_than_each_of_them() -> None:
    css = "h3 code { font-size: 40px } code, .x#y { font-size: 0.5em }"
    assert size_of("X", f"<style>{css}</style><h3><code>X</code></h3>") == 30


def test_text_in_a_missing_image_with_a_tiny_font_can_be_read() -> None:
    source = "<style>a { font-size: 0.1px }</style><a href=u><img src=m alt='Xylophone'></a>"
    assert size_of("X", source) == pytest.approx(4.5, abs=0.01)


def test_text_in_drawings_is_as_large_as_the_drawing_makes_it() -> None:
    source = "<style>text { font-size: 1px }</style><svg viewBox='0 0 10 10' width=100 height=100><text x=1 y=4>X"
    assert size_of("X", source) == pytest.approx(7.5, abs=0.01)
