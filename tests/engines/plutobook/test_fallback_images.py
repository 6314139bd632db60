"""Areas that cairo draws as images, such as SVG elements with a mask, on an otherwise usual page."""

from __future__ import annotations

import io

import pikepdf
import pytest

from tests.support.pictures import RED
from tests.support.rendered_pages import boxes, picture, task, text
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.content_streams import content_streams
from wcspider.engines.plutobook.engine import PlutoBookEngine

pytestmark = pytest.mark.slow

MASKED = """<svg width=100 height=100 style='display: block'><mask id=m><rect width=100 height=100 fill=white />
<circle cx=50 cy=50 r=20 fill=black /></mask><rect width=100 height=100 fill=red mask='url(#m)' /></svg>"""
DARK = (0x11, 0x22, 0x33)


def render(body: str) -> Rendering:
    return PlutoBookEngine().render(task(body))


@pytest.fixture(scope="module")
def masked() -> Rendering:
    """A dark page with a half transparent box, in which text and a masked element are."""
    box = f"<div style='background: rgba(255, 255, 255, 0.5)'>{MASKED}<p>Text below</p></div>"
    return render(f"<body style='margin: 0; background: #123; color: #fff'>{box}")


def test_the_text_of_the_page_is_in_no_knockout_group(masked: Rendering) -> None:
    with pikepdf.open(io.BytesIO(bytes(masked.pdf))) as pdf:
        groups = [stream.get("/Group", {}) for stream, _ in content_streams(pdf)]
        assert len(groups) > 1  # the areas
        assert not any("/K" in group for group in groups)
        assert len(pdf.pages[0].resources.Font) == 1
    assert text(masked).split() == ["Text", "below"]


def test_the_areas_look_as_before(masked: Rendering) -> None:
    shown = picture(masked)
    left = top = round(min(box[0] for _, _, box in boxes(masked)))
    ring, hole, beside = ((left + x, top + y) for x, y in ((8, 37), (37, 37), (200, 37)))
    assert shown.getpixel(ring) == pytest.approx(RED, abs=2)
    # The box is drawn once, in the hole of the mask too.
    assert shown.getpixel(hole) == pytest.approx(shown.getpixel(beside), abs=2)
    assert shown.getpixel(beside) == pytest.approx([(255 + part) // 2 for part in DARK], abs=2)


def test_the_page_has_its_color_at_the_edges_of_the_paper(masked: Rendering) -> None:
    shown = picture(masked)
    assert shown.getpixel((2, 2)) == pytest.approx(DARK, abs=2)
    assert shown.getpixel((shown.width - 3, shown.height - 3)) == pytest.approx(DARK, abs=2)
