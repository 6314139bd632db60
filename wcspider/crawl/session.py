"""The capture session: what a crawl of Scrapy has to do with the file, from its first signal to its last."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured

from wcspider.archive.database.observed import Event
from wcspider.archive.run.writer import LOST
from wcspider.config import CaptureConfig
from wcspider.crawl.delivery import Shipment
from wcspider.crawl.file_name import output_path
from wcspider.crawl.job import Work
from wcspider.crawl.log import shorten
from wcspider.crawl.parsing import hops_of
from wcspider.crawl.tasks import Execution, Task, task_of
from wcspider.crawl.third_party import STOPPED, ItemsTask, advised, is_guest
from wcspider.engines.registry import product
from wcspider.exceptions import (
    CrawlStoppedError,
    NothingCapturedError,
    PagesCollapsedError,
    ShippingError,
    TargetError,
    TargetUnfinishedError,
    WebCaptureError,
)
from wcspider.items import CaptureItem
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.signals import file_finished, page_set_captured, page_set_dropped, page_set_replaced
from wcspider.web.urls import canonical_url, is_capturable
from wcspider.webcapture.order import Turn

logger = logging.getLogger(__name__)

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

    A spider takes part if it has ``arguments`` (`wcspider.crawl.arguments.CaptureArguments`); any other does if
    WEBCAPTURE_PDF names a file.
    """

    def __init__(self, crawler: Crawler, config: CaptureConfig) -> None:
        self.crawler = crawler
        self.config = config
        self.problem: WebCaptureError | None = None
        """What ended the session early."""

        self.captured_any = False
        self._work: Work | None = None
        self._counts: dict[str, int] = {}
        """What the crawl did, once it is over."""

        self._shipment = Shipment()
        self._is_shipping = False
        """It is still so at the end of a process that is stopped meanwhile: Scrapy does not wait then."""

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
        """Tell whether there is a file to capture into."""
        return self._work is not None

    @property
    def work(self) -> Work:
        """What is being done to the file; only for a session that is open."""
        assert self._work is not None
        return self._work

    @property
    def exit_status(self) -> int:
        """0 if something was captured and put in place, or nothing was to be captured; 1 if not.

        3 if the file is in place, and could not be shipped.
        """
        if self._work is None and self.problem is None:
            return 1 if self.captures else 0
        if isinstance(self.problem, ShippingError) or self._is_shipping:
            return 3
        return 0 if self.problem is None and self.captured_any else 1

    def spider_opened(self, spider: Any) -> None:
        """Open the target and begin its commands; a target that cannot be used ends the crawl before it begins."""
        if not self.captures:
            return
        if not is_guest(spider):
            shorten()
            if spider.problem is not None:
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
        self._work = work = Work.open(task, self.config, self._tell)
        if work.executions:
            spider.use([execution.command for execution in work.executions], [each.run for each in work.executions])
        work.begin()
        if work.is_resumed:
            logger.info("Going on with %s: %s pages are in it", work.target.part, work.report.captured)

    @property
    def is_refresh(self) -> bool:
        """Tell whether the file is brought up to date, so that what it holds need not be fetched again."""
        return self._work is not None and self._work.is_refresh

    @property
    def is_forced(self) -> bool:
        """Tell whether the user wants everything to be asked for."""
        return self._work is not None and self._work.task.force

    def config_of(self, command: int) -> CaptureConfig:
        """Return the settings with which one of the commands is executed."""
        execution = self._execution(command)
        return self.config if execution is None else execution.config

    def engine_of(self, command: int) -> str:
        """Return the product name of the engine of one of the commands."""
        execution = self._execution(command)
        return product(self.config.engine) if execution is None else execution.engine

    def _execution(self, command: int) -> Execution | None:
        """Return how a command is executed; None for the pages of a spider that has no commands."""
        executions = self._work.executions if self._work is not None else ()
        return executions[command] if executions else None

    def turn(self, turn: Turn[Any]) -> None:
        """Take what a position of the spider's reading order came to."""
        with self.guarded():
            self.work.writer.turn(turn)

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
        if not urls or self._work is None or not is_capturable(request.url):
            return
        if isinstance(self._work.task, ItemsTask):
            url = canonical_url(request.url)
            self._work.task.note_way(url, hops_of(urls, url))

    def leave_out(self, reason: str, url: str) -> None:
        """Note a page that comes to nothing before it has a place in the file."""
        if self._work is not None:
            self._work.report.omit_met(reason, url)

    def _tell(self, event: Event, page_set: PageSet) -> None:
        """Send the signal of what happened to a page set."""
        self.crawler.signals.send_catch_log(_SIGNALS[event], page_set=page_set, spider=self.crawler.spider)

    def item_error(self, item: Any) -> None:
        """Go on without an item that a pipeline failed on."""
        if not isinstance(item, CaptureItem) or self._work is None:
            return
        if item.key is not None:
            self._work.writer.failed(item.key, LOST)
        else:
            self.leave_out(LOST, item.resource.url)

    async def spider_closed(self, spider: Any, reason: str) -> None:
        """Put the file in place if the crawl came to its end and captured something; say what it holds."""
        work = self._work
        if work is None:
            return
        await (work.pool.close() if reason == FINISHED else work.pool.stop())
        try:
            if self.problem is not None:
                self._keep(work)
            elif self._is_wanted(work, reason):
                self._finish(work, spider, reason)
            else:
                self._pause(work, reason)
        except PagesCollapsedError as error:
            self._give_up(error)
            work.target.discard()  # the same command asks anew: the site may be right again
        except WebCaptureError as error:
            self._give_up(error)
            self._keep(work)
        finally:
            work.writer.close()
        if self.captured_any:
            await self._hand_on(work, spider)

    def _is_wanted(self, work: Work, reason: str) -> bool:
        """Tell whether what a crawl brought is to be put in place: it came to its end, or to a limit that was set."""
        if isinstance(work.task, ItemsTask):  # such a spider may close itself, for reasons of its own
            return reason not in STOPPED
        return reason == FINISHED or reason.startswith("closespider_") or work.task.partial

    def _finish(self, work: Work, spider: Any, reason: str) -> None:
        """Put the file in place, if there is anything in it that was captured."""
        try:
            work.target.check_unchanged()
        except TargetError:
            work.writer.commit()
            self._say(work, finished=False)
            raise
        left_over = spider.left_over() if work.executions else ()
        if work.settle(left_over, reason, is_finished=reason == FINISHED):
            self._say(work, finished=True)
            work.put_in_place()
            self.captured_any = True
        elif work.is_idle:
            work.target.discard()
        else:
            self._say(work, finished=False)
            work.target.discard()
            nothing = "nothing was changed, for no page could be fetched"
            told = nothing if work.is_refresh else "not written, for no page was captured"
            self._give_up(NothingCapturedError(f"{work.target.path}: {told}"))

    def _pause(self, work: Work, reason: str) -> None:
        """Leave what a stopped crawl has done to the same command."""
        work.writer.commit()
        self._say(work, finished=False)
        self._give_up(
            CrawlStoppedError(
                f"{work.target.path}: not written, for the crawl was stopped ({reason}); "
                f"what it captured is in {work.target.part}"
            )
        )
        work.target.keep()

    def _keep(self, work: Work) -> None:
        work.target.keep()
        if work.target.is_kept and not isinstance(self.problem, TargetUnfinishedError):
            logger.error("What was captured before is in %s: repeat the command to go on", work.target.part)

    def _say(self, work: Work, *, finished: bool) -> None:
        """Log the summary, and count for Scrapy's stats."""
        self._counts = work.counts()
        for name, count in self._counts.items():
            self.crawler.stats.set_value(f"webcapture/{name}", count)
        for line in work.summary(finished=finished):
            logger.info("%s", line)

    async def _hand_on(self, work: Work, spider: Any) -> None:
        """Tell that the file is in place, and ship it."""
        path = work.target.path
        await self.crawler.signals.send_catch_log_async(file_finished, path=path, counts=self._counts, spider=spider)
        self._is_shipping = bool(self._shipment.destinations)
        for problem in await self._shipment.send(path, spider):
            self._give_up(problem)
        self._is_shipping = False


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
