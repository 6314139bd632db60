"""The task of a crawl: a capture adds pages to the file, a refresh brings the file up to date."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Journal
from wcspider.archive.optimize.rewrite import check_unsigned, optimize
from wcspider.archive.refresh.command_selection import Selection, advice_for, described, select
from wcspider.archive.refresh.refresh_sink import RefreshSink
from wcspider.archive.refresh.settlement import Settlement
from wcspider.archive.run.capture_sink import CaptureSink, PageSink
from wcspider.archive.run.run_report import Report
from wcspider.archive.run.writer import CaptureWriter
from wcspider.archive.target.target import Purpose
from wcspider.config import CaptureConfig
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.inputs.credentials import credentials_for, missing_credentials, warning_of_missing
from wcspider.engines.registry import engine_for, is_installed, product
from wcspider.exceptions import TargetError
from wcspider.pdf.file.base_file import require_file
from wcspider.pdf.webcapture.run_records import CAPTURE, REFRESH
from wcspider.program_names import argument, setting
from wcspider.units import format_size
from wcspider.web.urls import is_capturable
from wcspider.webcapture.records import Command


@dataclass(frozen=True, slots=True)
class Execution:
    """A command with the settings and the engine by which it is executed."""

    command: Command
    config: CaptureConfig
    engine: str
    """The product name of its engine."""

    run: int = 0
    """The number of the run of the command. The commands of a run are executed together, the runs one by one."""


class Task(ABC):
    """The task of a crawl. By default it adds pages, and the pages in the file stay."""

    kind = CAPTURE
    path: Path
    fresh = False
    partial = False
    force = False
    title = ""
    keeps_states = True
    """False if `follow_up` removes the earlier states of the file."""

    @property
    @abstractmethod
    def purpose(self) -> Purpose:
        """The identity of unfinished work."""

    @abstractmethod
    def executions(self, database: ContentDatabase) -> list[Execution]:
        """Return the commands to execute, in order."""

    def sink(self, database: ContentDatabase, journal: Journal, report: Report) -> PageSink:
        """Return the sink of the pages."""
        return CaptureSink(database, journal, report)

    @abstractmethod
    def begin(self, writer: CaptureWriter) -> None:
        """Begin the task in a file without unfinished work."""

    def warnings(self) -> list[str]:
        """Return lines that the user should see before the crawl begins."""
        return []

    def note_failure(self, url: str, reason: str) -> None:  # noqa: B027
        """Note a page that the server refused; wcspider's own spiders report it themselves."""

    def settle(self, writer: CaptureWriter, *, is_complete: bool) -> None:  # noqa: B027
        """Finish the task when all pages are known."""

    def failures(self, database: ContentDatabase) -> Mapping[str, str]:
        """Return the reasons for pages that were not captured and that have no turn, by URL."""
        return {}

    def failed(self) -> Collection[str]:
        """Return the URLs that could not be fetched, and of which the file may have pages from an earlier run."""
        return ()

    def gone(self) -> Collection[str]:
        """Return the URLs whose pages in the file are gone from the site, or were dropped by this run."""
        return ()

    def follow_up(self) -> str:
        """Finish the task when FILE has been replaced; return a message to the user, or an empty string."""
        return ""


class CaptureTask(Task):
    """Adds the pages of the user's commands."""

    def __init__(self, arguments: CaptureArguments, config: CaptureConfig) -> None:
        self.path, self.title = arguments.pdf, arguments.title
        self.fresh, self.partial = arguments.fresh, arguments.partial
        self._typed = arguments.typed
        self._config = config
        self._engine = product(arguments.engine or config.engine)
        engine = engine_for(self._engine, "text/html")
        assert engine is not None
        settings = config.conversion_settings
        self._commands = [
            replace(
                command,
                engine=engine.internal_name(),
                settings=settings,
                withheld=credentials_for(command.url, arguments.cookies, config.logins),
            )
            for command in arguments.commands
        ]

    @property
    def purpose(self) -> Purpose:
        """The identity of unfinished work: the commands of the run, without the secrets in them."""
        commands = [described(command) for command in self._commands]
        settings = (setting(name, value) for name, value in self._config.changed_layout_settings.items())
        typed = " ".join((self._typed, *settings))
        return Purpose(json.dumps([self.title, commands], sort_keys=True), typed, argument("pdf", str(self.path)))

    def executions(self, database: ContentDatabase) -> list[Execution]:
        """Return the user's commands."""
        return [Execution(command, self._config, self._engine) for command in self._commands]

    def begin(self, writer: CaptureWriter) -> None:
        """Add the commands to those that built the file."""
        writer.begin(self._commands)


