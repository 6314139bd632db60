"""The job of one crawl: the file that is open from the first request until FILE is replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Self

from wcspider.archive.database.contents_section import ContentsDesign
from wcspider.archive.database.observed import Event, ObservedDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.journal.journal import Journal
from wcspider.archive.run.run_report import DEGRADED, INCOMPLETE, KEPT, PAGE, RESOURCE, Report
from wcspider.archive.run.summary import summary_lines
from wcspider.archive.run.writer import Batch, CaptureWriter
from wcspider.archive.target.target import Target
from wcspider.config import CaptureConfig
from wcspider.crawl.held_content import HeldContent
from wcspider.crawl.messages.finish_reasons import ending
from wcspider.crawl.reading.parsing import ParsedPage
from wcspider.crawl.tasks import Execution, Task
from wcspider.crawl.third_party import ItemsTask
from wcspider.engines.workers.pool_interface import Pool
from wcspider.exceptions import WebCaptureError
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.run_records import REFRESH, Run
from wcspider.steps import Slices, Steps, portions
from wcspider.webcapture.records import Capture
from wcspider.webcapture.resource_limits import note_of_unlisted


class CaptureJob:
    """The open file of a crawl: the target, the content database in it, its one writer, and the worker processes.

    `tell` gets the events of page sets. Pages are stored in `slices`, and laid out by `pool`. The constructor raises
    the errors of the task about its commands.
    """

    def __init__(
        self,
        task: Task,
        config: CaptureConfig,
        target: Target,
        tell: Callable[[Event, PageSet], None],
        slices: Slices,
        pool: Pool,
    ) -> None:
        self.task = task
        self.target = target
        self._config = config
        self.database = ObservedDatabase(target.file, config.clock, tell, is_new=not target.base[0])
        self.held = HeldContent(self.database)
        self.executions = task.executions(self.database)
        batch = Batch(config.batch_pages, config.batch_bytes, timedelta(seconds=config.batch_seconds))
        self.writer = CaptureWriter(
            self.database, target.journal, batch, config.waiting_bytes, target.checkpoint, slices
        )
        self.writer.sink = task.sink(self.database, target.journal, self.report)
        self.pool = pool

    @classmethod
    def open(
        cls,
        task: Task,
        config: CaptureConfig,
        tell: Callable[[Event, PageSet], None],
        slices: Slices,
        pool: Pool,
    ) -> Self:
        """Open the target of a task; raise `TargetError` and leave the target unchanged if it cannot be used."""
        target = Target.open(task.path, task.purpose, fresh=task.fresh)
        try:
            return cls(task, config, target, tell, slices, pool)
        except WebCaptureError:
            target.discard()
            raise

    def begin(self) -> None:
        """Begin the task, unless it continues unfinished work."""
        if not self.is_resumed:
            self.task.begin(self.writer)

    @property
    def is_resumed(self) -> bool:
        """True if the part holds pages of an unfinished crawl."""
        return self.target.checkpoint.length > 0

    @property
    def report(self) -> Report:
        """The report of the run so far."""
        return self.writer.report

    @property
    def journal(self) -> Journal:
        """The state that must survive a crash."""
        return self.writer.journal

    @property
    def is_refresh(self) -> bool:
        """True if the file is brought up to date, so that unchanged pages need not be fetched again."""
        return self.task.kind == REFRESH

    def execution(self, command: int) -> Execution | None:
        """Return the execution of a command; None for the pages of a spider that has no commands."""
        return self.executions[command] if self.executions else None

    def rely_on(self, identifier: bytes) -> None:
        """Keep the page set with an identifier until its turn: its page was not laid out, because the file holds it."""
        self.writer.sink.reserve(identifier)

    def has_pages_of(self, capture: Capture) -> bool:
        """Tell whether the file holds the PDF pages of a capture, so that it need not be laid out."""
        is_going = self.writer.sink.is_going(capture.identifier)
        return not is_going and self.held.has_pages_of(capture, is_refresh=self.is_refresh)

    @property
    def is_idle(self) -> bool:
        """True if a spider of another project has yielded no capture item, so that there is nothing to store."""
        return isinstance(self.task, ItemsTask) and not self.report.captured and not self.report.entry_count(PAGE)

    def note_limits(self, page: ParsedPage) -> None:
        """Report the parts of a page that were not read because of their number or size."""
        url, contents, note = page.capture.resource.url, page.contents, page.note_of_links()
        if note:
            self.report.note_incomplete(note, url)
        if contents.has_cut_styles:
            self.report.note_cut_styles(url)
        if contents.unread_references:
            note = note_of_unlisted(self._config.max_resources)
            self.report.note_unlisted(note, url, contents.unread_references)

    def settle(
        self, unvisited: Iterable[tuple[str, int | None]], reason: str, *, is_finished: bool, is_reached: bool
    ) -> Steps[bool]:
        """Report the URLs that were not visited, and write the last revision of the run, in steps.

        The URLs come with their positions in the reading order; None for a URL without one.
        Return whether there was anything to write. If a refresh has captured no page, because none has expired, it
        writes a revision only if something else has changed. If no server was reached, nothing can have changed.
        """
        yield from self.writer.skip_missing()
        for url, failure in self.task.failures(self.database).items():
            self.report.skip_unlinked(failure, url)
        is_complete = is_finished
        for portion in portions(unvisited):
            for url, position in portion:
                self.report.skip_unlinked(f"not reached before the crawl {ending(reason)}", url, position)
            is_complete = False
            yield
        if not self.report.captured and not (self.report.not_requested and is_reached):
            return False
        config = self._config
        self.task.settle(self.writer, is_complete=is_complete)
        yield
        settled = self.writer.commands if is_complete else []
        SkippedRecords(self.database).update(
            self.report.skipped_pages,
            self.writer.commands,
            config.max_omitted,
            failed=self.task.failed(),
            gone=self.task.gone(),
            settled=settled,
            keeps_times=not self._has_changed_file,
        )
        if not self._has_changed_file:
            return False
        yield
        run = Run(self.task.kind, *self.target.base)
        design = ContentsDesign(config.contents, config.geometry, config.system_fonts)
        yield from self.writer.finish_steps(self.task.title or self._default_title(), run, design)
        return True

    @property
    def _has_changed_file(self) -> bool:
        return bool(self.report.captured or self.report.bytes_written or self.database.is_changed)

    def counts(self) -> dict[str, int]:
        """Return the counts of the run, by the names of the stats."""
        omitted = {f"omitted_{what}s": self.report.entry_count(what) for what in (PAGE, RESOURCE)}
        others = {what: self.report.entry_count(what) for what in (DEGRADED, INCOMPLETE, KEPT)}
        return {**self.report.counts(), **omitted, **others}

    def summary(self, *, finished: bool) -> Iterator[str]:
        """Yield the lines of the closing summary."""
        path, length, limit = self.target.path, self.database.file.length, self._config.report_limit
        yield from summary_lines(
            self.report,
            path,
            length,
            limit,
            refreshed=self.is_refresh,
            finished=finished,
            keeps_states=self.task.keeps_states,
        )
        yield from self.pool.summary()

    def _default_title(self) -> str:
        """Return the title of the first page set for a new document; an older document keeps its title."""
        return "" if self.database.catalog.title else self.writer.first_title
