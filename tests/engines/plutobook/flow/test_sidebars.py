"""Long sidebars stay beside the text, whatever the text contains, and do not cover it."""

from __future__ import annotations

import io

import pypdfium2
import pytest

from tests.support.letter_places import legible
from tests.support.rendered_pages import boxes, task
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine

ENTRIES = "".join(f"<p>entry {number} of the index" for number in range(120))
TEXT = f"<p>begin</p><div class=note>{'note ' * 30}</div><p>middle</p>{'<p>text ' * 20}<p>end</p>"
LEFT = "nav { left: 0 } main { margin-left: 220px }"
RIGHT = "nav { right: 0 } main { margin-right: 220px }"


def rendered(css: str, body: str) -> Rendering:
    style = "body { margin: 0 } nav { position: absolute; top: 0; width: 200px } .note::after { clear: both }"
    source = f"<!DOCTYPE html><style>{style} .note::after {{ content: ''; display: block }} {css}</style>{body}"
    return PlutoBookEngine().render(task(source))


def place(rendering: Rendering, word: str) -> tuple[int, float, float]:
    """The page of a word, and the left and the upper edge of its first letter."""
    with pypdfium2.PdfDocument(io.BytesIO(rendering.pdf)) as document:
        for number, page in enumerate(document):
            text = page.get_textpage()
            at = text.get_text_range().find(word)
            if at >= 0:
                left, _, _, top = text.get_charbox(at, loose=True)
                return number, round(left, 1), round(page.get_height() - top, 1)
    raise AssertionError(word)


@pytest.mark.parametrize("css", [LEFT, RIGHT, f"{LEFT} main {{ width: 300px }}"])
def test_text_that_clears_floats_stays_beside_a_sidebar(css: str) -> None:
    rendering = rendered(css, f"<div><nav>{ENTRIES}</nav><main>{TEXT}</main></div>")
    places = [place(rendering, word) for word in ("begin", "middle", "end")]
    assert [page for page, _, _ in places] == [0, 0, 0]
    assert len({left for _, left, _ in places}) == 1
    entry = place(rendering, "entry 0")
    assert entry[0] == 0
    assert abs(entry[2] - places[0][2]) < 20
    assert (entry[1] < places[0][1]) == (css != RIGHT)
    assert abs(entry[1] - places[0][1]) > 150
    assert legible(rendering)


@pytest.mark.parametrize(
    "body",
    [
        "<div><nav>{0}</nav><main>{1}</main><footer>last</footer></div>",
        "<div>own text<nav>{0}</nav><main>{1}</main></div>",
        "<div><nav>{0}</nav><main style='display: flex'>{1}</main></div>",
        "<div><nav style='width: auto'>{0}</nav><main>{1}</main></div>",
    ],
)
def test_nothing_is_lost_where_a_sidebar_remains_a_float(body: str) -> None:
    rendering = rendered(LEFT, body.format(ENTRIES, TEXT))
    assert all(place(rendering, word) for word in ("entry 119 of", "begin", "middle", "end"))


def test_the_words_of_a_sidebar_do_not_cover_the_text() -> None:
    word = "Connection.execution_options_with_defaults()"
    rendering = rendered(LEFT, f"<div><nav>{ENTRIES}<p><a href=x>{word}</a></nav><main>text {TEXT * 9}</main></div>")
    edge = place(rendering, "begin")[1]
    letters = [box for _, letter, box in boxes(rendering) if letter in "_()"]
    assert len(letters) == word.count("_") + 2
    assert max(right for _, _, right, _ in letters) < edge
