"""Runs ``scrapy`` and kills it, as kill -9 does, at a named step of a capture: ``dying.py STEP TIMES ARGUMENT...``.

The step is done TIMES times before it kills. Nothing of wcspider knows of this: functions are wrapped from outside.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wcspider import steps
from wcspider.archive.journal.journal import Journal
from wcspider.archive.journal.sqlite_connection import Connection
from wcspider.archive.target import target as target_module
from wcspider.archive.target.target import Target
from wcspider.pdf.file.revision import RevisionFile


class Fuse:
    """Kills the process when it has been passed a number of times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def burn(self) -> None:
        """Pass once."""
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


def before(owner: Any, name: str, fuse: Fuse) -> None:
    """Kill before a function is called."""
    _wrap(owner, name, lambda call: (fuse.burn(), call())[1])


def after(owner: Any, name: str, fuse: Fuse) -> None:
    """Kill after a function has done its work."""
    _wrap(owner, name, lambda call: (call(), fuse.burn())[0])


def _wrap(owner: Any, name: str, around: Callable[[Callable[[], Any]], Any]) -> None:
    original = getattr(owner, name)
    setattr(owner, name, lambda *args, **kwargs: around(lambda: original(*args, **kwargs)))


def half_written(fuse: Fuse) -> None:
    """Kill when half of a revision is in the file."""
    original = RevisionFile._append

    def append(file: RevisionFile, body: bytearray) -> None:
        if fuse.left == 0:
            with file.path.open("ab") as part:
                part.write(body[: len(body) // 2])
        fuse.burn()
        original(file, body)

    RevisionFile._append = append  # type: ignore[method-assign]


def half_copied(fuse: Fuse) -> None:
    """Kill when half of FILE is in FILE.part."""
    original = target_module.copied

    def copied(source: Path, destination: Path) -> Any:
        data = source.read_bytes()
        destination.write_bytes(data[: len(data) // 2])
        fuse.burn()
        return original(source, destination)

    target_module.copied = copied  # type: ignore[assignment]


def half_journalled(fuse: Fuse) -> None:
    """Kill when a checkpoint is written to the journal and not committed."""
    original = Connection.execute

    def execute(connection: Connection, statement: str, *values: Any) -> Any:
        if statement == "COMMIT":
            fuse.burn()
        return original(connection, statement, *values)

    Connection.execute = execute  # type: ignore[method-assign]


def any_statement(fuse: Fuse) -> None:
    """Kill before one of the statements of the journal, which come at every turn of a crawl."""
    before(Connection, "execute", fuse)


def between_slices(fuse: Fuse) -> None:
    """Kill between two slices of the work of the writer, which goes on in the next turn of the event loop."""
    steps.SLICE_SECONDS = 0
    before(steps.Slices, "_go_on", fuse)


def any_moment(fuse: Fuse) -> None:
    """Kill when the process has used so many milliseconds of processor time since it asked for its target.

    The kernel ends it there and then, whatever it is at: a signal that nobody handles is to it what kill -9 is.
    """
    before(target_module, "locked", Alarm(fuse.left))


class Alarm(Fuse):
    """A fuse that sets a timer, and prints the used time if the process reaches its end."""

    def burn(self) -> None:
        """Set the timer."""
        signal.setitimer(signal.ITIMER_PROF, self.left / 1000)
        atexit.register(self.tell)

    def tell(self) -> None:
        """Print how many milliseconds were used."""
        print(self.left - round(signal.getitimer(signal.ITIMER_PROF)[0] * 1000))


STEPS: dict[str, Callable[[Fuse], None]] = {
    "locked": lambda fuse: after(target_module, "locked", fuse),
    "half copied": half_copied,
    "begun": lambda fuse: after(Target, "_begin", fuse),
    "before a revision": lambda fuse: before(RevisionFile, "_append", fuse),
    "half a revision": half_written,
    "after a revision": lambda fuse: after(RevisionFile, "_append", fuse),
    "half a checkpoint": half_journalled,
    "after a checkpoint": lambda fuse: after(Journal, "commit", fuse),
    "before the rename": lambda fuse: before(target_module.Path, "replace", fuse),
    "after the rename": lambda fuse: after(target_module.Path, "replace", fuse),
    "a statement": any_statement,
    "between slices": between_slices,
    "a moment": any_moment,
}


if __name__ == "__main__":
    from scrapy.cmdline import execute

    step, times, *arguments = sys.argv[1:]
    STEPS[step](Fuse(int(times)))
    execute(["scrapy", *arguments])
