"""The samples of images as a PDF file holds them (ISO 32000-1, 8.9.5)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY, _RGB, _PALETTE = 0, 2, 3
"""Colour types of PNG files (https://www.w3.org/TR/png-3/#11IHDR); those with alpha have it among the samples."""


@dataclass(frozen=True, slots=True)
class PixelData:
    """The samples of an image, compressed."""

    width: int
    height: int
    mode: str
    """``L``, ``RGB`` or ``CMYK``."""

    bits: int
    """Of a component."""

    data: bytes
    filter: str = "FlateDecode"
    predicted: bool = False
    """Whether a PNG predictor stands before each row (7.4.4.4)."""

    inverted: bool = False
    """Whether 0 is all of the ink, as in all JPEG files of CMYK."""

    palette: bytes = b""
    """Three bytes for each index; the samples are indices then."""

    transparent: tuple[int, ...] = ()
    """The sample that is not drawn (8.9.6.4)."""

    alpha: PixelData | None = None

    @property
    def colors(self) -> int:
        """How many components a sample has."""
        return 1 if self.palette else {"L": 1, "RGB": 3, "CMYK": 4}[self.mode]


def of_pixels(image: Image.Image) -> PixelData:
    """The pixels of an image, with a soft mask where it is not opaque."""
    alpha = None
    if image.has_transparency_data:
        image = image.convert("RGBA")
        channel = image.getchannel("A")
        alpha = _compressed(channel) if channel.getextrema() != (255, 255) else None
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        # Pillow cuts off what is above 255.
        top = 65535 if image.mode != "F" else 255
        image = image.convert("F").point(lambda value: value * (255 / top)).convert("L")
    mode = image.mode if image.mode in ("L", "RGB", "CMYK") else "L" if image.mode in ("1", "LA") else "RGB"
    return _compressed(image.convert(mode), alpha)


def _compressed(image: Image.Image, alpha: PixelData | None = None) -> PixelData:
    return PixelData(*image.size, image.mode, 8, zlib.compress(image.tobytes()), alpha=alpha)


def of_png(body: bytes, image: Image.Image) -> PixelData | None:
    """The samples of a PNG file as they are compressed in it; None if a PDF reader would not take them.

    `body` is known to be a whole PNG file, and `image` is what Pillow read in it.
    """
    chunks = list(_chunks(body))
    kinds = [kind for kind, _ in chunks]
    header = next((data for kind, data in chunks if kind == b"IHDR"), b"")
    if len(header) != 13 or b"acTL" in kinds:
        return None
    width, height, bits, colors, *_, interlaced = struct.unpack(">IIBBBBB", header)
    if interlaced or colors not in (_GREY, _RGB, _PALETTE):
        return None
    found = dict(chunks)
    data = b"".join(data for kind, data in chunks if kind == b"IDAT")
    clear = found.get(b"tRNS", b"")
    mode = "L" if colors == _GREY else "RGB"
    if colors == _PALETTE:
        palette = found.get(b"PLTE", b"")[: 3 << bits]
        if len(palette) < 3:
            return None
        alpha = _compressed(image.convert("RGBA").getchannel("A")) if clear.strip(b"\xff") else None
        return PixelData(width, height, mode, bits, data, predicted=True, palette=palette, alpha=alpha)
    sample = struct.unpack(f">{len(clear) // 2}H", clear) if len(clear) == (2 if mode == "L" else 6) else ()
    return PixelData(width, height, mode, bits, data, predicted=True, transparent=sample)


def _chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a PNG file (https://www.w3.org/TR/png-3/#5Chunk-layout)."""
    at = len(_SIGNATURE)
    while at + 8 <= len(body):
        length, kind = struct.unpack_from(">I4s", body, at)
        yield kind, body[at + 8 : at + 8 + length]
        at += 12 + length
