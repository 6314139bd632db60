"""The tables of a crawl (``-O pages.csv``): Scrapy's feeds, with one line if one cannot be written."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import BlockingFeedStorage, FeedExporter, FeedSlot, FeedStorageProtocol

from wcspider.crawl.closing.delivery import failure, shown, store_copy
from wcspider.crawl.closing.local_copies import problem_of_place
from wcspider.crawl.closing.outputs import local_path
from wcspider.crawl.session import session_of
from wcspider.crawl.third_party import is_third_party
from wcspider.exceptions import ArgumentError, DeliveryError
from wcspider.program_names import file_command
from wcspider.units import format_count

logger = logging.getLogger(__name__)

_ELSEWHERE = "name a file in a folder that exists and that you may write to"


class Tables(FeedExporter):
    """Scrapy's exporter of feeds, which collects each feed in a temporary file and delivers it like a copy of FILE.

    So a feed that cannot be written leaves the older one as it is, and the exit status says so.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._problems: list[str] = []

    def open_spider(self, spider: Spider) -> None:
        """Open the feeds. A local file that cannot be written ends the crawl before its first request."""
        super().open_spider(spider)
        own: Any = spider
        if is_third_party(spider):
            return
        for slot in self.slots:
            path = local_path(slot.uri)
            problem = path and problem_of_place(path)
            if problem and own.problem is None:
                own.problem = ArgumentError(f"the table {path} cannot be written: {problem}", _ELSEWHERE)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Add an item to the feeds. If the temporary file cannot be written, no feed is delivered."""
        with self._noting(", ".join(shown(slot.uri) for slot in self.slots)):
            super().item_scraped(item, spider)

    async def close_spider(self, spider: Spider) -> None:
        """Deliver the feeds, unless the crawl captured no page: an older feed then stays as it is."""
        session = session_of(self.crawler)
        if session.captures and not (session.is_open and session.job.report.has_pages):
            self.slots = []
        await super().close_spider(spider)
        advice = ""
        if session.is_open:
            advice = f"for all pages: {file_command('list', session.job.target.path, '--json')}"
        session.note_undelivered([DeliveryError(problem, advice) for problem in self._problems])
        if session.held_before and self.slots:
            names = ", ".join(shown(slot.uri) for slot in self.slots)
            held = format_count(session.held_before, "page")
            incomplete = f"the table {names} does not contain the {held} captured before the crawl was continued"
            session.end.announcements.add(f"{incomplete}; {advice}", logging.WARNING)

    def _get_storage(self, uri: str, feed_options: dict[str, Any]) -> FeedStorageProtocol:
        return _Collected(super()._get_storage(uri, feed_options))

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        if not slot.itemcount and not (slot.store_empty and slot.batch_id == 1):
            return
        with self._noting(shown(slot.uri)):
            slot.start_exporting()
            slot.finish_exporting()
            with self._get_file(slot) as file:
                file.flush()
                assert isinstance(slot.storage, _Collected)
                await store_copy(slot.storage.storage, Path(file.name), spider)
            logger.info("Stored the table %s (%s)", shown(slot.uri), format_count(slot.itemcount, "row"))
        await self.crawler.signals.send_catch_log_async(signals.feed_slot_closed, slot=slot)

    @contextmanager
    def _noting(self, names: str) -> Iterator[None]:
        """Note an error, after which the feeds get no further items."""
        try:
            yield
        except Exception as error:  # a storage may raise anything
            self.slots = []
            self._problems.append(f"the table {names} was not written: {failure(error, names)}")


class _Collected(BlockingFeedStorage):
    """A temporary file in the place of a storage, which gets the feed when it is complete."""

    def __init__(self, storage: FeedStorageProtocol) -> None:
        self.storage = storage

    def _store_in_thread(self, file: Any) -> None:
        raise NotImplementedError
