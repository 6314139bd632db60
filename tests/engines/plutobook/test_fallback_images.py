"""Areas that cairo draws as images, such as SVG elements with a mask, on an otherwise usual page."""

from __future__ import annotations

import io

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from tests.support.rendered_pages import boxes, task, text
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


def picture(rendering: Rendering) -> Image.Image:
    with pypdfium2.PdfDocument(bytes(rendering.pdf)) as pdf:
        return pdf[0].render().to_pil().convert("RGB")


def near(one: object, other: object) -> bool:
    assert isinstance(one, tuple)
    assert isinstance(other, tuple)
    return all(abs(a - b) <= 2 for a, b in zip(one, other, strict=True))


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
    assert near(shown.getpixel(ring), (255, 0, 0))
    # The box is drawn once, in the hole of the mask too.
    assert near(shown.getpixel(hole), shown.getpixel(beside))
    assert near(shown.getpixel(beside), tuple((255 + part) // 2 for part in DARK))


def test_the_page_has_its_color_at_the_edges_of_the_paper(masked: Rendering) -> None:
    shown = picture(masked)
    assert near(shown.getpixel((2, 2)), DARK)
    assert near(shown.getpixel((shown.width - 3, shown.height - 3)), DARK)
