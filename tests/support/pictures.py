"""Small pictures for test sites."""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Sequence

from PIL import ExifTags, Image, TiffImagePlugin

RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
QUARTERS = (RED, GREEN, BLUE, YELLOW)
"""The colours of `quarters`: the upper two, then the lower two."""

SIZE = (80, 40)


def grey_png(width: int, height: int, grey: int) -> bytes:
    """A PNG file of one shade of grey."""
    return file_of(Image.new("L", (width, height), grey), "PNG")


def file_of(image: Image.Image, kind: str, **options: object) -> bytes:
    """An image file."""
    output = io.BytesIO()
    image.save(output, kind, **options)  # type: ignore[arg-type]
    return output.getvalue()


def quarters(colors: Sequence[tuple[int, ...]] = QUARTERS, mode: str = "RGB") -> Image.Image:
    """A picture whose quarters have colours of their own."""
    small = Image.new(mode, (2, 2))
    small.putdata(list(colors))
    return small.resize(SIZE, Image.Resampling.NEAREST)


def places_of(color: tuple[int, int, int], image: Image.Image) -> list[tuple[int, int]]:
    """The pixels of an image in RGB that have a color, from its upper left corner, row by row.

    All pixels of a page are read at once: `Image.getpixel` takes a second for them.
    """
    data, sought, width = image.tobytes(), bytes(color), image.width
    return [
        (index // 3 % width, index // 3 // width)
        for match in re.finditer(b"(?=" + re.escape(sought) + b")", data)
        if (index := match.start()) % 3 == 0
    ]


def clear_quarter() -> Image.Image:
    """`quarters`, the upper left one clear and the lower right one half so."""
    return quarters([(*RED, 0), (*GREEN, 255), (*BLUE, 255), (*YELLOW, 128)], "RGBA")


def turned_jpeg(orientation: int) -> bytes:
    """`quarters` as a JPEG file that Exif data says to turn."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    return file_of(quarters(), "JPEG", quality=95, subsampling=0, exif=exif.tobytes())


def deep_png(image: Image.Image) -> bytes:
    """A PNG file with 16 bits to a component, which Pillow does not write, for an image of RGB or RGBA."""
    width, height = image.size
    bands = len(image.getbands())
    row = width * bands
    samples = image.tobytes()
    data = b"".join(
        b"\0" + b"".join(bytes((sample, sample)) for sample in samples[line * row : (line + 1) * row])
        for line in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 16, 2 if bands == 3 else 6, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(data)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )


def tiff_of(pages: Sequence[tuple[Image.Image, dict[str, object]]]) -> bytes:
    """A TIFF file of pages, each with the options with which Pillow saves it."""
    output = io.BytesIO()
    with TiffImagePlugin.AppendingTiffWriter(output, new=True) as file:
        for image, options in pages:
            image.save(file, "TIFF", **options)  # type: ignore[arg-type]
            file.newFrame()
    return output.getvalue()
