"""Copies of the finished file in local folders."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import IO

from wcspider.archive.target.part_files import new_version
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


def write_copy(source: Path, file: IO[bytes]) -> None:
    """Copy a file into an open one, piece by piece."""
    with source.open("rb") as original:
        shutil.copyfileobj(original, file, COPIED_AT_ONCE)
    file.flush()
