"""Captures, in whatever order they come, to a file in reading order, a batch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from wcspider.archive.database.contents_section import Contents, ContentsDesign
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Checkpoint, Journal
from wcspider.archive.journal.spool import Spool
from wcspider.archive.pages.packed import Rendered
from wcspider.archive.run.capture_sink import CaptureSink, PageSink
from wcspider.archive.run.memory import give_back
from wcspider.archive.run.run_report import PAGE, Report
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.run_records import Run
from wcspider.webcapture.keys import url_of
from wcspider.webcapture.order import Turn, TurnKind
from wcspider.webcapture.records import Command

LOST = "lost by an error inside wcspider, which the log shows"


@dataclass(frozen=True, slots=True)
class Batch:
    """When a revision is appended: at so many page sets, so many bytes, or after so much time."""

    page_sets: int
    size: int
    age: timedelta = timedelta.max


class CaptureWriter:
    """Hands captures to a `PageSink` in reading order, and commits batches of them.

    A crawl gives each of its turns to `turn`, and under the key of each PAGE what became of it to `captured` or
    `failed`, in any order; what comes before its turn waits. `add` takes a capture that has no place in an order.
    """

    def __init__(
        self, database: ContentDatabase, journal: Journal, batch: Batch, memory: int, checkpoint: Checkpoint
    ) -> None:
        """Go on from a checkpoint; what waits takes up to `memory` bytes, the rest is on disk."""
        self.database = database
        self.journal = journal
        self.commands = [Ref(number) for number in checkpoint.commands]
        self.batch = batch
        self.report = Report(journal, dict(checkpoint.counts))
        self.sink: PageSink = CaptureSink(database, journal, self.report)
        """What becomes of the captures."""

        self._turns: dict[int, Turn[Any]] = {}
        self._next = checkpoint.position
        self._waiting = Spool(memory)
        self._at_hand: tuple[str, Rendered] | None = None
        """The capture whose turn it is, if it came when it was called for: it need not wait in the spool."""

        self._in_batch = 0
        self._batch_began = database.clock()
        self.first_title = checkpoint.title
        """The title of the first page set that was added."""

    def turn(self, turn: Turn[Any]) -> None:
        """Take what a position of the reading order came to."""
        self._turns[turn.position] = turn
        self._advance()

    def captured(self, key: str, rendered: Rendered) -> None:
        """Take the capture that a turn calls for by its key."""
        turn = self._turns.get(self._next)
        if turn is not None and turn.key == key and turn.kind is TurnKind.PAGE:
            self._at_hand = (key, rendered)
            self._advance()
            self._at_hand = None
        else:
            self._waiting.put(key, rendered, rendered.size)

    def failed(self, key: str, problem: str) -> None:
        """Take the news that what a turn calls for by its key could not be made into pages."""
        self.journal.keep_problem(key, problem)
        self._advance()

    def add(self, rendered: Rendered) -> None:
        """Add a capture that has no place in a reading order."""
        self._add(rendered, rendered.capture.resource.hops)
        self._commit_if_full()

    def settle(self) -> None:
        """Do without what turns call for and never came; it is reported, and what stands behind it is added."""
        while self._turns:
            self._next = min(self._turns)
            self._advance()
            if self._next in self._turns:
                self.journal.keep_problem(self._turns[self._next].key, LOST)

    def begin(self, commands: Sequence[Command]) -> None:
        """Add the commands of a run that begins, and commit them, so that there is something to go on with."""
        self.repeat(self.database.add_commands(commands))

    def repeat(self, commands: Sequence[Ref]) -> None:
        """Begin a run of commands that are in the file."""
        self.commands = list(commands)
        self.commit()

    def commit(self) -> None:
        """Append what was added as one revision; from here the same command goes on after a crash."""
        self.report.bytes_written += self.database.commit()
        self._checkpoint()

    def finish(self, title: str = "", run: Run | None = None, contents: ContentsDesign | None = None) -> None:
        """Commit what is left, with the document's title, dates and producer, contents, and the record of the run."""
        if contents is not None:
            Contents(self.database).renew(contents, title or self.database.catalog.title)
        if run is not None:
            self.database.catalog.record(self._accounted(run))
        self.report.bytes_written += self.database.finish(title)
        self._checkpoint()

    def _accounted(self, run: Run) -> Run:
        """Return a run with what it did."""
        return replace(
            run,
            moment=self.database.clock(),
            commands=tuple(self.commands),
            added=self.report.page_sets,
            changed=self.report.changed,
            removed=self.report.removed,
            unchanged=self.report.known,
            omitted=self.report.skipped_count(PAGE),
        )

    def close(self) -> None:
        """Forget what waits."""
        self._waiting.close()

    def _checkpoint(self) -> None:
        commands = tuple(reference.number for reference in self.commands)
        counts = tuple(self.report.counts().items())
        self.journal.commit(Checkpoint(self.database.file.length, self._next, commands, self.first_title, counts))
        self._in_batch = 0
        self._batch_began = self.database.clock()
        give_back()

    @property
    def position(self) -> int:
        """The position whose turn is next."""
        return self._next

    @property
    def pending(self) -> int:
        """How many turns still wait for what they call for."""
        return len(self._turns)

    def _advance(self) -> None:
        while self._next in self._turns and self._take(self._turns[self._next]):
            del self._turns[self._next]
            self._next += 1
            self._commit_if_full()

    def _take(self, turn: Turn[Any]) -> bool:
        """Do what a turn asks for; False if what it calls for is not there yet."""
        hops = tuple(hop for hop in dict.fromkeys(map(url_of, turn.hops)) if hop != url_of(turn.key))
        if turn.kind is TurnKind.SKIPPED:
            self._omit(turn, turn.reason)
        elif (problem := self.journal.problem(turn.key)) is not None:
            self._omit(turn, problem)
        elif turn.kind is TurnKind.ALIAS:
            self.sink.alias(*self.journal.stored(turn.key), hops, turn.position)
        elif (rendered := self._called(turn.key)) is not None:
            self.journal.keep_stored(turn.key, rendered.capture.resource.url, rendered.capture.identifier)
            self._add(rendered, hops)
        else:
            return False
        return True

    def _omit(self, turn: Turn[Any], reason: str) -> None:
        self.report.skipped_pages.note_turn(turn, reason)
        self.sink.nothing(turn, reason)

    def _called(self, key: str) -> Rendered | None:
        """Return the capture that a turn calls for, if it has come."""
        if self._at_hand is not None and self._at_hand[0] == key:
            return self._at_hand[1]
        waiting: Rendered | None = self._waiting.take(key) if key in self._waiting else None
        return waiting

    def _add(self, rendered: Rendered, hops: tuple[str, ...]) -> None:
        capture = rendered.capture
        command = self.commands[capture.command] if self.commands else None
        self.first_title = self.first_title or capture.title or (rendered.fragment.title if rendered.fragment else "")
        self.sink.page(rendered, hops, command, self._next)
        self._in_batch += 1

    def _commit_if_full(self) -> None:
        if (
            self._in_batch >= self.batch.page_sets
            or self.database.file.pending_bytes >= self.batch.size
            or self.database.clock() - self._batch_began >= self.batch.age
        ):
            self.commit()
