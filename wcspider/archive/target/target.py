"""The target of a crawl: FILE, written as FILE.part under a lock and renamed at the end.

After a crash, FILE.part and its journal FILE.part.db remain, and the same command resumes from them.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wcspider.archive.journal.journal import Checkpoint, Journal, remove
from wcspider.archive.target.part_files import (
    check_writable,
    copied,
    copy_permissions,
    discard,
    journal_of,
    locked,
    rename,
    require_locked,
)
from wcspider.exceptions import TargetError, TargetNotPdfError, TargetNotWritableError, TargetUnfinishedError
from wcspider.pdf.file.base_file import BaseFile
from wcspider.pdf.file.part import followed, part_of
from wcspider.pdf.file.revision import RevisionFile
from wcspider.program_names import flag

LONGEST_END = 1024
"""The number of bytes at the end of a PDF file in which readers expect its last line."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """The command that a crawl of a target executes."""

    identity: str
    """The digest by which unfinished work of the same command is recognised."""

    command: str
    """The command as the user types it, without FILE."""

    file: str = ""
    """The words that name FILE in the command; empty if a setting names it."""


class Target:
    """FILE with FILE.part and the journal. Only the process with the lock may write to them."""

    def __init__(self, path: Path, lock: BinaryIO) -> None:
        self.path = path
        self.part = part_of(path)
        self._journal_path = journal_of(self.part)
        self._lock = lock
        self.journal: Journal
        self.file: RevisionFile
        self.checkpoint = Checkpoint()
        """The point from which the crawl resumes; position 0 for a new crawl."""

        self.base: tuple[int, bytes | None] = 0, None
        """The length and the SHA-256 of FILE at the beginning of the crawl; 0 and None if there was no FILE."""

    @classmethod
    def open(cls, path: Path, purpose: Purpose, *, fresh: bool = False) -> Target:
        """Lock FILE.part, and resume the unfinished work in it or begin with a copy of FILE.

        Unfinished work for another purpose is an error, unless `fresh` is set. Raises a `TargetError` if nothing can be
        added to FILE, if its folder is not writable, or if another process writes to it. FILE itself is not changed.
        """
        check_writable(path)
        path = followed(path)
        if path.exists():
            _check_pdf(path)
        target = cls(path, locked(path))
        try:
            if fresh or not target._resume(purpose):
                target._begin(purpose)
        except BaseException:
            target._lock.close()
            raise
        return target

    def _resume(self, purpose: Purpose) -> bool:
        """Resume from the last checkpoint in the journal; return False if there is none of use."""
        if not self._journal_path.exists() or not self.part.stat().st_size:
            return False
        journal = Journal(self._journal_path)
        checkpoint = journal.rewind()
        if not checkpoint.length or self.part.stat().st_size < checkpoint.length:
            journal.close()
            return False
        is_other = journal.read_state("purpose") != purpose.identity
        if is_other and not checkpoint.has_pages and self._has_revision_of(checkpoint.length):
            journal.close()
            return False
        self._check_unfinished(journal, checkpoint, purpose)
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

    def _check_unfinished(self, journal: Journal, checkpoint: Checkpoint, purpose: Purpose) -> None:
        """Raise a `TargetError` if FILE.part is the file of another program beside an old journal.

        Raises `TargetUnfinishedError` if the unfinished work has another purpose or began with another FILE.
        """
        problem: TargetError | None = None
        if not self._has_revision_of(checkpoint.length):
            message = f"{self.part}: is in the way, and is not the unfinished work of {self._journal_path.name}"
            problem = TargetNotWritableError(message, "move it away, or name another file")
        elif journal.read_state("purpose") != purpose.identity:
            command = journal.read_state("command")
            message = f"{self.part}: holds the unfinished work of another command: {command} {purpose.file}".rstrip()
            if command == purpose.command:
                message = f"{self.part}: holds the unfinished work of this command with other headers, cookies or data"
            problem = TargetUnfinishedError(message)
        elif journal.read_state("base") != self._state_of_file():
            problem = self._changed_error()
        if problem is not None:
            journal.close()
            raise problem

    def _has_revision_of(self, length: int) -> bool:
        """Tell whether the first `length` bytes of FILE.part end as those of a PDF file (7.5.5)."""
        with self.part.open("rb") as file:
            file.seek(max(0, length - LONGEST_END))
            return b"%%EOF" in file.read(min(length, LONGEST_END))

    def check_unchanged(self) -> None:
        """Raise a `TargetError` if FILE.part was removed or replaced, or FILE was changed since it was copied.

        The rename would put another file in place, or undo the change.
        """
        require_locked(self.part, self._lock)
        try:
            is_changed = self._is_changed()
        except OSError as error:
            raise TargetNotWritableError(f"{self.path}: {error.strerror or error}") from error
        if is_changed:
            raise self._changed_error()

    def _is_changed(self) -> bool:
        if self.path.is_symlink():  # it was followed at the beginning, so another program has put it there
            return True
        base = self._state_of_file()
        if base is None or base == self.journal.read_state("base"):
            return False
        if not self.path.is_file():  # another program has put a folder or a FIFO there, which cannot be read
            return True
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest() != self.base[1]

    def _changed_error(self) -> TargetUnfinishedError:
        problem = f"{self.path}: was changed since the unfinished work in {self.part.name} began"
        return TargetUnfinishedError(problem, f"add {flag('fresh')} to begin again with the changed file")

    def _state_of_file(self) -> list[int] | None:
        """Return the size and the modification time of FILE; None if there is no FILE."""
        if not self.path.exists():
            return None
        status = self.path.stat()
        return [status.st_size, status.st_mtime_ns]

    def _begin(self, purpose: Purpose) -> None:
        """Make FILE.part a copy of FILE; an empty file if there is no FILE."""
        base = self._state_of_file()
        try:
            self._lock.truncate(0)
            remove(self._journal_path)
            self._journal_path.touch()
            if self.path.exists():
                self.base = copied(self.path, self.part)
                copy_permissions(self.path, self.part)
            is_new = self.part.stat().st_size == 0
            self.file = RevisionFile.create(self.part) if is_new else RevisionFile.open(self.part)
            self._begin_journal(purpose, base)
        except TargetError:
            self._remove()
            raise
        except OSError as error:
            self._remove()
            raise TargetNotWritableError(f"{self.part}: {error.strerror or error}") from error

    def _begin_journal(self, purpose: Purpose, base: list[int] | None) -> None:
        try:
            self.journal = Journal(self._journal_path)
        except TargetError:
            self.file.close()
            raise
        if base is not None:
            copy_permissions(self.path, self._journal_path)
        self.journal.write_state("purpose", purpose.identity)
        self.journal.write_state("command", purpose.command)
        self.journal.write_state("base", base)
        length, digest = self.base
        self.journal.write_state("copied", [length, digest and digest.hex()])

    def finish(self) -> None:
        """Rename FILE.part to FILE, and sync the file and its folder.

        Raises `TargetUnfinishedError` if FILE was changed during the crawl, `TargetNotWritableError` if FILE.part is
        not there any more or the rename fails. FILE.part is then still locked, for `keep` or `discard`.
        """
        self.check_unchanged()
        self._close()
        try:
            rename(self.part, self.path)
        except OSError as error:
            raise TargetNotWritableError(f"{self.path}: {error.strerror or error}") from error
        self._lock.close()

    @property
    def is_kept(self) -> bool:
        """Whether there is a FILE.part from which the same command can resume."""
        return self.part.exists() and self._journal_path.exists()

    def keep(self) -> None:
        """Close FILE.part and its journal as they were at the last checkpoint, so that the same command can resume."""
        self._close()
        self._lock.close()

    def discard(self) -> None:
        """Remove FILE.part and its journal. FILE is unchanged."""
        self._close()
        self._remove()

    def _close(self) -> None:
        """Close the file and the journal; nothing happens if `finish` has closed them."""
        self.file.close()
        self.journal.close()

    def _remove(self) -> None:
        discard(self.part, self._lock)
        self._lock.close()


def _check_pdf(path: Path) -> None:
    """Raise a `TargetError` if nothing can be added to a file."""
    try:
        BaseFile(path).close()
    except TargetNotPdfError as error:
        raise TargetNotPdfError(error.problem, "name another file, or move this one away") from error
