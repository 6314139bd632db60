"""The geometry of the pages, computed from settings."""

from __future__ import annotations

import re
from functools import lru_cache

from reportlab.lib import pagesizes

from wcspider.engines.base import PageGeometry
from wcspider.engines.overlays.stamp import with_room

UNITS = {"pt": 1.0, "mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72.0, "px": 0.75}
"""The units of lengths, in points; a pixel is a CSS pixel, 1/96 inch."""

_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(pt|mm|cm|in|px)?")
_SIZE = re.compile(rf"{_LENGTH.pattern}\s*x\s*{_LENGTH.pattern}")


def _length(text: str) -> float:
    match = _LENGTH.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError(text)
    return float(match[1]) * UNITS[match[2] or "pt"]


@lru_cache(maxsize=16)  # called for each page
def geometry_of(page_size: str, orientation: str, margins: str, media: str, scale: float, stamp: str) -> PageGeometry:
    """Return the geometry that settings describe."""
    width, height = size_of(page_size)
    if (orientation == "landscape") != (width > height):
        width, height = height, width
    top, right, bottom, left = margins_of(margins)
    return with_room(PageGeometry(width, height, top, right, bottom, left, media, scale), stamp)


def size_of(text: str) -> tuple[float, float]:
    """Return the width and the height of a page. Raises `ValueError`."""
    named = getattr(pagesizes, text.strip().upper(), None)
    if isinstance(named, tuple):
        return float(named[0]), float(named[1])
    match = _SIZE.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError(text)
    return float(match[1]) * UNITS[match[2] or match[4] or "pt"], float(match[3]) * UNITS[match[4] or "pt"]


def margins_of(text: str) -> tuple[float, float, float, float]:
    """Return the upper, right, lower and left margin, as in CSS. Raises `ValueError`."""
    lengths = [_length(part) for part in text.split()]
    if not 1 <= len(lengths) <= 4:
        raise ValueError(text)
    top = lengths[0]
    right = lengths[1] if len(lengths) > 1 else top
    bottom = lengths[2] if len(lengths) > 2 else top
    left = lengths[3] if len(lengths) > 3 else right
    return top, right, bottom, left
