"""The later pages of TIFF files."""

from __future__ import annotations

import io
import zlib

import pytest
from PIL import Image, ImageOps, features

from tests.support.pictures import QUARTERS, file_of, quarters, tiff_of
from wcspider.engines.images import tiff_pages
from wcspider.engines.images.pixel_data import PixelData
from wcspider.engines.images.reader import Picture, read
from wcspider.engines.images.tiff_pages import LaterPages, later_pages

BILEVEL = quarters().convert("L").point(lambda grey: 255 * (grey > 100)).convert("1")
NEEDS_LIBTIFF = pytest.mark.skipif(not features.check("libtiff"), reason="Pillow without libtiff")
FIRST = (Image.new("1", (16, 8)), {})
"""The first page of the files, which is not a later page."""


def image_of(samples: PixelData) -> Image.Image:
    """The image that samples store."""
    mode = "1" if samples.bits == 1 else samples.mode
    image = Image.frombytes(mode, (samples.width, samples.height), zlib.decompress(samples.data))
    if samples.alpha is not None:
        image.putalpha(image_of(samples.alpha))
    return image


def sizes(found: LaterPages) -> list[tuple[int, int]]:
    """The sizes of the pages as they are shown."""
    return [picture.getSize() for picture in found.pictures]


@pytest.mark.parametrize(
    ("image", "compression", "mode"),
    [
        pytest.param(BILEVEL, "group3", "1", marks=NEEDS_LIBTIFF),
        pytest.param(BILEVEL, "group4", "1", marks=NEEDS_LIBTIFF),
        pytest.param(quarters(), "tiff_lzw", "RGB", marks=NEEDS_LIBTIFF),
        pytest.param(quarters(), "tiff_adobe_deflate", "RGB", marks=NEEDS_LIBTIFF),
        pytest.param(quarters().quantize(8), "packbits", "RGB", marks=NEEDS_LIBTIFF),
        (quarters(), "raw", "RGB"),
        (quarters().convert("L"), "raw", "L"),
        (quarters().convert("CMYK"), "raw", "CMYK"),
        (BILEVEL, "raw", "1"),
    ],
)
def test_pages_keep_their_pixels(image: Image.Image, compression: str, mode: str) -> None:
    body = tiff_of([FIRST, (image, {"compression": compression}), FIRST])
    found = later_pages(body)
    assert found.warning == ""
    shown, blank = map(image_of, (picture.samples for picture in found.pictures))
    assert (shown.mode, shown.tobytes()) == (mode, image.convert(mode).tobytes())
    assert blank.size == FIRST[0].size


@NEEDS_LIBTIFF
def test_jpeg_pages() -> None:
    [page] = later_pages(tiff_of([FIRST, (quarters(), {"compression": "jpeg", "quality": 95})])).pictures
    shown = image_of(page.samples)
    corners = [shown.getpixel(at) for at in ((5, 5), (75, 5), (5, 35), (75, 35))]
    for corner, color in zip(corners, QUARTERS, strict=True):
        assert all(abs(one - other) < 10 for one, other in zip(corner, color, strict=True))


def test_transparent_pages_have_a_soft_mask() -> None:
    image = Image.new("RGBA", (2, 1))
    image.putdata([(255, 0, 0, 255), (0, 255, 0, 51)])
    [page] = later_pages(tiff_of([FIRST, (image, {})])).pictures
    assert image_of(page.samples).tobytes() == image.tobytes()


@pytest.mark.parametrize("way", range(1, 9))
def test_pages_are_upright(way: int) -> None:
    body = tiff_of([(quarters(), {"tiffinfo": {274: way}})] * 2)
    first, [later] = read(body), later_pages(body).pictures
    assert isinstance(first, Picture)
    stored = quarters()
    stored.getexif()[274] = way
    assert image_of(first.samples).tobytes() == ImageOps.exif_transpose(stored).tobytes()
    assert later.samples == first.samples


@pytest.mark.parametrize(
    ("options", "stretch"),
    [
        ({"dpi": (204, 102)}, 2),
        ({"dpi": (300, 300)}, 1),
        ({"dpi": (102, 204), "tiffinfo": {274: 6}}, 2),
        ({"dpi": (3000, 30)}, 1),
        ({"tiffinfo": {282: 0, 283: 0}}, 1),
        ({}, 1),
    ],
)
def test_pixels_may_be_higher_than_wide(options: dict[str, object], stretch: float) -> None:
    body = tiff_of([(quarters(), options)] * 2)
    first, [later] = read(body), later_pages(body).pictures
    assert isinstance(first, Picture)
    assert (first.stretch, later.stretch) == (stretch, stretch)


