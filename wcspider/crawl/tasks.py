"""What a crawl is to do with its file: a capture adds to it, a refresh brings it up to date."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Journal
from wcspider.archive.optimize.rewrite import check_unsigned, optimize
from wcspider.archive.refresh.command_selection import Selection, described, select
from wcspider.archive.refresh.refresh_sink import Renewal
from wcspider.archive.refresh.settlement import Settlement
from wcspider.archive.run.capture_sink import Adding, Keeper
from wcspider.archive.run.run_report import Report, sized
from wcspider.archive.run.writer import CaptureWriter
from wcspider.archive.target.target import Purpose
from wcspider.config import CaptureConfig
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.engines.registry import engine_for, is_installed, product
from wcspider.pdf.file.part import missing
from wcspider.pdf.webcapture.run_records import CAPTURE, REFRESH
from wcspider.webcapture.records import Command

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Execution:
    """How one command is executed."""

    command: Command
    config: CaptureConfig
    engine: str
    """The product name of its engine."""

    run: int = 0
    """The commands of one run are executed together, those of another after them."""


class Task(Protocol):
    """What a crawl is to do with its file."""

    kind: str
    path: Path
    fresh: bool
    partial: bool
    force: bool
    title: str

    @property
    def purpose(self) -> Purpose:
        """What unfinished work is recognised by."""

    def executions(self, database: ContentDatabase) -> list[Execution]:
        """Return what is to be done, in order."""

    def keeper(self, database: ContentDatabase, journal: Journal, report: Report) -> Keeper:
        """Return what becomes of the pages."""

    def begin(self, writer: CaptureWriter) -> None:
        """Begin with a file that has no unfinished work."""

    def settle(self, writer: CaptureWriter, *, is_complete: bool) -> None:
        """Do what can be done only when all pages have been met."""

    def follow_up(self) -> None:
        """Do what is to be done when the file is in place."""


class CaptureTask:
    """Adds what the commands of the user bring."""

    kind = CAPTURE
    force = False

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
            replace(command, engine=engine.internal_name(), settings=settings) for command in arguments.commands
        ]

    @property
    def purpose(self) -> Purpose:
        """What unfinished work is recognised by: the commands of a run, without the secrets in them."""
        commands = [described(command) for command in self._commands]
        return Purpose(json.dumps([self.title, commands], sort_keys=True), self._typed)

    def executions(self, database: ContentDatabase) -> list[Execution]:
        """Return the user's commands."""
        return [Execution(command, self._config, self._engine) for command in self._commands]

    def keeper(self, database: ContentDatabase, journal: Journal, report: Report) -> Keeper:
        """Return what adds pages."""
        return Adding(database, journal, report)

    def begin(self, writer: CaptureWriter) -> None:
        """Add the commands to those that built the file."""
        writer.begin(self._commands)

    def settle(self, writer: CaptureWriter, *, is_complete: bool) -> None:
        """Nothing is left to do: what is in the file stays."""

    def follow_up(self) -> None:
        """Nothing is left to do."""


class RefreshTask:
    """Repeats the commands that built a file (14.10.2), and brings it up to date."""

    kind = REFRESH
    title = ""

    def __init__(self, arguments: RefreshArguments, config: CaptureConfig) -> None:
        if not arguments.pdf.exists():
            raise missing(arguments.pdf)
        self.path = arguments.pdf
        self.fresh, self.partial, self.force = arguments.fresh, arguments.partial, arguments.force
        self._arguments = arguments
        self._config = config
        self._selection: Selection
        self._renewal: Renewal

    @property
    def purpose(self) -> Purpose:
        """What unfinished work is recognised by: what is to be repeated, and what becomes of pages that are gone."""
        arguments = self._arguments
        headers = hashlib.sha256(repr(arguments.headers).encode()).hexdigest()
        identity = json.dumps(["refresh", arguments.only, arguments.command, arguments.gone, headers])
        return Purpose(identity, arguments.typed)

    def executions(self, database: ContentDatabase) -> list[Execution]:
        """Return the commands of the file that are to be repeated."""
        arguments, catalogue = self._arguments, database.catalogue
        if arguments.keep == 1:
            check_unsigned(self.path, "leave keep=1 out: the file then only grows by what is new")
        self._selection = select(database.commands(), catalogue.history, self.path, arguments.only, arguments.command)
        return [self._execution(entry.command, entry.run) for entry in self._selection.repetitions]

    def _execution(self, command: Command, run: int) -> Execution:
        named = command.engine.split(":")[1] if command.engine.count(":") == 3 else ""
        return Execution(
            replace(command, headers=(*command.headers, *self._arguments.headers)),
            self._config.with_settings_of(command.settings),
            named if is_installed(named) else product(self._config.engine),
            run,
        )

    def keeper(self, database: ContentDatabase, journal: Journal, report: Report) -> Keeper:
        """Return what brings pages up to date."""
        self._renewal = Renewal(database, journal, report)
        return self._renewal

    def begin(self, writer: CaptureWriter) -> None:
        """Begin with the commands that are in the file; say which cannot be repeated as they were."""
        for reason, url in self._selection.passed_over:
            writer.report.keep_page(reason, url)
        for entry in self._selection.repetitions:
            if "H" in entry.command.withheld and not self._arguments.headers:
                logger.warning("%s is asked for without headers that were not kept: give headers=", entry.command.url)
        writer.repeat([entry.reference for entry in self._selection.repetitions])

    def settle(self, writer: CaptureWriter, *, is_complete: bool) -> None:
        """Deal with what is gone, unless the site seems to answer everything with one page."""
        settlement = Settlement(self._renewal)
        if not self.force:
            settlement.check_alike(self.path)
        drop = self._arguments.gone == "drop"
        settlement.settle(self._selection.repeated, drop=drop, is_complete=is_complete)

    def follow_up(self) -> None:
        """Forget the past, if that is asked for."""
        if self._arguments.keep == 1:
            done = optimize(self.path, None, moment=self._config.clock())
            logger.info("%s: %s -> %s, without its earlier states", self.path, sized(done.before), sized(done.after))


def task_of(arguments: CaptureArguments | RefreshArguments, config: CaptureConfig) -> Task:
    """Return what a spider's arguments ask for."""
    return RefreshTask(arguments, config) if isinstance(arguments, RefreshArguments) else CaptureTask(arguments, config)
