"""The replacement of FILE by a new file, which is written as FILE.part and renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import copymode

from wcspider.archive.journal.journal import remove
from wcspider.archive.target.target import JOURNAL, locked, sync_folder
from wcspider.exceptions import TargetNotWritableError, TargetUnfinishedError
from wcspider.pdf.file.part import followed, part_of


@contextmanager
def replacing(path: Path, model: Path) -> Iterator[Path]:
    """Lock FILE.part, and rename it to FILE at the end; remove it if there is an error.

    The new file has the mode of FILE, or of `model` if there is no FILE.
    """
    path = followed(path)
    _refuse_unwritable(path)
    part = part_of(path)
    with closing(locked(path)):
        journal = part.with_name(part.name + JOURNAL)
        if journal.exists() and part.stat().st_size:
            raise TargetUnfinishedError(f"{part}: holds the unfinished work of a capture", "repeat its command first")
        try:
            remove(journal)
            copymode(path if path.exists() else model, part)
            yield part
            _replace(part, path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise TargetNotWritableError(f"{part}: {error.strerror or error}") from error
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _refuse_unwritable(path: Path) -> None:
    if path.is_dir():
        raise TargetNotWritableError(f"{path}: is a folder", "name a file")
    if path.exists() and not os.access(path, os.W_OK):
        raise TargetNotWritableError(f"{path}: is read-only", "make it writable, or name another file")


def _replace(part: Path, path: Path) -> None:
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)
