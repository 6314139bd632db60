"""Bright images with transparent pixels that are black in the file: no reader shows dark edges."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from tests.support.pictures import file_of
from tests.support.shown_images import ENGINES, PAPER, page
from wcspider.engines.images.fringes import palette_without_fringes, without_fringes

YELLOW = (255, 220, 40)
SMALL = 36
"""The resolution of the drawn pages in dots per inch, at which each pixel shows several pixels of the image."""


def _stripes(mode: str) -> Image.Image:
    image = Image.new("RGBA", (200, 60), (0, 0, 0, 0))
    for left in range(5, 200, 20):
        ImageDraw.Draw(image).rectangle((left, 5, left + 7, 55), fill=(*YELLOW, 255))
    if mode == "RGBA":
        return image
    paletted = image.convert("RGB").quantize(4)
    paletted.info["transparency"] = bytes(
        0 if paletted.palette.getcolor((0, 0, 0)) == index else 255 for index in range(4)
    )
    return paletted


def _by_pdfium(pdf: bytes, _: Path) -> Image.Image:
    with pypdfium2.PdfDocument(pdf) as document:
        return document[0].render(scale=SMALL / 72).to_pil()


def _by_poppler(pdf: bytes, folder: Path) -> Image.Image:
    drawn = subprocess.run(["pdftoppm", "-r", str(SMALL), "-png", "-"], input=pdf, capture_output=True, check=True)
    return Image.open(io.BytesIO(drawn.stdout))


def _by_mupdf(pdf: bytes, folder: Path) -> Image.Image:
    (folder / "a.pdf").write_bytes(pdf)
    command = ["mutool", "draw", "-q", "-r", str(SMALL), "-o", str(folder / "a.png"), str(folder / "a.pdf"), "1"]
    subprocess.run(command, check=True, capture_output=True)
    return Image.open(folder / "a.png")


@pytest.mark.parametrize("draw", [_by_pdfium, _by_poppler, _by_mupdf])
@pytest.mark.parametrize("mode", ["RGBA", "P"])
def test_readers_show_no_dark_edges(draw: Callable[[bytes, Path], Image.Image], mode: str, tmp_path: Path) -> None:
    drawn = draw(page(file_of(_stripes(mode), "PNG"), "<img src=i width=200>").pdf, tmp_path).convert("RGB")
    darkest = [channel[0] for channel in drawn.getextrema()]
    assert darkest == pytest.approx(list(map(min, PAPER, YELLOW)), abs=6)


@pytest.mark.parametrize("engine", ENGINES)
def test_clear_images_and_single_pixels(engine: str) -> None:
    clear = Image.new("RGBA", (3, 200), (9, 9, 9, 0))
    assert without_fringes(clear).getextrema() == ((9, 9),) * 3
    clear.putpixel((1, 100), (*YELLOW, 255))
    assert without_fringes(clear).getpixel((2, 101)) == pytest.approx(YELLOW, abs=8)
    assert page(file_of(clear, "PNG"), engine=engine).pdf.startswith(b"%PDF")


@given(
    st.integers(1, 70).flatmap(
        lambda width: st.binary(min_size=4 * width, max_size=4 * width).map(lambda b: (width, b))
    )
)
def test_visible_pixels_keep_their_colors(drawn: tuple[int, bytes]) -> None:
    image = Image.frombytes("RGBA", (drawn[0], 1), drawn[1])
    found = without_fringes(image)
    for x in range(image.width):
        *color, opacity = image.getpixel((x, 0))
        assert opacity == 0 or found.getpixel((x, 0)) == tuple(color)


def test_palettes() -> None:
    image = _stripes("RGBA")
    found = palette_without_fringes(image, b"abcdefghi", b"\xff\x00")
    assert (found[:3], found[6:]) == (b"abc", b"ghi")
    assert list(found[3:6]) == pytest.approx(YELLOW, abs=2)
    assert palette_without_fringes(image, b"abcdef", b"\x80") == b"abcdef"
