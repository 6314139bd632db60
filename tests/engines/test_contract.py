"""The rules that every engine follows."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable

import pikepdf
import pytest
from PIL import Image

from tests.support.null_engine import NullEngine
from wcspider.engines.base import Engine, PageGeometry, RenderTask, Step
from wcspider.engines.plain.image_engine import ImageEngine
from wcspider.engines.plain.text_engine import TextEngine
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.registry import CHOICES, engine_for
from wcspider.engines.registry import render as render_by_name
from wcspider.engines.xhtml2pdf.engine import Xhtml2PdfEngine
from wcspider.exceptions import ArgumentError


def _png() -> bytes:
    out = io.BytesIO()
    Image.new("RGBA", (40, 30), (10, 20, 30, 128)).save(out, "PNG")
    return out.getvalue()


LINKING = (PlutoBookEngine, Xhtml2PdfEngine)
"""The engines that make links."""

HTML = b"<title>T</title><h1 id=a>Hello</h1><p><a href=other.html#x>link</a>"
SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 900"><style>text { fill: navy }</style>
<text y="20">Hello</text></svg>"""
CASES = [
    pytest.param(NullEngine, "text/html", HTML, id="null"),
    pytest.param(PlutoBookEngine, "text/html", HTML, id="plutobook"),
    pytest.param(Xhtml2PdfEngine, "text/html", HTML, id="xhtml2pdf"),
    pytest.param(TextEngine, "text/plain", b"Hello\nworld", id="text"),
    pytest.param(TextEngine, "text/html", HTML, id="text of html"),
    pytest.param(ImageEngine, "image/png", _png(), id="image"),
    pytest.param(ImageEngine, "image/svg+xml", SVG, id="svg"),
    pytest.param(PlutoBookEngine, "image/svg+xml", SVG, id="svg with plutobook"),
]


@pytest.mark.parametrize(("engine", "media_type", "body"), CASES)
class TestContract:
    def _task(self, media_type: str, body: bytes, **options: object) -> RenderTask:
        return RenderTask("https://example.com/a/b", body, media_type, **options)  # type: ignore[arg-type]

    def test_pages_of_the_size_asked_for(self, engine: type[Engine], media_type: str, body: bytes) -> None:
        geometry = PageGeometry(width=400, height=300)
        rendering = engine().render(self._task(media_type, body, geometry=geometry))
        with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
            assert [[float(n) for n in page.mediabox] for page in pdf.pages] == [[0, 0, 400, 300]]
            assert not pdf.check_pdf_syntax()

    def test_same_task_same_bytes(self, engine: type[Engine], media_type: str, body: bytes) -> None:
        task = self._task(media_type, body)
        assert engine().render(task) == engine().render(task)

    def test_no_destinations(self, engine: type[Engine], media_type: str, body: bytes) -> None:
        rendering = engine().render(self._task(media_type, body))
        with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
            assert "/Outlines" not in pdf.Root
            assert "/Dests" not in pdf.Root
            assert "/Dests" not in pdf.Root.get("/Names", {})
            has_link = engine in LINKING and body is HTML
            assert _links(pdf) == ([("/URI", "https://example.com/a/other.html#x")] if has_link else [])

    def test_travels_between_processes(self, engine: type[Engine], media_type: str, body: bytes) -> None:
        task = pickle.loads(pickle.dumps(self._task(media_type, body)))
        rendering = engine().render(task)
        assert pickle.loads(pickle.dumps(rendering)) == rendering


@pytest.mark.parametrize("engine", LINKING)
def test_internal_name(engine: type[Engine]) -> None:
    company, product, version, content_type = engine().internal_name().split(":")
    assert company == "WCSP"
    assert product
    assert version
    assert content_type == "HTML"


def _links(pdf: pikepdf.Pdf) -> list[tuple[str, str]]:
    """Return the action and the target of each annotation; a destination in place of an action is an error."""
    annotations = [annotation for page in pdf.pages for annotation in page.get("/Annots", [])]
    assert not any("/Dest" in annotation for annotation in annotations)
    return [(str(annotation.A.S), str(annotation.A.URI)) for annotation in annotations]


@pytest.mark.parametrize(
    ("name", "media_type", "step", "expected"),
    [
        ("xhtml2pdf", "text/html", Step.FULL, Xhtml2PdfEngine),
        ("xhtml2pdf", "application/xhtml+xml", Step.NO_AUTHOR_STYLES, Xhtml2PdfEngine),
        ("xhtml2pdf", "text/html", Step.TEXT_ONLY, TextEngine),
        ("xhtml2pdf", "text/plain", Step.FULL, TextEngine),
        ("xhtml2pdf", "image/webp", Step.FULL, ImageEngine),
        ("xhtml2pdf", "image/svg+xml", Step.FULL, ImageEngine),
        ("xhtml2pdf", "application/zip", Step.FULL, type(None)),
        ("plutobook", "text/html", Step.NO_AUTHOR_STYLES, PlutoBookEngine),
        ("plutobook", "text/html", Step.SIMPLER_ENGINE, Xhtml2PdfEngine),
        ("plutobook", "image/svg+xml", Step.FULL, PlutoBookEngine),
        ("plutobook", "image/svg+xml", Step.SIMPLER_ENGINE, ImageEngine),
    ],
)
def test_engine_for(name: str, media_type: str, step: Step, expected: type) -> None:
    assert type(engine_for(name, media_type, step)) is expected


@pytest.mark.parametrize("call", [lambda: engine_for("netscape", "text/html"), lambda: engine_for("", "image/png")])
def test_unknown_engine(call: Callable[[], object]) -> None:
    with pytest.raises(ArgumentError, match="the engines are: " + ", ".join(CHOICES)):
        call()


def test_render_refuses_a_type_without_engine() -> None:
    with pytest.raises(ArgumentError, match="application/zip"):
        render_by_name("xhtml2pdf", RenderTask("http://a.example/", b"", "application/zip"))
