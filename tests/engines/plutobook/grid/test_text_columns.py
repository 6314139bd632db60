"""Columns of text: PlutoBook loses nothing, and the columns end where they do in browsers."""

from __future__ import annotations

import re

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.rendered_pages import task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.grid.text_columns import groups

WORDS = "some words of an item "


def shown(style: str, body: str) -> dict[str, int]:
    """Return the marks (`1.`, `2.`) that are on the pages, with their left edges in centimetres."""
    page = f"<!DOCTYPE html><title>t</title><style>{style}</style><div class=a>{body}</div>"
    found = {}
    with pypdfium2.PdfDocument(PlutoBookEngine().render(task(page)).pdf) as document:
        for sheet in document:
            texts = sheet.get_textpage()
            for mark in re.finditer(r"\d+\.", texts.get_text_range()):
                left = texts.get_charbox(mark.start())[0]
                if left < sheet.get_width():
                    found[mark[0]] = round(left / 28)
    return found


def boxes(count: int, words: int = 0, tag: str = "p") -> str:
    return "".join(f"<{tag}>{number}. {WORDS * words}</{tag}>" for number in range(1, count + 1))


def flowing(count: int, first: int = 1) -> str:
    return "".join(f"<p>{first + 2 * n}. {WORDS * (5 + n)} {first + 2 * n + 1}.</p>" for n in range(count))


BODIES = {
    **{f"{count} short boxes": boxes(count) for count in (2, 4, 5, 8, 11, 13)},
    "boxes in another": f"<nav><div>{boxes(7)}</div></nav>",
    "long boxes": boxes(7, 3),
    "one paragraph": flowing(1),
    "paragraphs": flowing(4),
    "lists with titles": "".join(f"<h3>{n}. title</h3><ul><li>{n + 1}. {WORDS}<li>{n + 2}. x</ul>" for n in (1, 4, 7)),
    "links in lines": "".join(f"<a>{n}. link</a><br>" for n in range(1, 8)),
    "text in no box": f"1. {WORDS * 20} 2.",
    "pictures": "".join(f"<p>{n}. <svg width=90 height={40 * n}></svg></p><p>{WORDS * 9}</p>" for n in (1, 2, 3)),
}
STYLES = [
    "margin: 0; line-height: 1.6",
    "margin: 5px; border: 1px solid",
    "margin: 0 0 1em; padding: 3px; break-inside: avoid",
    "margin: 0 0 7px; padding: 1em; display: inline-block",
]


@pytest.mark.parametrize("columns", ["columns: 2", "columns: 3; min-height: 50px", "columns: 5 90px", "columns: 9em"])
@pytest.mark.parametrize("css", STYLES)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_nothing_is_lost(columns: str, css: str, body: str) -> None:
    style = f".a {{ {columns}; font-size: 14.4px }} p, li, h3 {{ {css} }}"
    found = shown(style, body)
    assert found.keys() == set(re.findall(r"\d+\.", body))
    assert len(set(found.values())) > 1  # the page has not got one column instead


@pytest.mark.parametrize("columns", ["columns: 5 250px", "columns: 5; column-width: 250px", "column-count: 99999"])
def test_columns_may_be_narrower_than_wanted(columns: str) -> None:
    assert shown(f".a {{ {columns} }}", boxes(11)).keys() == {f"{n}." for n in range(1, 12)}


def test_boxes_are_in_the_columns_of_a_browser() -> None:
    places = list(shown(".a { columns: 4 }", boxes(18)).values())
    assert [places.count(left) for left in sorted(set(places))] == [5, 5, 5, 3]


@pytest.mark.parametrize("height", ["height", "min-height"])
def test_the_heights_of_boxes_count(height: str) -> None:
    places = list(
        shown(f".a {{ columns: 2 }} p {{ margin: 0 }} p:first-child {{ {height}: 300px }}", boxes(4)).values()
    )
    assert [places.count(left) for left in sorted(set(places))] == [1, 3]


CARDS = "".join(f"<div class=c><h4>{n}.</h4><p>{'word ' * words}</p></div>" for n, words in enumerate((24, 13, 17), 1))


@pytest.mark.parametrize(
    ("css", "body"),
    [
        (".a { columns: 5; font-size: 13.6px } p { margin: 0; line-height: 1.6 }", boxes(3)),
        (".a { columns: 4; line-height: 1.7 } .c { display: inline-block; width: 100% }", CARDS),
    ],
)
def test_fewer_boxes_than_columns_are_in_columns(css: str, body: str) -> None:
    assert len(set(shown(css, body).values())) == 3


def test_a_title_across_the_columns_is_shown() -> None:
    body = f"{flowing(2)}<h2 style='column-span: all'>5. title</h2>{flowing(2, 6)}"
    assert len(shown(".a { columns: 2 }", body)) == 9


def test_a_page_has_one_column_if_three_need_more_room() -> None:
    box = "<section><div style='height: {}px; break-inside: avoid'>{}.</div>{}</section>"
    body = "".join(box.format(height, number, WORDS * 7) for number, height in enumerate((300, 450, 450), 1))
    assert shown(".a { columns: 3 }", body) == {"1.": 2, "2.": 2, "3.": 2}


@given(st.lists(st.floats(1, 500), min_size=1, max_size=30), st.integers(1, 8))
def test_groups_are_in_order_and_fill_the_columns(heights: list[float], count: int) -> None:
    found = groups(heights, count)
    assert [place for group in found for place in group] == list(range(len(heights)))
    assert len(found) == min(count, len(heights))
    highest = max(sum(heights[place] for place in group) for group in found)
    assert highest <= sum(heights) / count + max(heights) + 1
