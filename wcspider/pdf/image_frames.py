"""The later frames of animated images as image XObjects (ISO 32000-1, 8.9.5), and images that reserve a size."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import ExifTags, Image, ImageFile, ImageSequence

from wcspider.image_files import open_image
from wcspider.pdf.objects import Name, Stream, Value
from wcspider.units import format_count

STILL = "MPO"
"""Pillow's name for a JPEG file with several pictures. Those behind the first are previews and depth maps."""

MAX_FRAMES = 500
"""The limit of the number of frames of an animated image; most have fewer than a hundred."""

MAX_FRAME_PIXELS = 20_000_000
"""The limit of the number of pixels of a later frame; as RGB they take 60 MB."""

MAX_PIXELS = 100_000_000
"""The limit of the number of pixels of all later frames on a page; two hundred frames of 500 x 300 are 30 million."""


@dataclass(frozen=True, slots=True)
class LaterFrames:
    """The frames of an animated image after the first."""

    images: tuple[tuple[Stream, Stream | None], ...] = ()
    """The image XObject of each frame, with its soft mask if it is not opaque."""

    pixels: int = 0
    """The number of pixels of all these frames."""

    warning: str = ""
    """Why further frames are left out; empty if all frames are here."""


def later_frames(body: bytes, max_pixels: int = MAX_PIXELS) -> LaterFrames:
    """Read the frames of an animated image after the first.

    An image with one frame has none, and neither has a file that Pillow cannot open. The frames end before the first
    one that Pillow cannot read or that exceeds a limit. That frame and those behind it are not decoded.
    """
    images: list[tuple[Stream, Stream | None]] = []
    pixels, problem = 0, ""
    try:
        file = open_image(body)
    except Exception:  # Pillow raises exceptions of many kinds for damaged images
        return LaterFrames()
    with file:
        try:
            for before, frame in enumerate(_frames(file)):
                size = frame.width * frame.height
                problem = _exceeded(before or 1, size, max_pixels - pixels)  # the first is as large
                if problem:
                    break
                if before:
                    images.append(_xobject(frame))
                    pixels += size
        except Exception:  # as above
            problem = "its other frames cannot be read"
    kept = format_count(1 + len(images), "frame")
    warning = f"an animated image is kept with {kept} only: {problem}" if problem else ""
    return LaterFrames(tuple(images), pixels, warning)


def _frames(file: ImageFile.ImageFile) -> Iterator[Image.Image]:
    """Yield the frames of an animated image. A frame is decoded when its pixels are used, or those of the next one."""
    is_animated = file.format != STILL and getattr(file, "n_frames", 1) > 1
    return iter(ImageSequence.Iterator(file) if is_animated else ())


def _exceeded(before: int, size: int, room: int) -> str:
    """Return the limit that a later frame exceeds; empty if it exceeds none.

    `before` is the number of frames before it, `size` its number of pixels, and `room` the number of pixels that are
    left on the page.
    """
    if before >= MAX_FRAMES:
        return f"the limit is {MAX_FRAMES} frames"
    if size > MAX_FRAME_PIXELS:
        return f"the limit is {MAX_FRAME_PIXELS} pixels for a later frame"
    return f"the limit is {MAX_PIXELS} pixels for all later frames on a page" if size > room else ""


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
        with open_image(image.data) as file:
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
