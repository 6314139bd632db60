"""Conditional requests (RFC 9110, 13): what the file holds of a URL that a refresh requests again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.crawl.parsing import Clock, resource_of
from wcspider.crawl.request_keys import POSITION
from wcspider.crawl.session import CaptureSession, session_of
from wcspider.items import CaptureItem
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.web.resources import Resource
from wcspider.web.urls import canonical_url, is_capturable
from wcspider.webcapture.records import FormCode, Outcome

WHOLE = "webcapture_whole"
"""The key in a request's meta that makes the request unconditional."""

ASKED = "webcapture_asked"
"""The key in a request's meta with the URL by which pages refer to the requested resource."""

UNEXPIRED = "unexpired"
"""The flag of a 304 response that was made without asking the server, because the resource has not expired."""

NOT_MODIFIED = 304
NEVER = datetime.min.replace(tzinfo=UTC)
_VALIDATORS = ("If-None-Match", "If-Modified-Since")


def held_page(database: ContentDatabase, url: str) -> tuple[Stored, SourceInformation] | None:
    """Return the latest page set from a URL by GET, with its source; None if the file has no such pages."""
    found = [
        (stored, source)
        for stored in database.find_by_url(url)
        if isinstance(stored.content, PageSet) and database.has_pages(stored)
        for source in stored.content.sources
        if source.url == url and source.form is not FormCode.POST
    ]
    return max(found, key=lambda pair: pair[1].updated or NEVER, default=None)


def is_foreign(stored: Stored) -> bool:
    """Tell whether another program made a page set, so that the file has no links and auxiliaries of the page."""
    return isinstance(stored.content, PageSet) and stored.content.source_digest is None


def is_laid_out(session: CaptureSession, item: CaptureItem) -> bool:
    """Tell whether the file holds the pages of an item; in a refresh, laid out for the present media type and text."""
    known = session.job.database.page_set(item.identifier)
    content = None if known is None else known.content
    if not isinstance(content, PageSet) or not session.is_refresh or item.outcome is not Outcome.FETCHED:
        return known is not None
    return len(content.sources) != 1 or content.reads_as(item.resource.content_type, item.text_identifier)


def held_resource(database: ContentDatabase, url: str) -> Resource | None:
    """Return an auxiliary resource that the file holds; None if it holds none for the URL."""
    auxiliaries = database.auxiliaries
    reference = auxiliaries.find(url)
    return None if reference is None else auxiliaries.resource(auxiliaries.record(reference))


def renewed(resource: Resource, response: Response, clock: Clock) -> Resource:
    """Return a stored resource with the dates and validators of a 304 response (RFC 9110, 15.4.5)."""
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

    def process_request(self, request: Request, spider: Any = None) -> Response | None:
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
            request.headers["If-None-Match"] = etag
        if last_modified:
            request.headers["If-Modified-Since"] = last_modified
        return None

    def _known(self, request: Request) -> tuple[str | None, str | None, datetime | None]:
        """Return the ETag, the Last-Modified and the expiry date of the stored resource."""
        held = self._held(request) if is_capturable(request.url) else None
        return (None,) * 3 if held is None else (held.etag, held.last_modified, held.expires)

    def _held(self, request: Request) -> Resource | SourceInformation | None:
        """Return the resource that the file holds for a request; its validators are only valid for its own URL."""
        database, url = self.session.job.database, canonical_url(request.url)
        if ASKED in request.meta:
            resource = held_resource(database, request.meta[ASKED])
            return resource if resource is not None and resource.url == url else None
        held = held_page(database, url) if POSITION in request.meta else None
        return None if held is None or is_foreign(held[0]) else held[1]
