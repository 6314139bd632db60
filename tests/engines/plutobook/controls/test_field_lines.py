"""The lines of text fields, in the middle of the room between their paddings."""

from __future__ import annotations

import pytest
from lxml import html

from wcspider.engines.plutobook.controls import field_lines
from wcspider.engines.plutobook.css.element_styles import PageStyles


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("height: 50px; padding: 20px; box-sizing: border-box", "10px"),
        ("height: 50px; padding: 0; box-sizing: border-box", "50px"),
        ("height: 50px; padding: 25px; box-sizing: border-box", "1px"),
        ("height: 10px; padding: 25px", "10px"),
        ("height: 2rem", "32px"),
        ("height: 5%", None),
        ("height: auto", None),
    ],
)
def test_lines_are_as_high_as_their_room(css: str, expected: str | None) -> None:
    root = html.document_fromstring("<div><input><input type=checkbox><textarea></textarea></div>")
    field_lines.center(PageStyles(root, [f"input, textarea {{ {css} }}"]))
    styles = [element.get("style") for element in root.iter("input", "textarea")]
    assert styles == [None if expected is None else f"line-height: {expected} !important", None, None]
