"""The end of a crawl: the decision about FILE, the messages to the user, and the exit status."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler

from wcspider.crawl.closing.crawl_end import CrawlEnd, Network, end_of_crawl
from wcspider.crawl.closing.delivery import Delivery
from wcspider.crawl.job import CaptureJob
from wcspider.crawl.messages.announcements import Announcements
from wcspider.crawl.third_party import advised, is_third_party
from wcspider.exceptions import (
    CrawlStoppedError,
    ExitStatus,
    TargetUnfinishedError,
    WebCaptureError,
    WorkersFailedError,
)
from wcspider.report.after_run import write_report
from wcspider.signals import file_finished
from wcspider.steps import interleaved
from wcspider.units import format_count
from wcspider.webcapture.patterns import slow_searches


class SessionEnd:
    """The end of a session: it replaces FILE, shows the summary, delivers copies, and gives the exit status.

    `clock` gives the time of the report.
    """

    def __init__(self, crawler: Crawler, clock: Callable[[], datetime], announcements: Announcements) -> None:
        self.problem: WebCaptureError | None = None
        """The first error that ended the crawl early, or an error of its end."""

        self.announcements = announcements
        self.report_path: Path | None = None
        """The file for the report; None if no report is wanted."""

        self.delivery = Delivery()
        self._crawler = crawler
        self._clock = clock
        self._network = Network(has_sent=False, is_reached=False)
        self._end = CrawlEnd()
        self._counts: dict[str, int] = {}
        self._is_closing = False
        self._is_closed = False
        """True once FILE is replaced, or the unfinished work is kept or discarded."""

        self._is_delivering = False
        """True during the delivery, and afterwards if the process is stopped: Scrapy then does not wait for its end."""

    def request_sent(self) -> None:
        """Note that a request was sent."""
        self._network = replace(self._network, has_sent=True)

    def server_answered(self) -> None:
        """Note that a server has answered."""
        self._network = replace(self._network, is_reached=True)

    def give_up(self, error: WebCaptureError) -> None:
        """Show an error, which decides about the exit status."""
        self.problem = advised(error) if is_third_party(self._crawler.spider) else error
        self.announcements.add(str(self.problem), logging.ERROR)

    @property
    def exit_status(self) -> ExitStatus:
        """The exit status of a command that was to capture pages into a file."""
        if self.problem is not None:
            return self.problem.exit_status
        if self._is_delivering:
            return ExitStatus.NOT_DELIVERED
        return ExitStatus.SUCCESS if self._end.is_written or self._end.had_nothing_to_do else ExitStatus.FAILURE

    async def close(self, job: CaptureJob, spider: Any, reason: str) -> None:
        """Replace FILE if the crawl came to its end and captured something, and show the summary.

        `reason` is Scrapy's finish reason. The files of the job are closed in any case.
        """
        await job.writer.caught_up()
        self._is_closing = True
        try:
            if self.problem is None:
                await self._replace(job, spider, reason)
            else:
                if isinstance(self.problem, WorkersFailedError):  # the file is in order
                    with suppress(WebCaptureError):
                        job.writer.commit()
                self._keep(job)
        finally:
            job.writer.close()
            self._is_closed = True
        if self._end.is_written:
            await self._hand_on(job.target.path, spider)

    async def _replace(self, job: CaptureJob, spider: Any, reason: str) -> None:
        """Decide what becomes of FILE and of the unfinished work."""
        self._end = end = await interleaved(
            end_of_crawl(job, spider, reason, self._network, partial(self._summary, job))
        )
        if end.note:
            self.announcements.add(end.note)
        if end.problem is not None:
            self.give_up(end.problem)
        if end.keeps_part:
            self._keep(job)

    def _keep(self, job: CaptureJob) -> None:
        """Keep or discard the unfinished work, and say where it is, unless the message of the problem does."""
        _keep_or_discard(job)
        if job.target.is_kept and not isinstance(self.problem, CrawlStoppedError | TargetUnfinishedError):
            kept = f"The pages captured so far are in {job.target.part}: run the same command to continue"
            self.announcements.add(kept, logging.ERROR)

    def _summary(self, job: CaptureJob, finished: bool) -> Callable[[], None]:
        """Set Scrapy's stats, and return a function that shows the summary."""
        self._counts = job.counts()
        for name, count in self._counts.items():
            self._crawler.stats.set_value(f"webcapture/{name}", count)
        lines = [*job.summary(finished=finished), *_slow_patterns(job)]

        def show() -> None:
            for line in lines:
                self.announcements.add(line)

        return show

    async def _hand_on(self, path: Path, spider: Any) -> None:
        """Send `file_finished`, deliver copies of the file, then write the report."""
        await self._crawler.signals.send_catch_log_async(file_finished, path=path, counts=self._counts, spider=spider)
        self._is_delivering = bool(self.delivery.destinations)
        for problem in await self.delivery.send(path, spider):
            self.give_up(problem)
        self._is_delivering = False
        if self.report_path is not None:
            self.announcements.add(*await write_report(path, self.report_path, self._clock()))

    def announce_abort(self, job: CaptureJob | None) -> None:
        """Show the lines that are still held back, because the process ends.

        If the file is still open, after a second Ctrl-C for example, store the pages whose turn has come, unless the
        end of the crawl has begun, and say what to do. Unfinished work without a page is discarded.
        """
        self.announcements.release()
        if job is not None and not self._is_closed:
            if not self._is_closing:
                with suppress(WebCaptureError):  # the pages are in no file then, and the message says so
                    job.writer.commit()
            path, part = job.target.path, job.target.part
            stopped = f"{path}: not written: the crawl was stopped at once"
            kept = f"the pages stored so far are in {part}; run the same command to continue"
            rest = f"; {kept}" if job.writer.committed else " before a page was stored; repeat the command"
            self.announcements.add(f"{stopped}{rest}", logging.ERROR)
            job.writer.close()
            _keep_or_discard(job)


def _slow_patterns(job: CaptureJob) -> Iterator[str]:
    """Yield a line for each pattern that was too slow. The URLs are not listed, like others that patterns exclude."""
    commands = [execution.command for execution in job.executions]
    searches = slow_searches(pattern for command in commands for pattern in (command.allow, command.deny))
    for pattern, count in searches.items():
        yield f"The pattern {pattern} was too slow for {format_count(count, 'URL')}, which were skipped: simplify it"


def _keep_or_discard(job: CaptureJob) -> None:
    """Keep the unfinished work of a crawl that has captured a page; that of another one is of no use."""
    if job.writer.committed:
        job.target.keep()
    else:
        job.target.discard()
