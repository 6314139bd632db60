"""Pages of plain text: wrapping, page ends, control characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.rendered_pages import PageGeometry, boxes, sizes, text
from wcspider.engines.base import Rendering, RenderTask, Step
from wcspider.engines.plain import text_engine
from wcspider.engines.plain.text_engine import NOTICE, TextEngine
from wcspider.engines.registry import render
from wcspider.engines.text.scripts import extends


def _render(body: bytes, **options: object) -> Rendering:
    return TextEngine().render(RenderTask("http://a.example/dir/notes.txt", body, "text/plain", **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"one\ntwo", ["one", "two"]),
        (b"one\r\ntwo\rthree", ["one", "two", "three"]),
        (b"\xef\xbb\xbfmark", ["mark"]),
        (b"bell\x07null\x00escape\x1b[1m", ["bellnullescape[1m"]),
        ("Ελλάδα Москва łódź ✓ ├─".encode(), ["Ελλάδα Москва łódź ✓ ├─"]),
        (b"(back\\slash)", ["(back\\slash)"]),
    ],
)
def test_lines(body: bytes, expected: list[str]) -> None:
    assert [line.rstrip() for line in text(_render(body)).splitlines()] == expected


def test_encoding() -> None:
    assert text(_render("Привет".encode("koi8-r"), encoding="koi8-r")).strip() == "Привет"


def test_tabs_stand_at_every_eighth_column() -> None:
    left = {c: box[0] for _, c, box in boxes(_render(b"a\tb\n12345678c"))}
    assert left["b"] == pytest.approx(left["c"], abs=1)


def test_form_feed_ends_a_page() -> None:
    assert len(sizes(_render(b"one\ftwo\f\fthree"))) == 4


def test_long_lines_are_wrapped_between_words() -> None:
    rendering = _render(b"word " * 100 + b"x" * 300)
    found = [line.strip() for line in text(rendering).splitlines()]
    assert sum(line.split().count("word") for line in found) == 100
    assert "".join(found).count("x") == 300
    assert max(box[2] for _, _, box in boxes(rendering)) <= 595.276 - 42.52 + 1


def test_wide_characters_take_two_columns() -> None:
    rendering = _render(("漢字" * 100 + " word" * 30).encode())
    assert "".join(text(rendering).split()) == "漢字" * 100 + "word" * 30
    assert max(box[2] for _, _, box in boxes(rendering)) <= 595.276 - 42.52 + 1


@given(st.text("aé日\u0301\u0e37\u0e48\u094d \u200d", max_size=80), st.integers(1, 12))
def test_a_line_does_not_begin_with_a_mark(line: str, columns: int) -> None:
    [lines] = text_engine._pages(line, columns, 1000)
    assert "".join(lines).replace(" ", "") == line.replace(" ", "")
    assert not any(extends(piece[0]) for piece in lines[1:] if piece)
    width = [sum(1 + text_engine._is_wide(c) for c in piece if not extends(c)) for piece in lines]
    assert max(width, default=0) <= columns + 1  # the last character may be a wide one


def test_no_line_is_lost_in_any_geometry() -> None:
    body = "\n".join(f"line{n:04d}" for n in range(500)).encode()
    for geometry in (PageGeometry(), PageGeometry(300, 200), PageGeometry(scale=0.5), PageGeometry(160, 100)):
        assert text(_render(body, geometry=geometry)).count("line") == 500


def test_time_is_linear() -> None:
    # A quadratic algorithm would run into the time limit of the tests.
    assert len(sizes(_render(b"x" * 2_000_000))) > 100
    assert len(sizes(_render(b"\n" * 50_000))) > 100


@pytest.mark.parametrize(
    ("body", "expected"), [(b"\n\n  First line \nSecond", "First line"), (b" \n\n", "notes.txt"), (b"", "notes.txt")]
)
def test_title(body: bytes, expected: str) -> None:
    assert _render(body).structure.title == expected


class TestPageKeptAsText:
    def _render(self, body: str) -> Rendering:
        return render("xhtml2pdf", RenderTask("http://a.example/", body.encode(), step=Step.TEXT_ONLY))

    def test_notice_and_text(self) -> None:
        body = "<title>The  title</title><style>no</style><p>One <b>two</b><p>three<script>no</script>"
        assert text(self._render(body)).splitlines() == [NOTICE, "The title", "One two", "three"]

    @pytest.mark.parametrize(
        ("tag", "words"),
        [("div", ["first", "middle", "last"]), ("b", ["firstmiddle", "last"]), ("x-own", ["firstmiddle", "last"])],
    )
    def test_elements_may_be_nested_to_any_depth(self, tag: str, words: list[str]) -> None:
        body = f"<title>Deep</title><p>first<style>no</style>{f'<{tag}>' * 100_000}middle{f'</{tag}>' * 100_000}<p>last"
        assert text(self._render(body)).removeprefix(NOTICE).split() == ["Deep", *words]

    @pytest.mark.parametrize(
        ("body", "lines"),
        [
            ("<p title='a > b' alt=\"<-\">x<br/>y", ["x", "y"]),
            ("<p title=it's>x<p>don't", ["x", "don't"]),
            ("<!-- <p>no --><SCRIPT>'<p>no'</SCRIPT ><!doctype html><?no?>x", ["x"]),
            ("<table><tr><td>a&amp;b<td>&eacute;&#60;</table>c", ["a&b é<", "c"]),
            ("<p>a < b", ["a < b"]),
            ("<frameset><frame src=a><noframes><h1>a</h1>b<p>c</noframes></frameset>", ["a", "b", "c"]),
            ("<p>a<iframe srcdoc='<p>no'></iframe>b", ["ab"]),
        ],
    )
    def test_what_a_page_says(self, body: str, lines: list[str]) -> None:
        assert text(self._render(body)).splitlines()[1:] == lines

    @pytest.mark.parametrize("repeated", ["<title>", "<title ", "<script ", "<!--", "<a '\"", "<a ='\"", "<", "&"])
    def test_the_work_grows_with_the_length_of_a_page(self, repeated: str) -> None:
        # A quadratic algorithm would run into the time limit of the tests.
        assert self._render(repeated * (500_000 // len(repeated))).pdf

    @pytest.mark.parametrize("body", ["", "<", "<div>" * 5000 + "deep", "<table><tr><td>a<td>b</table>", "\x00"])
    def test_any_page(self, body: str) -> None:
        assert NOTICE in text(self._render(body))
