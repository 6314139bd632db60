"""The answers to a crawl's requests: responses and errors turned into items. A part of the spiders."""

from __future__ import annotations

from http import HTTPStatus
from typing import Protocol

from scrapy import Request
from scrapy.http import Response

from wcspider.archive.journal.journal import Place
from wcspider.archive.refresh.refresh_sink import is_gone
from wcspider.crawl.held_content import HeldPage
from wcspider.crawl.reading.parsing import CAPTURABLE, header_charset, media_type, named_type, resource_of
from wcspider.crawl.reading.source_contents import HTML, TEXT
from wcspider.crawl.session import CaptureSession
from wcspider.downloading.conditional import NOT_MODIFIED, UNEXPIRED, WHOLE, renewed
from wcspider.downloading.fetching.resource_fetcher import ResourceFetcher
from wcspider.downloading.page_reader import PageReader
from wcspider.exceptions import EngineError
from wcspider.items import CaptureItem
from wcspider.web.charset import UTF_8, encoding_of
from wcspider.web.documents.page_notices import Notice
from wcspider.web.resources import Auxiliary
from wcspider.webcapture.identifiers import page_set_identifier
from wcspider.webcapture.records import Capture, Outcome
from wcspider.webcapture.resource_limits import Allowance
from wcspider.webcapture.scope import may_pull

WITHOUT_CONTENT = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT})
"""The statuses of answers that have no content, and so no media type (RFC 9110, 15.3.5 and 15.3.6)."""

PARTIAL = "HTTP 206, to a request for the whole page"
UNEXPECTED_304 = "HTTP 304, to a request for the whole page"
EMPTY_IDENTIFIER = page_set_identifier(b"")
"""The identifier of a page without a single byte."""

STOPPED_DOWNLOAD = "download_stopped"
"""The flag of a response whose body Scrapy did not download because it is not wanted."""

Answer = CaptureItem | Request | str
"""An item, a request that has to be sent in its place, or the reason for which there is no page."""


class Answers(Protocol):
    """A part of a spider that turns responses into items."""

    def prepared(self, request: Request) -> Request:
        """Return the request for a page, ready to be sent."""

    async def read(self, response: Response, place: Place, key: str) -> Answer:
        """Return the answer of a response to the request of a place; `key` is the request key of its last URL."""

    def kept(self, key: str, reason: str) -> CaptureItem | None:
        """Return the item of a page that is kept as the file holds it, because it could not be fetched."""


class FreshAnswers:
    """The answers of a capture: each page is fetched whole."""

    def __init__(self, session: CaptureSession) -> None:
        self._session = session
        self._reader = session.shared(PageReader)

    def prepared(self, request: Request) -> Request:
        """Return the request unchanged."""
        return request

    async def read(self, response: Response, place: Place, key: str) -> Answer:
        """Return the page of a response, or the reason for which it has none."""
        if problem := _problem_of_status(response):
            return problem
        kind = media_type(response)
        if kind not in CAPTURABLE:
            return f"not captured: {kind}"
        config = self._session.config_of(place.command)
        try:
            page = await self._reader.read(resource_of(response, config.clock), place.charset, config)
        except EngineError as error:
            return f"could not be read: {error.problem}"
        self._session.note_limits(page)
        return CaptureItem(page.capture, page.contents.references)

    def kept(self, key: str, reason: str) -> CaptureItem | None:
        """Return None: a capture keeps nothing in the place of a page that could not be fetched."""
        return None


