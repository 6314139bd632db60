"""The pages of TIFF files behind the first one, as image XObjects (8.9.5). Scans and faxes have several pages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from PIL import TiffImagePlugin

from wcspider.engines.images.reader import MAX_PIXELS, Picture, decoded_page
from wcspider.image_files import LARGEST_PIXEL, TIFF_BYTE_ORDERS, open_image
from wcspider.units import format_count

MAX_PAGES = 500
"""The limit of the number of pages of a TIFF file."""

MAX_DIRECTORIES = 2 * MAX_PAGES
"""The limit of the number of images in a TIFF file, with those that are not pages."""

MAX_SAMPLES = 300_000_000
"""The limit of the samples of all later pages, in bytes: 34 pages of A4 at 300 dpi in grey, 270 in black and white."""

MAX_DATA = 150_000_000
"""The limit of the compressed samples of all pages, in bytes: a worker process holds several copies of them."""

SUBFILE_TYPE, OLD_SUBFILE_TYPE = 254, 255
REDUCED, MASK = 1, 4
"""Bits of NewSubfileType (TIFF 6.0, section 8): a smaller version of another image, and a mask."""

_BYTES = {"1": 1 / 8, "L": 1, "I;16": 1, "I;16L": 1, "I;16B": 1, "I": 1, "F": 1, "LA": 4, "RGBA": 4, "CMYK": 4}
"""The number of bytes of a pixel as it is stored, by mode; 3 for other modes."""


@dataclass(frozen=True, slots=True)
class LaterPages:
    """The pages of a TIFF file after the first."""

    pictures: tuple[Picture, ...] = ()
    size: int = 0
    """The size of their samples before they are compressed, in bytes."""

    warning: str = ""
    """Why pages are left out; empty if all pages are here."""


def later_pages(body: bytes, room: int = MAX_SAMPLES, data_room: int = MAX_DATA) -> LaterPages:
    """Read the pages of a TIFF file after the first, with at most `room` bytes of samples, `data_room` compressed.

    Smaller versions of pages and masks are not pages. A page that cannot be read, or has more than `MAX_PIXELS`, is
    left out. Reading stops at the first page that exceeds another limit. A file in another format has no later pages.
    """
    digest = hashlib.md5(body, usedforsecurity=False).digest()
    pictures: list[Picture] = []
    problems: dict[str, None] = {}
    size = damaged = 0
    try:
        for file in _pages(body):
            needed = int(file.width * file.height * _BYTES.get(file.mode, 3))
            if file.width * file.height > MAX_PIXELS:
                problems[f"the limit is {MAX_PIXELS} pixels for a page"] = None
            elif problem := _exceeded(1 + len(pictures), file.tell(), needed, room - size):
                problems[problem] = None
                break
            elif (picture := _decoded(file, digest)) is None:
                damaged += 1
            elif picture.samples.size > data_room:
                problems[f"the limit is {MAX_DATA} bytes for the compressed pixels of all pages"] = None
                break
            else:
                data_room -= picture.samples.size
                pictures.append(picture)
                size += needed
    except Exception:  # Pillow raises exceptions of many kinds for damaged images
        problems["its other pages cannot be read"] = None
    reasons = [*problems, *([f"{format_count(damaged, 'page')} cannot be read"] if damaged else [])]
    kept = format_count(1 + len(pictures), "page")
    warning = f"a TIFF file is kept with {kept} only: {', '.join(reasons)}" if reasons else ""
    return LaterPages(tuple(pictures), size, warning)


def _decoded(file: TiffImagePlugin.TiffImageFile, digest: bytes) -> Picture | None:
    """Return the present page of the file with a digest; None if it cannot be read."""
    try:
        return decoded_page(file, hashlib.md5(b"%b %d" % (digest, file.tell()), usedforsecurity=False).digest())
    except Exception:  # as above
        return None


def _exceeded(before: int, directories: int, needed: int, room: int) -> str:
    """Return the limit that a page exceeds; empty if it exceeds none.

    `before` is the number of pages before it, `directories` the number of images before it with those that are not
    pages, `needed` the size of its samples, and `room` the size that is left.
    """
    if before >= MAX_PAGES or directories >= MAX_DIRECTORIES:
        return f"the limit is {MAX_PAGES} pages"
    return f"the limit is {MAX_SAMPLES} bytes for the pixels of all later pages" if needed > room else ""


def _pages(body: bytes) -> Iterator[TiffImagePlugin.TiffImageFile]:
    """Yield a TIFF file at each of its later pages. The page is decoded when its pixels are used."""
    if body[:2] not in TIFF_BYTE_ORDERS:
        return
    try:
        file = open_image(body)
    except Exception:  # as above; the first page tells why
        return
    with file:
        if not isinstance(file, TiffImagePlugin.TiffImageFile):
            return
        ignored = MASK | (REDUCED & ~_subfile_type(file))
        for number in count(1):
            try:
                file.seek(number)
            except EOFError:
                return
            file.decodermaxblock = max(file.decodermaxblock, file.width * LARGEST_PIXEL)
            if number >= MAX_DIRECTORIES or not _subfile_type(file) & ignored:
                yield file


def _subfile_type(file: TiffImagePlugin.TiffImageFile) -> int:
    """Return the NewSubfileType of the present page; 0 if it has none."""
    found = file.tag_v2.get(SUBFILE_TYPE)
    if isinstance(found, int):
        return found
    return REDUCED if file.tag_v2.get(OLD_SUBFILE_TYPE) == 2 else 0
