"""The later frames of animated images as image XObjects (ISO 32000-1, 8.9.5), and images that reserve a size."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice

from PIL import ExifTags, Image, ImageSequence

from wcspider.pdf.objects import Name, Stream, Value

MAX_FRAMES = 500
"""The limit of the number of frames of an animated image; most have fewer than a hundred."""


def later_frames(body: bytes) -> Iterator[tuple[Stream, Stream | None]]:
    """Yield the frames of an animated image after the first, each with its soft mask if it is not opaque.

    An image with one frame yields nothing, and neither do the frames from the first on that Pillow cannot read.
    """
    try:
        with Image.open(io.BytesIO(body)) as image:
            if getattr(image, "n_frames", 1) > 1:
                yield from map(_xobject, islice(ImageSequence.Iterator(image), 1, MAX_FRAMES))
    except Exception:  # Pillow raises exceptions of many kinds for damaged images
        return


def stand_in(width: int, height: int, orientation: int, *, name: str) -> bytes:
    """Return a blank JPEG file of a size, different for each name, to lay out a page before its image is known.

    The orientation, from 1 to 8, is that of Exif.
    """
    data, exif = io.BytesIO(), Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    blank = Image.new("L", (width, height), 255)
    blank.save(data, "JPEG", quality=1, comment=name.encode(), exif=exif.tobytes() if orientation > 1 else b"")
    return data.getvalue()


def orientation(image: Stream) -> int:
    """Return the Exif orientation of an image XObject, from the Exif data in its JPEG file; 1 if it has none."""
    if image.dictionary.get("Filter") not in (Name("DCTDecode"), [Name("DCTDecode")]):
        return 1
    try:
        with Image.open(io.BytesIO(image.data)) as file:
            found = file.getexif().get(ExifTags.Base.Orientation, 1)
    except Exception:  # a damaged file, or damaged Exif data: Pillow raises exceptions of many kinds
        return 1
    return found if found in range(1, 9) else 1


def _xobject(frame: Image.Image) -> tuple[Stream, Stream | None]:
    mask = None
    if frame.has_transparency_data:
        rgba = frame.convert("RGBA")
        mask = Stream.deflated(_dictionary(rgba, "DeviceGray"), rgba.getchannel("A").tobytes())
    return Stream.deflated(_dictionary(frame, "DeviceRGB"), frame.convert("RGB").tobytes()), mask


def _dictionary(image: Image.Image, color_space: str) -> dict[str, Value]:
    return {
        "Type": Name("XObject"),
        "Subtype": Name("Image"),
        "Width": image.width,
        "Height": image.height,
        "ColorSpace": Name(color_space),
        "BitsPerComponent": 8,
    }
