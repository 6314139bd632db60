"""Images and fonts in data: URLs. PlutoBook would read these URLs itself, so it gets private URLs in their place.

An image in a data: URL is embedded like any other image then: without being decoded and compressed again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
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


def asset_in(url: str, content_type: str) -> Asset | None:
    """Return the resource in a data: URL; None if the URL is invalid."""
    try:
        return Asset(parse_data_uri(url.encode()).data, content_type)
    except ValueError:
        return None


def images_in(root: Any) -> dict[str, Asset]:
    """Return the images in the data: URLs of a page, by these URLs."""
    urls = dict.fromkeys(value.strip() for value in _IMAGES(root))
    found = {url: asset_in(url, url[len("data:") :].partition(";")[0]) for url in urls}
    return {url: asset for url, asset in found.items() if asset is not None}


def give_private_urls(root: Any, images: Mapping[str, Asset]) -> None:
    """Give private URLs to the IMG elements with images in data: URLs."""
    for element in root.iter("img") if images else ():
        url = element.get("src", "")
        if url in images:
            element.set("src", private_url(url))
