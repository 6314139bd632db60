"""The file that is captured into: worked on as FILE.part, locked, and put in place by one rename at the end.

FILE.part and its journal, FILE.part.db, are what a crash leaves behind; the same command goes on with them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wcspider.archive.journal.journal import Checkpoint, Journal, remove
from wcspider.exceptions import TargetLockedError, TargetNotWritableError, TargetUnfinishedError
from wcspider.pdf.file.part import PART, followed, part_of
from wcspider.pdf.file.revision import RevisionFile, open_base

JOURNAL = ".db"
COPIED_AT_ONCE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Purpose:
    """What work on a file is for."""

    identity: str
    """What it is recognised by."""

    command: str
    """The command that asks for it, as the user would type it."""


class Target:
    """FILE, with its FILE.part and journal, which this process alone may write to while it holds the lock."""

    def __init__(self, path: Path, lock: BinaryIO) -> None:
        self.path = path
        self.part = part_of(path)
        self._journal_path = self.part.with_name(self.part.name + JOURNAL)
        self._lock = lock
        self.journal: Journal
        self.file: RevisionFile
        self.checkpoint = Checkpoint()
        """Where earlier work on the file was left; at position 0 if there was none."""

        self.base: tuple[int, bytes | None] = 0, None
        """The length and the SHA-256 of FILE as it was when the work began; 0 and None if there was no FILE."""

    @classmethod
    def open(cls, path: Path, purpose: Purpose, *, fresh: bool = False) -> Target:
        """Lock FILE.part and go on with the work that was left in it, or begin with a copy of FILE.

        `purpose` says what the work is for: unfinished work for another purpose is not touched, unless `fresh` asks
        to begin anew. Raises a `TargetError` if FILE cannot be added to, if its folder cannot be written to, or if
        another process is at it. FILE itself is never touched.
        """
        path = followed(path)
        _check(path)
        target = cls(path, locked(path))
        try:
            if fresh or not target._resume(purpose):
                target._begin(purpose)
        except BaseException:
            target._lock.close()
            raise
        return target

    def _resume(self, purpose: Purpose) -> bool:
        """Go on where the journal's last checkpoint was; False if there is nothing to go on with."""
        if not self._journal_path.exists() or not self.part.stat().st_size:
            return False
        journal = Journal(self._journal_path)
        checkpoint = journal.rewind()
        if not checkpoint.length or self.part.stat().st_size < checkpoint.length:
            journal.close()
            return False
        self._check_unfinished(journal, purpose)
        try:
            os.truncate(self.part, checkpoint.length)
        except OSError as error:
            raise TargetNotWritableError(f"{self.part}: {error.strerror or error}") from error
        self.journal = journal
        self.checkpoint = checkpoint
        length, digest = journal.read_state("copied")
        self.base = length, digest and bytes.fromhex(digest)
        self.file = RevisionFile.open(self.part)
        return True

    def _check_unfinished(self, journal: Journal, purpose: Purpose) -> None:
        """Refuse to go on with work that was meant for something else."""
        problem = None
        if journal.read_state("purpose") != purpose.identity:
            command = journal.read_state("command")
            told = f"{self.part}: holds the unfinished work of another command: {command}"
            if command == purpose.command:
                told = f"{self.part}: holds the unfinished work of this command with other settings"
            problem = TargetUnfinishedError(told)
        elif journal.read_state("base") != self._base():
            problem = self._changed()
        if problem is not None:
            journal.close()
            raise problem

    def check_unchanged(self) -> None:
        """Raise a `TargetUnfinishedError` if FILE is not any more what FILE.part is a copy of: that would be lost."""
        base = self._base()
        if base is not None and base != self.journal.read_state("base") and self._digest() != self.base[1]:
            raise self._changed()

    def _changed(self) -> TargetUnfinishedError:
        problem = f"{self.path}: was changed since the unfinished work in {self.part.name} began"
        return TargetUnfinishedError(problem, "add -a fresh=true to begin anew, with what is in it now")

    def _digest(self) -> bytes:
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()

    def _base(self) -> list[int] | None:
        """Return what tells whether FILE is still the one that FILE.part is a copy of."""
        if not self.path.exists():
            return None
        status = self.path.stat()
        return [status.st_size, status.st_mtime_ns]

    def _begin(self, purpose: Purpose) -> None:
        """Make FILE.part a copy of FILE, or empty where there is no FILE."""
        base = self._base()
        try:
            remove(self._journal_path)
            self._lock.truncate(0)
            if self.path.exists():
                self.base = copied(self.path, self.part)
                shutil.copymode(self.path, self.part)
        except OSError as error:
            self._remove()
            raise TargetNotWritableError(f"{self.part}: {error.strerror or error}") from error
        self.file = RevisionFile.open(self.part) if self.part.stat().st_size else RevisionFile.create(self.part)
        self.journal = Journal(self._journal_path)
        self.journal.write_state("purpose", purpose.identity)
        self.journal.write_state("command", purpose.command)
        self.journal.write_state("base", base)
        length, digest = self.base
        self.journal.write_state("copied", [length, digest and digest.hex()])

    def finish(self) -> None:
        """Put FILE.part in the place of FILE, and sync the file and its folder.

        Raises `TargetUnfinishedError` if FILE was changed meanwhile, `TargetNotWritableError` if it cannot be done.
        """
        self.check_unchanged()
        self._close()
        try:
            if not _is_at(self.part, self._lock):
                raise TargetNotWritableError(f"{self.part}: was removed or replaced meanwhile", "repeat the command")
            with self.part.open("rb") as part:
                os.fsync(part.fileno())
            self.part.replace(self.path)
            sync_folder(self.path.parent)
            remove(self._journal_path)
        except OSError as error:
            raise TargetNotWritableError(f"{self.path}: {error.strerror or error}") from error
        finally:
            self._lock.close()

    @property
    def is_kept(self) -> bool:
        """Tell whether there is a FILE.part that the same command can go on with."""
        return self.part.exists() and self._journal_path.exists()

    def keep(self) -> None:
        """Leave FILE.part and its journal, as they were at the last checkpoint, for the same command to go on."""
        self._close()
        self._lock.close()

    def discard(self) -> None:
        """Remove FILE.part and its journal; FILE is as it was."""
        self._close()
        self._remove()

    def _close(self) -> None:
        """Close what is open; what has ended in a failure is closed a second time."""
        if not self._lock.closed:
            self.file.close()
            self.journal.close()

    def _remove(self) -> None:
        if _is_at(self.part, self._lock):
            self.part.unlink()
            remove(self._journal_path)
        self._lock.close()


