"""A PDF file that cairo writes into memory."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import plutoprint

_UNCOMPRESSED = "CAIRO_DEBUG_PDF"
"""The environment variable with which cairo does not compress streams. They are read, changed and compressed later."""

_DESCRIPTORS = Path("/proc/self/fd")


def drawn(size: plutoprint.PageSize, draw: Callable[[plutoprint.PDFCanvas], None]) -> bytes:
    """Return a PDF file with the pages that `draw` draws on a canvas with pages of a size."""
    os.environ[_UNCOMPRESSED] = "1"
    if not hasattr(os, "memfd_create") or not _DESCRIPTORS.is_dir():
        out = io.BytesIO()
        _draw(plutoprint.PDFCanvas.create_for_stream(out, size), draw)
        return out.getvalue()
    # cairo writes numbers one by one. For a file, the C library collects them; a stream gets a call for each of them.
    with os.fdopen(os.memfd_create("wcspider"), "rb") as file:
        _draw(plutoprint.PDFCanvas(_DESCRIPTORS / str(file.fileno()), size), draw)
        return file.read()


def _draw(canvas: plutoprint.PDFCanvas, draw: Callable[[plutoprint.PDFCanvas], None]) -> None:
    draw(canvas)
    canvas.finish()
