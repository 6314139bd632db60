"""The store pipeline: hands captures to the writer of the file."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from wcspider.archive.pages.packed import Rendered
from wcspider.crawl.reading.source_contents import HTML
from wcspider.crawl.session import CaptureSession, capturing_session_of
from wcspider.items import CaptureItem
from wcspider.webcapture.records import Outcome


class StorePipeline:
    """Stores captures in the file, in reading order."""

    def __init__(self, session: CaptureSession) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        return cls(capturing_session_of(crawler))

    def process_item(self, item: Any) -> Any:
        """Store a capture. Until a large one is stored, its item stays in the pipeline."""
        if isinstance(item, CaptureItem):
            with self._session.guarded():
                self._store(item)
            if self._session.is_storing:
                return self._stored(item)
        return item

    async def _stored(self, item: CaptureItem) -> CaptureItem:
        await self._session.stored()
        return item

    def _store(self, item: CaptureItem) -> None:
        writer = self._session.job.writer
        if item.key is None and not item.problem:
            writer.add(self._rendered(item))
        elif item.key is None:
            writer.report.skip_unlinked(item.problem, item.resource.url)
        elif item.problem and item.outcome is Outcome.FETCHED:
            writer.failed(item.key, item.problem)
        else:
            writer.captured(item.key, self._rendered(item))
        if item.capture.notice and not item.problem:
            writer.report.note_incomplete(item.capture.notice, item.resource.url)
        item.fragment = None  # the writer keeps it on disk until its turn; the item would keep it in memory

    def _rendered(self, item: CaptureItem) -> Rendered:
        is_scaled = item.resource.content_type in HTML
        zoom = self._session.config_of(item.command).geometry.preferred_zoom if is_scaled else None
        return Rendered(item.capture, item.fragment, zoom)
