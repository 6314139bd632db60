"""The lines of text fields, in the middle of the room between their paddings."""

from __future__ import annotations

import pytest
from lxml import html

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.flow import field_lines


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("height: 50px; padding: 20px; line-height: 30px; box-sizing: border-box", "10px"),
        ("height: 50px; padding: 10px; line-height: 30px; box-sizing: border-box", None),
        ("height: 50px; padding: 25px; box-sizing: border-box", "1px"),
        ("height: 10px; padding: 25px", "10px"),
        ("height: 24px; line-height: 1.5", None),
        ("height: 24px; line-height: 2", "24px"),
        ("height: 24px; line-height: 200%", "24px"),
        ("height: 24px; line-height: 2em", "24px"),
        ("height: 24px; line-height: 2rem", "24px"),
        ("height: 24px; font-size: 24px", "24px"),
        ("height: 24px; line-height: var(--none)", None),
        ("height: 5%", None),
        ("height: auto; line-height: 50px", None),
    ],
)
def test_lines_are_no_higher_than_their_room(css: str, expected: str | None) -> None:
    root = html.document_fromstring("<div><input><input type=checkbox><textarea></textarea></div>")
    field_lines.center(PageStyles(root, [f"input, textarea {{ {css} }}"]))
    styles = [element.get("style") for element in root.iter("input", "textarea")]
    assert styles == [None if expected is None else f"line-height: {expected} !important", None, None]
