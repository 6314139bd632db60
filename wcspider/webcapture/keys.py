"""What a request claims, so that it is fetched once: a URL, and what is posted to it."""

from __future__ import annotations

import hashlib

AGAIN = "#again-"
"""What the key of a place has, behind what was claimed before, that is met once more."""


def key_of(url: str, method: str = "GET", body: bytes = b"") -> str:
    """Return what a request for a canonical URL claims; a canonical URL has no fragment, so they cannot be confused."""
    if method == "GET":
        return url
    return f"{url}#{method}-{hashlib.md5(body, usedforsecurity=False).hexdigest()}"


def url_of(key: str) -> str:
    """Return the URL of what is claimed."""
    return key.partition("#")[0]
