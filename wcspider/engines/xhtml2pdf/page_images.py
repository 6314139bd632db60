"""The images of a page: their bytes and their sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from w3lib.url import parse_data_uri

from wcspider.engines.base import Asset
from wcspider.engines.images.pixel_data import POINTS_PER_PIXEL
from wcspider.engines.images.reader import read
from wcspider.exceptions import SourceUnreadableError
from wcspider.web.numbers import DIMENSION

LARGEST = 1_000_000.0
"""The largest number in an attribute; larger ones are read as this."""


@dataclass(frozen=True, slots=True)
class PictureBox:
    """An image in a line of text."""

    picture: Any
    url: str
    """The asset key of the image; empty for a data: URL."""

    size: tuple[float, float]
    link: str | None = None

    def drawOn(self, canvas: Any, x: float, y: float) -> None:  # noqa: N802
        """Draw the image, with a link if it has one."""
        canvas.draw_picture(self.picture, self.url, x, y, *self.size)
        if self.link is not None:
            canvas.linkURL(self.link, (x, y, x + self.size[0], y + self.size[1]), relative=1)


def picture_box(
    element: Any, assets: Mapping[str, Asset], link: str | None, whole: float, room: tuple[float, float]
) -> PictureBox | None:
    """Return the image that an IMG element shows, reduced to a room; None if it cannot be read.

    Percentages refer to the width `whole`.
    """
    url = element.get("src", "")
    try:
        body = parse_data_uri(url.encode()).data if url.startswith("data:") else assets[url].body
        picture = read(body)
    except (SourceUnreadableError, ValueError, KeyError):
        return None
    width, height = _size(element, picture.getSize(), whole)
    factor = min(1.0, room[0] / max(width, 1.0), room[1] / max(height, 1.0))
    return PictureBox(picture, url if url in assets else "", (width * factor, height * factor), link)


def _size(element: Any, own: tuple[float, float], whole: float) -> tuple[float, float]:
    """Return the size of an image according to the attributes of its element, or else its own size in pixels."""
    width, height = _length(element.get("width", ""), whole), _length(element.get("height", ""), None)
    across, down = own
    if width is None:
        width = across * POINTS_PER_PIXEL if height is None else height * across / down
    return width, width * down / across if height is None else height


def _length(text: str, whole: float | None) -> float | None:
    """Return the length in an attribute, in points; None for a percentage without a length to which it refers."""
    match = DIMENSION.match(text)
    if match is None or (match[2] and whole is None):
        return None
    number = min(float(match[1]), LARGEST)
    return number * (whole or 0.0) / 100 if match[2] else number * POINTS_PER_PIXEL
