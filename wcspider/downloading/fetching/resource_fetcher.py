"""Auxiliary resources: each URL is fetched once in a crawl, however many pages refer to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from wcspider.archive.journal.spool import Spool
from wcspider.archive.refresh.refresh_sink import is_gone
from wcspider.crawl.held_content import without_body
from wcspider.crawl.reading.parsing import resource_of
from wcspider.crawl.reading.source_contents import HTML
from wcspider.crawl.session import CaptureSession, session_of
from wcspider.downloading.conditional import NOT_MODIFIED, WHOLE, renewed
from wcspider.downloading.errors import reason_of
from wcspider.downloading.fetching.resource_requests import resource_request
from wcspider.downloading.retry import NOT_FETCHED
from wcspider.pdf.lru import LruCache
from wcspider.web.resources import Resource
from wcspider.webcapture.resource_limits import Allowance

MOST_AT_ONCE = 16
"""The number of resources of a page that are fetched at once if Scrapy's settings have no limit."""


INSTEAD_OF_IMAGE = "a page, in the place of the image"
"""The reason of an image for which a server sends HTML with status 200, such as a login page."""

BODILESS_KEPT = 1024
"""The number of resources that stay in memory without their bytes."""


class ResourceFetcher:
    """Fetches auxiliary resources into a spool, and keeps the reason for each URL that could not be fetched."""

    def __init__(self, crawler: Crawler, session: CaptureSession) -> None:
        self._crawler = crawler
        self._session = session
        self._at_once = crawler.settings.getint("CONCURRENT_REQUESTS") or MOST_AT_ONCE
        self._fetched = Spool(session.config.waiting_bytes)
        self._fetching: dict[str, asyncio.Future[None]] = {}
        self._without_body: LruCache[str, Resource] = LruCache(BODILESS_KEPT)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the fetcher of a crawl (`CaptureSession.shared`)."""
        return cls(crawler, session_of(crawler))

    def close(self) -> None:
        """Remove the spool."""
        self._fetched.close()

    def outcome(self, url: str) -> Resource | str | None:
        """Return the resource of a URL, or the reason why it could not be fetched; None if it was not requested."""
        if url not in self._fetched:
            return None
        outcome: Resource | str = self._fetched.get(url)
        return outcome

    def allowed(self, url: str, allowance: Allowance) -> Resource | None:
        """Return the resource of a URL without its bytes; None if there is none, or if the page may not have it."""
        resource = self._without_body.get(url)
        if resource is None:
            outcome = self.outcome(url)
            if not isinstance(outcome, Resource):
                return None
            resource = self._without_body.put(url, without_body(outcome))
        return resource if allowance.take(url, resource.length) else None

    async def fetch_all(self, urls: Iterable[str], allowance: Allowance, page: Request | None = None) -> None:
        """Fetch URLs, a few at once, until they exceed the allowance of a page."""
        missing = [url for url in urls if url not in self._fetched]
        remaining = iter(missing)
        size = 0

        async def fetch_some() -> None:
            nonlocal size
            for url in remaining:
                if allowance.exhausted_with(size):
                    return
                if url not in self._fetched:  # another page may have fetched it in the meantime
                    fetched = await self._fetch_once(url, page)
                    size += fetched

        await asyncio.gather(*(fetch_some() for _ in missing[: self._at_once]))

    async def fetch_whole(self, url: str, page: Request | None) -> Resource | str:
        """Return the resource of a URL with its bytes, or the reason for which there is none."""
        request = resource_request(url, page)
        request.meta[WHOLE] = True
        return await self._download(url, request)

    async def _fetch_once(self, url: str, page: Request | None) -> int:
        """Fetch a URL, or wait for the task that fetches it; return how many bytes were added."""
        while url in self._fetching:
            await self._fetching[url]
        if url in self._fetched:
            return 0
        done = self._fetching[url] = asyncio.get_running_loop().create_future()
        try:
            outcome = await self._fetch(url, page)
            self._fetched.put(url, outcome, len(outcome) if isinstance(outcome, str) else len(outcome.body))
            return size_of(outcome)
        finally:
            del self._fetching[url]
            done.set_result(None)

    async def _fetch(self, url: str, page: Request | None) -> Resource | str:
        """Return the resource of a URL, or a reason; a refresh takes the resource of the file if the server fails."""
        outcome = await self._download(url, resource_request(url, page))
        reason = _failure(outcome) if self._session.is_refresh else ""
        held = self._session.job.held.resource(url) if reason else None
        if held is None or (reason == INSTEAD_OF_IMAGE and not held.content_type.startswith("image/")):
            return outcome
        self._session.job.report.keep_resource(reason, url)
        return held

    async def _download(self, url: str, request: Request) -> Resource | str:
        assert self._crawler.engine is not None
        try:
            response: Response = await self._crawler.engine.download_async(request)
        except Exception as error:  # an error of any handler or middleware costs this resource only
            return reason_of(error)
        if response.status == NOT_MODIFIED:
            held = self._session.job.held.resource(url)
            if held is not None:
                return renewed(held, response, self._session.config.clock)
        if response.status != 200:
            return f"HTTP {response.status}"
        return resource_of(response, self._session.config.clock)


def _failure(outcome: Resource | str) -> str:
    """Return the reason for which a resource of the file stays; empty if the outcome of its URL replaces it.

    `INSTEAD_OF_IMAGE` is a reason only if the resource of the file is an image.
    """
    if isinstance(outcome, str):
        return "" if is_gone(outcome) or outcome == NOT_FETCHED else outcome
    return INSTEAD_OF_IMAGE if outcome.content_type in HTML else ""


def size_of(outcome: Resource | str | None) -> int:
    """Return the number of bytes that the outcome of a URL adds to a page."""
    return outcome.length if isinstance(outcome, Resource) else 0
