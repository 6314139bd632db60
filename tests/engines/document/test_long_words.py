"""Which elements may have lines that end inside of words."""

from __future__ import annotations

import pytest
from lxml import html

from wcspider.engines.document.long_words import LONG, LONG_IN_CELL, MARK, mark_long_words

WORD = "w" * LONG


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        (f"<p>{WORD}</p>", ["p"]),
        (f"<p>short <b>{WORD}</b></p>", ["b"]),
        (f"<p><b>short</b>{WORD}</p>", ["p"]),
        (f"<p>{WORD[1:]}</p>", []),
        (f"<table><tr><td>{WORD[:LONG_IN_CELL]}<td>{WORD[: LONG_IN_CELL - 1]}</table>", ["td"]),
        (f"<table><tr><td><b>a</b>{WORD[:LONG_IN_CELL]}<td><i>{WORD[:LONG_IN_CELL]}</i></table>", ["td", "i"]),
        (f"<p>{'a b ' * LONG}</p>", []),
        (f"<p>{'ไ' * LONG}</p>", []),
    ],
)
def test_elements_with_a_long_word_of_their_own(body: str, marked: list[str]) -> None:
    root = html.document_fromstring(body)
    mark_long_words(root)
    assert [element.tag for element in root.iter() if MARK in element.attrib] == marked
