"""The later frames of animated images as image XObjects (8.9.5)."""

from __future__ import annotations

import io
import zlib

import pytest
from PIL import Image, ImageFile
from PIL.WebPImagePlugin import WebPImageFile

from wcspider.pdf import image_frames
from wcspider.pdf.image_frames import LaterFrames, later_frames
from wcspider.pdf.objects import Name, Stream

COLORS = [(200, 0, 0), (0, 200, 0), (0, 0, 200)]


def animation(format: str, frames: list[Image.Image]) -> bytes:
    """Return an image file with these frames."""
    file = io.BytesIO()
    frames[0].save(file, format, save_all=True, append_images=frames[1:], duration=100)
    return file.getvalue()


def opaque(format: str = "GIF") -> bytes:
    """Return an image file with one frame for each of `COLORS`."""
    return animation(format, [Image.new("RGB", (3, 2), color) for color in COLORS])


def samples(image: Stream) -> bytes:
    """Return the decompressed samples of an image XObject."""
    assert image.dictionary["Filter"] == Name("FlateDecode")
    return zlib.decompress(image.data)


@pytest.mark.parametrize("format", ["GIF", "PNG"])
def test_opaque_frames_have_no_mask(format: str) -> None:
    found = later_frames(opaque(format)).images
    assert [samples(frame) for frame, _ in found] == [bytes(color) * 6 for color in COLORS[1:]]
    assert [mask for _, mask in found] == [None, None]
    entries = {"Type": Name("XObject"), "Subtype": Name("Image"), "ColorSpace": Name("DeviceRGB")}
    entries |= {"Width": 3, "Height": 2, "BitsPerComponent": 8}
    assert [{key: frame.dictionary[key] for key in entries} for frame, _ in found] == [entries] * 2


def test_transparent_frames_have_a_soft_mask() -> None:
    frames = [Image.new("RGBA", (3, 2), (*color, 64 * number)) for number, color in enumerate(COLORS, 1)]
    found = later_frames(animation("PNG", frames)).images
    masks = [mask for _, mask in found if mask is not None]
    assert [samples(mask) for mask in masks] == [bytes([64 * number]) * 6 for number in (2, 3)]
    assert [mask.dictionary["ColorSpace"] for mask in masks] == [Name("DeviceGray")] * 2


PHOTO = animation("MPO", [Image.new("RGB", (16, 16), color) for color in COLORS])
"""A JPEG file with several pictures; in those of cameras, the second one is a preview."""


@pytest.mark.parametrize("body", [b"", b"GIF89a", opaque()[:20], animation("PNG", [Image.new("RGB", (3, 2))]), PHOTO])
def test_other_files_have_no_later_frames(body: bytes) -> None:
    assert later_frames(body) == LaterFrames()


ALL = {"MAX_FRAMES": 3, "MAX_FRAME_PIXELS": 6, "MAX_PIXELS": 12}
"""Limits that `opaque` reaches with all its frames."""


@pytest.mark.parametrize(
    ("limits", "kept", "warning"),
    [
        ({}, 3, ""),
        ({"MAX_FRAMES": 2}, 2, "an animated image is kept with 2 frames only: the limit is 2 frames"),
        (
            {"MAX_FRAME_PIXELS": 5},
            1,
            "an animated image is kept with 1 frame only: the limit is 5 pixels for a later frame",
        ),
        (
            {"MAX_PIXELS": 11},
            2,
            "an animated image is kept with 2 frames only: the limit is 11 pixels for all later frames on a page",
        ),
    ],
)
@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP"])
def test_frames_are_limited(
    monkeypatch: pytest.MonkeyPatch, format: str, limits: dict[str, int], kept: int, warning: str
) -> None:
    limits = ALL | limits
    for name, limit in limits.items():
        monkeypatch.setattr(image_frames, name, limit)
    found = later_frames(opaque(format), limits["MAX_PIXELS"])
    assert (len(found.images), found.pixels, found.warning) == (kept - 1, 6 * (kept - 1), warning)


@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP"])
def test_a_first_frame_with_too_many_pixels_is_not_decoded(monkeypatch: pytest.MonkeyPatch, format: str) -> None:
    """A GIF file of 135 bytes can have a canvas of 169 million pixels, which take 700 MB."""
    body, opened, at = opaque(format), [], image_frames.open_image

    def noted(body: bytes) -> ImageFile.ImageFile:
        opened.append(at(body))
        return opened[0]

    monkeypatch.setattr(image_frames, "open_image", noted)
    monkeypatch.setattr(image_frames, "MAX_FRAME_PIXELS", 5)
    assert later_frames(body).warning.endswith(": the limit is 5 pixels for a later frame")
    assert opened[0].tell() == 0
    assert opened[0]._im is None  # type: ignore[attr-defined]


@pytest.mark.filterwarnings("ignore:Invalid APNG")
@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP"])
def test_a_damaged_image_has_the_frames_before_the_damage(format: str) -> None:
    """Pillow raises TypeError, IndexError, RuntimeError and others. Some damage makes frames of millions of pixels."""
    whole = opaque(format)
    warnings = set()
    for at in range(len(whole)):
        damaged = later_frames(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        truncated = later_frames(whole[:at])
        assert len(damaged.images) < len(COLORS)
        assert len(truncated.images) < len(COLORS)
        warnings |= {damaged.warning, truncated.warning}
    unreadable = [warning for warning in warnings if warning.endswith(": its other frames cannot be read")]
    kept = {warning.partition(" only: ")[0] for warning in unreadable}
    assert kept == {"an animated image is kept with 1 frame", "an animated image is kept with 2 frames"}


def test_no_frame_behind_a_limit_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the frames that are used take time. A WebP file is decoded frame by frame."""
    monkeypatch.setattr(image_frames, "MAX_FRAME_PIXELS", 5)
    decoded = []

    def load(image: WebPImageFile) -> object:
        decoded.append(image.tell())
        return original(image)

    original, body = WebPImageFile.load, opaque("WEBP")
    monkeypatch.setattr(WebPImageFile, "load", load)
    assert later_frames(body).images == ()
    assert decoded == []
    monkeypatch.setattr(image_frames, "MAX_FRAME_PIXELS", 6)
    assert len(later_frames(body, 6).images) == 1
    assert set(decoded) == {1}
