"""Pictures of PDF pages, drawn by PDFium."""

from __future__ import annotations

import base64
import io
from contextlib import closing
from typing import Any

import pypdfium2
from PIL import Image

TALLEST = 3
"""The greatest height of a picture, as a multiple of its width. Taller pages have no picture."""


def open_for_drawing(source: Any) -> pypdfium2.PdfDocument:
    """Open a PDF file. Raises a `PdfiumError` if PDFium cannot read it."""
    document = pypdfium2.PdfDocument(source, autoclose=True)
    document.init_forms()  # otherwise PDFium does not draw form fields
    return document


def draw_page(document: pypdfium2.PdfDocument, number: int, width: int) -> Image.Image | None:
    """Return a picture of a page (from 1) with a width in pixels; None if PDFium cannot draw it."""
    try:
        with closing(document[number - 1]) as page:
            page_width, page_height = page.get_size()
            if not 0 < page_height <= TALLEST * page_width:
                return None
            picture: Image.Image = page.render(scale=width / page_width).to_pil().convert("RGB")
            return picture
    except (pypdfium2.PdfiumError, ValueError, IndexError, MemoryError):
        return None


def data_url(picture: Image.Image, quality: int) -> str:
    """Return a picture as a data URL; `quality` is that of WebP, from 0 to 100."""
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=quality, method=4)
    return "data:image/webp;base64," + base64.b64encode(out.getvalue()).decode("ascii")
