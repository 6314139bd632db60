"""Styles for the states of controls: disabled, required, read-only, or without a value."""

from __future__ import annotations

import io

import pikepdf
import pytest

from tests.support.rendered_pages import boxes, task, text
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine

pytestmark = pytest.mark.slow

FLOATING = """.f { position: relative } .c { height: 60px; padding: 0; margin: 0; border: 0; font-size: 16px }
label { position: absolute; top: 0; left: 0; padding-top: 20px } .c::placeholder { color: transparent }
.c:not(:placeholder-shown) ~ label { padding-top: 0 }"""


def render(body: str) -> Rendering:
    return PlutoBookEngine().render(task(body))


def shows_text(rendering: Rendering) -> bool:
    """Tell whether the only field of a page shows a text."""
    with pikepdf.open(io.BytesIO(bytes(rendering.pdf))) as pdf:
        [widget] = pdf.pages[0].Annots
        return b"Tj" in widget.AP.N.read_bytes()


@pytest.mark.parametrize(
    ("control", "states"),
    [
        ("<input value=x>", {"enabled", "optional", "read-write"}),
        ("<input value=x disabled required>", {"disabled", "required", "read-only"}),
        ("<input value=x readonly>", {"enabled", "optional", "read-only"}),
        ("<input placeholder=x required>", {"enabled", "required", "read-write", "placeholder-shown"}),
        ("<input value=x placeholder=y>", {"enabled", "optional", "read-write"}),
        ("<textarea placeholder=x></textarea>", {"enabled", "optional", "read-write", "placeholder-shown"}),
        ("<select disabled><option>x</select>", {"disabled", "optional", "read-only"}),
        ("<button disabled>x</button>", {"disabled", "read-only"}),
        ("<fieldset disabled><input value=x>", {"disabled", "optional", "read-only"}),
        ("<p disabled required>x</p>", {"read-only"}),
    ],
)
def test_rules_for_a_state_apply_to_the_controls_in_it(control: str, states: set[str]) -> None:
    known = ("enabled", "disabled", "optional", "required", "read-write", "read-only", "placeholder-shown")
    body = f"<div>{control}<b>behind</b></div>"
    found = {s for s in known if "behind" not in text(render(f"<style>:{s} + b {{ display: none }}</style>{body}"))}
    assert found == states


def test_a_placeholder_may_be_transparent_and_its_label_shown() -> None:
    page = "<div class=f><input class=c id=i placeholder=Hint{}><label for=i>Label</label></div>"
    empty = render(f"<style>{FLOATING}</style>{page.format('')}")
    filled = render(f"<style>{FLOATING}</style>{page.format(' value=Text')}")
    assert (shows_text(empty), shows_text(filled)) == (False, True)
    below, above = (
        next(box[3] for _, letter, box in boxes(rendering) if letter == "L") for rendering in (empty, filled)
    )
    assert above - below == pytest.approx(15, abs=1)  # 20 pixels


@pytest.mark.parametrize(
    ("css", "is_shown"),
    [
        ("", True),
        ("input { color: transparent }", True),
        ("input::placeholder { color: transparent }", False),
        ("input::-webkit-input-placeholder { color: transparent }", False),
        ("::placeholder { opacity: 0 }", False),
        ("::placeholder { opacity: 0.5 }", True),
        (":root { --c: transparent } ::placeholder { color: var(--c) }", False),
        ("p::placeholder, b { color: transparent }", True),
        ("b, input::placeholder { color: transparent }", False),
    ],
)
def test_a_placeholder_has_colors_of_its_own(css: str, is_shown: bool) -> None:
    assert shows_text(render(f"<style>{css}</style><input placeholder=Hint>")) is is_shown


def test_other_styles_of_a_placeholder_do_not_change_its_control() -> None:
    places = [
        boxes(render(f"<style>::placeholder {{ {css} }}</style><input placeholder=Hint> behind"))
        for css in ("", "display: none; width: 9px; position: absolute; background: red; margin: 90px")
    ]
    assert places[0] == places[1]


def test_a_control_for_files_has_its_styles_and_no_text() -> None:
    css = "<style>input[type=file] { width: 200px } [type=file] + b { color: red }</style>"
    wide, usual = (boxes(render(f"{style}<input type=file value=Name><b>B</b>")) for style in (css, ""))
    assert [[letter for _, letter, _ in placed] for placed in (wide, usual)] == [["B"], ["B"]]
    assert wide[0][2][0] > usual[0][2][0]
