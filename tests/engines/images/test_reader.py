"""Images of all formats used on the web, drawn on pages and compared as rendered by PDFium."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from collections.abc import Sequence
from contextlib import suppress

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from tests.support.pictures import (
    BLUE,
    GREEN,
    QUARTERS,
    RED,
    SIZE,
    YELLOW,
    clear_quarter,
    deep_png,
    file_of,
    quarters,
    turned_jpeg,
)
from tests.support.rendered_pages import URL, text
from tests.support.shown_images import (
    BACKGROUND,
    ENGINES,
    PAPER,
    THROUGH_YELLOW,
    WHITE,
    assert_colors,
    entries_of,
    image_xobject,
    on_paper,
    page,
    raw_data,
    shown,
    svg_of,
)
from wcspider.engines.base import RenderTask
from wcspider.engines.images.pixel_data import of_pixels
from wcspider.engines.images.reader import Picture, read
from wcspider.engines.plain.image_engine import ImageEngine
from wcspider.exceptions import SourceUnreadableError
from wcspider.pdf.image_frames import orientation, stand_in
from wcspider.pdf.objects import Name, Stream

pytestmark = pytest.mark.slow

GREYS = ((76,) * 3, (150,) * 3, (29,) * 3, (226,) * 3)
PRINTED = ((238, 29, 35), (0, 165, 79), (46, 48, 146), (255, 241, 1))
"""The same colours in CMYK, as rendered by PDFium."""
CLEAR = (PAPER, GREEN, BLUE, THROUGH_YELLOW)

BITS = ((0,) * 3, (255,) * 3, (0,) * 3, (255,) * 3)
PALETTE = quarters().quantize(8)
FIRST = PALETTE.getpixel((0, 0))
BLANK = Image.new("RGB", SIZE, "white")


def _grey16() -> Image.Image:
    return Image.frombytes("I;16", SIZE, struct.pack("<H", 40_000) * (SIZE[0] * SIZE[1]))


def _alphas() -> bytes:
    """A palette's alpha: one index clear, one half so."""
    alphas = [255] * 8
    alphas[PALETTE.getpixel((0, 0))], alphas[PALETTE.getpixel((79, 39))] = 0, 128
    return bytes(alphas)


KINDS: dict[str, tuple[bytes, Sequence[tuple[int, ...]]]] = {
    "PNG": (file_of(quarters(), "PNG"), QUARTERS),
    "PNG of grey": (file_of(quarters().convert("L"), "PNG"), GREYS),
    "PNG of 1 bit": (file_of(quarters().convert("L").point(lambda grey: 255 * (grey > 100)).convert("1"), "PNG"), BITS),
    "PNG with alpha": (file_of(clear_quarter(), "PNG"), CLEAR),
    "PNG of grey with alpha": (file_of(clear_quarter().convert("LA"), "PNG"), (PAPER, GREYS[1], GREYS[2])),
    "PNG with a palette": (file_of(PALETTE, "PNG"), QUARTERS),
    "PNG with a clear index": (file_of(PALETTE, "PNG", transparency=FIRST), (PAPER, *QUARTERS[1:])),
    "PNG with a palette of alphas": (file_of(PALETTE, "PNG", transparency=_alphas()), CLEAR),
    "PNG with a clear colour": (file_of(quarters(), "PNG", transparency=RED), (PAPER, *QUARTERS[1:])),
    "PNG of 16 bits, grey": (file_of(_grey16(), "PNG"), ((156,) * 3,) * 4),
    "PNG of 16 bits": (deep_png(quarters()), QUARTERS),
    "PNG of 16 bits with alpha": (deep_png(clear_quarter()), CLEAR),
    "JPEG": (file_of(quarters(), "JPEG", quality=95, subsampling=0), QUARTERS),
    "JPEG, progressive": (file_of(quarters(), "JPEG", quality=95, progressive=True), QUARTERS),
    "JPEG of grey": (file_of(quarters().convert("L"), "JPEG", quality=95), GREYS),
    "JPEG of CMYK": (file_of(quarters().convert("CMYK"), "JPEG", quality=95), PRINTED),
    "GIF": (file_of(PALETTE, "GIF"), QUARTERS),
    "GIF with a clear index": (file_of(PALETTE, "GIF", transparency=FIRST), (PAPER, *QUARTERS[1:])),
    "GIF, animated": (file_of(quarters(), "GIF", save_all=True, append_images=[BLANK]), QUARTERS),
    "WebP": (file_of(quarters(), "WEBP", quality=95), QUARTERS),
    "WebP without loss": (file_of(quarters(), "WEBP", lossless=True), QUARTERS),
    "WebP with alpha": (file_of(clear_quarter(), "WEBP", lossless=True), CLEAR),
    "WebP, animated": (file_of(quarters(), "WEBP", lossless=True, save_all=True, append_images=[BLANK]), QUARTERS),
    "AVIF": (file_of(quarters(), "AVIF", quality=95), QUARTERS),
    "AVIF with alpha": (file_of(clear_quarter(), "AVIF", quality=95), CLEAR),
    "BMP": (file_of(quarters(), "BMP"), QUARTERS),
    "ICO": (file_of(quarters().resize((64, 64), 0), "ICO", sizes=[(64, 64)]), QUARTERS),
    "TIFF": (file_of(quarters(), "TIFF"), QUARTERS),
    "TIFF of CMYK": (file_of(quarters().convert("CMYK"), "TIFF"), PRINTED),
}

