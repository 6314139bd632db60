"""The auxiliary pipeline: fetches the auxiliary resources of a page, and computes the identifier of its page set."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Self

from scrapy import Request
from scrapy.crawler import Crawler

from wcspider.crawl.reading.threads import in_thread
from wcspider.crawl.session import CaptureSession, capturing_session_of
from wcspider.downloading.fetching.resource_fetcher import ResourceFetcher, size_of
from wcspider.downloading.retry import NOT_FETCHED
from wcspider.exceptions import EngineError, TargetError, WorkersError
from wcspider.items import CaptureItem
from wcspider.pdf.image_frames import stand_in
from wcspider.pdf.lru import LruCache
from wcspider.web.references import Reference
from wcspider.web.resources import Auxiliary, AuxiliaryKind, Resource, is_refused_by_name
from wcspider.web.styles.css import MAX_IMPORT_DEPTH
from wcspider.web.styles.responsive import Viewport
from wcspider.web.styles.sheets import LARGE_SHEET, Sheet, read_sheet
from wcspider.webcapture.identifiers import page_set_identifier
from wcspider.webcapture.records import Outcome
from wcspider.webcapture.resource_limits import Allowance, note_of_unlisted
from wcspider.webcapture.scope import may_pull

SHEETS_KEPT = 64
"""The number of style sheets whose references are remembered."""


WRONG_SUFFIX = "a local file whose suffix is not that of a style sheet or font"

DIGESTED_AT_ONCE = 1024 * 1024
"""The size of a page with its resources up to which their digests are computed at once, in bytes: changing to a thread
takes longer."""

REFERENCES_AT_ONCE = 250
"""The number of references after which other work goes on."""


class _Gathering(NamedTuple):
    """The limits of a page, the viewport of its layout, and its request."""

    allowance: Allowance
    viewport: Viewport
    page: Request | None
    """The request whose cookies, proxy and login are used for the resources."""


class AuxiliaryPipeline:
    """Fills in the auxiliary resources of an item, in order of first reference, and its identifier (14.10.3.3)."""

    def __init__(self, crawler: Crawler, session: CaptureSession, resources: ResourceFetcher) -> None:
        self._crawler = crawler
        self._session = session
        self._resources = resources
        self._sheets: LruCache[tuple[str, str, Viewport, int], asyncio.Future[Sheet]] = LruCache(SHEETS_KEPT)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        session = capturing_session_of(crawler)
        return cls(crawler, session, session.shared(ResourceFetcher))

    def close_spider(self) -> None:
        """Remove the resources that were fetched."""
        self._resources.close()

    async def process_item(self, item: Any) -> Any:
        """Fetch the auxiliary resources of a page; a page of the file comes with its own."""
        if isinstance(item, CaptureItem) and item.outcome is Outcome.FETCHED:
            try:
                await self._identify(item)
            except (TargetError, WorkersError) as error:
                self._session.leave_to_next_run(item.resource.url, error)
        return item

    async def _identify(self, item: CaptureItem) -> None:
        """Fetch the auxiliary resources of a page, and compute its identifier."""
        job, page = self._session.job, item.resource
        config = self._session.config_of(item.command)
        allowance = Allowance(config.max_resources, config.max_resource_bytes)
        gathering = _Gathering(allowance, config.viewport, item.request)
        gathered = await self._gather(item.references, page.url, item.encoding, frozenset({page.url}), gathering)
        if allowance.unlisted:
            job.report.note_unlisted(note_of_unlisted(config.max_resources), page.url, allowance.unlisted)
        await self._take(item, {auxiliary.url: auxiliary for auxiliary in gathered}.values())
        if job.is_refresh and not job.has_pages_of(item.capture):
            await self._take(item, [await self._with_bytes(entry, item.request) for entry in item.auxiliaries])

    @staticmethod
    async def _take(item: CaptureItem, auxiliaries: Iterable[Auxiliary]) -> None:
        found = tuple(auxiliaries)
        resources = [item.resource, *(entry.resource for entry in found if entry.resource)]
        is_small = sum(len(resource.body) for resource in resources) < DIGESTED_AT_ONCE
        page = item.resource
        identifier = _identifier(page, found) if is_small else await in_thread(_identifier, page, found)
        item.update(auxiliaries=found, identifier=identifier)

    async def _with_bytes(self, auxiliary: Auxiliary, page: Request | None) -> Auxiliary:
        """Return an auxiliary resource with bytes that can be laid out.

        An image that the file holds is not fetched: a blank image of its size stands in for it.
        """
        job, resource = self._session.job, auxiliary.resource
        if resource is None or resource.held is None or resource.body:
            return auxiliary
        size = job.held.image_size(resource.held)
        if size is not None:
            body = stand_in(*size, name=auxiliary.url)
            return replace(auxiliary, resource=replace(resource, body=body, content_type="image/jpeg"))
        whole = await self._resources.fetch_whole(auxiliary.url, page)
        if isinstance(whole, Resource):
            return replace(auxiliary, resource=whole)
        self._leave_to_next_run(whole, auxiliary.url)
        job.report.lose_resource(whole, auxiliary.url)
        return replace(auxiliary, resource=None, problem=whole)

    async def _gather(
        self,
        references: Iterable[Reference],
        referrer: str,
        encoding: str,
        above: frozenset[str],
        gathering: _Gathering,
    ) -> list[Auxiliary]:
        """Return the auxiliary resources of references, each style sheet followed by the resources of its own.

        `above` holds the page and the style sheets between the page and these references. A reference to one of them
        closes a circle of imports, and is left out.
        """
        allowance = gathering.allowance
        named = (entry for entry in references if entry.url not in above)
        wanted = [entry async for entry in _with_pauses(named) if self._admitted(entry, allowance)]
        urls = [entry.url async for entry in _with_pauses(wanted) if not _refusal(entry, referrer)]
        await self._resources.fetch_all(urls, allowance, gathering.page)
        gathered: list[Auxiliary] = []
        async for reference in _with_pauses(wanted):
            auxiliary = self._auxiliary(reference, referrer, allowance)
            gathered.append(auxiliary)
            sheet = auxiliary.resource
            if sheet is None or reference.kind is not AuxiliaryKind.STYLESHEET or len(above) > MAX_IMPORT_DEPTH:
                continue
            if allowance.reads(reference.url, len(above)):
                nested = await self._nested(sheet, encoding, gathering)
                allowance.unlisted += nested.unread
                below = above | {reference.url}
                gathered += await self._gather(nested.references, sheet.url, nested.encoding, below, gathering)
        return gathered

    def _admitted(self, reference: Reference, allowance: Allowance) -> bool:
        if allowance.admit(reference.url):
            return True
        if allowance.lists(reference.url):
            self._session.job.report.skip_resource(allowance.too_many, reference.url)
        return False

    async def _nested(self, resource: Resource, encoding: str, gathering: _Gathering) -> Sheet:
        """Return the contents of a style sheet. Pages that share a sheet also wait for the same reading of it."""
        key = (resource.url, encoding, gathering.viewport, gathering.allowance.most_references)
        reading = self._sheets.get(key)
        if reading is None:
            reading = self._sheets.put(key, asyncio.ensure_future(self._read(resource, encoding, gathering)))
        return await asyncio.shield(reading)

    async def _read(self, resource: Resource, encoding: str, gathering: _Gathering) -> Sheet:
        """Read a style sheet, and report whether its last references were not read."""
        sheet = await self._read_somewhere(resource, encoding, gathering)
        if sheet.is_cut:
            self._session.job.report.note_cut_styles(resource.url)
        return sheet

    async def _read_somewhere(self, resource: Resource, encoding: str, gathering: _Gathering) -> Sheet:
        """Read a style sheet, in a worker process if it is large. A sheet on which a worker fails has no references."""
        reading = partial(
            read_sheet, encoding=encoding, viewport=gathering.viewport, most=gathering.allowance.most_references
        )
        body, charset, url = resource.body, resource.charset, resource.url
        if len(body) < LARGE_SHEET:
            return await in_thread(reading, body, charset, url)
        try:
            return await self._session.job.pool.run(reading, body, charset, url)
        except EngineError as error:
            self._session.job.report.note_cut_styles(url, f"its images and fonts are not fetched: {error.problem}")
            return Sheet((), encoding)

    def _auxiliary(self, reference: Reference, referrer: str, allowance: Allowance) -> Auxiliary:
        """Return the auxiliary resource of a reference, or the reason for which the page gets none."""
        if refusal := _refusal(reference, referrer):
            self._session.job.report.skip_resource(refusal, reference.url)
            return Auxiliary(reference.url, reference.kind, None, refusal)
        outcome = self._resources.outcome(reference.url)
        if outcome is None or not allowance.take(reference.url, size_of(outcome)):
            outcome = allowance.too_large
        if isinstance(outcome, Resource):
            return Auxiliary(reference.url, reference.kind, outcome)
        self._leave_to_next_run(outcome, referrer)
        self._session.job.report.skip_resource(outcome, reference.url)
        return Auxiliary(reference.url, reference.kind, None, outcome)

    def _leave_to_next_run(self, reason: str, url: str) -> None:
        """Drop a page if the crawl was stopped: the next run fetches it again, with all of its resources."""
        assert self._crawler.engine is not None
        if reason == NOT_FETCHED and not self._crawler.engine.running and not self._session.job.task.partial:
            self._session.leave_to_next_run(url, reason)


async def _with_pauses(references: Iterable[Reference]) -> AsyncIterator[Reference]:
    """Yield references, with pauses for other work: a page may have any number of references."""
    for number, reference in enumerate(references, 1):
        yield reference
        if not number % REFERENCES_AT_ONCE:
            await asyncio.sleep(0)


def _refusal(reference: Reference, referrer: str) -> str:
    """Return why a page may not have an auxiliary resource; empty if it may."""
    if not may_pull(referrer, reference.url):
        return "a page from the web may not reach it"
    return WRONG_SUFFIX if is_refused_by_name(reference.url, reference.kind) else ""


def _identifier(page: Resource, auxiliaries: Iterable[Auxiliary]) -> bytes:
    """Return the identifier of a page set. It also computes the digests that the writer needs later."""
    page.digest  # noqa: B018
    # By the URL after redirects: a resource contributes once, also if several URLs of the page redirect to it.
    digests = [(entry.resource.url, entry.resource.digest) for entry in auxiliaries if entry.resource]
    return page_set_identifier(page.body, digests)
