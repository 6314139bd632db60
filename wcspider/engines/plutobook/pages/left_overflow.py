"""Contents beyond the left edge of a page that is read from right to left (CSS Overflow 3, 2.2).

In a browser, the reader of such a page scrolls to the left. The width of a document that PlutoBook returns does not
include these contents. So the area to the left of the page is drawn as a small image and measured.
"""

from __future__ import annotations

from math import ceil
from typing import Any, Final

import plutoprint
from PIL import Image

REACH: Final = 3.0
"""How far contents to the left are looked for, as a multiple of the width of the page."""

_SCALE: Final = 0.25
_MOST_ROWS: Final = 2_000
"""The height of the image in pixels. A longer page is drawn less high."""

_GAP: Final = int(300 * _SCALE)
"""The width in pixels of an empty area. Contents beyond it are hidden on purpose, such as the name in a logo."""

_LITTLE: Final = 6.0
"""The width in CSS pixels of outlines and shadows, which may extend beyond the page."""


def width_of(book: plutoprint.Book, room: float) -> float:
    """Return how wide the contents of a document are from its right edge, in CSS pixels; at least `room`.

    `room` is the width of the page. The document is laid out as one page for this.
    """
    width, height = ceil(REACH * room * _SCALE), max(book.get_document_height(), 1.0)
    rows = min(ceil(height * _SCALE), _MOST_ROWS)
    canvas = plutoprint.ImageCanvas(width, rows)
    canvas.translate(width, 0)
    canvas.scale(_SCALE, rows / height)
    book.render_document(canvas)
    beyond = _beyond(_drawn_on(canvas)) / _SCALE
    return room + beyond if beyond > _LITTLE else room


def _drawn_on(canvas: Any) -> Image.Image:
    """Return an image that is black where nothing was drawn."""
    size = canvas.get_width(), canvas.get_height()
    pixels = Image.frombuffer("RGBA", size, bytes(canvas.get_data()), "raw", "RGBA", canvas.get_stride(), 1)
    return pixels.getchannel("A")


def _beyond(drawn: Image.Image) -> int:
    """Return the width of the contents at the right edge of an image, up to the first gap."""
    edge = drawn.width
    while edge > 0:
        near = drawn.crop((max(edge - _GAP, 0), 0, edge, drawn.height)).getbbox()
        if near is None:
            break
        edge = max(edge - _GAP, 0) + near[0]
    return drawn.width - edge
