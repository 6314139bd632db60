"""Captions of tables at the end of a page."""

from __future__ import annotations

import pypdfium2
import pytest
from lxml import html

from tests.support.rendered_pages import task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.source.captions import keep_with_headers

HEADER, ROWS = "<thead><tr><th>Heading</thead>", "<tr><td>cell</td></tr>" * 9
STYLE = "<style>caption { line-height: 20px; height: 20px } td, th { padding: 8px; line-height: 20px }</style>"


def pages(space: int, table: str) -> list[str]:
    source = f"{STYLE}<div style='height: {space}px'></div><table>{table}</table>"
    with pypdfium2.PdfDocument(PlutoBookEngine().render(task(source)).pdf) as document:
        return [page.get_textpage().get_text_range() for page in document]


def assert_together(found: list[str], word: str = "Heading", words: int = 1) -> None:
    """Check that the header begins on the page of the caption, and that no page shows it twice."""
    headings, titles = ([text.count(name) for text in found] for name in (word, "Title"))
    assert sum(titles) == 1
    assert max(headings) == headings[titles.index(1)] == words, (headings, titles)


@pytest.mark.parametrize("space", range(880, 980, 16))
@pytest.mark.parametrize("borders", ["separate", "collapse"])
def test_a_caption_stays_with_the_header(space: int, borders: str) -> None:
    sheet = f"<style>table {{ border-collapse: {borders} }}</style>"
    assert_together(pages(space, f"{sheet}<caption>Title</caption>{HEADER}{ROWS}"))


@pytest.mark.parametrize("words", [1, 6])
def test_a_caption_stays_with_a_header_of_several_lines(words: int) -> None:
    header = f"<thead><tr><th style='width: 150px'>{'Headings ' * words}</thead>"
    for space in range(800, 980, 10):
        assert_together(pages(space, f"<caption>Title</caption>{header}{ROWS}"), "Headings", words)


def test_a_caption_takes_no_more_room_than_its_text() -> None:
    heights = []
    for header in (HEADER, "<tr><th>Heading"):  # the second one is not changed
        source = f"{STYLE}<table><caption>Title</caption>{header}</table>"
        with pypdfium2.PdfDocument(PlutoBookEngine().render(task(source)).pdf) as document:
            text = document[0].get_textpage()
            heights.append(text.get_charbox(0)[1] - text.get_charbox(text.get_text_range().index("H"))[1])
    assert heights[0] == pytest.approx(heights[1], abs=0.01)


@pytest.mark.parametrize(
    ("table", "sheet", "is_changed"),
    [
        (f"<caption>a<b>c</b>d</caption>{HEADER}", "", True),
        ("<caption>a</caption><tr><td>b", "", False),
        (f"<caption align=bottom>a</caption>{HEADER}", "", False),
        (f"<caption>a</caption>{HEADER}", "caption { caption-side: bottom }", False),
        (HEADER, "", False),
    ],
)
def test_which_captions_are_kept_with_headers(table: str, sheet: str, is_changed: bool) -> None:
    root = html.document_fromstring(f"<table>{table}</table>")
    text = root.text_content()
    keep_with_headers(root, [sheet])
    assert (root.find(".//caption/wcspider-group") is not None) is is_changed
    assert root.text_content() == text
