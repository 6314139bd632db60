"""Pages on paper: their margins and their scale, and pages that are wider than the paper."""

from __future__ import annotations

import re

import pypdfium2
import pytest

from tests.support.letter_places import legible
from tests.support.rendered_pages import PageGeometry, boxes, task
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine

pytestmark = pytest.mark.slow


def render(body: str, geometry: PageGeometry | None = None) -> Rendering:
    return PlutoBookEngine().render(task(body, geometry=geometry or PageGeometry()))


BODY = "<p>" + "word " * 400


def test_margins() -> None:
    geometry = PageGeometry(500, 500, 100, 80, 60, 40)
    found = [box for _, _, box in boxes(render(BODY, geometry=geometry))]
    assert min(b[0] for b in found) >= 40 - 1
    assert max(b[2] for b in found) <= 420 + 1
    assert max(b[3] for b in found) <= 400 + 1
    assert min(b[1] for b in found) >= 60 - 4


@pytest.mark.parametrize(
    ("color", "expected"),
    [("#123456", (0x12, 0x34, 0x56)), ("rgba(0, 0, 0, 0.2)", (204,) * 3), ("rgba(255, 0, 0, 0.6)", (255, 102, 102))],
)
def test_the_color_of_a_page_reaches_to_its_edges(color: str, expected: tuple[int, int, int]) -> None:
    rendering = render(f"<body style='background: {color}'>" + "<p style='color: #eee'>light</p>" * 200)
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert len(document) > 1
        for page in document:
            shown = page.render(scale=0.1).to_pil().convert("RGB")
            for place in ((1, 1), (shown.width // 2, 10)):
                assert shown.getpixel(place) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize(
    "body",
    [
        "<pre>" + "abc def " * 60,
        "<p>" + "x" * 500,
        "<p style='white-space: nowrap'>" + "ab " * 200,
        "<div style='width: 3000px'>" + "ab " * 2000,
        "<table><tr>" + "<td>cell" * 120 + "</table>",
        "<blockquote>" * 30 + "text",
        "<div style='display: flex'>" + "<div style='flex: 0 0 300px'>box</div>" * 20 + "</div>",
    ],
)
def test_what_is_too_wide_is_on_the_page_and_large_enough(body: str) -> None:
    found = boxes(render(body))
    assert max(box[2] for _, _, box in found) < 595
    assert len(found) == len(re.sub(r"<[^>]*>|\s", "", body))
    assert max(box[3] - box[1] for _, _, box in found) > 2


@pytest.mark.parametrize("margin", [0, 42.5])
@pytest.mark.parametrize("negative", ["-12px", "-10pt"])
@pytest.mark.parametrize("css", ["", "html { width: 100% }", "html { margin: 0 5px }"])
def test_negative_margins_bring_nothing_out_of_the_page(css: str, negative: str, margin: float) -> None:
    geometry = PageGeometry(margin_left=margin, margin_right=margin)
    row = f"body {{ margin: 0 }} div {{ text-align: right; font-size: 20px; margin-right: {negative} }}"
    rendering = render(f"<style>{row} {css}</style><div>at the END", geometry=geometry)
    letters = [box for _, letter, box in boxes(rendering) if letter.isupper()]
    edge = geometry.width - margin
    assert edge - 6 < max(box[2] for box in letters) <= edge
    assert max(box[3] - box[1] for box in letters) == pytest.approx(9.84, abs=0.05)  # not made smaller


@pytest.mark.parametrize("css", ["width: 110%", "width: 115%", "width: 140%", "padding-left: 20%; width: 100%"])
def test_what_is_too_wide_at_each_scale_is_on_the_page(css: str) -> None:
    rendering = render(f"<style>body {{ margin: 0 }} div {{ text-align: right; {css} }}</style><div>at the END")
    assert max(box[2] for _, _, box in boxes(rendering)) < PageGeometry().width - PageGeometry().margin_right + 0.5
    assert legible(rendering)


def test_a_line_that_no_layout_makes_shorter_leaves_the_page_as_it_is() -> None:
    line = "<style>hr { position: relative; left: 50%; width: 60% }</style><hr>"
    table = "<table><tr><td>A<td>B</table>"
    [(_, first), (_, second)] = [
        (letter, box) for _, letter, box in boxes(render(f"<!DOCTYPE html>{line}{table}")) if letter in "AB"
    ]
    assert first[1] == pytest.approx(second[1], abs=1)  # the table is not folded
