"""Thumbnails of PDF pages, as data URLs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pypdfium2

from wcspider.pdf.file.prefix import openable
from wcspider.report.page_drawing import data_url, draw_page, open_for_drawing

WIDTH = 120
"""The width of a thumbnail, in pixels."""

QUALITY = 40


def thumbnails(path: Path, numbers: Iterable[int]) -> dict[int, str]:
    """Return thumbnails of PDF pages (numbers from 1) as data URLs.

    A page that PDFium cannot draw has no thumbnail, and a file that it cannot read has none at all.
    """
    try:
        opened = open_for_drawing(openable(path))
    except pypdfium2.PdfiumError:
        return {}
    with closing(opened) as document:
        drawn = ((number, draw_page(document, number, WIDTH)) for number in numbers)
        return {number: data_url(picture, QUALITY) for number, picture in drawn if picture is not None}
