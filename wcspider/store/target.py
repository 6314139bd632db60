"""The file that is captured into: worked on as FILE.part, locked, and put in place by one rename at the end."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path
from typing import BinaryIO

from wcspider.exceptions import TargetLockedError, TargetNotWritableError
from wcspider.pdf.revision import RevisionFile, open_base

PART = ".part"


class Target:
    """FILE and its FILE.part, which this process alone may write to while it holds the lock."""

    def __init__(self, path: Path, part: Path, lock: BinaryIO) -> None:
        self.path = path
        self.part = part
        self._lock = lock

    @classmethod
    def open(cls, path: Path) -> Target:
        """Lock FILE.part and make it a copy of FILE, or empty where there is no FILE.

        Raises a `TargetError` if FILE cannot be added to, if its folder cannot be written to, or if another process
        is at it. FILE itself is not touched.
        """
        if path.is_dir():
            raise TargetNotWritableError(f"{path}: is a folder", "name a file")
        if path.exists():
            open_base(path).close()
            if not os.access(path, os.W_OK):
                raise TargetNotWritableError(f"{path}: is read-only", "make it writable, or name another file")
        part = path.with_name(path.name + PART)
        target = cls(path, part, _locked(part, path))
        target._fill()
        return target

    def _fill(self) -> None:
        try:
            self._lock.truncate(0)
            if self.path.exists():
                shutil.copyfile(self.path, self.part)
                shutil.copymode(self.path, self.part)
        except OSError as error:
            self.abandon()
            raise TargetNotWritableError(f"{self.part}: {error.strerror or error}") from error

    def revision_file(self) -> RevisionFile:
        """Open FILE.part for appending."""
        return RevisionFile.open(self.part) if self.part.stat().st_size else RevisionFile.create(self.part)

    def finish(self) -> None:
        """Put FILE.part in the place of FILE, and sync the file and its folder."""
        try:
            with self.part.open("rb") as part:
                os.fsync(part.fileno())
            self.part.replace(self.path)
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise TargetNotWritableError(f"{self.path}: {error.strerror or error}") from error
        finally:
            self._lock.close()

    def abandon(self) -> None:
        """Remove FILE.part; FILE is as it was."""
        self.part.unlink(missing_ok=True)
        self._lock.close()


def _locked(part: Path, path: Path) -> BinaryIO:
    """Open FILE.part with a lock that the system releases when the process ends.

    The file may be renamed to FILE by the process that holds the lock, just before the lock is had: then it is
    another file that must be locked.
    """
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
        if part.exists() and part.stat().st_ino == os.fstat(lock.fileno()).st_ino:
            return lock
        lock.close()
