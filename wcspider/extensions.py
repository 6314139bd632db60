"""The capture session: what one crawl holds open, from the first request to the rename of the file."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from wcspider.config import CaptureConfig
from wcspider.engines.pool import WorkerPool
from wcspider.engines.registry import engine_for
from wcspider.exceptions import ArgumentError, WebCaptureError
from wcspider.items import CaptureItem
from wcspider.store.database import ContentDatabase
from wcspider.store.report import Report
from wcspider.store.target import Target
from wcspider.store.writer import LOST, Batch, CaptureWriter

logger = logging.getLogger(__name__)

MEGABYTE = 1024 * 1024
FINISHED = "finished"
"""The reason of a spider that came to its end."""


class CaptureSession:
    """Opens the target when the spider opens, and puts it in place, with a summary, when the spider closes.

    A spider takes part if it has ``arguments`` (`wcspider.spiders.arguments.CaptureArguments`).
    """

    def __init__(self, crawler: Crawler, config: CaptureConfig) -> None:
        self.crawler = crawler
        self.config = config
        self.engine = config.engine
        self.problem: WebCaptureError | None = None
        """What ended the session early."""

        self.captured_any = False
        self._target: Target | None = None
        self.database: ContentDatabase
        self.writer: CaptureWriter
        self.pool: WorkerPool

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the session of a crawl."""
        try:
            config = CaptureConfig.from_settings(crawler.settings)
        except WebCaptureError as error:
            raise NotConfigured(str(error)) from error
        session = cls(crawler, config)
        crawler.signals.connect(session.spider_opened, signals.spider_opened)
        crawler.signals.connect(session.spider_closed, signals.spider_closed)
        crawler.signals.connect(session.item_error, signals.item_error)
        return session

    @property
    def report(self) -> Report:
        """What the crawl has done so far."""
        return self.writer.report

    @property
    def exit_status(self) -> int:
        """0 if something was captured and put in place, 1 if not."""
        return 0 if self.problem is None and self.captured_any else 1

    def spider_opened(self, spider: Any) -> None:
        """Open the target and begin its commands; a target that cannot be used ends the crawl before it begins."""
        if getattr(spider, "problem", None) is not None:
            self._give_up(spider.problem)
            return
        try:
            self._open(spider)
        except WebCaptureError as error:
            spider.problem = error
            self._give_up(error)

    def _open(self, spider: Any) -> None:
        config = self.config
        arguments = spider.arguments
        self.engine = arguments.engine or config.engine
        engine = engine_for(self.engine, "text/html")
        assert engine is not None
        self._target = Target.open(Path(arguments.pdf))
        self.database = ContentDatabase(self._target.revision_file(), config.clock)
        commands = [
            self.database.add_command(
                replace(command, engine=engine.internal_name(), settings=config.conversion_settings)
            )
            for command in spider.commands
        ]
        batch = Batch(config.batch_pages, config.batch_bytes)
        self.writer = CaptureWriter(self.database, commands, batch, config.waiting_bytes)
        self.pool = WorkerPool(
            workers=config.worker_count,
            timeout=config.render_timeout,
            memory=config.render_memory * MEGABYTE or None,
        )

    def _give_up(self, error: WebCaptureError) -> None:
        self.problem = error
        logger.error("%s", error)

    def stop(self, error: WebCaptureError) -> None:
        """End the crawl because the file cannot be written."""
        if self.problem is None:
            self._give_up(error)
            assert self.crawler.spider is not None
            self.crawler.engine.close_spider(self.crawler.spider, "target_failed")

    def item_error(self, item: Any) -> None:
        """Go on without an item that a pipeline failed on."""
        if isinstance(item, CaptureItem) and item.key is not None:
            self.writer.failed(item.key, LOST)

    async def spider_closed(self, spider: Any, reason: str) -> None:
        """Put the file in place if the crawl came to its end and captured something; say what it holds."""
        if self._target is None:
            return
        await self._close_pool(reason)
        try:
            self._settle(spider, reason)
            if self.problem is None and self.report.captured and self._is_wanted(spider, reason):
                self._finish(spider)
            else:
                self._abandon(reason)
        except WebCaptureError as error:
            self._give_up(error)
            self._target.abandon()
        self._count()

    async def _close_pool(self, reason: str) -> None:
        if reason == FINISHED:
            await self.pool.close()
        else:
            await self.pool.stop()

    def _settle(self, spider: Any, reason: str) -> None:
        """Account for what the crawl announced and did not bring."""
        if self.problem is None:
            self.writer.settle()
        for url in spider.left_over():
            self.report.omit_page(f"not reached before the crawl ended ({reason})", url)

    def _is_wanted(self, spider: Any, reason: str) -> bool:
        """Tell whether what a crawl brought is to be put in place: it came to its end, or to a limit that was set."""
        return reason == FINISHED or reason.startswith("closespider_") or spider.arguments.partial

    def _finish(self, spider: Any) -> None:
        assert self._target is not None
        arguments = spider.arguments
        self.writer.finish(arguments.title or self._default_title())
        size = self.database.file.length
        self.database.close()
        self._target.finish()
        self.captured_any = True
        for line in self.report.lines(self._target.path, size, self.config.report_limit):
            logger.info("%s", line)

    def _default_title(self) -> str:
        """Return the title of a new document: that of its first page set. An older document keeps its own."""
        if self.database.catalogue.title:
            return ""
        return self.writer.first_title

    def _abandon(self, reason: str) -> None:
        assert self._target is not None
        self.database.close()
        self._target.abandon()
        if self.problem is None and reason == FINISHED:
            self._give_up(ArgumentError(f"{self._target.path}: no page was captured, so no file was written"))
        elif self.problem is None:
            self._give_up(ArgumentError(f"{self._target.path}: the crawl was stopped ({reason}), nothing was written"))
        for line in self.report.lines(self._target.path, 0, self.config.report_limit):
            logger.info("%s", line)

    def _count(self) -> None:
        """Put the counts of the report into Scrapy's stats."""
        report = self.report
        counts = {
            "page_sets": report.page_sets,
            "known": report.known,
            "pages": report.pages,
            "image_sets": report.image_sets,
            "bytes_written": report.bytes_written,
            "omitted_pages": sum(map(len, report.omitted_pages.values())),
            "omitted_resources": sum(map(len, report.omitted_resources.values())),
            "degraded": sum(map(len, report.degraded.values())),
        }
        for name, count in counts.items():
            self.crawler.stats.set_value(f"webcapture/{name}", count)


def session_of(crawler: Crawler) -> CaptureSession:
    """Return the session of a crawl; for the pipelines, which do nothing without one."""
    session = crawler.get_extension(CaptureSession)
    if session is None:
        raise NotConfigured("the capture session is not enabled")
    return session
