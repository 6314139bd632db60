"""Image files, opened with Pillow."""

from __future__ import annotations

import io

from PIL import Image, ImageFile

TIFF_BYTE_ORDERS = (b"II", b"MM")
"""The first bytes of a TIFF file (TIFF 6.0, section 2)."""

LARGEST_PIXEL = 8
"""The largest number of bytes of a pixel: four components with 16 bits."""


def open_image(body: bytes) -> ImageFile.ImageFile:
    """Open an image file so that the time to decode it grows only with its number of pixels.

    Pillow reads the pixels of some formats in blocks of 64 kB, and copies the incomplete row with each block. A WebP
    file of 300 bytes can have rows of 64 MB, so here a block has room for a row. Raises the exceptions of
    `PIL.Image.open`.
    """
    image = Image.open(io.BytesIO(body))
    image.decodermaxblock = max(image.decodermaxblock, image.width * LARGEST_PIXEL)
    return image
