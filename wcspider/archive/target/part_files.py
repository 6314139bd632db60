"""The files beside FILE: their checks, the lock, copies, and the sync of their folder."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from wcspider.archive.journal.journal import remove
from wcspider.exceptions import TargetError, TargetLockedError, TargetNotWritableError, TargetUnfinishedError
from wcspider.pdf.file.base_file import require_regular
from wcspider.pdf.file.part import PART, followed, part_of

JOURNAL = ".db"
LONGEST_SUFFIX = f"{PART}{JOURNAL}-journal"
"""The longest suffix of the files beside FILE: that of SQLite's own journal."""

NEW = ".wcspider-"
"""The beginning of the names of new versions, which then replace their files."""

COPIED_AT_ONCE = 1024 * 1024


def journal_of(part: Path) -> Path:
    """Return FILE.part.db for FILE.part."""
    return part.with_name(part.name + JOURNAL)


def check_writable(path: Path) -> None:
    """Raise a `TargetError` if FILE cannot be written.

    That is so for a loop of symbolic links, a name that is too long, a folder, a FIFO, a socket, a device, a read-only
    file, and a file in a folder that does not exist.
    """
    try:
        mode: int | None = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        mode = None
    except (OSError, ValueError) as error:  # ValueError: the name has a NUL byte
        problem = getattr(error, "strerror", None) or error
        raise TargetNotWritableError(f"{path}: {problem}", "give another path") from error
    target = followed(path)
    if mode is not None and stat.S_ISDIR(mode):
        raise TargetNotWritableError(f"{path}: is a folder", "name a file")
    if not target.parent.is_dir():
        raise TargetNotWritableError(f"{target.parent}: no such folder", "create it, or name another folder")
    _check_name(target)
    if mode is not None:
        require_regular(path, mode)
        if not os.access(target, os.W_OK):
            raise TargetNotWritableError(f"{path}: is read-only", "make it writable, or name another file")


def _check_name(path: Path) -> None:
    """Raise `TargetNotWritableError` if the name of FILE is too long for FILE.part and its journal."""
    limit = os.pathconf(path.parent, "PC_NAME_MAX") - len(LONGEST_SUFFIX)
    if len(os.fsencode(path.name)) > limit:
        raise TargetNotWritableError(f"{path}: File name too long", f"use a name of at most {limit} bytes")


State = tuple[int, int, int]
"""The identity, the size and the date of a file."""


def state_of(path: Path) -> State | None:
    """Return the state of a file; None if there is none."""
    if not path.exists():
        return None
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def check_new(output: Path, *, force: bool) -> None:
    """Raise a `TargetError` if a file exists already, unless `force` is set."""
    if output.exists() and not force:
        raise TargetError(f"{output}: exists already", "name another file, or give --force to replace it")


def copy_permissions(model: Path, path: Path) -> None:
    """Give a file the owner, the group and the mode of another file, as far as the user has the rights."""
    status = model.stat()
    with suppress(PermissionError):
        os.chown(path, -1, status.st_gid)
    with suppress(PermissionError):
        os.chown(path, status.st_uid, -1)
    with suppress(PermissionError):  # a network share may permit it to nobody
        shutil.copymode(model, path)  # at the end, because chown resets some bits of the mode


def locked(path: Path) -> BinaryIO:
    """Open FILE.part with a lock that the system releases when the process ends, and claim it with a journal.

    Both must be regular files: opening a FIFO would wait forever, and a symbolic link would lead elsewhere.
    If another process renames FILE.part to FILE just before this process gets the lock, the new FILE.part is locked
    instead. A journal, which may be empty, is there before anything is written to FILE.part. So a FILE.part that has
    content and no journal is the file of another program, such as a download. Raises `TargetUnfinishedError` if FILE is
    itself the part of another file.
    """
    if path.suffix == PART and journal_of(path).exists():
        raise TargetUnfinishedError(f"{path}: is the unfinished {path.stem}", "repeat the command that began it")
    part = part_of(path)
    journal = journal_of(part)
    is_new = not _is_there(part)
    _is_there(journal)
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
        except OSError as error:  # a network share may have no locks
            lock.close()
            if is_new:
                part.unlink(missing_ok=True)
            advice = "use a folder on another file system, and copy the file afterwards (WEBCAPTURE_SHIP_TO)"
            raise TargetNotWritableError(f"{part}: cannot be locked: {error.strerror or error}", advice) from error
        if is_at(part, lock):
            break
        lock.close()
    if os.fstat(lock.fileno()).st_size and not journal.exists():
        lock.close()
        raise TargetNotWritableError(
            f"{part}: is in the way, and is not unfinished work: there is no {journal.name}",
            "move it away, or name another file",
        )
    try:
        journal.touch()
    except OSError as error:
        if not os.fstat(lock.fileno()).st_size:
            discard(part, lock)
        lock.close()
        raise TargetNotWritableError(f"{journal}: {error.strerror or error}") from error
    return lock