class ConditionalAnswers:
    """The answers of a refresh: if a page has not changed or cannot be fetched, the page of the file is used."""

    def __init__(self, session: CaptureSession) -> None:
        self._session = session
        self._fresh = FreshAnswers(session)
        self._held = session.job.held
        self._resources = session.shared(ResourceFetcher)

    def prepared(self, request: Request) -> Request:
        """Return the request with "not modified" allowed as an answer."""
        request.meta["handle_httpstatus_list"] = [NOT_MODIFIED]
        return request

    async def read(self, response: Response, place: Place, key: str) -> Answer:
        """Return the page of a response, or the page of the file."""
        if response.status == NOT_MODIFIED:
            return await self._unchanged(response, place, key)
        # Without redirects, the place of the request has the same key.
        held = self._held.requested(key) or self._held.reached(place.key)
        if problem := _problem_of_status(response) or (Notice.NOTHING if self._empties(held, response) else ""):
            return self.kept(key, problem) or problem
        answer = await self._fresh.read(response, place, key)
        if isinstance(answer, CaptureItem) and self._replaces(held, answer.capture):
            return self.kept(key, answer.capture.notice) or answer.capture.notice
        return answer

    def _empties(self, held: HeldPage | None, response: Response) -> bool:
        """Tell whether an empty answer would replace a page of the file that is not empty."""
        is_empty = not response.body and STOPPED_DOWNLOAD not in response.flags
        is_known = held is None or held.stored.content.identifier == EMPTY_IDENTIFIER or self._session.is_forced
        return is_empty and not is_known

    def _replaces(self, held: HeldPage | None, capture: Capture) -> bool:
        """Tell whether a challenge or an error page would replace a page of the file that is neither."""
        is_known = held is None or held.source.notice == capture.notice or self._session.is_forced
        return not is_known and capture.notice in (Notice.CHALLENGE, Notice.ERROR)

    def kept(self, key: str, reason: str) -> CaptureItem | None:
        """Return the item of a page that could not be fetched; None if it is gone, or if the file does not hold it.

        A page that is gone for certain is no longer taken from the file.
        """
        held = None if is_gone(reason) else self._held.requested(key)
        if held is None:
            return None
        item = CaptureItem(self._held.capture(held))
        item.update(outcome=Outcome.FAILED, problem=reason)
        return item

    async def _unchanged(self, response: Response, place: Place, key: str) -> Answer:
        """Return the page of the file with the dates of a 304 response.

        If an auxiliary resource has changed, or the response names another media type or charset, the page has to be
        laid out again: return a request for the whole page. The type itself is not taken over, because the pages in the
        file were made by the old one (RFC 9111, 3.2).
        """
        held = self._held.requested(key)
        if held is None:
            return UNEXPECTED_304
        assert response.request is not None
        if response.request.meta.get(WHOLE):
            return self.kept(key, UNEXPECTED_304) or UNEXPECTED_304
        if _names_other_type(response, held):
            return _whole(response.request)
        item = CaptureItem(self._held.capture(held))
        outcome = Outcome.NOT_REQUESTED if UNEXPIRED in response.flags else Outcome.UNCHANGED
        resource = renewed(item.resource, response, self._session.config.clock)
        auxiliaries = await self._same_auxiliaries(held, place.command)
        if auxiliaries is None:
            return _whole(response.request)
        item.update(resource=resource, outcome=outcome, auxiliaries=auxiliaries)
        return item

    async def _same_auxiliaries(self, held: HeldPage, command: int) -> tuple[Auxiliary, ...] | None:
        """Return the auxiliary resources of a page of the file, without bytes; None if one of them has changed."""
        url, records = held.source.url, self._held.auxiliaries(held)
        config = self._session.config_of(command)
        allowance = Allowance(config.max_resources, config.max_resource_bytes)
        urls = [record.url for record in records if may_pull(url, record.url)]
        await self._resources.fetch_all(urls, allowance)
        found = {entry: self._resources.allowed(entry, allowance) for entry in urls}
        if not all(record.holds(found.get(record.url)) for record in records):
            return None
        return tuple(Auxiliary(record.url, record.kind, found.get(record.url)) for record in records)


def _names_other_type(response: Response, held: HeldPage) -> bool:
    """Tell whether a 304 response names another media type than that of a page of the file, or another encoding."""
    kind = held.stored.content.content_type
    if named_type(response.headers) in CAPTURABLE - {kind}:
        return True
    named = encoding_of(header_charset(response)) if kind in HTML | TEXT else None
    return named is not None and named != (held.source.encoding or UTF_8)


def _whole(request: Request) -> Request:
    """Return a request for the whole page, in the place of a conditional request."""
    return request.replace(dont_filter=True, meta={**request.meta, WHOLE: True})


def _problem_of_status(response: Response) -> str:
    """Return why a response with a status of success has no page; empty if it may have one."""
    if response.status == HTTPStatus.PARTIAL_CONTENT:
        return PARTIAL
    return f"HTTP {response.status}" if response.status in WITHOUT_CONTENT else ""