class RefreshTask(Task):
    """Repeats the commands that built a file (14.10.2), and brings it up to date."""

    kind = REFRESH

    def __init__(self, arguments: RefreshArguments, config: CaptureConfig) -> None:
        require_file(arguments.pdf)
        self.path = arguments.pdf
        self.fresh, self.partial, self.force = arguments.fresh, arguments.partial, arguments.force
        self.keeps_states = arguments.keep != 1
        self._arguments = arguments
        self._config = config
        self._selection: Selection
        self._sink: RefreshSink
        self._gone: Collection[str] = ()

    @property
    def purpose(self) -> Purpose:
        """The identity of unfinished work: the selected commands, and the treatment of gone pages."""
        arguments = self._arguments
        headers = hashlib.sha256(repr(arguments.headers).encode()).hexdigest()
        identity = json.dumps(["refresh", arguments.only, arguments.command, arguments.gone, headers])
        return Purpose(identity, arguments.typed, argument("pdf", str(self.path)))

    def executions(self, database: ContentDatabase) -> list[Execution]:
        """Return the selected commands of the file."""
        arguments, catalog = self._arguments, database.catalog
        if arguments.keep == 1:
            check_unsigned(self.path, f"leave out {argument('keep', '1')}: the file then only grows by the new content")
        self._selection = select(database.commands(), catalog.history, self.path, arguments.only, arguments.command)
        return [self._execution(entry.command, entry.run) for entry in self._selection.repetitions]

    def _execution(self, command: Command, run: int) -> Execution:
        named = command.engine.split(":")[1] if command.engine.count(":") == 3 else ""
        return Execution(
            replace(command, headers=(*command.headers, *self._arguments.headers)),
            self._config.with_settings_of(command.settings),
            named if is_installed(named) else product(self._config.engine),
            run,
        )

    def sink(self, database: ContentDatabase, journal: Journal, report: Report) -> PageSink:
        """Return the sink that brings pages up to date."""
        self._sink = RefreshSink(database, journal, report)
        return self._sink

    def begin(self, writer: CaptureWriter) -> None:
        """Begin with the commands of the file; report those that cannot be repeated as they were."""
        for reason, url in self._selection.passed_over:
            advice = advice_for(reason)
            writer.report.keep_page(f"{reason} ({advice})" if advice else reason, url)
            if is_capturable(url):
                writer.report.skipped_pages.note(url, reason)
        writer.repeat([entry.reference for entry in self._selection.repetitions])

    def warnings(self) -> list[str]:
        """Return one line if the pages were captured with headers, cookies or a login that the user has not given."""
        commands = [entry.command for entry in self._selection.repetitions]
        given = self._arguments.headers, self._arguments.cookies, self._config.logins
        missing = missing_credentials(commands, *given)
        return [warning_of_missing(self.path, missing)] if missing else []

    def settle(self, writer: CaptureWriter, *, is_complete: bool) -> None:
        """Mark or drop gone pages, unless a login page or an error page seems to stand in the place of the site."""
        drop = self._arguments.gone == "drop"
        settlement = Settlement(self._sink, self.path, force=self.force)
        settlement.settle(self._selection.repeated, drop=drop, is_complete=is_complete)
        self._gone = settlement.gone

    def failed(self) -> Collection[str]:
        """Return the URLs that could not be fetched, and those of commands that cannot be repeated."""
        return {*self._sink.outcomes.failed(), *(url for _, url in self._selection.passed_over)}

    def gone(self) -> Collection[str]:
        """Return the URLs of the pages that the refresh marked as gone, or dropped."""
        return self._gone

    def follow_up(self) -> str:
        """Remove the earlier states of the file, if the user wants it."""
        if self._arguments.keep != 1:
            return ""
        try:
            done = optimize(self.path, keeps_run=True)
        except TargetError as error:
            problem = f"{self.path}: is refreshed, but still has its earlier states: {error.problem}"
            raise TargetError(problem, error.advice) from error
        sizes = f"{format_size(done.before)} -> {format_size(done.after)}"
        return f"{self.path}: the earlier states were removed: {sizes}"


def task_of(arguments: CaptureArguments | RefreshArguments, config: CaptureConfig) -> Task:
    """Return the task of a spider's arguments."""
    return RefreshTask(arguments, config) if isinstance(arguments, RefreshArguments) else CaptureTask(arguments, config)
