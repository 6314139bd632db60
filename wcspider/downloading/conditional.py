"""What the file holds of a URL that a refresh asks for again, and the requests that say so (RFC 9110, 13)."""

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
"""The key of a request's meta that asks for the whole answer, whatever the file holds."""

ASKED = "webcapture_asked"
"""The key of a request's meta that holds the URL by which pages refer to the resource that it asks for."""

UNEXPIRED = "unexpired"
"""The flag of an answer that no server was asked for."""

NOT_MODIFIED = 304
NEVER = datetime.min.replace(tzinfo=UTC)
_VALIDATORS = ("If-None-Match", "If-Modified-Since")


def held_page(database: ContentDatabase, url: str) -> tuple[Stored, SourceInformation] | None:
    """Return the page set that came from a URL by GET, with the source that says so; of several, the latest.

    One whose pages are not in the file any more is none.
    """
    found = [
        (stored, source)
        for stored in database.find_by_url(url)
        if isinstance(stored.content, PageSet) and database.has_pages(stored)
        for source in stored.content.sources
        if source.url == url and source.form is not FormCode.POST
    ]
    return max(found, key=lambda place: place[1].updated or NEVER, default=None)


def is_foreign(stored: Stored) -> bool:
    """Tell whether somebody else made a page set, of which the file does not hold what the page leads to and shows."""
    return isinstance(stored.content, PageSet) and stored.content.source_digest is None


def is_laid_out(session: CaptureSession, item: CaptureItem) -> bool:
    """Tell whether the file holds the pages of an item: in a refresh, laid out as what they are taken for now."""
    known = session.job.database.page_set(item.identifier)
    content = None if known is None else known.content
    if not isinstance(content, PageSet) or not session.is_refresh or item.outcome is not Outcome.FETCHED:
        return known is not None
    return len(content.sources) != 1 or content.reads_as(item.resource.content_type, item.text_identifier)


def held_resource(database: ContentDatabase, url: str) -> Resource | None:
    """Return an auxiliary resource as the file has it."""
    auxiliaries = database.auxiliaries
    reference = auxiliaries.find(url)
    return None if reference is None else auxiliaries.resource(auxiliaries.record(reference))


def renewed(resource: Resource, response: Response, clock: Clock) -> Resource:
    """Return what the file holds with the dates and validators that came with "not modified" (RFC 9110, 15.4.5)."""
    said = resource_of(response, clock)
    if UNEXPIRED in response.flags:
        return replace(resource, hops=said.hops)
    return replace(
        resource,
        hops=said.hops,
        fetched=said.fetched,
        expires=said.expires,
        etag=said.etag or resource.etag,
        last_modified=said.last_modified or resource.last_modified,
    )


class ConditionalRequestMiddleware:
    """Asks only for what has expired, and only whether it has changed.

    It comes behind what may refuse a request, so that what a robots.txt forbids now is not taken for unchanged.
    """

    def __init__(self, session: CaptureSession) -> None:
        self.session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(session_of(crawler))

    def process_request(self, request: Request, spider: Any = None) -> Response | None:
        """Put the validators of what the file holds on a request, or answer it where that has not expired."""
        if not self.session.is_refresh:
            return None
        for name in _VALIDATORS:  # of another URL, which redirected here
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
        """Return the validators of what the file holds, and until when that holds."""
        held = self._held(request) if is_capturable(request.url) else None
        return (None,) * 3 if held is None else (held.etag, held.last_modified, held.expires)

    def _held(self, request: Request) -> Resource | SourceInformation | None:
        """Return what the file holds of a request's URL; validators mean nothing to another URL that leads there."""
        database, url = self.session.job.database, canonical_url(request.url)
        if ASKED in request.meta:
            resource = held_resource(database, request.meta[ASKED])
            return resource if resource is not None and resource.url == url else None
        held = held_page(database, url) if POSITION in request.meta else None
        return None if held is None or is_foreign(held[0]) else held[1]
