"""The later frames of animated images as image XObjects (8.9.5)."""

from __future__ import annotations

import io
import zlib

import pytest
from PIL import Image, ImageSequence

from wcspider.pdf import image_frames
from wcspider.pdf.image_frames import later_frames
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
    found = list(later_frames(opaque(format)))
    assert [samples(frame) for frame, _ in found] == [bytes(color) * 6 for color in COLORS[1:]]
    assert [mask for _, mask in found] == [None, None]
    entries = {"Type": Name("XObject"), "Subtype": Name("Image"), "ColorSpace": Name("DeviceRGB")}
    entries |= {"Width": 3, "Height": 2, "BitsPerComponent": 8}
    assert [{key: frame.dictionary[key] for key in entries} for frame, _ in found] == [entries] * 2


def test_transparent_frames_have_a_soft_mask() -> None:
    frames = [Image.new("RGBA", (3, 2), (*color, 64 * number)) for number, color in enumerate(COLORS, 1)]
    found = list(later_frames(animation("PNG", frames)))
    masks = [mask for _, mask in found if mask is not None]
    assert [samples(mask) for mask in masks] == [bytes([64 * number]) * 6 for number in (2, 3)]
    assert [mask.dictionary["ColorSpace"] for mask in masks] == [Name("DeviceGray")] * 2


@pytest.mark.parametrize("body", [b"", b"GIF89a", opaque()[:20], animation("PNG", [Image.new("RGB", (3, 2))])])
def test_other_files_have_no_later_frames(body: bytes) -> None:
    assert list(later_frames(body)) == []


def test_number_of_frames_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_frames, "MAX_FRAMES", 2)
    assert [samples(frame) for frame, _ in later_frames(opaque())] == [bytes(COLORS[1]) * 6]


@pytest.mark.filterwarnings("ignore:Invalid APNG")
@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP"])
def test_a_damaged_image_has_the_frames_before_the_damage(format: str) -> None:
    """Pillow raises TypeError, IndexError, RuntimeError and others."""
    whole = opaque(format)
    for at in range(len(whole)):
        damaged = whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]
        assert len(list(later_frames(damaged))) < image_frames.MAX_FRAMES
        assert len(list(later_frames(whole[:at]))) < len(COLORS)


def test_no_frame_behind_the_limit_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the frames that are used take time."""
    monkeypatch.setattr(image_frames, "MAX_FRAMES", 2)
    decoded = []

    def next_frame(frames: ImageSequence.Iterator) -> Image.Image:
        decoded.append(frames.position)
        return original(frames)

    original, body = ImageSequence.Iterator.__next__, opaque()
    monkeypatch.setattr(ImageSequence.Iterator, "__next__", next_frame)
    assert len(list(later_frames(body))) == 1
    assert decoded == [0, 1]
