"""Request keys: the URL, and the posted data if there is any, by which a request is made once in a crawl."""

from __future__ import annotations

import hashlib

AGAIN = "#again-"
"""The suffix of the key of a page that is requested once more."""


def key_of(url: str, method: str = "GET", body: bytes = b"") -> str:
    """Return the key of a request for a canonical URL. The data follow a "#", which no canonical URL contains."""
    if method == "GET":
        return url
    return f"{url}#{method}-{hashlib.md5(body, usedforsecurity=False).hexdigest()}"


def url_of(key: str) -> str:
    """Return the URL of a key."""
    return key.partition("#")[0]
