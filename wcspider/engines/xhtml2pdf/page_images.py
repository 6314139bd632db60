"""The images of a page: their bytes and their sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from w3lib.url import parse_data_uri

from wcspider.engines.base import Asset
from wcspider.engines.images.pixel_data import POINTS_PER_PIXEL
from wcspider.engines.images.reader import Picture, read
from wcspider.exceptions import SourceUnreadableError

_PIXELS = re.compile(r"\s*\+?(\d++(?:\.\d*+)?+|\.\d++)(?!\s*%)")
"""A length in pixels (https://html.spec.whatwg.org/review-drafts/2023-01/#dimension-attributes); any characters may
follow. Percentages are ignored."""

LARGEST = 1_000_000.0
"""The largest number in an attribute; larger ones are read as this."""


@dataclass(frozen=True, slots=True)
class PictureBox:
    """An image in a line of text."""

    picture: Any
    size: tuple[float, float]
    link: str | None = None

    def drawOn(self, canvas: Any, x: float, y: float) -> None:  # noqa: N802
        """Draw the image, with a link if it has one."""
        canvas.draw_picture(self.picture, x, y, *self.size)
        if self.link is not None:
            canvas.linkURL(self.link, (x, y, x + self.size[0], y + self.size[1]), relative=1)


class PageImages:
    """A reader of the images of a page."""

    def __init__(self, assets: Mapping[str, Asset]) -> None:
        self._assets = assets
        self.urls: dict[bytes, dict[str, None]] = {}
        """The asset keys of the raster images that were read, by the MD5 of the file."""

    def box(self, element: Any, link: str | None, room: tuple[float, float]) -> PictureBox | None:
        """Return the image that an IMG element shows, reduced to a room; None if it cannot be read."""
        url = element.get("src", "")
        try:
            picture = read(self._body(url))
        except (SourceUnreadableError, ValueError, KeyError):
            return None
        if isinstance(picture, Picture) and url in self._assets:
            self.urls.setdefault(picture.digest, {})[url] = None
        return PictureBox(picture, _size(element, picture.getSize(), room), link)

    def _body(self, url: str) -> bytes:
        """Return the bytes of an image from a data: URL (RFC 2397) or from the task."""
        return bytes(parse_data_uri(url.encode()).data) if url.startswith("data:") else self._assets[url].body


def _size(element: Any, own: tuple[float, float], room: tuple[float, float]) -> tuple[float, float]:
    """Return the size of an image in points, according to its own size and the attributes of its element."""
    width, height = (_length(element.get(name, "")) for name in ("width", "height"))
    if width is None:
        width = own[0] * POINTS_PER_PIXEL if height is None else height * own[0] / own[1]
    height = width * own[1] / own[0] if height is None else height
    factor = min(1.0, room[0] / max(width, 1.0), room[1] / max(height, 1.0))
    return width * factor, height * factor


def _length(text: str) -> float | None:
    match = _PIXELS.match(text)
    return min(float(match[1]), LARGEST) * POINTS_PER_PIXEL if match else None
