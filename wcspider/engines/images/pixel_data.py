"""The samples of images, as PDF files store them (8.9.5)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image

from wcspider.engines.images.fringes import palette_without_fringes, without_fringes

POINTS_PER_PIXEL = 0.75

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SPACES = {"L": "/DeviceGray", "RGB": "/DeviceRGB", "CMYK": "/DeviceCMYK"}
_GREY, _RGB, _PALETTE = 0, 2, 3
"""The colour types of PNG files (https://www.w3.org/TR/png-3/#11IHDR) without an alpha channel."""


@dataclass(frozen=True, slots=True)
class PixelData:
    """The compressed samples of an image."""

    width: int
    height: int
    mode: str
    """``L``, ``RGB`` or ``CMYK``."""

    bits: int
    """Bits per component."""

    data: bytes
    filter: str = "FlateDecode"
    predicted: bool = False
    """Whether each row begins with the tag of a PNG predictor (7.4.4.4)."""

    inverted: bool = False
    """Whether 0 means full ink, as in CMYK JPEG files."""

    palette: bytes = b""
    """Three bytes for each index, if the samples are indices."""

    transparent: tuple[int, ...] = ()
    """The colour that is not drawn (8.9.6.4)."""

    alpha: PixelData | None = None

    @property
    def size(self) -> int:
        """The size of the samples in bytes, with those of the soft mask."""
        return len(self.data) + (0 if self.alpha is None else self.alpha.size)

    @property
    def colors(self) -> int:
        """The number of components of a sample."""
        return 1 if self.palette else {"L": 1, "RGB": 3, "CMYK": 4}[self.mode]

    @property
    def entries(self) -> bytes:
        """The syntax of the entries of an image dictionary (8.9.5), without Length and the soft mask `alpha`."""
        last = len(self.palette) // 3 - 1
        space = f"[/Indexed/DeviceRGB {last}<{self.palette.hex()}>]" if self.palette else _SPACES[self.mode]
        # A filter in an array would make qpdf decode and compress the data again.
        written = f"/Type/XObject/Subtype/Image/ColorSpace{space}/Filter/{self.filter}"
        written += f"/Width {self.width}/Height {self.height}/BitsPerComponent {self.bits}"
        if self.predicted:
            parameters = f"/Predictor 15/Colors {self.colors}/BitsPerComponent {self.bits}/Columns {self.width}"
            written += f"/DecodeParms<<{parameters}>>"
        if self.inverted:
            written += f"/Decode[{' 1 0' * self.colors}]"
        if self.transparent:
            written += f"/Mask[{' '.join(f'{value} {value}' for value in self.transparent)}]"
        return written.encode()


def of_pixels(image: Image.Image) -> PixelData:
    """Return the pixels of an image, with a soft mask if it is not opaque."""
    alpha = None
    if image.has_transparency_data:
        image = image.convert("RGBA")
        channel = image.getchannel("A")
        alpha = _compressed(channel) if channel.getextrema() != (255, 255) else None
        image = without_fringes(image)
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        # Pillow would clip values above 255.
        top = 65535 if image.mode != "F" else 255
        image = image.convert("F").point(lambda value: value * (255 / top)).convert("L")
    if image.mode == "1":
        return PixelData(*image.size, "L", 1, zlib.compress(image.tobytes()))
    mode = image.mode if image.mode in ("L", "RGB", "CMYK") else "L" if image.mode == "LA" else "RGB"
    return _compressed(image.convert(mode), alpha)


def _compressed(image: Image.Image, alpha: PixelData | None = None) -> PixelData:
    return PixelData(*image.size, image.mode, 8, zlib.compress(image.tobytes()), alpha=alpha)


def of_png(body: bytes, image: Image.Image) -> PixelData | None:
    """Return the compressed samples of a PNG file without recompressing them; None if PDF cannot hold them.

    `body` is a complete PNG file, and `image` is the image that Pillow read from it.
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
        alpha = None
        if clear.strip(b"\xff"):
            shown = image.convert("RGBA")
            alpha, palette = _compressed(shown.getchannel("A")), palette_without_fringes(shown, palette, clear)
        return PixelData(width, height, mode, bits, data, predicted=True, palette=palette, alpha=alpha)
    sample = struct.unpack(f">{len(clear) // 2}H", clear) if len(clear) == (2 if mode == "L" else 6) else ()
    return PixelData(width, height, mode, bits, data, predicted=True, transparent=sample)


def _chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks of a PNG file (https://www.w3.org/TR/png-3/#5Chunk-layout)."""
    at = len(_SIGNATURE)
    while at + 8 <= len(body):
        length, kind = struct.unpack_from(">I4s", body, at)
        yield kind, body[at + 8 : at + 8 + length]
        at += 12 + length
