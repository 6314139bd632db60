"""Narrow columns whose words may end a line at their hyphens."""

from __future__ import annotations

import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.grid import narrow_columns
from wcspider.engines.plutobook.grid.narrow_columns import ROOM
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
        ("i { width: 25% }", None),
        ("i { float: left; width: 100px }", None),
        ("p { display: flex; flex-direction: column } i { width: 25% }", None),
    ],
)
def test_columns_get_the_number_of_letters_for_which_there_is_room(css: str, room: int | None) -> None:
    root = html.document_fromstring("<p><i>two-words</i></p>")
    narrow_columns.mark(PageStyles(root, [f"html, body, p {{ margin: 0 }} {css}"]), 700)
    assert root.find(".//i").get(ROOM) == (None if room is None else str(room))


def test_columns_without_hyphens_are_not_marked() -> None:
    root = html.document_fromstring("<i>words - words</i>")
    narrow_columns.mark(PageStyles(root, ["i { float: left; width: 25% }"]), 700)
    assert ROOM not in root.find(".//i").attrib


@pytest.mark.parametrize(
    ("body", "is_whole"),
    [
        (f"<p {ROOM}=9>two-words", True),
        (f"<p {ROOM}=8>two-words", False),
        (f"<p {ROOM}=8><b>two-words</b>", False),
        (f"<p {ROOM}=8>text</p><p>two-words", True),
        (f"<div {ROOM}=30><div {ROOM}=8>two-words", False),
        (f"<table {ROOM}=36><tr><td>two-words<td><td><td>", True),
        (f"<table {ROOM}=35><tr><td>two-words<td><td><td>", False),
        (f"<table {ROOM}=35><tr><td><b>two-words</b><td><td><td>", False),
    ],
)
def test_words_without_room_may_end_a_line_at_their_hyphens(body: str, is_whole: bool) -> None:
    root = html.document_fromstring(body)
    keep_whole(root.find("body"))
    assert (NO_BREAK in root.text_content()) is is_whole


@pytest.mark.slow
def test_words_do_not_cover_the_next_column() -> None:
    css = "body { margin: 0 } .row { display: flex; flex-wrap: wrap } .row p { flex: 0 0 25%; max-width: 25% }"
    words = "alpha-beta-gamma-delta-epsilon", "LAMBDA-KAPPA-IOTA-OMEGA-SIGMA"
    row = "".join(f"<p>{word}</p>" for word in words)
    placed = boxes(PlutoBookEngine().render(task(f"<style>{css}</style><div class=row>{row}</div>")))
    right = max(box[2] for _, letter, box in placed if letter.islower())
    assert right < min(box[0] for _, letter, box in placed if letter.isupper())
