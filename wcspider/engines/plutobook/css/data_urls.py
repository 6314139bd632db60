"""Images and fonts in data: URLs. PlutoBook would read these URLs itself, so it gets private URLs in their place.

An image in a data: URL is embedded like any other image then: without being decoded and compressed again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from lxml import etree
from w3lib.url import parse_data_uri

from wcspider.engines.base import Asset

_PRIVATE: Final = "wcspider-data:"
"""The beginning of a private URL; the digest of the data: URL follows."""

_IMAGES: Final = etree.XPath(
    "(//@src|//@data|//@poster)[starts-with(normalize-space(), 'data:image/')]", smart_strings=False
)


def private_url(url: str) -> str:
    """Return the URL for which PlutoBook asks its fetcher."""
    if not url.startswith("data:"):
        return url
    return f"{_PRIVATE}{hashlib.md5(url.encode(), usedforsecurity=False).hexdigest()}"


def is_private(url: str) -> bool:
    """Tell whether a URL stands for a data: URL."""
    return url.startswith(_PRIVATE)


def assets_in(urls: Iterable[str]) -> dict[str, Asset]:
    """Return the resources in data: URLs, by these URLs. Invalid URLs contain none."""
    found = {}
    for url in dict.fromkeys(urls):
        with suppress(ValueError):
            parsed = parse_data_uri(url.encode())
            found[url] = Asset(parsed.data, parsed.media_type)
    return found


def images_in(root: Any) -> dict[str, Asset]:
    """Return the images in the data: URLs of a page, by these URLs."""
    return assets_in(value.strip() for value in _IMAGES(root))


def give_private_urls(root: Any, images: Iterable[str]) -> None:
    """Give private URLs to the IMG elements with images in data: URLs."""
    private = {url: private_url(url) for url in images}
    for element in root.iter("img") if private else ():
        url = element.get("src", "")
        element.set("src", private.get(url, url))
