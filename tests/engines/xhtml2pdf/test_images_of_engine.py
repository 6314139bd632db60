"""Images in pages of the engine of xhtml2pdf: their bytes stay, and each is stored once."""

from __future__ import annotations

import io

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from tests.support.rendered_pages import Asset, links, render, text

pytestmark = pytest.mark.slow


BASE = "https://example.com/dir/"


def _image(kind: str, size: tuple[int, int] = (60, 40), mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.effect_noise(size, 80).convert(mode).save(out, kind)
    return out.getvalue()


def test_link_around_an_image() -> None:
    assets = {BASE + "i.png": Asset(_image("PNG"), "image/png")}
    assert links(render("<a href=big.html><img src=i.png></a>", assets)) == [BASE + "big.html"]


def test_jpeg_stays_byte_for_byte() -> None:
    jpeg = _image("JPEG")
    rendering = render("<img src='i.jpg'><img src='/dir/i.jpg#x'>", {BASE + "i.jpg": Asset(jpeg, "image/jpeg")})
    [drawn] = rendering.images
    assert drawn.url == BASE + "i.jpg"
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        xobject = pdf.pages[0].Resources.XObject["/" + drawn.name]
        assert xobject.read_raw_bytes() == jpeg
        assert xobject.Filter == "/DCTDecode"


@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "BMP", "TIFF"])
def test_image_formats(kind: str) -> None:
    assets = {BASE + "i": Asset(_image(kind), f"image/{kind.lower()}")}
    rendering = render("<img src=i>", assets)
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        xobject = pdf.pages[0].Resources.XObject["/" + rendering.images[0].name]
        assert (xobject.Width, xobject.Height) == (60, 40)


def test_same_bytes_under_two_urls_are_one_xobject() -> None:
    png = _image("PNG")
    assets = {BASE + name: Asset(png, "image/png") for name in "ab"}
    rendering = render("<img src=a><img src=b>", assets)
    assert [i.url for i in rendering.images] == [BASE + "a", BASE + "b"]
    assert len({i.name for i in rendering.images}) == 1


def test_images_that_are_not_drawn_are_not_listed() -> None:
    assets = {BASE + name: Asset(_image("PNG", (20, 10 + n)), "image/png") for n, name in enumerate("ab")}
    assert [i.url for i in render("<img src=a><div hidden><img src=b></div>", assets).images] == [BASE + "a"]


@pytest.mark.parametrize(
    "markup",
    [
        "<picture><source srcset='big.png' media='(min-width: 5000px)'><source srcset=i.png><img src=no.png></picture>",
        "<img srcset='i.png 1x, no.png 2x' src=no.png>",
        "<object data=i.png type=image/png></object>",
        "<iframe src=i.png></iframe>",
        "<video poster=i.png></video>",
    ],
)
def test_references_to_images(markup: str) -> None:
    assets = {BASE + "i.png": Asset(_image("PNG"), "image/png")}
    assert [i.url for i in render(markup, assets).images] == [BASE + "i.png"]


@pytest.mark.parametrize("size", [f"width={'9' * 5000}", f"height={'9' * 5000}", "width=9e9", "width=99999999%"])
def test_images_of_any_size_are_drawn_on_the_page(size: str) -> None:
    rendering = render(f"<img src=i.png {size}>", {BASE + "i.png": Asset(_image("PNG"), "image/png")})
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        [picture] = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        left, bottom, right, top = picture.get_bounds()
    assert 0 < left < right < 595
    assert 0 < bottom < top < 842


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ("", (45, 30)),
        ("width=30", (22.5, 15)),
        ("height='30.5px'", (34.3, 22.9)),
        ("width=100 height=10", (75, 7.5)),
        ("height=100%", (45, 30)),  # of an unknown height
        ("width=none", (45, 30)),
    ],
)
def test_the_size_of_an_image(attributes: str, size: tuple[float, float]) -> None:
    rendering = render(f"<img src=i.png {attributes}>", {BASE + "i.png": Asset(_image("PNG"), "image/png")})
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        [picture] = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        left, bottom, right, top = picture.get_bounds()
    assert (right - left, top - bottom) == pytest.approx(size, abs=0.1)


@pytest.mark.parametrize(
    "markup",
    [
        "<img src=i.png style='display: none'>",
        "<object data=i.png style='display: none'></object>",
        "<p style='display: none'><video poster=i.png></video>",
        "<form><input type=image src=i.png style='visibility: hidden'></form>",
    ],
)
def test_hidden_images_are_not_drawn(markup: str) -> None:
    assert render(markup, {BASE + "i.png": Asset(_image("PNG"), "image/png")}).images == ()


def test_image_that_is_missing_or_broken() -> None:
    rendering = render("<p>a <img src=none.png alt='A cat'> b <img src=bad.png> c", {BASE + "bad.png": Asset(b"x", "")})
    assert "a A cat b" in text(rendering)
    assert rendering.images == ()


def test_svg_is_drawn() -> None:
    svg = b"""<svg xmlns='http://www.w3.org/2000/svg' width='100' height='50'><text x='5' y='20'>Vector</text></svg>"""
    assert "Vector" in text(render("<p>x <img src=v.svg>", {BASE + "v.svg": Asset(svg, "image/svg+xml")}))
