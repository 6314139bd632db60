"""The end of a crawl: its part replaces FILE, stays for the next run of the same command, or is deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wcspider.archive.run.run_report import KEPT
from wcspider.crawl.job import CaptureJob
from wcspider.crawl.messages.finish_reasons import stopped_by
from wcspider.crawl.third_party import STOPPED, ItemsTask
from wcspider.exceptions import (
    CrawlStoppedError,
    NothingCapturedError,
    PagesCollapsedError,
    TargetError,
    WebCaptureError,
)
from wcspider.program_names import flag
from wcspider.steps import Steps

FINISHED = "finished"
"""The finish reason of a spider that came to its end."""


Summary = Callable[[bool], Callable[[], None]]
"""Reads the summary from the journal and returns a function that shows it; its argument tells if FILE is replaced."""


@dataclass(frozen=True, slots=True)
class Network:
    """The success of a crawl in reaching servers."""

    has_sent: bool
    """True if a request was sent."""

    is_reached: bool
    """True if a server has answered."""


@dataclass(frozen=True, slots=True)
class CrawlEnd:
    """The result of a crawl for FILE and for the unfinished work."""

    is_written: bool = False
    had_nothing_to_do: bool = False
    """True if no page of a refresh had expired, or a spider of another project yielded no capture item."""

    note: str = ""
    """A message to the user if nothing is wrong."""

    problem: WebCaptureError | None = None
    """The reason why FILE is not written as the user wanted."""

    keeps_part: bool = False
    """True if the unfinished work is kept, so that the same command can continue it."""


def end_of_crawl(job: CaptureJob, spider: Any, reason: str, network: Network, summary: Summary) -> Steps[CrawlEnd]:
    """Replace FILE in steps if the crawl came to its end and captured something. `reason` is Scrapy's finish reason."""
    try:
        if not _is_wanted(job, reason):
            return _paused(job, reason, summary)
        return (yield from _finished(job, spider, reason, network, summary))
    except PagesCollapsedError as error:
        job.target.discard()  # the same command then starts over: the site may be in order again
        return CrawlEnd(problem=error)
    except WebCaptureError as error:
        return CrawlEnd(problem=error, keeps_part=True)


def _is_wanted(job: CaptureJob, reason: str) -> bool:
    """Tell whether the part replaces FILE: the crawl came to its end, or to a limit that was set."""
    if isinstance(job.task, ItemsTask):  # a spider of another project may close itself, with any reason
        return reason not in STOPPED
    return reason == FINISHED or reason.startswith("closespider_") or job.task.partial


def _paused(job: CaptureJob, reason: str, summary: Summary) -> CrawlEnd:
    """Keep the part of a stopped crawl for the next run of the same command, if it holds any page.

    Without a page it only holds failures. The next run would report them instead of requesting these pages.
    """
    job.writer.commit()
    summary(False)()
    stopped = f"{job.target.path}: not written: the crawl was {stopped_by(reason)}"
    if not job.report.captured:
        job.target.discard()
        return CrawlEnd(problem=CrawlStoppedError(f"{stopped} before a page was captured", "repeat the command"))
    kept = f"nothing is lost: the pages captured so far are in {job.target.part}"
    return CrawlEnd(problem=CrawlStoppedError(f"{stopped}; {kept}"), keeps_part=True)


def _finished(job: CaptureJob, spider: Any, reason: str, network: Network, summary: Summary) -> Steps[CrawlEnd]:
    """Replace FILE, if the crawl captured anything."""
    try:
        job.target.check_unchanged()
    except TargetError:
        job.writer.commit()
        summary(False)()
        raise
    unvisited = spider.unvisited() if job.executions else ()
    is_written = yield from job.settle(unvisited, reason, is_finished=reason == FINISHED, is_reached=network.is_reached)
    yield
    if is_written:
        return (yield from _put_in_place(job, summary))
    end = CrawlEnd(had_nothing_to_do=True)
    if not job.is_idle:
        summary(False)()
        end = _nothing_captured(job, network)
    job.target.discard()
    return end


def _put_in_place(job: CaptureJob, summary: Summary) -> Steps[CrawlEnd]:
    """Replace FILE, and then show the summary, which is read before: the journal is removed with FILE.part.

    There is no step between the rename and the end: a process that is stopped there would say that nothing is written.
    """
    show_success, show_failure = summary(True), summary(False)
    yield
    try:
        job.target.finish()
    except TargetError:
        show_failure()
        raise
    show_success()
    try:
        return CrawlEnd(is_written=True, note=job.task.follow_up())
    except WebCaptureError as error:  # FILE is in place all the same
        return CrawlEnd(is_written=True, problem=error)


def _nothing_captured(job: CaptureJob, network: Network) -> CrawlEnd:
    """Explain why FILE is not replaced although the crawl came to its end."""
    path = job.target.path
    if not job.is_refresh:
        reason = f"{path}: not written: no page was captured"
    elif network.has_sent and not network.is_reached:
        reason = f"{path}: not changed: no server could be reached"
    elif job.report.not_requested:
        expired = "no page that could be fetched has expired" if job.report.entry_count(KEPT) else "no page has expired"
        note = f"{path}: not changed: {expired}; to request all pages, add {flag('force')}"
        return CrawlEnd(had_nothing_to_do=True, note=note)
    else:
        reason = f"{path}: not changed: no page could be fetched"
    return CrawlEnd(problem=NothingCapturedError(reason))
