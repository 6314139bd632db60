"""The capture session: what one crawl holds open, from the first request to the rename of the file."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured

from wcspider.capture.order import Turn
from wcspider.capture.urls import canonical_url, is_capturable
from wcspider.config import CaptureConfig
from wcspider.engines.pool import WorkerPool
from wcspider.exceptions import (
    CrawlStoppedError,
    NothingCapturedError,
    PagesCollapsedError,
    ShippingError,
    TargetError,
    WebCaptureError,
)
from wcspider.guests import STOPPED, ItemsTask, advised, is_guest
from wcspider.items import CaptureItem
from wcspider.naming import output_path
from wcspider.pdf.contentsets import PageSet
from wcspider.pdf.runs import REFRESH, Run
from wcspider.reading import hops_of
from wcspider.shipping import Shipment
from wcspider.signals import file_finished, page_set_captured, page_set_dropped, page_set_replaced
from wcspider.store.contents import ContentsDesign
from wcspider.store.database import ContentDatabase
from wcspider.store.journal import Checkpoint, Journal
from wcspider.store.observed import Event, ObservedDatabase
from wcspider.store.omissions import Omissions
from wcspider.store.report import DEGRADED, GONE, KEPT, PAGE, RESOURCE, Report
from wcspider.store.target import Target
from wcspider.store.writer import LOST, Batch, CaptureWriter
from wcspider.tasks import Execution, Task, task_of

logger = logging.getLogger(__name__)

MEGABYTE = 1024 * 1024
FINISHED = "finished"
"""The reason of a spider that came to its end."""

TARGET_FAILED = "target_failed"
"""The reason of one that was closed because the file could not be written."""

_SIGNALS = {
    Event.CAPTURED: page_set_captured,
    Event.REPLACED: page_set_replaced,
    Event.DROPPED: page_set_dropped,
}


class CaptureSession:
    """Opens the target when the spider opens, and puts it in place, with a summary, when the spider closes.

    A spider takes part if it has ``arguments`` (`wcspider.arguments.CaptureArguments`); any other does if
    WEBCAPTURE_PDF names a file.
    """

    def __init__(self, crawler: Crawler, config: CaptureConfig) -> None:
        self.crawler = crawler
        self.config = config
        self.problem: WebCaptureError | None = None
        """What ended the session early."""

        self.captured_any = False
        self.counts: dict[str, int] = {}
        """What the crawl did, once it is over."""

        self.task: Task
        self._shipment = Shipment()
        self._is_shipping = False
        """It is still so at the end of a process that is stopped meanwhile: Scrapy does not wait then."""

        self._executions: list[Execution] = []
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
        crawler.signals.connect(session.request_dropped, signals.request_dropped)
        return session

    @property
    def captures(self) -> bool:
        """Tell whether the spider takes part."""
        return bool(self.config.pdf) or not is_guest(self.crawler.spider)

    @property
    def is_open(self) -> bool:
        """Tell whether there is a target to capture into."""
        return self._target is not None

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
        """0 if something was captured and put in place, or nothing was to be captured; 1 if not.

        3 if the file is in place, and could not be shipped.
        """
        if self._target is None and self.problem is None:
            return 1 if self.captures else 0
        if isinstance(self.problem, ShippingError) or self._is_shipping:
            return 3
        return 0 if self.problem is None and self.captured_any else 1

    def spider_opened(self, spider: Any) -> None:
        """Open the target and begin its commands; a target that cannot be used ends the crawl before it begins."""
        if not self.captures:
            return
        if not is_guest(spider) and spider.problem is not None:
            self._give_up(spider.problem)
            return
        try:
            moment = self.config.clock()
            task = self._task_of(spider, moment)
            self._shipment = Shipment.prepare(self.crawler, self.config.ship_to, task.path, moment)
            self._open(spider, task)
        except WebCaptureError as error:
            self._give_up(error)
            if is_guest(spider):
                raise CloseSpider(TARGET_FAILED) from error
            spider.problem = error

    def _task_of(self, spider: Any, moment: datetime) -> Task:
        """Return what a spider is to do with the file; its name takes the parameters that feeds have."""
        if is_guest(spider):
            return ItemsTask(output_path(self.config.pdf, spider, moment), spider.name)
        arguments = spider.arguments
        return task_of(replace(arguments, pdf=output_path(arguments.pdf, spider, moment)), self.config)

    def _open(self, spider: Any, task: Task) -> None:
        config = self.config
        self.task = task
        self._target = target = Target.open(task.path, task.purpose, fresh=task.fresh)
        try:
            self.database = ObservedDatabase(target.file, config.clock, self._tell)
            self._executions = task.executions(self.database)
        except WebCaptureError:
            target.discard()
            self._target = None
            raise
        if self._executions:
            spider.use(
                [execution.command for execution in self._executions], [execution.run for execution in self._executions]
            )
        batch = Batch(config.batch_pages, config.batch_bytes, timedelta(seconds=config.batch_seconds))
        self.writer = CaptureWriter(self.database, target.journal, batch, config.waiting_bytes, target.checkpoint)
        self.writer.keeper = task.keeper(self.database, target.journal, self.report)
        self.pool = WorkerPool(
            workers=config.worker_count,
            timeout=config.render_timeout,
            memory=config.render_memory * MEGABYTE or None,
        )
        if target.checkpoint.length:
            logger.info("Going on with %s: %s pages are in it", target.part, self.report.captured)
        else:
            task.begin(self.writer)

    @property
    def is_refresh(self) -> bool:
        """Tell whether the file is brought up to date, so that what it holds need not be fetched again."""
        return self._target is not None and self.task.kind == REFRESH

    @property
    def is_forced(self) -> bool:
        """Tell whether the user wants everything to be asked for."""
        return self._target is not None and self.task.force

    def config_of(self, command: int) -> CaptureConfig:
        """Return the settings with which one of the commands is executed."""
        return self._executions[command].config if self._executions else self.config

    def engine_of(self, command: int) -> str:
        """Return the product name of the engine of one of the commands."""
        return self._executions[command].engine if self._executions else self.config.engine

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
        self.problem = advised(error) if is_guest(self.crawler.spider) else error
        logger.error("%s", self.problem)

    def stop(self, error: WebCaptureError) -> None:
        """End the crawl because the file cannot be written."""
        if self.problem is None:
            self._give_up(error)
            assert self.crawler.spider is not None
            self.crawler.engine.close_spider(self.crawler.spider, TARGET_FAILED)

    def request_dropped(self, request: Request) -> None:
        """Keep the redirections to a page that a spider of another project has met already (14.10.5.2)."""
        urls = request.meta.get("redirect_urls")
        if urls and self._target is not None and isinstance(self.task, ItemsTask) and is_capturable(request.url):
            url = canonical_url(request.url)
            self.task.note_way(url, hops_of(urls, url))

    def leave_out(self, reason: str, url: str) -> None:
        """Note a page that comes to nothing before it has a place in the file."""
        if self._target is not None:
            self.report.omit_met(reason, url)

    def _tell(self, event: Event, page_set: PageSet) -> None:
        """Send the signal of what happened to a page set."""
        self.crawler.signals.send_catch_log(_SIGNALS[event], page_set=page_set, spider=self.crawler.spider)

    def item_error(self, item: Any) -> None:
        """Go on without an item that a pipeline failed on."""
        if not isinstance(item, CaptureItem) or self._target is None:
            return
        if item.key is not None:
            self.writer.failed(item.key, LOST)
        else:
            self.leave_out(LOST, item.resource.url)

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
        except PagesCollapsedError as error:
            self._give_up(error)
            self._target.discard()  # the same command asks anew: the site may be right again
        except WebCaptureError as error:
            self._give_up(error)
            self._keep()
        finally:
            self.writer.close()
        if self.captured_any:
            await self.crawler.signals.send_catch_log_async(
                file_finished, path=self._target.path, counts=self.counts, spider=spider
            )
            self._is_shipping = bool(self._shipment.destinations)
            for problem in await self._shipment.send(self._target.path, spider):
                self._give_up(problem)
            self._is_shipping = False

    async def _close_pool(self, reason: str) -> None:
        if reason == FINISHED:
            await self.pool.close()
        else:
            await self.pool.stop()

    def _is_wanted(self, spider: Any, reason: str) -> bool:
        """Tell whether what a crawl brought is to be put in place: it came to its end, or to a limit that was set."""
        if isinstance(self.task, ItemsTask):  # such a spider may close itself, for reasons of its own
            return reason not in STOPPED
        return reason == FINISHED or reason.startswith("closespider_") or self.task.partial

    def _finish(self, spider: Any, reason: str) -> None:
        """Account for everything, and put the file in place."""
        assert self._target is not None
        self.writer.settle()
        left_over = False
        for url in spider.left_over() if self._executions else ():
            self.report.omit_met(f"not reached before the crawl ended ({reason})", url)
            left_over = True
        if self.report.captured:
            is_complete = reason == FINISHED and not left_over
            self.task.settle(self.writer, is_complete=is_complete)
            settled = self.writer.commands if is_complete else []
            limit = self.config.max_omitted
            Omissions(self.database).update(self.report.left_out, self.writer.commands, limit, settled=settled)
            run = Run(self.task.kind, *self._target.base)
            design = ContentsDesign(self.config.contents, self.config.geometry, self.config.system_fonts)
            self.writer.finish(self.task.title or self._default_title(), run, design)
            self._say()
            self._target.finish()
            self.captured_any = True
            self.task.follow_up()
        elif isinstance(self.task, ItemsTask) and not self.report.omitted_count(PAGE):
            self._target.discard()  # a spider of a project that captures, and this one did not want to
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
        others = {what: self.report.omitted_count(what) for what in (DEGRADED, KEPT, GONE)}
        self.counts = {**self.report.counts(), **omitted, **others}
        for name, count in self.counts.items():
            self.crawler.stats.set_value(f"webcapture/{name}", count)
        path, length, limit = self._target.path, self.database.file.length, self.config.report_limit
        for line in self.report.lines(path, length, limit, refreshed=self.is_refresh):
            logger.info("%s", line)

    def _default_title(self) -> str:
        """Return the title of a new document: that of its first page set. An older document keeps its own."""
        if self.database.catalogue.title:
            return ""
        return self.writer.first_title


def session_of(crawler: Crawler) -> CaptureSession:
    """Return the session of a crawl."""
    session = crawler.get_extension(CaptureSession)
    if session is None:
        raise NotConfigured("the capture session is not enabled")
    return session


def capturing_session_of(crawler: Crawler) -> CaptureSession:
    """Return the session of a crawl; for the pipelines, which there is nothing to do for if nothing is captured."""
    session = session_of(crawler)
    if not session.captures:
        raise NotConfigured
    return session
