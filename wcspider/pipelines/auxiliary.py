"""The auxiliary pipeline: fetches what a page refers to, and computes the identifier of its page set."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response

from wcspider.archive.journal.spool import Spool
from wcspider.archive.refresh.refresh_sink import is_removed
from wcspider.crawl.parsing import CAPTURABLE, media_type, read_page, resource_of
from wcspider.crawl.session import CaptureSession, capturing_session_of
from wcspider.downloading.conditional import NOT_MODIFIED, WHOLE, held_page, held_resource, is_laid_out, renewed
from wcspider.downloading.errors import reason_of
from wcspider.downloading.resource_requests import resource_request
from wcspider.downloading.retry import NOT_FETCHED
from wcspider.items import CaptureItem
from wcspider.pdf.image_frames import stand_in
from wcspider.pdf.lru import LruCache
from wcspider.web.charset import decide, decode
from wcspider.web.css import stylesheet_references
from wcspider.web.references import Reference
from wcspider.web.resources import Auxiliary, AuxiliaryKind, Resource
from wcspider.web.responsive import Viewport
from wcspider.web.urls import canonical_url
from wcspider.webcapture.identifiers import page_set_identifier
from wcspider.webcapture.records import Outcome
from wcspider.webcapture.resource_limits import Allowance
from wcspider.webcapture.scope import may_pull

DEEPEST_IMPORT = 8
"""How deep style sheets may import each other."""

SHEETS_KEPT = 64

CHANGED_MEANWHILE = "is another page than it said a moment before"
"""Why a page is kept as it was that held still, and was something else when it was fetched to be laid out anew."""

MOST_AT_ONCE = 16
"""How many resources of a page are fetched at once where Scrapy's settings set no limit."""


class _Gathering(NamedTuple):
    """What a page may have, and what it is laid out for."""

    allowance: Allowance
    viewport: Viewport
    page: Request | None
    """The request of the page, where its resources are to be sent like it."""