@pytest.mark.parametrize(
    ("first", "types", "pages"),
    [
        (0, [2, 2], 2),  # pages of a document
        (0, [1, 0, 4, 5], 1),  # smaller versions and masks
        (1, [0, 1], 2),  # the type says nothing if the first page has it as well
        (0, [None, None], 2),
    ],
)
def test_smaller_versions_and_masks_are_no_pages(first: int, types: list[int | None], pages: int) -> None:
    found = [(quarters(), {} if kind is None else {"tiffinfo": {254: kind}}) for kind in (first, *types)]
    assert len(later_pages(tiff_of(found)).pictures) == pages


def test_the_older_type_of_a_smaller_version() -> None:
    assert later_pages(tiff_of([FIRST, (quarters(), {"tiffinfo": {255: 2}})])) == LaterPages()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"II",
        b"II*\0",
        file_of(quarters(), "TIFF"),
        file_of(quarters(), "GIF", save_all=True, append_images=[BILEVEL]),
        file_of(quarters(), "PNG"),
    ],
)
def test_other_files_have_no_later_pages(body: bytes) -> None:
    assert later_pages(body) == LaterPages()


SIZES = [(16, 8), (10, 10), (20, 10), (30, 10)]
GREY = tiff_of([(Image.new("L", size), {}) for size in SIZES])


@pytest.mark.parametrize(
    ("limits", "kept", "warning"),
    [
        ({}, 4, ""),
        ({"MAX_PAGES": 4}, 4, ""),
        ({"MAX_PAGES": 3}, 3, "a TIFF file is kept with 3 pages only: the limit is 3 pages"),
        ({"MAX_PIXELS": 300}, 4, ""),
        ({"MAX_DIRECTORIES": 3}, 3, "a TIFF file is kept with 3 pages only: the limit is 500 pages"),
        ({"MAX_PIXELS": 199}, 2, "a TIFF file is kept with 2 pages only: the limit is 199 pixels for a page"),
        ({"MAX_SAMPLES": 600}, 4, ""),
        (
            {"MAX_SAMPLES": 599},
            3,
            "a TIFF file is kept with 3 pages only: the limit is 599 bytes for the pixels of all later pages",
        ),
    ],
)
def test_pages_are_limited(monkeypatch: pytest.MonkeyPatch, limits: dict[str, int], kept: int, warning: str) -> None:
    for name, limit in limits.items():
        monkeypatch.setattr(tiff_pages, name, limit)
    found = later_pages(GREY, tiff_pages.MAX_SAMPLES)
    assert (sizes(found), found.warning) == (SIZES[1:kept], warning)
    assert found.size == sum(width * height for width, height in SIZES[1:kept])


def test_the_compressed_pages_are_limited() -> None:
    first, second, _ = later_pages(GREY).pictures
    found = later_pages(GREY, data_room=first.samples.size + second.samples.size)
    assert sizes(found) == SIZES[1:3]
    assert found.warning.endswith(" bytes for the compressed pixels of all pages")


def test_a_page_that_is_too_large_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiff_pages, "MAX_PIXELS", 250)
    body = tiff_of([(Image.new("L", size), {}) for size in (*SIZES, (5, 5))])
    assert sizes(later_pages(body)) == [SIZES[1], SIZES[2], (5, 5)]


def test_a_page_in_black_and_white_needs_a_bit_for_a_pixel() -> None:
    assert later_pages(tiff_of([FIRST, (Image.new("1", (80, 10)), {})])).size == 100


def test_a_page_that_cannot_be_read_is_left_out() -> None:
    body = tiff_of([FIRST, (quarters(), {"compression": "tiff_adobe_deflate"}), (BILEVEL, {})])
    with Image.open(io.BytesIO(body)) as file:
        file.seek(1)
        at = file.tag_v2[273][0]  # type: ignore[attr-defined]
    found = later_pages(body[:at] + b"\xff" * 8 + body[at + 8 :])
    assert [picture.samples.bits for picture in found.pictures] == [1]
    assert found.warning == "a TIFF file is kept with 2 pages only: 1 page cannot be read"


@pytest.mark.filterwarnings("ignore")
def test_damaged_files() -> None:
    """Pillow raises exceptions of many kinds. Some damage leads from page to page in a circle."""
    body = tiff_of([(quarters((color,) * 4).resize((4, 4)), {}) for color in QUARTERS])
    warnings = set()
    for at in range(len(body)):
        truncated = later_pages(body[:at])
        damaged = later_pages(body[:at] + bytes([body[at] ^ 0xFF]) + body[at + 1 :])
        assert len(truncated.pictures) < len(QUARTERS)
        warnings |= {truncated.warning, damaged.warning}
    assert any(warning.endswith("its other pages cannot be read") for warning in warnings)
