"""The contents of pages as paragraphs: what is in one line, what is below it, and where lines end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.rendered_pages import render, task, text
from wcspider.engines.text import runs
from wcspider.engines.xhtml2pdf.inline_fragments import Look
from wcspider.engines.xhtml2pdf.paragraphs import Block, FlowParagraph
from wcspider.engines.xhtml2pdf.source.prepared_page import Page
from wcspider.engines.xhtml2pdf.story import Story
from wcspider.web.styles.responsive import Viewport


def lines(body: str) -> list[str]:
    """The lines of a page, without white space."""
    runs.load()
    story = Story(Page(task(body), Viewport()), {}, runs.Runs(), (500, 700))
    story.read()
    paragraphs = [flowable for flowable in story.flowables if isinstance(flowable, FlowParagraph)]
    return ["".join(words(line).split()) for paragraph in paragraphs for line in paragraph.lines]


def words(line: Any) -> str:
    """The text of a line."""
    return "".join(word.text for word in line.words)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<table><tr><td>HH<td>EE<tr><td>A</table>", ["HHEE", "A"]),
        ("<table><tr><td><p>HH<p>EE<td>A</table>", ["HH", "EE", "A"]),
        ("<table><caption>T<tr><td>H<td><table><tr><td>E<td>F</table>A</table>", ["T", "H", "EF", "A"]),
        ("<ul><li>H<li><p>E<p>F</ul>A", ["•H", "•E", "F", "A"]),
        ("<ul><li><ul><li>H</ul><li></ul>A", ["••H", "•", "A"]),
        ("<p>H<br><br>E<br></p>A", ["H", "", "E", "A"]),
        ("H<h1>E</h1>F<hr>A", ["H", "E", "F", "A"]),
        ("<pre>H\n  E\n</pre>A", ["H", "E", "A"]),
        ("<p>H<span style='display: block'>E</span>F", ["H", "E", "F"]),
        ("<p style='white-space: pre-line'>H\nE", ["H", "E"]),
    ],
)
def test_lines(body: str, shown: list[str]) -> None:
    assert lines(body) == shown


@pytest.mark.parametrize("body", ["<table><tr><td>12<td>34</table>", "<table><tr><td>12</td></td><th>34</table>"])
def test_cells_of_a_row_are_kept_apart(body: str) -> None:
    assert text(render(body)).split() == ["12", "34"]


def test_attributes_of_the_source_are_not_those_of_the_engine() -> None:
    names = "control", "description", "marker", "meaning"
    attributes = " ".join(f"data-wcspider-{name}='display: none'" for name in names)
    assert text(render(f"<ul><li {attributes}>a <a {attributes}>b</a> <img {attributes} alt=c></ul>")).split() == [
        "•", "a", "b", "c",
    ]  # fmt: skip


def set_text(content: str, room: float) -> FlowParagraph:
    runs.load()
    return FlowParagraph(Look().text(content, runs.Runs()), Block(room))


@pytest.mark.parametrize(
    ("content", "room", "found"),
    [
        ("one two three", 40, ["one two", "three"]),
        ("日本語", 13, ["日", "本", "語"]),
        ("「日」本。", 37, ["「日」", "本。"]),  # brackets stay with the character inside
        ("aaaaaaaaaa", 23, ["aaaa", "aaaa", "aa"]),
        ("", 40, []),
    ],
)
def test_where_lines_end(content: str, room: float, found: list[str]) -> None:
    assert [words(line) for line in set_text(content, room).lines] == found


@given(st.text("ab  日本。「」\u05d0\u0301"), st.floats(30, 300))
@example("aaa。。 \u0301", 40)
def test_no_character_is_lost_and_no_line_is_too_long(content: str, room: float) -> None:
    found = set_text(content, room)
    assert "".join(map(words, found.lines)).replace(" ", "") == content.replace(" ", "")
    assert all(line.used <= room for line in found.lines)


@given(st.lists(st.integers(1, 12), max_size=8))
def test_a_paragraph_is_divided_after_any_line(counts: list[int]) -> None:
    paragraph = set_text("word " * 300, 60)
    whole, height = paragraph.lines, paragraph.wrap(60, 1000)[1] / len(paragraph.lines)
    parts = []
    for count in counts:
        first, paragraph = paragraph.split(60, height * (count + 0.5))
        assert len(first.lines) == count
        parts.append(first)
    assert [line for part in (*parts, paragraph) for line in part.lines] == whole
