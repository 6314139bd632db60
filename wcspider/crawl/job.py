"""The work of one crawl: what is open from the first request to the rename of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Self

from wcspider.archive.database.contents_section import ContentsDesign
from wcspider.archive.database.observed import Event, ObservedDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.journal.journal import Checkpoint, Journal
from wcspider.archive.run.run_report import DEGRADED, GONE, KEPT, PAGE, RESOURCE, Report
from wcspider.archive.run.writer import Batch, CaptureWriter
from wcspider.archive.target.target import Target
from wcspider.config import CaptureConfig
from wcspider.crawl.tasks import Task
from wcspider.crawl.third_party import ItemsTask
from wcspider.engines.pool import WorkerPool
from wcspider.exceptions import WebCaptureError
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.run_records import REFRESH, Run

MEGABYTE = 1024 * 1024


class CaptureJob:
    """What is done to one file: the target, the content database in it, its one writer, and the workers.

    `tell` gets what happens to page sets. Raises what the task says of its commands.
    """

    def __init__(
        self, task: Task, config: CaptureConfig, target: Target, tell: Callable[[Event, PageSet], None]
    ) -> None:
        self.task = task
        self.target = target
        self._config = config
        self.database = ObservedDatabase(target.file, config.clock, tell, is_new=not target.base[0])
        self.executions = task.executions(self.database)
        batch = Batch(config.batch_pages, config.batch_bytes, timedelta(seconds=config.batch_seconds))
        self.writer = CaptureWriter(self.database, target.journal, batch, config.waiting_bytes, target.checkpoint)
        self.writer.sink = task.sink(self.database, target.journal, self.report)
        self.pool = WorkerPool(
            workers=config.worker_count,
            timeout=config.render_timeout,
            memory=config.render_memory * MEGABYTE or None,
        )

    @classmethod
    def open(cls, task: Task, config: CaptureConfig, tell: Callable[[Event, PageSet], None]) -> Self:
        """Open the target of a task; one that cannot be used raises a `TargetError`, and is left as it was."""
        target = Target.open(task.path, task.purpose, fresh=task.fresh)
        try:
            return cls(task, config, target, tell)
        except WebCaptureError:
            target.discard()
            raise

    def begin(self) -> None:
        """Begin, unless this is the work of the same task that was interrupted."""
        if not self.is_resumed:
            self.task.begin(self.writer)

    @property
    def is_resumed(self) -> bool:
        """Tell whether the file has pages of an unfinished crawl."""
        return self.checkpoint.length > 0

    @property
    def report(self) -> Report:
        """What has been done so far."""
        return self.writer.report

    @property
    def journal(self) -> Journal:
        """What a crash must not lose."""
        return self.writer.journal

    @property
    def checkpoint(self) -> Checkpoint:
        """Where an unfinished crawl goes on; at position 0 for one that begins."""
        return self.target.checkpoint

    @property
    def is_refresh(self) -> bool:
        """Tell whether the file is brought up to date, so that what it holds need not be fetched again."""
        return self.task.kind == REFRESH

    @property
    def is_idle(self) -> bool:
        """Tell whether there was nothing to do: a spider of a project that captures, and this one did not want to."""
        return isinstance(self.task, ItemsTask) and not self.report.captured and not self.report.entry_count(PAGE)

    def settle(self, unvisited: Iterable[str], reason: str, *, is_finished: bool) -> bool:
        """Account for everything, those URLs too that were not reached, and write the file to its end.

        Return whether there is anything in it that this crawl captured.
        """
        self.writer.skip_missing()
        is_complete = is_finished
        for url in unvisited:
            self.report.skip_unlinked(f"not reached before the crawl ended ({reason})", url)
            is_complete = False
        if not self.report.captured:
            return False
        config = self._config
        self.task.settle(self.writer, is_complete=is_complete)
        settled = self.writer.commands if is_complete else []
        skip_reasons = SkippedRecords(self.database)
        skip_reasons.update(self.report.skipped_pages, self.writer.commands, config.max_omitted, settled=settled)
        run = Run(self.task.kind, *self.target.base)
        design = ContentsDesign(config.contents, config.geometry, config.system_fonts)
        self.writer.finish(self.task.title or self._default_title(), run, design)
        return True

    def put_in_place(self) -> None:
        """Make the part the file."""
        self.target.finish()
        self.task.follow_up()

    def counts(self) -> dict[str, int]:
        """Return what was done, in numbers, by the names of Scrapy's stats."""
        omitted = {f"omitted_{what}s": self.report.entry_count(what) for what in (PAGE, RESOURCE)}
        others = {what: self.report.entry_count(what) for what in (DEGRADED, KEPT, GONE)}
        return {**self.report.counts(), **omitted, **others}

    def summary(self, *, finished: bool) -> Iterator[str]:
        """Yield the lines of the closing summary."""
        path, length, limit = self.target.path, self.database.file.length, self._config.report_limit
        yield from self.report.lines(path, length, limit, refreshed=self.is_refresh, finished=finished)

    def _default_title(self) -> str:
        """Return the title of a new document: that of its first page set. An older document keeps its own."""
        return "" if self.database.catalog.title else self.writer.first_title