def _is_there(path: Path) -> bool:
    """Tell whether a file exists; raise `TargetNotWritableError` if it is not a regular file."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    if not stat.S_ISREG(mode):
        raise TargetNotWritableError(f"{path}: is not a regular file", "move it away, or name another file")
    return True


def is_at(part: Path, lock: BinaryIO) -> bool:
    """Tell whether FILE.part is the locked file, and not another file of that name."""
    try:
        return os.path.samestat(part.stat(), os.fstat(lock.fileno()))
    except OSError:  # it was removed, or its folder cannot be read any more
        return False


def require_locked(part: Path, lock: BinaryIO) -> None:
    """Raise `TargetNotWritableError` if FILE.part, which is to be renamed, is not the locked file."""
    if not is_at(part, lock):
        raise TargetNotWritableError(f"{part}: was removed or replaced by another program", "repeat the command")


def copied(path: Path, copy: Path, length: int | None = None) -> tuple[int, bytes]:
    """Copy a file, or its first `length` bytes; return the number of copied bytes and their SHA-256."""
    done, digest = 0, hashlib.sha256()
    with path.open("rb") as source, copy.open("wb") as target:
        while chunk := source.read(COPIED_AT_ONCE if length is None else min(COPIED_AT_ONCE, length - done)):
            digest.update(chunk)
            target.write(chunk)
            done += len(chunk)
    return done, digest.digest()


def rename(part: Path, path: Path) -> None:
    """Rename FILE.part to FILE, sync the file and its folder, and remove the journal, which must be closed."""
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(path)
    try:
        sync_folder(path.parent)
    finally:
        _remove_journal(part)


def _remove_journal(part: Path) -> None:
    """Remove the journal of a FILE.part that was renamed, unless another process has begun a new FILE.part.

    From the rename on, another process can lock a new FILE.part, and its journal has the same name. So the journal is
    removed under the lock of a new FILE.part. The process that has this lock removes an old journal itself.
    """
    with suppress(OSError), part.open("ab") as lock:  # BlockingIOError: another process has the lock
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.fstat(lock.fileno()).st_size:  # the other process may have been killed since
            discard(part, lock)


def discard(part: Path, lock: BinaryIO) -> None:
    """Remove FILE.part and its journal, if FILE.part is the locked file.

    The name of FILE.part is removed last, because another process can then begin a new one. If the folder is read-only
    now, or the process is killed before, an empty FILE.part remains, which the next run replaces.
    """
    if is_at(part, lock):
        with suppress(OSError):
            lock.truncate(0)
            remove(journal_of(part))
            part.unlink()


@contextmanager
def new_version(path: Path) -> Iterator[BinaryIO]:
    """Open a file beside another one, which it replaces as a whole at the end; it is removed if there is an error.

    It has a name of its own: no other program has such a file, and two processes do not write to the same one. It is
    locked while it is written. Such files without a lock are from processes that were killed, and are removed.
    """
    _remove_abandoned(path.parent)
    new, file = _begun(path)
    with file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if path.exists():
                copy_permissions(path, new)
            new.replace(path)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
    sync_folder(path.parent)


def _begun(path: Path) -> tuple[Path, BinaryIO]:
    """Open a new version of a file, with a lock for as long as it is open; some network shares have no locks."""
    while True:
        new = path.with_name(f"{NEW}{secrets.token_hex(8)}{PART}")
        file = new.open("xb")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another process has taken it for an abandoned one, and removes it
            file.close()
            continue
        except OSError:
            pass
        if is_at(new, file):  # otherwise another process has removed it before it was locked
            return new, file
        file.close()


def _remove_abandoned(folder: Path) -> None:
    """Remove the new versions of files in a folder whose processes were killed, so that they have no lock.

    Anything else of such a name stays: opening a FIFO would wait forever, and a symbolic link would lead elsewhere.
    """
    for path in folder.glob(f"{NEW}*{PART}"):
        if path.is_symlink() or not path.is_file():
            continue
        with suppress(OSError), path.open("rb") as file:  # BlockingIOError: it is being written
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that a rename in it survives a crash of the system; some network shares cannot sync folders."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
