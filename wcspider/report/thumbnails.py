"""Pictures of PDF pages, as data URLs."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pypdfium2

from wcspider.pdf.file.prefix import openable

WIDTH = 120
"""The width of a thumbnail, in pixels."""

TALLEST = 3
"""The greatest height of a thumbnail, as a multiple of its width."""


def thumbnails(path: Path, numbers: Iterable[int]) -> dict[int, str]:
    """Return pictures of PDF pages (numbers from 1) as data URLs.

    A page that PDFium cannot draw has no picture, and a file that it cannot read has none at all.
    """
    found: dict[int, str] = {}
    try:
        opened = pypdfium2.PdfDocument(openable(path), autoclose=True)
    except pypdfium2.PdfiumError:
        return found
    with closing(opened) as document:
        count = len(document)
        for number in numbers:
            if 0 < number <= count and (picture := _picture(document, number - 1)):
                found[number] = picture
    return found


def _picture(document: pypdfium2.PdfDocument, index: int) -> str:
    try:
        with closing(document[index]) as page:
            width, height = page.get_size()
            if not 0 < height <= TALLEST * width:
                return ""
            image = page.render(scale=WIDTH / width).to_pil().convert("RGB")
    except (pypdfium2.PdfiumError, ValueError, MemoryError):
        return ""
    out = io.BytesIO()
    image.save(out, "WEBP", quality=40, method=4)
    return "data:image/webp;base64," + base64.b64encode(out.getvalue()).decode("ascii")
