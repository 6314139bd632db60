"""The output of subcommands about pages whose titles and texts try to control the terminal."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.archive.query.search import PageText, heading
from wcspider.subcommands.display import json_text, print_description, print_pages

ESCAPES = "a\x1b[2J\x9b31m\x07\x7f\rb"
CONTROLS = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))}


def options(*, is_json: bool) -> argparse.Namespace:
    return argparse.Namespace(json=is_json)


@pytest.mark.parametrize("is_json", [False, True])
def test_no_control_character_of_a_title_is_printed(capsys: pytest.CaptureFixture[str], is_json: bool) -> None:
    def lines(description: dict[str, Any]) -> list[str]:
        return [f"page 1  {description['title']}"]

    print_description({"title": ESCAPES + "\u202e"}, lines, options(is_json=is_json))
    printed = capsys.readouterr().out
    assert CONTROLS & set(printed) <= {"\n"}
    if is_json:
        assert json.loads(printed) == {"title": ESCAPES + "\u202e"}
    else:
        assert printed == "page 1  a\ufffd[2J\ufffd31m\ufffd\ufffd\ufffdb\ufffd\n"


def test_a_text_keeps_its_lines_and_its_direction_marks(capsys: pytest.CaptureFixture[str]) -> None:
    """The marks are needed in texts of languages that are written from the right."""
    print_pages([({}, "one\r\n\ttwo \u200f\u05d0\x1b]0;x\x07")], options(is_json=False))
    assert capsys.readouterr().out == "one\n\ttwo \u200f\u05d0\ufffd]0;x\ufffd\n"


def test_a_title_cannot_look_like_another_line() -> None:
    page = PageText(1, ("http://h/",), "one\npage 2  http://h/forged", "")
    assert heading(page) == "page 1  http://h/  one\ufffdpage 2  http://h/forged"


@given(st.text())
def test_json_without_control_characters_means_the_same(text: str) -> None:
    printed = json_text(text)
    assert json.loads(printed) == text
    assert not CONTROLS & set(printed)
