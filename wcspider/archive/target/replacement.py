"""The replacement of FILE by a new file, which is written as FILE.part and renamed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType

from wcspider.archive.journal.journal import remove
from wcspider.archive.target.part_files import (
    check_writable,
    copy_permissions,
    discard,
    journal_of,
    locked,
    rename,
    require_locked,
    state_of,
)
from wcspider.exceptions import TargetError, TargetNotWritableError, TargetUnfinishedError
from wcspider.pdf.file.part import followed, part_of


@contextmanager
def replacing(path: Path, model: Path) -> Iterator[Path]:
    """Lock FILE.part, and rename it to FILE at the end; remove it if there is an error, or if FILE has changed.

    The new file has the owner and the mode of FILE, or of `model` if there is no FILE. The journal stays empty,
    because this work cannot be continued.
    """
    check_writable(path)
    path = followed(path)
    part = part_of(path)
    with closing(locked(path)) as lock, _exit_on_termination():
        journal = journal_of(part)
        if journal.stat().st_size and part.stat().st_size:
            raise TargetUnfinishedError(f"{part}: holds the unfinished work of a capture", "repeat its command first")
        before = state_of(path)
        try:
            remove(journal)
            journal.touch()
            copy_permissions(path if path.exists() else model, part)
            yield part
            require_locked(part, lock)
            if state_of(path) != before:
                raise TargetError(f"{path}: was changed by another program meanwhile", "repeat the command")
            rename(part, path)
        except BaseException as error:
            discard(part, lock)
            if isinstance(error, OSError):
                raise TargetNotWritableError(f"{part}: {error.strerror or error}") from error
            raise


@contextmanager
def _exit_on_termination() -> Iterator[None]:
    """Let SIGTERM raise `SystemExit`, so that FILE.part is removed. A crawl handles the signal itself."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _exit(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
