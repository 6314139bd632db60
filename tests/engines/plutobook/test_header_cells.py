"""The alignment of header cells, which is that of the text around the table, or the center."""

from __future__ import annotations

import pytest

from tests.support.letter_places import letters

pytestmark = pytest.mark.slow

TABLE = "<table {}><thead><tr {}><th {}>A</thead></table>"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (TABLE.format("", "", ""), "center"),
        (TABLE.format("class=left", "", ""), "left"),
        (TABLE.format("", "class=right", ""), "right"),
        (TABLE.format("", "", "class=left"), "left"),
        (TABLE.format("style='text-align: right'", "", ""), "right"),
        (TABLE.format("style='--a: left; text-align: var(--a)'", "", ""), "left"),
        (TABLE.format("class=start", "class=right", "class=start"), "left"),
        (f"<div class=right>{TABLE.format('', '', '')}</div>", "right"),
        (f"<div class=right>{TABLE.format('class=start', '', '')}</div>", "center"),
        (f"<style>table {{ text-align: left !important }}</style>{TABLE.format('class=right', '', '')}", "left"),
        (TABLE.format("", "align=RIGHT", ""), "right"),
        (TABLE.format("", "align=right", "align=left"), "left"),
        (f"<div align=right>{TABLE.format('', '', '')}</div>", "center"),
        (f"<center>{TABLE.format('', '', '')}</center>", "center"),
    ],
)
def test_the_alignment_of_a_header_cell(page: str, expected: str) -> None:
    rules = ".left { text-align: left } .right { text-align: right } .start { text-align: start }"
    style = f"<style>table {{ width: 100%; border-spacing: 0 }} th {{ padding: 0 }} {rules}</style>"
    [(left, _)] = letters(f"{style}{page}").values()
    assert min({"left": 48, "center": 293, "right": 538}.items(), key=lambda side: abs(left - side[1]))[0] == expected
