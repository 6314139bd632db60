"""The images of a page: their bytes and their sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from w3lib.url import parse_data_uri

from wcspider.engines.base import Asset
from wcspider.engines.images.pixel_data import POINTS_PER_PIXEL
from wcspider.engines.images.reader import Picture, read
from wcspider.exceptions import SourceUnreadableError

_DIMENSION = re.compile(r"\s*\+?(\d+(?:\.\d*)?|\.\d+)\s*(%?)")
"""The format of https://html.spec.whatwg.org/review-drafts/2023-01/#dimension-attributes; any characters may follow."""


LARGEST = 1_000_000.0
"""The largest number in an attribute; larger ones are read as this."""


class PageImages:
    """A reader of the images of a page."""

    def __init__(self, assets: Mapping[str, Asset]) -> None:
        self._assets = assets
        self.urls: dict[bytes, dict[str, None]] = {}
        """The asset keys of the raster images that were read, by the MD5 of the file."""

    def picture(self, element: Any) -> Any:
        """Return the image that an IMG element shows; None if it cannot be read."""
        url = element.get("src", "")
        body = self._body(url)
        try:
            picture = read(body) if body else None
        except SourceUnreadableError:
            return None
        if isinstance(picture, Picture) and url in self._assets:
            self.urls.setdefault(picture.digest, {})[url] = None
        return picture

    def _body(self, url: str) -> bytes | None:
        """Return the bytes of an image from the task or from a data: URL (RFC 2397); None if there are none."""
        if url.startswith("data:"):
            try:
                return parse_data_uri(url.encode()).data
            except ValueError:
                return None
        return self._assets[url].body if url in self._assets else None


def image_size(element: Any, picture: Any, whole: float, room: tuple[float, float]) -> tuple[float, float]:
    """Return the size of an image according to the attributes of its element, reduced to the room that there is.

    Percentages refer to the width `whole`.
    """
    across, down = (pixels * POINTS_PER_PIXEL for pixels in picture.getSize())
    width, height = _length(element.get("width", ""), whole), _length(element.get("height", ""), None)
    if width is None:
        width = across if height is None else height * across / down
    height = width * down / across if height is None else height
    factor = min(1.0, room[0] / max(width, 1.0), room[1] / max(height, 1.0))
    return width * factor, height * factor


def _length(text: str, whole: float | None) -> float | None:
    """Return the length in an attribute, in points; None for a percentage without a length to which it refers."""
    match = _DIMENSION.match(text)
    if match is None or (match[2] and whole is None):
        return None
    number = min(float(match[1]), LARGEST)
    return number * (whole or 0.0) / 100 if match[2] else number * POINTS_PER_PIXEL
