"""Grids of a single line: which items keep their widths, and which share the rest."""

from __future__ import annotations

import re

import pytest

from tests.support.grid_places import places, rewritten

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("columns", "flex"),
    [("fit-content(30%) auto", "0 0 auto"), ("max-content auto", "0 1 auto"), ("auto auto", r"[\d.]+ 1 0px")],
)
def test_a_narrow_item_keeps_its_width_beside_a_long_text(columns: str, flex: str) -> None:
    css, words = f"dl {{ display: grid; grid-template-columns: {columns} }}", "words " * 900
    narrow, wide = (rewritten(css, f"<dl><dt>{text}<dd>{words}</dl>") for text in ("x", words))
    assert re.search(r"<dt [^>]*\bflex: \d 0 auto", narrow)
    assert re.search(r"<dd [^>]*\bflex: [\d.]+ 1 ", narrow)
    assert re.search(rf"<dt [^>]*\bflex: {flex}", wide)


@pytest.mark.parametrize(
    ("columns", "edges"),
    [("auto auto", [0, 350]), ("auto auto auto", [0, 233, 467]), ("100px auto auto", [0, 120, 410])],
)
def test_long_texts_of_different_lengths_share_the_width(columns: str, edges: list[int]) -> None:
    css = f".g {{ display: grid; grid-template-columns: {columns}; column-gap: 20px }}"
    cells = (f"<div>{letter} {'words ' * (50 + 300 * number)}</div>" for number, letter in enumerate("ABC"))
    found = places(css, f"<div class=g>{''.join(cell for cell, _ in zip(cells, edges, strict=False))}</div>")
    assert [found[letter][0] for letter, _ in zip("ABC", edges, strict=False)] == pytest.approx(edges, abs=2)
