"""Requests that are repeated: as Scrapy does it, and where a server says when (Retry-After), then and not before."""

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
from wcspider.web.freshness import delta_seconds, http_date

BUSY = frozenset({429, 503})
"""The statuses with which a server says that it is not the moment (RFC 6585, 4; RFC 9110, 15.6.4)."""

NOT_FETCHED = "not fetched before the crawl ended"
STEP_SECONDS = 0.25
"""How soon a request that waits notices that the crawl ends."""


def retry_after_seconds(retry_after: str, date: str = "") -> float | None:
    """Return how many seconds a Retry-After header asks for (RFC 9110, 10.2.3); None if it says nothing.

    `date` is the Date header: by it a server whose clock is wrong still says how long.
    """
    seconds = delta_seconds(retry_after)
    if seconds is not None:
        return seconds
    moment = http_date(retry_after)
    if moment is None:
        return None
    return max(0.0, (moment - (http_date(date) or datetime.now(UTC))).total_seconds())


def is_ending(crawler: Crawler) -> bool:
    """Tell whether a crawl is being closed: what is under way ends, and nothing new is sent."""
    slot = crawler.engine._slot
    return not crawler.engine.running or slot is None or slot.closing is not None


class _HeldBackError(Exception):
    """A request was taken out of the queue to a host, before it was sent."""


class PatientRetryMiddleware(RetryMiddleware):
    """Repeats what failed for the moment; stands in the place of Scrapy's middleware.

    An answer 429 or 503 with Retry-After (RFC 9110, 10.2.3) keeps back every request to its host until then. What
    waits holds none of the places that CONCURRENT_REQUESTS and CONCURRENT_REQUESTS_PER_DOMAIN count.
    """

    def __init__(self, crawler: Crawler, longest: int) -> None:
        """Wait for a server `longest` seconds at most."""
        super().__init__(crawler.settings)
        self.crawler = crawler
        self._longest = longest
        self._until: dict[str | None, float] = {}
        self._waiting = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        middleware = cls(crawler, session_of(crawler).config.max_retry_after)
        crawler.signals.connect(middleware.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(middleware.spider_idle, signals.spider_idle)
        return middleware

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Keep back the requests to a host that asks for it; the signal comes before its next request is sent.

        Where the crawl ends, the pages that nobody has been asked for yet are left to the run that goes on.
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

    async def process_request(self, request: Request, spider: Any = None) -> Request | None:
        """Wait until the request's host may be asked.

        Where the crawl ends, a page is not asked for any more. Nothing between here and the queue waits, so what comes
        late does not get into a queue that was emptied already.
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
        """Return a request that repeats what failed, or the response if it is not to be repeated."""
        seconds = self._asked(response)
        if seconds is not None and seconds > self._longest:
            raise IgnoreRequest(
                f"HTTP {response.status}, to be tried again in more than {self._longest} seconds "
                "(WEBCAPTURE_MAX_RETRY_AFTER)"
            )
        return super().process_response(request, response)

    def process_exception(self, request: Request, exception: Exception, spider: Any = None) -> Any:
        """Return a request that repeats what failed; one that was held back has not failed."""
        if isinstance(exception, _HeldBackError):
            return request.replace(dont_filter=True)
        return super().process_exception(request, exception)

    def spider_idle(self) -> None:
        """Keep the crawl open while requests wait that Scrapy does not count."""
        if self._waiting:
            raise DontCloseSpider

    def _asked(self, response: Response) -> float | None:
        """Return how many seconds a server asks to be left alone, where it is asked again at all."""
        if response.status not in BUSY or response.status not in self.retry_http_codes:
            return None
        retry_after, date = ((response.headers.get(name) or b"").decode("latin-1") for name in ("Retry-After", "Date"))
        return retry_after_seconds(retry_after, date)

    def _left(self, host: str | None) -> float:
        return self._until.get(host, 0.0) - monotonic()

    @contextmanager
    def _aside(self, request: Request) -> Iterator[None]:
        """Let other requests have the place of one that waits."""
        active = self.crawler.engine.downloader.active
        active.discard(request)
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            active.add(request)


def _hold_back(slot: Slot, is_meant: Callable[[Request], bool]) -> None:
    """Take requests out of the queue to a host."""
    waiting = list(slot.queue)
    slot.queue.clear()
    for request, sending in waiting:
        if is_meant(request):
            sending.errback(_HeldBackError())
        else:
            slot.queue.append((request, sending))


def _given_up(request: Request) -> Request:
    """Return a page's request to the frontier, for the run that goes on; raise for what belongs to a page."""
    if POSITION not in request.meta:
        raise IgnoreRequest(NOT_FETCHED)
    return request