def _check(path: Path) -> None:
    if path.is_dir():
        raise TargetNotWritableError(f"{path}: is a folder", "name a file")
    if not path.parent.is_dir():
        raise TargetNotWritableError(f"{path.parent}: there is no such folder", "make it, or name another")
    if path.exists():
        open_base(path).close()
        if not os.access(path, os.W_OK):
            raise TargetNotWritableError(f"{path}: is read-only", "make it writable, or name another file")


def locked(path: Path) -> BinaryIO:
    """Open FILE.part with a lock that the system releases when the process ends.

    The process that holds the lock may rename FILE.part to FILE just before the lock is had here: then it is another
    file that must be locked. Raises `TargetUnfinishedError` for what is itself the part of a file.
    """
    if path.suffix == PART and path.with_name(path.name + JOURNAL).exists():
        raise TargetUnfinishedError(f"{path}: is the unfinished {path.stem}", "repeat the command that began that")
    part = part_of(path)
    while True:
        try:
            lock = part.open("ab")
        except OSError as error:
            raise TargetNotWritableError(f"{part}: {error.strerror or error}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.close()
            raise TargetLockedError(f"{path}: another process captures into it") from error
        if _is_at(part, lock):
            return lock
        lock.close()


def _is_at(part: Path, lock: BinaryIO) -> bool:
    """Tell whether FILE.part is the file that is locked, and no other that came in its place."""
    try:
        return os.path.samestat(part.stat(), os.fstat(lock.fileno()))
    except FileNotFoundError:
        return False


def copied(path: Path, copy: Path, length: int | None = None) -> tuple[int, bytes]:
    """Copy a file, or its first `length` bytes; return how many bytes that were, and their SHA-256."""
    done, digest = 0, hashlib.sha256()
    with path.open("rb") as source, copy.open("wb") as target:
        while chunk := source.read(COPIED_AT_ONCE if length is None else min(COPIED_AT_ONCE, length - done)):
            digest.update(chunk)
            target.write(chunk)
            done += len(chunk)
    return done, digest.digest()


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last: a rename holds only when its folder is synced."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
