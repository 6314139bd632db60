"""Pages with one image, laid out by both engines, and the colors and objects in which the image is shown."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pikepdf
import pypdfium2
import pytest

from tests.support.rendered_pages import Asset, task
from wcspider.engines.base import Engine, Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.xhtml2pdf.engine import Xhtml2PdfEngine

ENGINES: dict[str, Engine] = {"plutobook": PlutoBookEngine(), "xhtml2pdf": Xhtml2PdfEngine()}
BASE = "https://example.com/dir/"
PAPER = (0xCC, 0xCC, 0xCC)
WHITE = (255, 255, 255)
"""The paper of xhtml2pdf, which draws no backgrounds."""

THROUGH_YELLOW = (230, 230, 102)
ON_WHITE = {PAPER: WHITE, THROUGH_YELLOW: (255, 255, 127)}
"""What shows through a picture on white paper, by what shows through it on grey paper."""


def page(body: bytes, markup: str = "<img src=i>", engine: str = "plutobook") -> Rendering:
    """A page that shows a picture, on grey paper if the engine draws backgrounds."""
    styles = f"<body style='background: rgb{PAPER}; margin: 0; font-family: sans-serif'>"
    return ENGINES[engine].render(task(styles + markup, {BASE + "i": Asset(body, "image/x")}))


def on_paper(engine: str, expected: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The colours on the paper of an engine that are `expected` on grey paper."""
    return [ON_WHITE.get(color, color) if engine == "xhtml2pdf" else color for color in expected]


def image_xobject(pdf: pikepdf.Pdf, rendering: Rendering) -> pikepdf.Object:
    """The XObject of the one picture of a rendering, in the resources of the page or of a form XObject."""
    [name] = {f"/{image.name}" for image in rendering.images}
    resources = [pdf.pages[0].Resources, *(o["/Resources"] for o in pdf.objects if "/Resources" in entries_of(o))]
    [found] = {x[name].objgen: x[name] for r in resources if name in (x := r.get("/XObject", {}))}.values()
    return found


def entries_of(found: pikepdf.Object) -> set[str]:
    return set(found.keys()) if isinstance(found, pikepdf.Stream) else set()


def raw_data(rendering: Rendering) -> bytes:
    """The data of the XObject of the one picture of a rendering, as it is in the file."""
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        return image_xobject(pdf, rendering).read_raw_bytes()


def shown(rendering: Rendering, size: tuple[float, float] | None = None) -> list[tuple[int, ...]]:
    """The colours in the middle of the quarters of the one picture of a rendering, which has a size in points."""
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        [picture] = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        left, bottom, right, top = picture.get_bounds()
        if size is not None:
            assert (right - left, top - bottom) == pytest.approx(size, abs=0.1)
        drawn = document[0].render(scale=2).to_pil().convert("RGB")
        height = document[0].get_height()
    places = [(x, y) for y in (0.75, 0.25) for x in (0.25, 0.75)]
    return [
        drawn.getpixel((int(2 * (left + x * (right - left))), int(2 * (height - bottom - y * (top - bottom)))))
        for x, y in places
    ]


def assert_colors(found: Sequence[tuple[int, ...]], expected: Sequence[tuple[int, ...]]) -> None:
    """Assert that colours are as expected, within the loss of JPEG and similar formats."""
    for one, other in zip(found, expected, strict=False):
        assert one == pytest.approx(other, abs=6)


BACKGROUND = "<p style='background: url(i) no-repeat; height: 64px'>&nbsp;"


def svg_of(shapes: str, attributes: str = "width='80' height='40'") -> bytes:
    return f"<svg xmlns='http://www.w3.org/2000/svg' {attributes}>{shapes}</svg>".encode()
