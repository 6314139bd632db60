"""image_files.py: the decoding of images with rows of any length."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageFile

from wcspider.image_files import open_image

WIDTH = 500_000


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_a_row_is_not_read_in_pieces(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    """Pillow would copy the pieces that it has each time it reads another."""
    pieces: list[int] = []
    file = io.BytesIO()
    # The largest WebP file that a program writes has 16,383 pixels a row; any file can declare a larger canvas.
    Image.new(mode, (4, 2), "blue").save(file, "WEBP", save_all=True, append_images=[Image.new(mode, (4, 2), "red")])
    wide = bytearray(file.getvalue())
    at = wide.index(b"VP8X") + 12
    wide[at : at + 3] = (WIDTH - 1).to_bytes(3, "little")

    class Decoder:
        """The decoder of an image, which notes how much it is given."""

        def __init__(self, decoder: object) -> None:
            self.decoder = decoder

        def __getattr__(self, name: str) -> object:
            return getattr(self.decoder, name)

        def decode(self, data: bytes) -> tuple[int, int]:
            pieces.append(len(data))
            return self.decoder.decode(data)

    original = ImageFile.Image._getdecoder
    monkeypatch.setattr(ImageFile.Image, "_getdecoder", lambda *arguments: Decoder(original(*arguments)))
    with open_image(bytes(wide)) as image:
        assert image.size == (WIDTH, 2)
        image.load()
    assert sum(pieces) < 4 * WIDTH * 2 * 2
