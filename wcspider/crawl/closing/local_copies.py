"""Copies of the finished file in local folders."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from wcspider.archive.target.part_files import new_version
from wcspider.exceptions import in_words
from wcspider.pdf.file.part import followed

COPIED_AT_ONCE = 1024 * 1024


def replace_copy(source: Path, copy: Path) -> None:
    """Make a copy of a file, which replaces an older copy as a whole; its folder is created if needed.

    So the older copy stays if the disk is full. A device, for instance a tape, is written to. Raises `OSError`.
    """
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy = followed(copy)
    is_replaced = copy.is_file() or not copy.exists()
    with new_version(copy) if is_replaced else copy.open("wb") as file:
        write_copy(source, file)


def problem_of_place(path: Path) -> str:
    """Return why no file can be written to a path, whose folder must exist; empty if it can be written."""
    path = followed(path)
    if path.is_dir():
        return "it is a folder"
    if path.exists() and not path.is_file():  # a device or a pipe
        return ""
    try:
        with TemporaryFile(dir=path.parent):
            return ""
    except OSError as error:
        return in_words(error)


def write_copy(source: Path, file: IO[bytes]) -> None:
    """Copy a file into an open one, piece by piece."""
    with source.open("rb") as original:
        shutil.copyfileobj(original, file, COPIED_AT_ONCE)
    file.flush()
