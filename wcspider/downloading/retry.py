"""Retries: as in Scrapy, and not before the time that a server names (Retry-After)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Self

from scrapy import Request, signals
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from wcspider.crawl.request_keys import POSITION
from wcspider.crawl.session import session_of
from wcspider.units import format_count
from wcspider.web.freshness import delta_seconds, http_date

BUSY = frozenset({429, 503})
"""The statuses of a server that is busy for the moment (RFC 6585, 4; RFC 9110, 15.6.4)."""

NOT_FETCHED = "not fetched before the crawl ended"
STEP_SECONDS = 0.25
"""How often a waiting request checks whether the crawl is being closed."""


def retry_after_seconds(retry_after: str, date: str = "") -> float | None:
    """Return how many seconds a Retry-After header asks for (RFC 9110, 10.2.3); None if it is invalid.

    `date` is the Date header: relative to it, a Retry-After date is right even if the clock of the server is wrong.
    """
    seconds = delta_seconds(retry_after)
    if seconds is not None:
        return seconds
    moment = http_date(retry_after)
    if moment is None:
        return None
    return max(0.0, (moment - (http_date(date) or datetime.now(UTC))).total_seconds())


def is_ending(crawler: Crawler) -> bool:
    """Tell whether a crawl is being closed: running requests finish, and no new ones are sent."""
    slot = crawler.engine._slot
    return not crawler.engine.running or slot is None or slot.closing is not None


class LongPauseError(IgnoreRequest):
    """An error for an answer that asks for too long a pause (WEBCAPTURE_MAX_RETRY_AFTER); the message is the reason."""


class _HeldBackError(Exception):
    """An error for a request that was taken out of the queue of a host before it was sent."""


class PatientRetryMiddleware(RetryMiddleware):
    """A downloader middleware that repeats requests after temporary failures. It replaces Scrapy's middleware.

    After an answer 429 or 503 with Retry-After (RFC 9110, 10.2.3), every request to the same host waits until that
    time. Waiting requests do not count for CONCURRENT_REQUESTS and CONCURRENT_REQUESTS_PER_DOMAIN.
    """

    def __init__(self, crawler: Crawler, longest: int) -> None:
        """Create the middleware; requests wait at most `longest` seconds for a server."""
        super().__init__(crawler.settings)
        self.crawler = crawler
        self._longest = longest
        self._until: dict[str | None, float] = {}
        self._waiting = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware of a crawl."""
        middleware = cls(crawler, session_of(crawler).config.max_retry_after)
        crawler.signals.connect(middleware.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(middleware.spider_idle, signals.spider_idle)
        return middleware

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Hold back the requests to a busy host; the signal is sent before the next request to the host.

        If the crawl is being closed, pages that were not requested yet are left to the run that resumes it.
        """
        if is_ending(self.crawler):
            for slot in self.crawler.engine.downloader.slots.values():
                _hold_back(slot, lambda waiting: POSITION in waiting.meta)
        seconds = self._asked(response)
        if seconds is None or seconds > self._longest:
            return
        host = urlparse_cached(request).hostname
        self._until[host] = max(self._until.get(host, 0.0), monotonic() + seconds)
        _hold_back(self.crawler.engine.downloader.slots[request.meta["download_slot"]], lambda _: True)

    async def process_request(self, request: Request) -> Request | None:
        """Wait until requests to the host are allowed again.

        If the crawl is being closed, pages are not requested any more. Between this method and the queue of the host
        nothing waits, so no late request gets into a queue that was emptied already.
        """
        if is_ending(self.crawler) and POSITION in request.meta:
            return request
        host = urlparse_cached(request).hostname
        if self._left(host) > 0:
            with self._aside(request):
                while (left := self._left(host)) > 0:
                    if is_ending(self.crawler):
                        return _given_up(request)
                    await asyncio.sleep(min(left, STEP_SECONDS))
        return None

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        """Return a new request if the response is a temporary failure, otherwise the response."""
        seconds = self._asked(response)
        if seconds is not None and seconds > self._longest:
            raise LongPauseError(
                f"HTTP {response.status}, the server asks to wait more than {format_count(self._longest, 'second')} "
                "(WEBCAPTURE_MAX_RETRY_AFTER)"
            )
        return super().process_response(request, response)

    def process_exception(self, request: Request, exception: Exception, spider: Any = None) -> Any:
        """Return a new request after a temporary failure; a request that was held back has not failed."""
        if isinstance(exception, _HeldBackError):
            return request.replace(dont_filter=True)
        return super().process_exception(request, exception)

    def spider_idle(self) -> None:
        """Keep the crawl open while requests wait; Scrapy does not count them as active."""
        if self._waiting:
            raise DontCloseSpider

    def _asked(self, response: Response) -> float | None:
        """Return how many seconds a busy server asks to wait; None if it does not, or is not to be asked again."""
        if response.status not in BUSY or response.status not in self.retry_http_codes:
            return None
        retry_after, date = ((response.headers.get(name) or b"").decode("latin-1") for name in ("Retry-After", "Date"))
        return retry_after_seconds(retry_after, date)

    def _left(self, host: str | None) -> float:
        """Return for how many more seconds requests to a host wait."""
        return self._until.get(host, 0.0) - monotonic()

    @contextmanager
    def _aside(self, request: Request) -> Iterator[None]:
        """Let other requests run in place of a waiting request."""
        active = self.crawler.engine.downloader.active
        active.discard(request)
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            active.add(request)


def _hold_back(slot: Slot, is_meant: Callable[[Request], bool]) -> None:
    """Take requests out of the queue of a host."""
    waiting = list(slot.queue)
    slot.queue.clear()
    for request, sending in waiting:
        if is_meant(request):
            sending.errback(_HeldBackError())
        else:
            slot.queue.append((request, sending))


def _given_up(request: Request) -> Request:
    """Return the request of a page to the scheduler, for the run that resumes; raise IgnoreRequest for a resource."""
    if POSITION not in request.meta:
        raise IgnoreRequest(NOT_FETCHED)
    return request