class AuxiliaryPipeline:
    """Fills in `CaptureItem.auxiliaries`, in order of first reference, and `CaptureItem.identifier` (14.10.3.3).

    Each URL is fetched once in a crawl, however many pages refer to it.
    """

    def __init__(self, crawler: Crawler, session: CaptureSession) -> None:
        self.crawler = crawler
        self.session = session
        self._at_once = crawler.settings.getint("CONCURRENT_REQUESTS") or MOST_AT_ONCE
        self._fetched = Spool(session.config.waiting_bytes)
        self._fetching: dict[str, asyncio.Future[None]] = {}
        self._sheets: LruCache[tuple[str, str, Viewport], tuple[tuple[Reference, ...], str]] = LruCache(SHEETS_KEPT)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        return cls(crawler, capturing_session_of(crawler))

    def close_spider(self) -> None:
        """Let go of what was fetched."""
        self._fetched.close()

    async def process_item(self, item: Any) -> Any:
        """Fetch the auxiliary resources of a page."""
        if isinstance(item, CaptureItem):
            if item.outcome is Outcome.UNCHANGED and not await self._holds(item):
                await self._fetch_page(item)
            if item.outcome is Outcome.FETCHED:
                await self._identify(item)
        return item

    async def _identify(self, item: CaptureItem) -> None:
        """Fetch what a page refers to, and compute its identifier."""
        page = item.resource
        viewport = self.session.config_of(item.command).viewport
        gathering = _Gathering(self._allowance(item), viewport, item.request)
        gathered = await self._gather(item.references, page.url, item.encoding, frozenset({page.url}), gathering)
        item.auxiliaries = tuple({auxiliary.url: auxiliary for auxiliary in gathered}.values())
        item.identifier = _identifier(item)
        if self.session.is_refresh and not is_laid_out(self.session, item):
            item.auxiliaries = tuple([await self._at_hand(entry, item.request) for entry in item.auxiliaries])
            item.identifier = _identifier(item)

    def _allowance(self, item: CaptureItem) -> Allowance:
        config = self.session.config_of(item.command)
        return Allowance(config.max_resources, config.max_resource_bytes)

    # What a refresh need not fetch

    async def _holds(self, item: CaptureItem) -> bool:
        """Tell whether the auxiliaries of a page that has not changed are what they were."""
        auxiliaries = self.session.job.database.auxiliaries
        held = held_page(self.session.job.database, item.resource.url)
        records = [] if held is None else [auxiliaries.record(entry) for entry in held[1].auxiliaries]
        allowance = self._allowance(item)
        urls = [entry.url for entry in records if may_pull(item.resource.url, entry.url)]
        await self._fetch_all(urls, allowance, item.request)
        given = {url: self._given(url, allowance) for url in urls}
        item.auxiliaries = tuple(Auxiliary(entry.url, entry.kind, given.get(entry.url)) for entry in records)
        return held is not None and all(record.holds(given.get(record.url)) for record in records)

    def _given(self, url: str, allowance: Allowance) -> Resource | None:
        """Return what a page gets of a URL, without its bytes; None if it gets nothing."""
        outcome: Resource | str = self._fetched.get(url) if url in self._fetched else ""
        if isinstance(outcome, str) or not allowance.take(url, outcome.length):
            return None
        return replace(outcome, body=b"", held=outcome.digest, held_length=outcome.length)

    async def _fetch_page(self, item: CaptureItem) -> None:
        """Fetch a page that has not changed, but has to be laid out anew, for one of its auxiliaries has."""
        try:
            request = Request(item.resource.url, meta={WHOLE: True})
            response: Response = await self.crawler.engine.download_async(request)
        except Exception as error:  # whatever it is, the page is kept as it was
            item.outcome, item.problem = Outcome.FAILED, reason_of(error)
            self._leave_to_next_run(item.problem, item.resource.url)
            return
        kind = media_type(response)
        if response.status != 200 or kind not in CAPTURABLE or canonical_url(response.url) != item.resource.url:
            item.outcome, item.problem = Outcome.FAILED, CHANGED_MEANWHILE
            return
        config = self.session.config_of(item.command)
        read = read_page(
            resource_of(response, config.clock),
            link_charset=item.link_charset,
            default_charset=config.default_charset,
            viewport=config.viewport,
        )
        page = read.item
        item.resource, item.encoding, item.references = page.resource, page.encoding, page.references
        item.title, item.text_identifier, item.outcome = page.title, page.text_identifier, Outcome.FETCHED
        item.links = () if read.nofollow and not config.follow_nofollow else page.links

    async def _at_hand(self, auxiliary: Auxiliary, page: Request | None) -> Auxiliary:
        """Return an auxiliary with something to lay out: its bytes, or what stands for an image that the file has."""
        resource = auxiliary.resource
        if resource is None or resource.held is None or resource.body:
            return auxiliary
        size = self.session.job.database.images.size(resource.held)
        if size is not None:
            body = stand_in(*size, name=auxiliary.url)
            return replace(auxiliary, resource=replace(resource, body=body, content_type="image/jpeg"))
        request = resource_request(auxiliary.url, page)
        request.meta[WHOLE] = True
        whole = await self._download(auxiliary.url, request)
        if isinstance(whole, Resource):
            return replace(auxiliary, resource=whole)
        self._leave_to_next_run(whole, auxiliary.url)
        self.session.job.report.skip_resource(whole, auxiliary.url)
        return replace(auxiliary, resource=None, problem=whole)

    async def _gather(
        self,
        references: Iterable[Reference],
        referrer: str,
        encoding: str,
        above: frozenset[str],
        gathering: _Gathering,
    ) -> list[Auxiliary]:
        """Return references with what they refer to, each style sheet followed by what it refers to in turn.

        `above` holds the URLs that led here: a style sheet that imports one of them imports itself.
        """
        allowance = gathering.allowance
        wanted = [entry for entry in references if entry.url not in above and self._admitted(entry, allowance)]
        urls = (entry.url for entry in wanted if may_pull(referrer, entry.url))
        await self._fetch_all(urls, allowance, gathering.page)
        gathered: list[Auxiliary] = []
        for reference in wanted:
            auxiliary = self._auxiliary(reference, referrer, allowance)
            gathered.append(auxiliary)
            sheet = auxiliary.resource
            if sheet is None or reference.kind is not AuxiliaryKind.STYLESHEET or len(above) > DEEPEST_IMPORT:
                continue
            if allowance.reads(reference.url, len(above)):
                nested, own_encoding = self._nested(sheet, encoding, gathering.viewport)
                below = above | {reference.url}
                gathered += await self._gather(nested, sheet.url, own_encoding, below, gathering)
        return gathered

    def _admitted(self, reference: Reference, allowance: Allowance) -> bool:
        if allowance.admit(reference.url):
            return True
        self.session.job.report.skip_resource(allowance.too_many, reference.url)
        return False

    def _nested(self, resource: Resource, encoding: str, viewport: Viewport) -> tuple[tuple[Reference, ...], str]:
        """Return what a style sheet refers to, and its encoding. All pages of a site tend to have the same sheets."""
        key = (resource.url, encoding, viewport)
        known = self._sheets.get(key)
        if known is not None:
            return known
        decision = decide(
            resource.body, resource.charset, link_charset=encoding, media_type="text/css", default="utf-8"
        )
        text = decode(resource.body, decision)
        found = stylesheet_references(text, resource.url, viewport=viewport, encoding=decision.encoding)
        return self._sheets.put(key, (found, decision.encoding))

    def _auxiliary(self, reference: Reference, referrer: str, allowance: Allowance) -> Auxiliary:
        """Return what a page gets of a URL that was fetched, or why it gets nothing."""
        if not may_pull(referrer, reference.url):
            return Auxiliary(reference.url, reference.kind, None, "a page from the web may not reach it")
        outcome: Resource | str = allowance.too_large
        if reference.url in self._fetched:
            fetched = self._fetched.get(reference.url)
            outcome = fetched if allowance.take(reference.url, _size(fetched)) else outcome
        if isinstance(outcome, Resource):
            return Auxiliary(reference.url, reference.kind, outcome)
        self._leave_to_next_run(outcome, referrer)
        self.session.job.report.skip_resource(outcome, reference.url)
        return Auxiliary(reference.url, reference.kind, None, outcome)

    def _leave_to_next_run(self, reason: str, url: str) -> None:
        """Drop a page if the crawl ends to be gone on with: it is better fetched again than kept in part."""
        if reason == NOT_FETCHED and not self.crawler.engine.running and not self.session.job.task.partial:
            raise DropItem(f"{url} is left to the next run: {reason}", log_level="DEBUG")

    async def _fetch_all(self, urls: Iterable[str], allowance: Allowance, page: Request | None = None) -> None:
        """Fetch URLs into the spool, a few at once, until they are more than a page may have."""
        remaining = iter(urls)
        size = 0

        async def work() -> None:
            nonlocal size
            for url in remaining:
                if allowance.exhausted_with(size):
                    return
                if url not in self._fetched:
                    fetched = await self._fetch_once(url, page)
                    size += fetched

        await asyncio.gather(*(work() for _ in range(self._at_once)))

    async def _fetch_once(self, url: str, page: Request | None) -> int:
        """Fetch a URL into the spool, or wait for the one who is at it; return how many bytes were added."""
        if url in self._fetching:
            await self._fetching[url]
            return 0
        done = self._fetching[url] = asyncio.get_running_loop().create_future()
        try:
            outcome = await self._fetch(url, page)
            self._fetched.put(url, outcome, len(outcome) if isinstance(outcome, str) else len(outcome.body))
            return _size(outcome)
        finally:
            del self._fetching[url]
            done.set_result(None)

    async def _fetch(self, url: str, page: Request | None) -> Resource | str:
        """Return what a URL gives, or why it gives nothing; in a refresh, what the file holds while that is so."""
        outcome = await self._download(url, resource_request(url, page))
        if isinstance(outcome, str) and self.session.is_refresh and not is_removed(outcome) and outcome != NOT_FETCHED:
            held = held_resource(self.session.job.database, url)
            if held is not None:
                self.session.job.report.keep_resource(outcome, url)
                return held
        return outcome

    async def _download(self, url: str, request: Request) -> Resource | str:
        try:
            response: Response = await self.crawler.engine.download_async(request)
        except Exception as error:  # whatever a download handler or a middleware raises costs this resource only
            return reason_of(error)
        if response.status == NOT_MODIFIED:
            held = held_resource(self.session.job.database, url)
            if held is not None:
                return renewed(held, response, self.session.config.clock)
        if response.status != 200:
            return f"HTTP {response.status}"
        return resource_of(response, self.session.config.clock)


def _identifier(item: CaptureItem) -> bytes:
    """Return the digital identifier of an item's page set (14.10.3.3).

    A resource contributes once, also if the page refers to it by its URL and by URLs that redirect to it.
    """
    digests: dict[str, bytes] = {}
    for resource in (entry.resource for entry in item.auxiliaries):
        if resource is not None:
            digests.setdefault(resource.url, resource.digest)
    return page_set_identifier(item.resource.body, digests.items())


def _size(outcome: Resource | str) -> int:
    """Return how much a page gets with what a URL gave."""
    return 0 if isinstance(outcome, str) else outcome.length
