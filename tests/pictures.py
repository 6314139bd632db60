"""Small pictures for test sites."""

from __future__ import annotations

import io

from PIL import Image


def grey_png(width: int, height: int, grey: int) -> bytes:
    """A PNG file of one shade of grey."""
    output = io.BytesIO()
    Image.new("L", (width, height), grey).save(output, "PNG")
    return output.getvalue()
