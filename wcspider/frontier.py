"""What a request of a spider that reads in order stands for: its position, and the URL that it claims."""

from __future__ import annotations

from scrapy import Request

from wcspider.capture.keys import key_of
from wcspider.capture.urls import canonical_url

POSITION = "webcapture_position"
"""The key of a request's meta that holds its position in the reading order."""


def request_key(request: Request) -> str:
    """Return what a request claims, so that it is fetched once: its canonical URL, and what it posts to it.

    Scrapy's fingerprints would take ``/?b=2&a=1`` for ``/?a=1&b=2``; to the algorithm of 14.10.3.2 they are two.
    """
    return key_of(canonical_url(request.url), request.method, request.body)
