"""The capture session: what one crawl holds open, from the first request to the rename of the file."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from wcspider.capture.order import Turn
from wcspider.capture.records import Command
from wcspider.config import CaptureConfig
from wcspider.engines.pool import WorkerPool
from wcspider.engines.registry import engine_for
from wcspider.exceptions import CrawlStoppedError, NothingCapturedError, TargetError, WebCaptureError
from wcspider.items import CaptureItem
from wcspider.pdf.runs import CAPTURE, Run
from wcspider.store.database import ContentDatabase
from wcspider.store.journal import Checkpoint, Journal
from wcspider.store.report import DEGRADED, PAGE, RESOURCE, Report
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
    def journal(self) -> Journal:
        """What a crash must not lose."""
        return self.writer.journal

    @property
    def checkpoint(self) -> Checkpoint:
        """Where an unfinished crawl goes on; at position 0 for one that begins."""
        assert self._target is not None
        return self._target.checkpoint

    @property
    def exit_status(self) -> int:
        """0 if something was captured and put in place, or nothing was to be captured; 1 if not."""
        if self._target is None and self.problem is None:
            return 0
        return 0 if self.problem is None and self.captured_any else 1

    def spider_opened(self, spider: Any) -> None:
        """Open the target and begin its commands; a target that cannot be used ends the crawl before it begins."""
        if not hasattr(spider, "arguments") and not hasattr(spider, "problem"):
            return  # another project's spider, which captures nothing
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
        commands = [
            replace(command, engine=engine.internal_name(), settings=config.conversion_settings)
            for command in spider.commands
        ]
        self._target = Target.open(arguments.pdf, purpose_of(commands, arguments.title), fresh=arguments.fresh)
        self.pool = WorkerPool(
            workers=config.worker_count,
            timeout=config.render_timeout,
            memory=config.render_memory * MEGABYTE or None,
        )
        self._begin(commands)

    def _begin(self, commands: list[Command]) -> None:
        """Begin the work on the target, or go on with what was left in it."""
        assert self._target is not None
        config, target = self.config, self._target
        self.database = ContentDatabase(target.file, config.clock)
        batch = Batch(config.batch_pages, config.batch_bytes, timedelta(seconds=config.batch_seconds))
        self.writer = CaptureWriter(self.database, target.journal, batch, config.waiting_bytes, target.checkpoint)
        if target.checkpoint.length:
            logger.info("Going on with %s: %s pages are in it", target.part, self.report.captured)
        else:
            self.writer.begin(commands)

    def turn(self, turn: Turn[Any]) -> None:
        """Take what a position of the spider's reading order came to."""
        with self.guarded():
            self.writer.turn(turn)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """End the crawl, with one line, if the file cannot be written any more."""
        try:
            yield
        except TargetError as error:
            self.stop(error)

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
            if self.problem is not None:
                self._keep()
            elif not self._is_wanted(spider, reason):
                self._pause(reason)
            else:
                self._finish(spider, reason)
        except WebCaptureError as error:
            self._give_up(error)
            self._keep()
        finally:
            self.writer.close()

    async def _close_pool(self, reason: str) -> None:
        if reason == FINISHED:
            await self.pool.close()
        else:
            await self.pool.stop()

    def _is_wanted(self, spider: Any, reason: str) -> bool:
        """Tell whether what a crawl brought is to be put in place: it came to its end, or to a limit that was set."""
        return reason == FINISHED or reason.startswith("closespider_") or spider.arguments.partial

    def _finish(self, spider: Any, reason: str) -> None:
        """Account for everything, and put the file in place."""
        assert self._target is not None
        self.writer.settle()
        for url in spider.left_over():
            self.report.omit_page(f"not reached before the crawl ended ({reason})", url)
        if self.report.captured:
            run = Run(CAPTURE, *self._target.base)
            self.writer.finish(spider.arguments.title or self._default_title(), run)
            self._say()
            self._target.finish()
            self.captured_any = True
        else:
            self._say()
            self._target.discard()
            self._give_up(NothingCapturedError(f"{self._target.path}: not written, for no page was captured"))

    def _pause(self, reason: str) -> None:
        """Leave what a stopped crawl has done to the same command."""
        assert self._target is not None
        self.writer.commit()
        self._say()
        self._give_up(
            CrawlStoppedError(
                f"{self._target.path}: not written, for the crawl was stopped ({reason}); "
                f"what it captured is in {self._target.part}"
            )
        )
        self._target.keep()

    def _keep(self) -> None:
        assert self._target is not None
        logger.error("What was captured before is in %s: repeat the command to go on", self._target.part)
        self._target.keep()

    def _say(self) -> None:
        """Log the summary, and count for Scrapy's stats."""
        assert self._target is not None
        omitted = {f"omitted_{what}s": self.report.omitted_count(what) for what in (PAGE, RESOURCE)}
        counts = {**self.report.counts(), **omitted, "degraded": self.report.omitted_count(DEGRADED)}
        for name, count in counts.items():
            self.crawler.stats.set_value(f"webcapture/{name}", count)
        for line in self.report.lines(self._target.path, self.database.file.length, self.config.report_limit):
            logger.info("%s", line)

    def _default_title(self) -> str:
        """Return the title of a new document: that of its first page set. An older document keeps its own."""
        if self.database.catalogue.title:
            return ""
        return self.writer.first_title


def purpose_of(commands: Iterable[Command], title: str) -> str:
    """Return what unfinished work is recognised by: the commands of a run, without the secrets in them."""
    described = [
        {
            "url": command.url,
            "levels": command.levels,
            "flags": [command.same_site, command.same_path, command.submit, command.keep_data],
            "posted": None if command.data is None else hashlib.sha256(command.data).hexdigest(),
            "content_type": command.content_type,
            "headers": hashlib.sha256(repr((command.headers, sorted(command.kept_headers))).encode()).hexdigest(),
            "engine": command.engine,
            "settings": dict(command.settings),
        }
        for command in commands
    ]
    return json.dumps([title, described], sort_keys=True)


def session_of(crawler: Crawler) -> CaptureSession:
    """Return the session of a crawl; for the pipelines, which do nothing without one."""
    session = crawler.get_extension(CaptureSession)
    if session is None:
        raise NotConfigured("the capture session is not enabled")
    return session
