"""The writer of a run: takes captures in any order, and stores them in reading order, in batches."""

from __future__ import annotations

import logging
from collections import deque
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
from wcspider.archive.run.memory import release_memory
from wcspider.archive.run.run_report import PAGE, Report
from wcspider.exceptions import WebCaptureError
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.run_records import Run
from wcspider.steps import Slices, Steps, completed
from wcspider.webcapture.keys import url_of
from wcspider.webcapture.order import Turn, TurnKind
from wcspider.webcapture.records import Command

logger = logging.getLogger(__name__)

LOST = "lost by an error in a pipeline, which the log shows"


@dataclass(frozen=True, slots=True)
class Batch:
    """The limits of a batch: a revision is appended as soon as one of them is reached."""

    page_sets: int
    size: int
    """In bytes."""

    age: timedelta = timedelta.max


class CaptureWriter:
    """Passes captures to a `PageSink` in reading order, and commits them in batches.

    A crawl passes each turn to `turn`. For each turn that is a PAGE it passes the result to `captured` or `failed`,
    in any order; captures that come before their turn wait. `add` takes a capture that has no position.
    """

    def __init__(
        self,
        database: ContentDatabase,
        journal: Journal,
        batch: Batch,
        memory: int,
        checkpoint: Checkpoint,
        slices: Slices | None = None,
    ) -> None:
        """Continue from a checkpoint. Waiting captures take up to `memory` bytes; the rest is on disk.

        Captures are stored one after the other in `slices`, or at once without them.
        """
        self.database = database
        self.journal = journal
        self.commands = [Ref(number) for number in checkpoint.commands]
        """The run's commands in the file."""

        self.batch = batch
        self.report = Report(journal, dict(checkpoint.counts), database.clock)
        self.sink: PageSink = CaptureSink(database, journal, self.report)
        """Where the captures go."""

        self._turns: dict[int, Turn[Any]] = {}
        self._next = checkpoint.position
        self._waiting = Spool(memory)
        self._slices = slices or Slices()
        self._without_turn: deque[Rendered] = deque()
        self._at_hand: tuple[str, Rendered] | None = None
        """The capture that came when its turn had come already: it does not have to wait in the spool."""

        self.committed = self.report.captured
        """The number of captured pages up to the last commit."""

        self._in_batch = 0
        self._batch_began = database.clock()
        self.first_title = checkpoint.title
        """The title of the first page set that was added."""

    def turn(self, turn: Turn[Any]) -> None:
        """Take the turn of a position."""
        self._turns[turn.position] = turn
        self._advance()

    def captured(self, key: str, rendered: Rendered) -> None:
        """Take the capture of a key, for the turn with that key."""
        turn = self._turns.get(self._next)
        if not self.is_busy and turn is not None and turn.key == key and turn.kind is TurnKind.PAGE:
            self._at_hand = (key, rendered)
            self._advance()
            self._at_hand = None
        else:
            self._waiting.put(key, rendered, rendered.size)

    def failed(self, key: str, problem: str) -> None:
        """Note that no PDF pages could be made from the content of a key."""
        self.journal.note_problem(key, problem)
        self._advance()

    def add(self, rendered: Rendered) -> None:
        """Add a capture that has no position."""
        self._without_turn.append(rendered)
        self._advance()

    @property
    def is_busy(self) -> bool:
        """True while pages are stored in slices."""
        return self._slices.is_busy

    async def caught_up(self) -> None:
        """Wait until everything that has its turn is stored."""
        await self._slices.ended()

    def count_stored(self) -> None:
        """Count a page set that the caller has stored in the database, and commit if the batch is full."""
        self._in_batch += 1
        completed(self._commit_if_full())

    def skip_missing(self) -> Steps[None]:
        """Skip and report the turns whose captures never came, and store the later ones, in steps."""
        self._slices.complete()
        while self._turns:
            self._next = min(self._turns)
            yield from self._steps()
            if self._next in self._turns:
                self.journal.note_problem(self._turns[self._next].key, LOST)

    def begin(self, commands: Sequence[Command]) -> None:
        """Add the commands of a new run, and commit them, so that the run can be resumed from here."""
        self.repeat(self.database.add_commands(commands))

    def repeat(self, commands: Sequence[Ref]) -> None:
        """Begin a run that repeats commands of the file."""
        self.commands = list(commands)
        self.commit()

    def commit(self) -> None:
        """Append what was added as one revision. After a crash, the same command resumes from here."""
        self._slices.complete()
        completed(self._commit())

    def _commit(self) -> Steps[None]:
        self.report.bytes_written += yield from self.database.commit_steps()
        self._checkpoint()

    def finish(self, title: str = "", run: Run | None = None, contents: ContentsDesign | None = None) -> None:
        """Do all steps of the end of a run at once."""
        completed(self.finish_steps(title, run, contents))

    def finish_steps(
        self, title: str = "", run: Run | None = None, contents: ContentsDesign | None = None
    ) -> Steps[None]:
        """Commit the rest in steps, with the document's title, dates and producer, the contents, and the run record.

        This is no checkpoint: after a crash from here on, the last batch and this revision are written again, so that
        the file does not depend on the crash.
        """
        if contents is not None:
            Contents(self.database).update(contents, title or self.database.catalog.title)
        if run is not None:
            self.database.catalog.add_run(self._with_counts(run))
        yield
        self.report.bytes_written += yield from self.database.finish_steps(title)
        for claim in self.database.removed_claims:
            self.report.note_claim(claim)

    def _with_counts(self, run: Run) -> Run:
        """Return the record of the run with its counts."""
        return replace(
            run,
            moment=self.database.clock(),
            commands=tuple(self.commands),
            added=self.report.page_sets,
            changed=self.report.changed,
            returned=self.report.returned,
            gone=self.report.gone,
            dropped=self.report.dropped,
            unchanged=self.report.known,
            skipped=self.report.entry_count(PAGE),
            notes=tuple(self.report.notes()),
        )

    def close(self) -> None:
        """Discard the captures that still wait."""
        self._slices.close()
        self._waiting.close()

    def _checkpoint(self) -> None:
        commands = tuple(reference.number for reference in self.commands)
        counts = tuple(self.report.counts().items())
        self.journal.commit(Checkpoint(self.database.file.length, self._next, commands, self.first_title, counts))
        self.committed = self.report.captured
        self._in_batch = 0
        self._batch_began = self.database.clock()
        release_memory()

    @property
    def position(self) -> int:
        """The position whose turn is next."""
        return self._next

    @property
    def pending(self) -> int:
        """The number of turns that still wait for their captures."""
        return len(self._turns)

    def _advance(self) -> None:
        """Store the pages whose turn has come, unless the writer is doing so already."""
        if not self.is_busy:
            self._slices.begin(self._steps())

    def _steps(self) -> Steps[None]:
        """Store the pages whose turn has come, one after the other, and those without a turn."""
        while True:
            if self._without_turn:
                yield from self._add_without_turn(self._without_turn.popleft())
            elif self._next in self._turns and (yield from self._execute(self._turns[self._next])):
                del self._turns[self._next]
                self._next += 1
            else:
                return
            yield from self._commit_if_full()
            yield

    def _execute(self, turn: Turn[Any]) -> Steps[bool]:
        """Store or skip the page of a turn; False if its capture has not come yet."""
        hops = tuple(hop for hop in dict.fromkeys(map(url_of, turn.hops)) if hop != url_of(turn.key))
        if turn.kind is TurnKind.SKIPPED:
            self._skip(turn, turn.reason)
        elif (problem := self.journal.problem(turn.key)) is not None:
            self._skip(turn, problem)
        elif turn.kind is TurnKind.ALIAS:
            self.sink.alias(*self.journal.stored(turn.key), hops, turn.position)
        elif (rendered := self._pop_capture(turn.key)) is None:
            return False
        elif (yield from self._add(rendered, hops, self._command_at(turn.position, rendered.capture.command))):
            self.journal.note_stored(turn.key, rendered.capture.resource.url, rendered.capture.identifier)
        else:
            self.journal.note_problem(turn.key, LOST)
            self._skip(turn, LOST)
        return True

    def _add_without_turn(self, rendered: Rendered) -> Steps[None]:
        resource = rendered.capture.resource
        if not (yield from self._add(rendered, resource.hops, rendered.capture.command)):
            self.report.skip_unlinked(LOST, resource.url)

    def _skip(self, turn: Turn[Any], reason: str) -> None:
        self.report.skipped_pages.note_turn(turn, reason)
        self.sink.skip(turn, reason)

    def _pop_capture(self, key: str) -> Rendered | None:
        """Return the capture of a key, which waits no longer; None if it has not come yet."""
        if self._at_hand is not None and self._at_hand[0] == key:
            return self._at_hand[1]
        waiting: Rendered | None = self._waiting.pop(key) if key in self._waiting else None
        return waiting

    def _command_at(self, position: int, fetched_by: int) -> int:
        """Return the index of the command of a position.

        Another position, of the command `fetched_by`, may have fetched its page, because of the order of the answers.
        """
        found = self.journal.found_at(position)
        return fetched_by if found is None else found[0].command

    def _add(self, rendered: Rendered, hops: tuple[str, ...], command: int) -> Steps[bool]:
        """Add a capture; False after an error inside wcspider, which must not lose the pages behind it."""
        try:
            yield from self._store(rendered, hops, command)
        except WebCaptureError:  # the file cannot be written
            raise
        except Exception:
            logger.exception("%s could not be stored", rendered.capture.resource.url)
            return False
        return True

    def _store(self, rendered: Rendered, hops: tuple[str, ...], command: int) -> Steps[None]:
        capture = rendered.capture
        if not self.first_title:
            fragment = None if capture.title else (yield from rendered.unpacked())
            self.first_title = capture.title or (fragment.structure.title if fragment else "")
        reference = self.commands[command] if self.commands else None
        yield from self.sink.page(rendered, hops, reference, self._next)
        self._in_batch += 1

    def _commit_if_full(self) -> Steps[None]:
        if (
            self._in_batch >= self.batch.page_sets
            or self.database.file.pending_bytes >= self.batch.size
            or self.database.clock() - self._batch_began >= self.batch.age
        ):
            yield from self._commit()
