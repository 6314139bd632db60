"""The output of subcommands about pages whose titles and texts try to control the terminal."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.archive.query.test_listing import site
from wcspider import settings
from wcspider.archive.query.search import PageText, heading
from wcspider.subcommands.conformity import print_violations
from wcspider.subcommands.display import json_text, print_description, print_pages
from wcspider.subcommands.merged import merge_files

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


def test_no_control_character_of_a_url_is_printed_by_check_and_merge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = site(tmp_path / "site.pdf", 1)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for _, content_set in pikepdf.NameTree(pdf.Root.Names.IDS).items():
            content_set.ID = pikepdf.String(b"short")
            content_set.SI.AU = pikepdf.String(b"http://example.com/a\x1b[2J")
            content_set.SI.TS = pikepdf.String("no date")
        pdf.save(path)
    print_violations(path, options(is_json=False))
    checked = capsys.readouterr().out
    merge_files(
        tmp_path / "out.pdf", argparse.Namespace(inputs=[str(path)], title="", settings=vars(settings), json=False)
    )
    merged = capsys.readouterr().out
    for printed in (checked, merged):
        assert "http://example.com/a\ufffd[2J" in printed
        assert CONTROLS & set(printed) <= {"\n"}
