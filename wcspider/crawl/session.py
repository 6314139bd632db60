"""The capture session: the Scrapy extension that opens, fills and replaces the file of a crawl."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.utils.misc import build_from_crawler

from wcspider.archive.database.observed import Event
from wcspider.archive.run.writer import LOST
from wcspider.archive.units import format_count
from wcspider.config import CaptureConfig
from wcspider.crawl.arguments import CaptureArguments
from wcspider.crawl.closing.crawl_end import FINISHED, Network, end_of_crawl
from wcspider.crawl.closing.delivery import Delivery
from wcspider.crawl.inputs.file_name import output_path
from wcspider.crawl.job import CaptureJob
from wcspider.crawl.messages.announcements import Announcements
from wcspider.crawl.messages.log import shorten
from wcspider.crawl.processes.garbage import collect_rarely
from wcspider.crawl.processes.pools import Pools
from wcspider.crawl.reading.parsing import ParsedPage, hops_of
from wcspider.crawl.tasks import Execution, Task, task_of
from wcspider.crawl.third_party import ItemsTask, advised, is_third_party
from wcspider.engines.registry import product
from wcspider.exceptions import (
    CrawlStoppedError,
    ExitStatus,
    TargetError,
    TargetUnfinishedError,
    WebCaptureError,
)
from wcspider.items import CaptureItem
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.report.after_run import write_report
from wcspider.signals import file_finished, page_set_captured, page_set_dropped, page_set_replaced
from wcspider.steps import Slices, interleaved
from wcspider.web.urls import canonical_url, is_capturable, without_login
from wcspider.webcapture.order import Turn
from wcspider.webcapture.resource_limits import note_of_unlisted

logger = logging.getLogger(__name__)

Part = TypeVar("Part")

AHEAD = 2
"""The number of workers that are started before the first page of a capture arrives."""

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
        self.problem: WebCaptureError | None = None
        """The error that ended the session early."""

        self.captured_any = False
        self._had_nothing_to_do = False
        """True if no page of a refresh had expired, or a spider of another project yielded no capture item."""

        self._job: CaptureJob | None = None
        self._is_closed = False
        """True once FILE is replaced, or the unfinished work is kept or discarded."""

        self._announcements = Announcements(logger)
        self._is_started = False
        """True once the engine of Scrapy runs. It then sends a signal when it has stopped."""

        self._has_warned = False
        self._closing: asyncio.Future[None] | None = None
        """The task that closes the spider after an error, kept so that it is not garbage."""

        self._shared: dict[type[Any], Any] = {}
        self._has_sent = self._is_reached = False
        """True once a request was sent, and once a server has answered."""

        self._counts: dict[str, int] = {}
        """The counts of the crawl, once it is over."""

        self._report_path: Path | None = None
        """The file for the report; None if no report is wanted."""

        self._delivery = Delivery()
        self._is_delivering = False
        """Remains true if the process is stopped during the delivery: Scrapy does not wait for it then."""

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
        crawler.signals.connect(session.request_sent, signals.request_reached_downloader)
        crawler.signals.connect(session.server_answered, signals.response_downloaded)
        crawler.signals.connect(session.request_dropped, signals.request_dropped)
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
        if self.problem is not None:
            return self.problem.exit_status
        if self._is_delivering:
            return ExitStatus.NOT_DELIVERED
        if not self.captures or self.captured_any or self._had_nothing_to_do:
            return ExitStatus.SUCCESS
        return ExitStatus.FAILURE

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
                self._give_up(spider.problem)
                return
        try:
            moment = self.config.clock()
            task = self._task_of(spider, moment)
            self._report_path = output_path(self.config.report, spider, moment) if self.config.report else None
            self._delivery = Delivery.prepare(self.crawler, self.config.ship_to, task.path, moment)
            self._open(spider, task)
        except WebCaptureError as error:
            self._give_up(error)
            if is_third_party(spider):
                raise CloseSpider(TARGET_FAILED) from error
            spider.problem = error

    def _task_of(self, spider: Any, moment: datetime) -> Task:
        """Return the task of a spider. The name of the file may have the parameters of Scrapy's feeds."""
        if is_third_party(spider):
            return ItemsTask(output_path(self.config.pdf, spider, moment), spider.name)
        arguments = spider.arguments
        return task_of(replace(arguments, pdf=output_path(arguments.pdf, spider, moment)), self.config)

    def _open(self, spider: Any, task: Task) -> None:
        slices = Slices(_later, self._storing_failed, self._stored)
        self._job = job = CaptureJob.open(task, self.config, self._tell, slices, self.pools.layout)
        job.begin()
        collect_rarely()
        if job.executions:
            spider.prepare(self)
        if job.is_resumed:
            held = format_count(job.report.captured, "page")
            self._announcements.add(f"Continuing the unfinished crawl in {job.target.part}: it holds {held}")

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

    def _give_up(self, error: WebCaptureError) -> None:
        self.problem = advised(error) if is_third_party(self.crawler.spider) else error
        self._announcements.add(str(self.problem), logging.ERROR)

    def stop(self, error: WebCaptureError) -> None:
        """End the crawl because the file cannot be written."""
        if self.problem is None:
            self._give_up(error)
            assert self.crawler.engine is not None
            self._closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=TARGET_FAILED))

    def request_sent(self) -> None:
        """Note that a request was sent."""
        self._has_sent = True

    def server_answered(self) -> None:
        """Note that a server has answered."""
        self._is_reached = True

    def request_dropped(self, request: Request) -> None:
        """Add the alias chain of a redirect to a page that a spider of another project has met before (14.10.5.2)."""
        urls = request.meta.get("redirect_urls")
        if not urls or self._job is None or not is_capturable(request.url):
            return
        if isinstance(self._job.task, ItemsTask):
            url = without_login(canonical_url(request.url))
            self._job.task.note_way(url, hops_of(urls, url))

    def note_failure(self, url: str, reason: str) -> None:
        """Note a page of a spider of another project that the server refused."""
        if self._job is not None and isinstance(self._job.task, ItemsTask) and is_capturable(url):
            self._job.task.note_failure(without_login(canonical_url(url)), reason)

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
        url, note = page.capture.resource.url, page.note_of_links()
        if note and self._job is not None:
            self._job.report.note_incomplete(note, url)
        if page.contents.has_cut_styles and self._job is not None:
            self._job.report.note_cut_styles(url)
        if page.contents.unread_references and self._job is not None:
            unread = page.contents.unread_references
            self._job.report.note_unlisted(note_of_unlisted(self.config.max_resources), url, unread)

    def _tell(self, event: Event, page_set: PageSet) -> None:
        """Send the signal of an event of a page set."""
        self.crawler.signals.send_catch_log(_SIGNALS[event], page_set=page_set, spider=self.crawler.spider)

    def item_error(self, item: Any) -> None:
        """Continue without an item on which a pipeline failed."""
        if not isinstance(item, CaptureItem) or self._job is None:
            return
        if item.key is not None:
            self._job.writer.failed(item.key, LOST)
        else:
            self.skip(LOST, item.resource.url)

    def engine_started(self) -> None:
        """Note that the engine of Scrapy runs."""
        self._is_started = True

    def engine_stopped(self) -> None:
        """Show the summary. Scrapy logs its stats after the spider has closed, and nothing after this signal."""
        self._announcements.release()

    def announce_abort(self) -> None:
        """Show the lines that are still held back, because the process ends.

        If the file is still open, after a second Ctrl-C for example, say that nothing is lost.
        """
        self._announcements.release()
        if self._job is not None and not self._is_closed:
            path, part = self._job.target.path, self._job.target.part
            self._announcements.add(
                f"{path}: not written: the crawl was stopped at once; nothing is lost: the pages captured so far are "
                f"in {part}; run the same command to continue",
                logging.ERROR,
            )

    async def spider_closed(self, spider: Any, reason: str) -> None:
        """Replace FILE if the crawl came to its end and captured something; prepare the summary."""
        job = self._job
        if job is None:
            await self.pools.close(at_once=True)
            return
        if self._is_started:
            self._announcements.hold()
        await self.pools.close(at_once=reason != FINISHED)
        await job.writer.caught_up()
        try:
            if self.problem is None:
                await self._end(job, spider, reason)
            else:
                self._keep(job)
        finally:
            job.writer.close()
            self._is_closed = True
        if self.captured_any:
            await self._hand_on(job, spider)

    async def _end(self, job: CaptureJob, spider: Any, reason: str) -> None:
        """Decide what becomes of FILE and of the unfinished work."""
        network = Network(self._has_sent, self._is_reached)
        end = await interleaved(end_of_crawl(job, spider, reason, network, partial(self._say, job)))
        self.captured_any, self._had_nothing_to_do = end.is_written, end.had_nothing_to_do
        if end.note:
            self._announcements.add(end.note)
        if end.problem is not None:
            self._give_up(end.problem)
        if end.keeps_part:
            self._keep(job)

    def _keep(self, job: CaptureJob) -> None:
        job.target.keep()
        if job.target.is_kept and not isinstance(self.problem, CrawlStoppedError | TargetUnfinishedError):
            kept = f"The pages captured so far are in {job.target.part}: run the same command to continue"
            self._announcements.add(kept, logging.ERROR)

    def _say(self, job: CaptureJob, finished: bool) -> None:
        """Write the summary, and set Scrapy's stats."""
        self._counts = job.counts()
        for name, count in self._counts.items():
            self.crawler.stats.set_value(f"webcapture/{name}", count)
        for line in job.summary(finished=finished):
            self._announcements.add(line)

    async def _hand_on(self, job: CaptureJob, spider: Any) -> None:
        """Send `file_finished`, deliver copies of the file, then write the report."""
        path = job.target.path
        await self.crawler.signals.send_catch_log_async(file_finished, path=path, counts=self._counts, spider=spider)
        self._is_delivering = bool(self._delivery.destinations)
        for problem in await self._delivery.send(path, spider):
            self._give_up(problem)
        self._is_delivering = False
        if self._report_path is not None:
            self._announcements.add(*await write_report(path, self._report_path, self.config.clock()))


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
