"""The auxiliary pipeline: fetches what a page refers to, and computes the identifier of its page set."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from wcspider.capture.charset import decide, decode
from wcspider.capture.identifiers import page_set_identifier
from wcspider.capture.records import Auxiliary, AuxiliaryKind, Resource
from wcspider.capture.references import Reference
from wcspider.capture.scope import may_pull
from wcspider.capture.stylesheets import stylesheet_references
from wcspider.extensions import CaptureSession, session_of
from wcspider.items import CaptureItem
from wcspider.omissions import reason_of
from wcspider.pdf.recent import Recent
from wcspider.reading import resource_of
from wcspider.store.spool import Spool

DEEPEST_IMPORT = 8
"""How deep style sheets may import each other."""

SHEETS_KEPT = 64


class AuxiliaryPipeline:
    """Fills in `CaptureItem.auxiliaries`, in order of first reference, and `CaptureItem.identifier` (14.10.3.3).

    Each URL is fetched once in a crawl, however many pages refer to it.
    """

    def __init__(self, crawler: Crawler, session: CaptureSession) -> None:
        self.crawler = crawler
        self.session = session
        self._fetched = Spool(session.config.waiting_bytes)
        self._fetching: dict[str, asyncio.Future[None]] = {}
        self._sheets: Recent[tuple[str, str], tuple[tuple[Reference, ...], str]] = Recent(SHEETS_KEPT)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        return cls(crawler, session_of(crawler))

    def close_spider(self) -> None:
        """Let go of what was fetched."""
        self._fetched.close()

    async def process_item(self, item: Any) -> Any:
        """Fetch the auxiliary resources of a page."""
        if isinstance(item, CaptureItem):
            page = item.resource
            gathered = await self._gather(item.references, page.url, item.encoding, frozenset({page.url}))
            item.auxiliaries = tuple({auxiliary.url: auxiliary for auxiliary in gathered}.values())
            digests = [(entry.url, entry.resource.digest) for entry in item.auxiliaries if entry.resource]
            item.identifier = page_set_identifier(page.body, digests)
        return item

    async def _gather(
        self, references: Iterable[Reference], referrer: str, encoding: str, above: frozenset[str]
    ) -> list[Auxiliary]:
        """Return references with what they refer to, each style sheet followed by what it refers to in turn.

        `above` holds the URLs that led here: a style sheet that imports one of them imports itself.
        """
        wanted = [reference for reference in references if reference.url not in above]
        branches = await asyncio.gather(*(self._branch(entry, referrer, encoding, above) for entry in wanted))
        return [auxiliary for branch in branches for auxiliary in branch]

    async def _branch(
        self, reference: Reference, referrer: str, encoding: str, above: frozenset[str]
    ) -> list[Auxiliary]:
        auxiliary = await self._auxiliary(reference, referrer)
        resource = auxiliary.resource
        if resource is None or reference.kind is not AuxiliaryKind.STYLESHEET or len(above) > DEEPEST_IMPORT:
            return [auxiliary]
        nested, own_encoding = self._nested(resource, encoding)
        below = await self._gather(nested, resource.url, own_encoding, above | {reference.url})
        return [auxiliary, *below]

    def _nested(self, resource: Resource, encoding: str) -> tuple[tuple[Reference, ...], str]:
        """Return what a style sheet refers to, and its encoding. All pages of a site tend to have the same sheets."""
        key = (resource.url, encoding)
        known = self._sheets.get(key)
        if known is not None:
            return known
        decision = decide(
            resource.body, resource.charset, link_charset=encoding, media_type="text/css", default="utf-8"
        )
        text = decode(resource.body, decision)
        found = stylesheet_references(
            text, resource.url, viewport=self.session.config.viewport, encoding=decision.encoding
        )
        return self._sheets.put(key, (found, decision.encoding))

    async def _auxiliary(self, reference: Reference, referrer: str) -> Auxiliary:
        if not may_pull(referrer, reference.url):
            return Auxiliary(reference.url, reference.kind, None, "a page from the web may not reach it")
        if reference.url not in self._fetched:
            await self._fetch_once(reference.url)
        outcome: Resource | str = self._fetched.get(reference.url)
        if isinstance(outcome, str):
            self.session.report.omit_resource(outcome, reference.url)
            return Auxiliary(reference.url, reference.kind, None, outcome)
        return Auxiliary(reference.url, reference.kind, outcome)

    async def _fetch_once(self, url: str) -> None:
        """Fetch a URL into the spool, or wait for the one who is at it."""
        if url in self._fetching:
            await self._fetching[url]
            return
        done = self._fetching[url] = asyncio.get_running_loop().create_future()
        try:
            outcome = await self._fetch(url)
            self._fetched.put(url, outcome, len(outcome if isinstance(outcome, str) else outcome.body))
        finally:
            del self._fetching[url]
            done.set_result(None)

    async def _fetch(self, url: str) -> Resource | str:
        """Return what a URL gives, or why it gives nothing."""
        try:
            response: Response = await self.crawler.engine.download_async(Request(url))
        except Exception as error:  # whatever a download handler or a middleware raises costs this resource only
            return reason_of(error)
        if response.status != 200:
            return f"HTTP {response.status}"
        return resource_of(response, self.session.config.clock)
