"""The capture session: the Scrapy extension that opens, fills and replaces the file of a crawl."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, NoReturn, Self, TypeVar

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DropItem, NotConfigured
from scrapy.utils.misc import build_from_crawler

from wcspider.archive.database.observed import Event
from wcspider.archive.run.writer import LOST
from wcspider.config import CaptureConfig
from wcspider.crawl.arguments import CaptureArguments
from wcspider.crawl.closing.crawl_end import FINISHED
from wcspider.crawl.closing.delivery import Delivery
from wcspider.crawl.closing.outputs import REFUSED, check_outputs
from wcspider.crawl.closing.session_end import SessionEnd
from wcspider.crawl.inputs.file_name import output_path
from wcspider.crawl.job import CaptureJob
from wcspider.crawl.messages.announcements import Announcements
from wcspider.crawl.messages.log import shorten
from wcspider.crawl.processes.garbage import collect_rarely
from wcspider.crawl.processes.pools import Pools
from wcspider.crawl.reading.parsing import ParsedPage
from wcspider.crawl.tasks import Execution, Task, task_of
from wcspider.crawl.third_party import ItemsTask, is_third_party
from wcspider.engines.registry import product
from wcspider.exceptions import DeliveryError, ExitStatus, TargetError, WebCaptureError, WorkersFailedError
from wcspider.items import CaptureItem
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.signals import page_set_captured, page_set_dropped, page_set_replaced
from wcspider.steps import Slices
from wcspider.units import format_count
from wcspider.webcapture.order import Turn

logger = logging.getLogger(__name__)

Part = TypeVar("Part")

AHEAD = 2
"""The number of workers that are started before the first page of a capture arrives."""

JOBDIR_ADVICE = "JOBDIR does not request it again: continue without JOBDIR"

TARGET_FAILED = "target_failed"
"""The finish reason of a spider that was closed because the file could not be used."""

_SIGNALS = {
    Event.CAPTURED: page_set_captured,
    Event.REPLACED: page_set_replaced,
    Event.DROPPED: page_set_dropped,
}


class CaptureSession:
    """Opens the target when the spider opens; replaces FILE and logs a summary when the spider closes.

    wcspider's own spiders name the file in their arguments (`wcspider.crawl.arguments.CaptureArguments`), spiders of
    other projects in the setting WEBCAPTURE_PDF.
    """

    def __init__(self, crawler: Crawler, config: CaptureConfig) -> None:
        self.crawler = crawler
        self.config = config
        self.pools = Pools(config)
        self.end = SessionEnd(crawler, config.clock, Announcements(logger))
        self._job: CaptureJob | None = None
        self._is_started = False
        """True once the engine of Scrapy runs. It then sends a signal when it has stopped."""

        self._has_warned = False
        self._closing: asyncio.Future[None] | None = None
        """The task that closes the spider after an error, kept so that it is not garbage."""

        self._shared: dict[type[Any], Any] = {}
        self._undelivered: list[DeliveryError] = []
        self.held_before = 0
        """The number of pages that an unfinished crawl had captured, which this crawl continues."""

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
        crawler.signals.connect(session.engine_started, signals.engine_started)
        crawler.signals.connect(session.engine_stopped, signals.engine_stopped)
        crawler.signals.connect(session.item_error, signals.item_error)
        crawler.signals.connect(session.end.request_sent, signals.request_reached_downloader)
        crawler.signals.connect(session.end.server_answered, signals.response_downloaded)
        session._start_workers()
        return session

    def _start_workers(self) -> None:
        """Start the first workers of a capture: they load their libraries while Scrapy loads the rest of its own.

        A refresh may need none, because most pages have not changed.
        """
        arguments = getattr(self.crawler.spider, "arguments", None)
        if isinstance(arguments, CaptureArguments):
            is_single = len(arguments.commands) == 1 and arguments.commands[0].levels == 1
            self.pools.layout.start_ahead(1 if is_single else min(AHEAD, self.config.worker_count))

    @property
    def captures(self) -> bool:
        """True if the pages of the spider go into a file."""
        return bool(self.config.pdf) or not is_third_party(self.crawler.spider)

    @property
    def is_open(self) -> bool:
        """True if the file is open."""
        return self._job is not None

    @property
    def job(self) -> CaptureJob:
        """The job on the file; only for a session that is open."""
        assert self._job is not None
        return self._job

    @property
    def exit_status(self) -> ExitStatus:
        """The exit status of the command that ran the crawl."""
        is_capture = self.captures or self.end.problem is not None
        status = self.end.exit_status if is_capture else ExitStatus.SUCCESS
        return ExitStatus.NOT_DELIVERED if self._undelivered and status is ExitStatus.SUCCESS else status

    def shared(self, kind: type[Part]) -> Part:
        """Return the object of a class that all stages of this crawl share; the first call makes it."""
        if kind not in self._shared:
            self._shared[kind] = build_from_crawler(kind, self.crawler)
        part: Part = self._shared[kind]
        return part

    def spider_opened(self, spider: Any) -> None:
        """Open the target and begin the task; a target that cannot be used ends the crawl before its first request."""
        if not self.captures:
            return
        if not is_third_party(spider):
            shorten()
            if spider.problem is not None:
                self.end.give_up(spider.problem)
                return
        try:
            moment = self.config.clock()
            task = self._task_of(spider, moment)
            if refused := self.crawler.settings.get(REFUSED):
                raise refused
            check_outputs(self.crawler.settings, task.path)
            if self.config.report:
                self.end.report_path = output_path(self.config.report, spider, moment, task.path)
            self.end.delivery = Delivery.prepare(self.crawler, self.config.ship_to, task.path, moment)
            self._open(spider, task)
        except WebCaptureError as error:
            self.end.give_up(error)
            if is_third_party(spider):
                raise CloseSpider(TARGET_FAILED) from error
            spider.problem = error

    def _task_of(self, spider: Any, moment: datetime) -> Task:
        """Return the task of a spider. The name of the file may have the parameters of Scrapy's feeds."""
        if is_third_party(spider):
            items = ItemsTask(output_path(self.config.pdf, spider, moment), spider.name)
            self.crawler.signals.connect(items.note_dropped, signals.request_dropped)
            return items
        arguments = spider.arguments
        return task_of(replace(arguments, pdf=output_path(arguments.pdf, spider, moment)), self.config)

    def _open(self, spider: Any, task: Task) -> None:
        slices = Slices(_later, self._storing_failed, self._stored)
        self._job = job = CaptureJob.open(task, self.config, self._tell, slices, self.pools.layout)
        job.begin()
        collect_rarely()
        if job.executions:
            spider.prepare(self)
        for line in task.warnings():
            self.end.announcements.add(line, logging.WARNING)
        if job.is_resumed:
            self.held_before = job.report.captured
            held = format_count(self.held_before, "page")
            self.end.announcements.add(f"Continuing the unfinished crawl in {job.target.part}: it holds {held}")

    @property
    def is_refresh(self) -> bool:
        """True if the file is brought up to date, so that unchanged pages need not be fetched again."""
        return self._job is not None and self._job.is_refresh

    @property
    def is_forced(self) -> bool:
        """True if the user wants pages to be requested that have not expired."""
        return self._job is not None and self._job.task.force

    def config_of(self, command: int) -> CaptureConfig:
        """Return the settings with which a command is executed."""
        execution = self._execution(command)
        return self.config if execution is None else execution.config

    def engine_of(self, command: int) -> str:
        """Return the product name of the engine of a command."""
        execution = self._execution(command)
        return product(self.config.engine) if execution is None else execution.engine

    def _execution(self, command: int) -> Execution | None:
        return None if self._job is None else self._job.execution(command)

    def take_turn(self, turn: Turn[Any]) -> None:
        """Take the next turn of the spider's reading order."""
        with self.guarded():
            self.job.writer.turn(turn)

    @property
    def is_storing(self) -> bool:
        """True while pages are stored in slices."""
        return self._job is not None and self._job.writer.is_busy

    async def stored(self) -> None:
        """Wait until everything that has its turn is stored."""
        await self.job.writer.caught_up()

    def _stored(self) -> None:
        spider: Any = self.crawler.spider
        if not is_third_party(spider):
            spider.pages_stored()

    def _storing_failed(self, error: Exception) -> None:
        with self.guarded():
            raise error

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """End the crawl with one line if the file can no longer be written."""
        try:
            yield
        except TargetError as error:
            self.stop(error)

    def stop(self, error: WebCaptureError) -> None:
        """End the crawl because the file cannot be written."""
        if self.end.problem is None:
            self.end.give_up(error)
            assert self.crawler.engine is not None
            self._closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=TARGET_FAILED))

    def leave_to_next_run(self, url: str, reason: object) -> NoReturn:
        """Drop a page that the next run fetches again; end this crawl if its file or its workers have failed."""
        if isinstance(reason, TargetError | WorkersFailedError):
            self.stop(reason)
        if is_third_party(self.crawler.spider) and self.crawler.settings["JOBDIR"]:  # the scheduler knows its request
            self.skip(f"not laid out before the crawl was stopped ({JOBDIR_ADVICE})", url)
        raise DropItem(f"{url} is left to the next run: {reason}", log_level="DEBUG")

    def note_failure(self, url: str, reason: str) -> None:
        """Note a page that the server refused."""
        if self._job is not None:
            self._job.task.note_failure(url, reason)

    def warn_if_not_stored(self) -> None:
        """Log one warning per crawl if capture items arrive, but no file is set."""
        if not self.captures and not self._has_warned:
            self._has_warned = True
            logger.warning("Capture items are not stored: set WEBCAPTURE_PDF to the name of a PDF file")

    def skip(self, reason: str, url: str) -> None:
        """Report a page that is skipped before it has a place in the file."""
        if self._job is not None:
            self._job.report.skip_unlinked(reason, url)

    def note_limits(self, page: ParsedPage) -> None:
        """Report the parts of a page that were not read because of their number or size."""
        if self._job is not None:
            self._job.note_limits(page)

    def _tell(self, event: Event, page_set: PageSet) -> None:
        """Send the signal of an event of a page set."""
        self.crawler.signals.send_catch_log(_SIGNALS[event], page_set=page_set, spider=self.crawler.spider)

    def item_error(self, item: Any) -> None:
        """Continue without an item on which a pipeline failed."""
        if not isinstance(item, CaptureItem) or self._job is None:
            return
        with self.guarded():
            if item.key is not None:
                self._job.writer.failed(item.key, LOST)
            elif not item.identifier or self._job.database.page_set(item.identifier) is None:
                self.skip(LOST, item.resource.url)

    def engine_started(self) -> None:
        """Note that the engine of Scrapy runs."""
        self._is_started = True

    def engine_stopped(self) -> None:
        """Show the summary. Scrapy logs its stats after the spider has closed, and nothing after this signal."""
        for error in self._undelivered:
            self.end.announcements.add(str(error), logging.ERROR)
        self.end.announcements.release()

    def note_undelivered(self, errors: Iterable[DeliveryError]) -> None:
        """Note the tables that could not be written, for the end of the crawl."""
        self._undelivered.extend(errors)

    def announce_abort(self) -> None:
        """Show the lines that are still held back, because the process ends."""
        self.end.announce_abort(self._job)

    async def spider_closed(self, spider: Any, reason: str) -> None:
        """End the crawl of a spider."""
        if self._job is not None and self._is_started:
            self.end.announcements.hold()
        await self.pools.close(at_once=self._job is None or reason != FINISHED)
        if self._job is not None:
            await self.end.close(self._job, spider, reason)


def _later(call: Callable[[], None]) -> None:
    """Call a function in the next turn of the event loop."""
    asyncio.get_running_loop().call_soon(call)


def session_of(crawler: Crawler) -> CaptureSession:
    """Return the session of a crawl; raise `NotConfigured` if the extension is not enabled."""
    session = crawler.get_extension(CaptureSession)
    if session is None:
        raise NotConfigured("the extension wcspider.crawl.session.CaptureSession is not enabled")
    return session


def capturing_session_of(crawler: Crawler) -> CaptureSession:
    """Return the session of a crawl; raise `NotConfigured` if the crawl captures nothing."""
    session = session_of(crawler)
    if not session.captures:
        raise NotConfigured
    return session
