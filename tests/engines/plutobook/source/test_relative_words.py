"""Words with a relative position: they are extracted in their sentences, and stand where they stood."""

from __future__ import annotations

import pytest

from tests.support.letter_places import legible, letters
from tests.support.rendered_pages import task, text
from wcspider.engines.plutobook.engine import PlutoBookEngine

MARKS = (
    "sub, sup { font-size: 75%; line-height: 0; position: relative; vertical-align: baseline }"
    "sup { top: -0.5em } sub { bottom: -0.25em }"
)
SENTENCE = "<p>One {} three four.<p>Five."


def words(css: str, body: str) -> list[str]:
    return text(PlutoBookEngine().render(task(f"<!DOCTYPE html><style>{css}</style>{body}"))).split()


@pytest.mark.parametrize(
    ("css", "word"),
    [
        ("a { position: relative }", "<a href=/>two</a>"),
        ("a { position: relative; top: 0 }", "<a href=/>two</a>"),
        ("a { position: relative; top: auto }", "<a href=/>two</a>"),
        ("b { position: relative; display: inline-block }", "<b>two</b>"),
        ("b { position: relative; top: 2px }", "<b>two</b>"),
        ("b { position: relative; bottom: -2px }", "<b><i>two</i></b>"),
        ("", "<b style='position: relative'>two</b>"),
        (MARKS, "<sup>two</sup>"),
        (MARKS, "<sub>two</sub>"),
        (f"{MARKS} a {{ position: relative }}", "<sup><a href=/>two</a></sup>"),
    ],
)
def test_words_are_extracted_in_their_sentences(css: str, word: str) -> None:
    assert words(css, SENTENCE.format(word)) == ["One", "two", "three", "four.", "Five."]


@pytest.mark.parametrize(
    ("css", "word"),
    [
        ("b { position: relative; left: 40px }", "<b>M</b>"),
        ("b { position: relative; top: 1% }", "<b>M</b>"),
        ("b { position: relative; top: 4px; vertical-align: top }", "<b>M</b>"),
        ("b { position: relative; top: 4px; display: inline-block }", "<b>M</b>"),
        ("b { position: relative; top: 4px }", "<b><img width=9 height=9 alt=''>M</b>"),
        ("sup { position: relative; top: 4px }", "<sup>M</sup>"),
        ("b { position: relative } i { position: absolute; left: 0; top: 20px }", "<b>M<i>N</i></b>"),
        ("b { position: relative } b::after { position: absolute; left: 0; top: 20px; content: 'N' }", "<b>M</b>"),
        ("b { position: relative; top: 7px }", "<b>M</b>"),
        ("b { position: relative; bottom: 7px; top: auto }", "<b>M</b>"),
        (MARKS, "<sup>M</sup>"),
        (MARKS, "<sub>M</sub>"),
    ],
)
def test_words_stay_where_they_are(css: str, word: str) -> None:
    page = f"<style>{css} {{}}</style><p>AA {word} B<p>C"
    as_layer = page.replace("position: relative", "position: relative; z-index: 0")
    assert letters(page) == letters(as_layer)


@pytest.mark.parametrize(("position", "is_legible"), [("relative", True), ("static", False)])
def test_words_beside_no_text_stay_above_what_they_cover(position: str, is_legible: bool) -> None:
    css = "i { position: absolute; inset: 0; background: #eee } div { position: relative }"
    page = f"<!DOCTYPE html><style>{css}</style><div><i></i><b style='position: {position}'>A word</b></div>"
    assert legible(PlutoBookEngine().render(task(page))) is is_legible
