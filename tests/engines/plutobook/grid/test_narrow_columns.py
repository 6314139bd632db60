"""Narrow columns whose words may end a line at their hyphens."""

from __future__ import annotations

from math import inf

import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.grid.narrow_columns import Rooms
from wcspider.engines.plutobook.source.words import keep_whole

NO_BREAK = "\ufeff"


@pytest.mark.parametrize(
    ("css", "room"),
    [
        ("i { float: left; width: 25% }", 25),
        ("i { float: left; width: 25%; padding: 0 14px }", 25),
        ("i { float: left; width: 25%; padding: 0 14px; box-sizing: border-box }", 21),
        ("p { display: flex } i { flex: 0 0 50% }", 50),
        ("p { display: flex } i { flex: 1 1 0%; max-width: 10% }", 10),
        ("i { float: left; width: calc(50% - 14px) }", 48),
        ("div { float: left; width: 50% } i { float: right; width: 50% }", 25),
        ("div { float: left; width: 50% } i { width: 50% }", 50),
        ("i { width: 25% }", inf),
        ("i { float: left; width: 100px }", inf),
        ("p { display: flex; flex-direction: column } i { width: 25% }", inf),
    ],
)
def test_rooms_in_columns(css: str, room: float) -> None:
    root = html.document_fromstring("<div><p><i><b>x</b></i></p></div>")
    rooms = Rooms(PageStyles(root, [f"html, body, p {{ margin: 0 }} {css}"]), 700)
    assert rooms.of(root.find(".//b")) == pytest.approx(room)
    assert rooms.of(root.find("body")) == inf


def test_the_cells_of_a_row_share_its_room() -> None:
    root = html.document_fromstring("<div><table><tr><td><b>x</b><td><td><td></table></div>")
    rooms = Rooms(PageStyles(root, ["body { margin: 0 } div { float: left; width: 40% }"]), 700)
    assert rooms.of(root.find(".//b")) == pytest.approx(10)


@pytest.mark.parametrize(
    ("word", "room", "is_whole"),
    [
        ("hyphen-words", 12, True),
        ("hyphen-words", 11, False),
        ("two-words", 1, True),
        ("many-words" * 4, 99, True),
        ("many-words" * 5, 99, False),
    ],
)
def test_words_without_room_may_end_a_line_at_their_hyphens(word: str, room: float, is_whole: bool) -> None:
    root = html.document_fromstring(f"<p>{word}")
    keep_whole(root.find("body"), lambda _: room)
    assert (NO_BREAK in root.text_content()) is is_whole


@pytest.mark.slow
def test_words_do_not_cover_the_next_column() -> None:
    css = "body { margin: 0 } .row { display: flex; flex-wrap: wrap } .row p { flex: 0 0 25%; max-width: 25% }"
    words = "alpha-beta-gamma-delta-epsilon", "LAMBDA-KAPPA-IOTA-OMEGA-SIGMA"
    row = "".join(f"<p>{word}</p>" for word in words)
    placed = boxes(PlutoBookEngine().render(task(f"<style>{css}</style><div class=row>{row}</div>")))
    right = max(box[2] for _, letter, box in placed if letter.islower())
    assert right < min(box[0] for _, letter, box in placed if letter.isupper())