UPRIGHT = {
    1: (RED, GREEN, BLUE, YELLOW),
    2: (GREEN, RED, YELLOW, BLUE),
    3: (YELLOW, BLUE, GREEN, RED),
    4: (BLUE, YELLOW, RED, GREEN),
    5: (RED, BLUE, GREEN, YELLOW),
    6: (BLUE, RED, YELLOW, GREEN),
    7: (YELLOW, GREEN, BLUE, RED),
    8: (GREEN, YELLOW, RED, BLUE),
}
"""The quarters as they are shown, by the orientation that the Exif data of the file names."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("engine", "markup"), [("plutobook", "<img src=i>"), ("plutobook", BACKGROUND), ("xhtml2pdf", "<img src=i>")]
)
def test_colors(engine: str, markup: str, kind: str) -> None:
    body, expected = KINDS[kind]
    rendering = page(body, markup, engine)
    assert rendering.warnings == ()
    assert_colors(shown(rendering, (48, 48) if kind == "ICO" else (60, 30)), on_paper(engine, expected))


@pytest.mark.parametrize("kind", KINDS)
def test_colors_of_an_image_on_its_own(kind: str) -> None:
    body, expected = KINDS[kind]
    if expected[0] == PAPER:
        expected = expected[1:2] * 2 if kind.endswith("alpha") else expected  # it stands on white paper
    found = shown(ImageEngine().render(RenderTask(URL, body, "image/x")))
    assert_colors(found[1:2], expected[1:2])


@pytest.mark.parametrize("way", UPRIGHT)
@pytest.mark.parametrize("engine", ENGINES)
def test_jpeg_is_turned_by_the_matrix_and_stays_byte_for_byte(engine: str, way: int) -> None:
    body = turned_jpeg(way)
    size = (60, 30) if way < 5 else (30, 60)
    rendering = page(body, engine=engine)
    assert_colors(shown(rendering, size), UPRIGHT[way])
    assert raw_data(rendering) == body
    assert_colors(shown(ImageEngine().render(RenderTask(URL, body, "image/jpeg")), size), UPRIGHT[way])


@pytest.mark.parametrize("way", UPRIGHT)
def test_stand_in_has_the_orientation_of_the_image(way: int) -> None:
    blank = read(stand_in(*SIZE, way, name="a"))
    assert isinstance(blank, Picture)
    assert (blank.getSize(), blank.orientation) == (read(turned_jpeg(way)).getSize(), way)


@pytest.mark.parametrize(
    ("filters", "data", "expected"),
    [
        (Name("DCTDecode"), turned_jpeg(6), 6),
        ([Name("DCTDecode")], turned_jpeg(3), 3),
        ([Name("DCTDecode")], file_of(quarters(), "JPEG"), 1),
        ([Name("DCTDecode")], turned_jpeg(6)[:30], 1),
        ([Name("FlateDecode")], turned_jpeg(6), 1),
    ],
)
def test_orientation_of_an_image_in_a_file(filters: object, data: bytes, expected: int) -> None:
    assert orientation(Stream({"Filter": filters}, data)) == expected


@pytest.mark.parametrize(
    "kind",
    ["PNG", "PNG of grey", "PNG of 1 bit", "PNG with a palette", "PNG with a clear colour", "PNG of 16 bits, grey"],
)
def test_png_data_passes_through(kind: str) -> None:
    body, _ = KINDS[kind]
    picture = read(body)
    assert isinstance(picture, Picture)
    assert picture.samples.predicted
    assert picture.samples.data in body
    for engine in ENGINES:
        assert raw_data(page(body, engine=engine)) == picture.samples.data


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_lost(engine: str, mode: str) -> None:
    source = Image.effect_noise((31, 17), 90).convert("RGB").convert(mode)
    rendering = page(file_of(source, "PNG"), engine=engine)
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        drawn = pikepdf.PdfImage(image_xobject(pdf, rendering)).as_pil_image()
        assert drawn.convert("RGB").tobytes() == source.convert("RGB").tobytes()


@pytest.mark.parametrize("mode", ["I;16", "I", "F"])
def test_samples_of_16_bits_are_scaled(mode: str) -> None:
    source = _grey16() if mode != "F" else Image.new("F", SIZE, 156.0)
    samples = of_pixels(source if mode != "I" else source.convert("I"))
    assert (samples.mode, zlib.decompress(samples.data)[0]) == ("L", pytest.approx(156, abs=1))


SIZES = [
    ("<img src=i width=40>", (30, 15)),
    ("<img src=i height=20>", (30, 15)),
    ("<img src=i width=40 height=40>", (30, 30)),
    ("<img src=i width=40px>", (30, 15)),
    ("<img src=i width='50%'>", (255.1, 127.6)),
    ("<img src=i style='max-width: 100%; height: auto' width=800 height=400>", (510.2, 255.1)),
    ("<img src=i style='max-width: 20%'>", (60, 30)),
    ("<img src=i style='max-height: 50%; max-width: 100%; height: auto'>", (60, 30)),
    ("<img src=i width='100%' height=50>", (510.2, 37.5)),
    ("<video poster=i width=40></video>", (30, 15)),
    ("<object data=i width='50%'></object>", (255.1, 127.6)),
    ("<img src=i width=8000>", (510.2, 255.1)),  # no wider than the page
    ("<img src=i width=abc height=-3>", (60, 30)),
    ("<div style='width: 300px'><img src=i></div>", (60, 30)),
]
"""The sizes that both engines give to images."""

SIZES_OF_STYLES = [
    ("<img src=i style='width: 50%'>", (255.1, 127.6)),
    ("<img src=i style='width: 10em'>", (120, 60)),
    ("<img src=i style='width: 120px; height: auto' width=10 height=90>", (90, 45)),  # styles win
    ("<img src=i style='max-width: 40px'>", (30, 15)),
    ("<img src=i style='max-width: 100%' width=1000 height=100>", (510.2, 75)),  # the height is as declared
    ("<img src=i width=800 style='max-width: 20%'>", (102, 51)),
    ("<img src=i style='max-height: 20px'>", (30, 15)),
    ("<img src=i style='max-height: 30px; max-width: 40px'>", (30, 15)),
    ("<img src=i width=80 height=80 style='max-height: 20px'>", (60, 15)),
    ("<img src=i width='100%' style='max-height: 40px'>", (60, 30)),
    ("<video poster=i style='width: 40px; height: 40px'></video>", (30, 15)),  # a poster is not stretched
    ("<img src=i width=20 height=8000>", (15, 756)),  # no higher than the page
    ("<table width='100%'><tr><td width='50%'><img src=i width='100%'><td>x</table>", (254, 127)),
]
"""The sizes that PlutoBook gives to images."""

SIZES_WITHOUT_STYLES = [
    ("<img src=i style='width: 10em'>", (60, 30)),
    ("<img src=i style='max-width: 100%' width=1000 height=100>", (510.2, 51)),
    ("<img src=i width=20 height=8000>", (1.8, 719)),
]
"""The sizes that xhtml2pdf gives to images: it goes by the attributes, and keeps the shape if there is no room."""


@pytest.mark.parametrize(
    ("engine", "markup", "size"),
    [
        *((engine, *entry) for engine in ENGINES for entry in SIZES),
        *(("plutobook", *entry) for entry in SIZES_OF_STYLES),
        *(("xhtml2pdf", *entry) for entry in SIZES_WITHOUT_STYLES),
    ],
)
def test_sizes(engine: str, markup: str, size: tuple[float, float]) -> None:
    found = page(KINDS["PNG"][0], markup, engine)
    with pypdfium2.PdfDocument(found.pdf) as document:
        [picture] = document[0].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        left, bottom, right, top = picture.get_bounds()
    assert (right - left, top - bottom) == pytest.approx(size, rel=0.02)


@pytest.mark.parametrize("engine", ENGINES)
def test_data_url(engine: str) -> None:
    body = base64.b64encode(KINDS["PNG"][0]).decode()
    assert_colors(shown(page(b"", f"<img src='data:image/png;base64,{body}'>", engine)), QUARTERS)


@pytest.mark.parametrize(
    "body",
    [
        "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==",
        "R0lGODlhAQABAAD/ACwAAAAAAQABAAACADs=",
        "R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAI=",
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_gif_without_colors_is_blank(body: str, engine: str) -> None:
    markup = "<img src=i width=80 height=40>"
    assert_colors(shown(page(base64.b64decode(body), markup, engine)), on_paper(engine, (PAPER,) * 4))


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1)])
def test_thin_background_images_are_not_tiled_a_thousand_times(size: tuple[int, int]) -> None:
    """Such images drew gradients before CSS had them."""
    rendering = page(file_of(Image.new("RGB", size, RED), "PNG"), "<p style='background: url(i); height: 300px'>x")
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        contents = [pdf.pages[0], *(found for found in pdf.objects if "/Resources" in entries_of(found))]
        drawn = [o for content in contents for _, o in pikepdf.parse_content_stream(content) if str(o) == "Do"]
    assert 0 < len(drawn) <= 50
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        assert document[0].render().to_pil().convert("RGB").getpixel((300, 150)) == RED


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WebP"])
@pytest.mark.parametrize("length", [0, 5, 20, 60])
@pytest.mark.parametrize("engine", ENGINES)
def test_unreadable_images_show_their_alternate_text(engine: str, kind: str, length: int) -> None:
    rendering = page(KINDS[kind][0][:length] or b"<p>", "<p>a <img src=i alt='A cat'> b", engine)
    assert "a A cat b" in " ".join(text(rendering).split())
    assert rendering.images == ()
    assert list(rendering.unreadable.values()) == ["an image cannot be read"]


@pytest.mark.parametrize(("engine", "paper"), [("plutobook", PAPER), ("xhtml2pdf", WHITE)])
def test_truncated_image_is_drawn_as_far_as_it_goes(engine: str, paper: tuple[int, ...]) -> None:
    noise = Image.effect_noise((80, 80), 90).convert("RGB")
    noise.paste(RED, (0, 0, 80, 20))
    whole = file_of(noise, "PNG")
    found = shown(page(whole[: len(whole) // 2], engine=engine))
    assert found[2:] == [paper, paper]
    assert found[0] != paper
    jpeg = file_of(noise, "JPEG", quality=95)
    assert len(page(jpeg[: len(jpeg) // 2], engine=engine).images) == 1


def test_broken_png_data_does_not_pass_through() -> None:
    rows = b"".join(b"\x00" + bytes(range(30)) for _ in range(5)) + (b"\x65" + bytes(range(30))) * 5
    body = bytearray(file_of(Image.new("RGB", (10, 10), RED), "PNG"))
    at = body.index(b"IDAT") - 4
    data = zlib.compress(rows)
    chunk = struct.pack(">I", len(data)) + b"IDAT" + data + struct.pack(">I", zlib.crc32(b"IDAT" + data))
    picture = read(bytes(body[:at]) + chunk + bytes(body[-12:]))
    assert isinstance(picture, Picture)
    assert not picture.samples.predicted


@pytest.mark.parametrize("palette", [b"", b"ab"])
@pytest.mark.parametrize("engine", ENGINES)
def test_empty_palette_does_not_pass_through(engine: str, palette: bytes) -> None:
    image = Image.new("P", (4, 4))
    image.putpalette(bytes(768))
    body = file_of(image, "PNG")
    at = body.index(b"PLTE") - 4
    end = body.index(b"IDAT") - 4
    chunk = struct.pack(">I", len(palette)) + b"PLTE" + palette + struct.pack(">I", zlib.crc32(b"PLTE" + palette))
    for broken in (body[:at] + body[end:], body[:at] + chunk + body[end:]):
        assert "a b" in " ".join(text(page(broken, "<p>a <img src=i> b", engine)).split())
        with suppress(SourceUnreadableError):
            assert not read(broken).samples.palette


@pytest.mark.parametrize("engine", ENGINES)
def test_an_image_in_an_svg_image_is_drawn(engine: str) -> None:
    inside = base64.b64encode(KINDS["PNG with alpha"][0]).decode()
    body = svg_of(f"<image width='80' height='40' href='data:image/png;base64,{inside}'/>")
    assert_colors(shown(page(body, engine=engine), (60, 30)), on_paper(engine, CLEAR))
