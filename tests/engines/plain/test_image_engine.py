"""Pages with a single image."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from tests.support.pictures import tiff_of
from tests.support.rendered_pages import PageGeometry
from wcspider.engines.base import RenderTask
from wcspider.engines.images import tiff_pages
from wcspider.engines.plain.image_engine import ImageEngine
from wcspider.exceptions import SourceUnreadableError

URL = "http://a.example/pictures/a%20cat.img"


def _file(kind: str, size: tuple[int, int] = (80, 40), mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.effect_noise(size, 90).convert(mode).save(out, kind)
    return out.getvalue()


def _task(body: bytes, media_type: str = "image/png", **options: object) -> RenderTask:
    return RenderTask(URL, body, media_type, **options)  # type: ignore[arg-type]


@contextmanager
def _xobject(body: bytes) -> Iterator[pikepdf.Stream]:
    """The image XObject that the engine makes of an image file."""
    rendering = ImageEngine().render(_task(body))
    [drawn] = rendering.images
    assert drawn.url == URL
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        yield pdf.pages[0].Resources.XObject["/" + drawn.name]


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_jpeg_stays_byte_for_byte(mode: str) -> None:
    body = _file("JPEG", mode=mode)
    with _xobject(body) as xobject:
        assert xobject.read_raw_bytes() == body


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("PNG", "RGB"),
        ("PNG", "L"),
        ("PNG", "1"),
        ("PNG", "P"),
        ("GIF", "P"),
        ("BMP", "RGB"),
        ("TIFF", "CMYK"),
        ("WEBP", "RGB"),
    ],
)
def test_other_formats_keep_their_pixels(kind: str, mode: str) -> None:
    body = _file(kind, mode=mode)
    with _xobject(body) as xobject, Image.open(io.BytesIO(body)) as source:
        drawn = pikepdf.PdfImage(xobject).as_pil_image().convert("RGB")
        assert drawn.tobytes() == source.convert("RGB").tobytes()


def test_transparency_is_a_soft_mask() -> None:
    image = Image.new("RGBA", (2, 1))
    image.putdata([(255, 0, 0, 255), (0, 255, 0, 51)])
    out = io.BytesIO()
    image.save(out, "PNG")
    with _xobject(out.getvalue()) as xobject:
        assert xobject.SMask.read_bytes() == b"\xff\x33"
        assert xobject.read_bytes() == b"\xff\x00\x00\x00\xff\x00"


def test_first_frame_of_an_animation() -> None:
    frames = [Image.new("RGB", (4, 4), color) for color in ("red", "blue")]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    with _xobject(out.getvalue()) as xobject:
        assert pikepdf.PdfImage(xobject).as_pil_image().convert("RGB").getpixel((0, 0)) == (255, 0, 0)


PAGES = [
    (Image.effect_noise((80, 40), 90).convert("1"), {"dpi": (200, 200)}),
    (Image.effect_noise((40, 80), 90), {"dpi": (204, 102)}),
    (Image.effect_noise((800, 800), 90).convert("RGB"), {}),
]
"""The pages of a TIFF file, of different sizes and resolutions."""


def test_each_page_of_a_tiff_file_has_a_page_of_its_own() -> None:
    geometry = PageGeometry(500, 500, 50, 50, 50, 50)
    rendering = ImageEngine().render(_task(tiff_of(PAGES), "image/tiff", geometry=geometry))
    assert [(image.url, image.frame) for image in rendering.images] == [(URL, 0), (URL, 1), (URL, 2)]
    assert rendering.warnings == ()
    drawn = []
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        assert len(pdf.pages) == len(PAGES)
        for page, image, (source, _) in zip(pdf.pages, rendering.images, PAGES, strict=True):
            [(name, xobject)] = page.Resources.XObject.items()
            assert name == f"/{image.name}"
            shown = pikepdf.PdfImage(xobject).as_pil_image()
            assert shown.convert("RGB").tobytes() == source.convert("RGB").tobytes()
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        for page in document:
            [found] = page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
            left, bottom, right, top = found.get_bounds()
            drawn.append((right - left, top - bottom))
    assert drawn == [pytest.approx(size, abs=0.01) for size in ((60, 30), (30, 120), (400, 400))]


def test_a_limit_of_pages_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiff_pages, "MAX_PAGES", 2)
    rendering = ImageEngine().render(_task(tiff_of(PAGES), "image/tiff"))
    assert len(rendering.images) == 2
    assert rendering.warnings == ("a TIFF file is kept with 2 pages only: the limit is 2 pages",)


@pytest.mark.parametrize(
    ("size", "scale", "width", "height"),
    [
        ((80, 40), 1.0, 60, 30),
        ((80, 40), 0.5, 30, 15),
        ((8000, 40), 1.0, 400, 2),
        ((40, 8000), 1.0, 2, 400),
    ],
)
def test_size_on_the_page(size: tuple[int, int], scale: float, width: float, height: float) -> None:
    geometry = PageGeometry(500, 500, 50, 50, 50, 50, scale=scale)
    rendering = ImageEngine().render(_task(_file("PNG", size), geometry=geometry))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        [drawn] = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        left, bottom, right, top = drawn.get_bounds()
    assert (right - left, top - bottom) == pytest.approx((width, height), abs=0.01)
    assert ((left + right) / 2, (bottom + top) / 2) == pytest.approx((250, 250), abs=0.01)


def test_title_is_the_name() -> None:
    assert ImageEngine().render(_task(_file("PNG"))).structure.title == "a cat.img"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "unknown image format"),
        (b"no image", "unknown image format"),
        (b"<!doctype html><title>404</title>", "it is an HTML page"),
        (_file("PNG")[:60], "the file is truncated"),
        (_file("GIF")[:20], "unknown image format"),
        (_file("GIF")[:900], "the file is truncated"),
        (_file("WEBP")[:100], "OSError: could not create decoder object"),
        (_file("BMP")[:30], "OSError: Truncated File Read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_reasons_can_be_grouped_and_repeated(body: bytes, reason: str) -> None:
    """Neither the URL nor a description of a Python object is in the reason."""
    problems = set()
    for url in (URL, "http://a.example/other.img"):
        with pytest.raises(SourceUnreadableError) as caught:
            ImageEngine().render(replace(_task(body), url=url))
        problems.add(caught.value.problem)
    [problem] = problems
    assert problem.startswith(f"the image cannot be read: {reason}")
    assert "example" not in problem
    assert "<" not in problem


def test_decompression_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(SourceUnreadableError, match="the image has more than 80000000 pixels"):
        ImageEngine().render(_task(_file("PNG", (100, 100))))


def test_svg() -> None:
    body = b"<svg xmlns='http://www.w3.org/2000/svg' width='100' height='50'><rect width='100' height='50'/></svg>"
    rendering = ImageEngine().render(_task(body, "image/svg+xml"))
    assert rendering.images == ()
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        [path] = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_PATH], max_depth=3)
        left, bottom, right, top = path.get_bounds()
    assert (right - left, top - bottom) == pytest.approx((75, 37.5), abs=1.1)
    with pytest.raises(SourceUnreadableError, match="HTML"):
        ImageEngine().render(_task(b"<html>", "image/svg+xml"))


def test_the_text_of_an_svg_file_can_be_read() -> None:
    text = "<text y='20' font-family='serif'>Chunk type</text>"
    body = f"<svg xmlns='http://www.w3.org/2000/svg' width='100' height='50'>{text}</svg>"
    rendering = ImageEngine().render(_task(body.encode(), "image/svg+xml"))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert document[0].get_textpage().get_text_bounded() == "Chunk type"
