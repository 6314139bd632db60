"""Pages that the user wants smaller: links and anchors move with their text."""

from __future__ import annotations

import io

import pikepdf
import pytest

from tests.support.rendered_pages import PageGeometry, boxes, task
from wcspider.engines import registry


@pytest.mark.parametrize(("engine", "tolerance"), [("plutobook", 1), ("xhtml2pdf", 0)])
def test_scaled_links_and_anchors_stand_where_their_text_stands(engine: str, tolerance: float) -> None:
    rendering = registry.render(engine, task("<p>x<p id=a><a href=y>H</a>", geometry=PageGeometry(scale=0.5)))
    [letter] = [box for _, c, box in boxes(rendering) if c == "H"]
    [anchor] = rendering.structure.anchors
    assert letter[3] <= anchor.y <= letter[3] + 15
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        x0, y0, x1, y1 = map(float, pdf.pages[0].Annots[0].Rect)
    assert x0 - tolerance <= letter[0] <= letter[2] <= x1 + 1
    assert y0 - tolerance <= letter[1] <= letter[3] <= y1 + 1
