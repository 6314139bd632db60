"""Conditional requests (RFC 9110, 13) of a refresh, with the validators that the file holds for a URL."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from wcspider.archive.database.content_index import Clock
from wcspider.crawl.reading.parsing import resource_of
from wcspider.crawl.request_keys import POSITION
from wcspider.crawl.session import CaptureSession, session_of
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.web.resources import Resource
from wcspider.web.urls import canonical_url, is_capturable

WHOLE = "webcapture_whole"
"""The key in a request's meta that makes the request unconditional."""

ASKED = "webcapture_asked"
"""The key in a request's meta with the URL by which pages refer to the requested resource."""

UNEXPIRED = "unexpired"
"""The flag of a 304 response that was made without asking the server, because the resource has not expired."""

NOT_MODIFIED = 304
_VALIDATORS = ("If-None-Match", "If-Modified-Since")


def renewed(resource: Resource, response: Response, clock: Clock) -> Resource:
    """Return a resource of the file with the dates and validators of a 304 response (RFC 9110, 15.4.5)."""
    answer = resource_of(response, clock)
    if UNEXPIRED in response.flags:
        return replace(resource, hops=answer.hops)
    return replace(
        resource,
        hops=answer.hops,
        fetched=answer.fetched,
        expires=answer.expires,
        etag=answer.etag or resource.etag,
        last_modified=answer.last_modified or resource.last_modified,
    )


class ConditionalRequestMiddleware:
    """A downloader middleware that makes the requests of a refresh conditional.

    It comes after the middlewares that may refuse a request: a page that robots.txt forbids now is not "unchanged".
    """

    def __init__(self, session: CaptureSession) -> None:
        self.session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware of a crawl."""
        return cls(session_of(crawler))

    def process_request(self, request: Request) -> Response | None:
        """Add the validators of the stored resource to a request, or answer 304 if the resource is unexpired."""
        if not self.session.is_refresh:
            return None
        for name in _VALIDATORS:  # those of another URL, which redirected to this one
            request.headers.pop(name, None)
        if request.meta.get(WHOLE) or request.method != "GET":
            return None
        etag, last_modified, expires = self._known(request)
        if expires is not None and expires > self.session.config.clock() and not self.session.is_forced:
            return Response(request.url, status=NOT_MODIFIED, flags=[UNEXPIRED], request=request)
        if etag:
            request.headers["If-None-Match"] = etag.encode("latin-1", "replace")  # as it was read
        if last_modified:
            request.headers["If-Modified-Since"] = last_modified
        return None

    def _known(self, request: Request) -> tuple[str | None, str | None, datetime | None]:
        """Return the ETag, the Last-Modified and the expiry date of the stored resource."""
        held = self._held(request) if is_capturable(request.url) else None
        return (None,) * 3 if held is None else (held.etag, held.last_modified, held.expires)

    def _held(self, request: Request) -> Resource | SourceInformation | None:
        """Return the file's record of a request's URL; its validators are of no use for another URL in its place."""
        held, url = self.session.job.held, canonical_url(request.url)
        if ASKED in request.meta:
            resource = held.resource(request.meta[ASKED])
            return resource if resource is not None and resource.url == url else None
        page = held.page(url) if POSITION in request.meta else None
        return None if page is None or page.is_foreign else page.source
