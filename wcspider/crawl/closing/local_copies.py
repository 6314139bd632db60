"""Copies of the finished file in local folders."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import IO

from wcspider.archive.target.part_files import copy_permissions, sync_folder
from wcspider.pdf.file.part import followed

COPIED_AT_ONCE = 1024 * 1024


def replace_copy(source: Path, copy: Path) -> None:
    """Make a copy of a file, which replaces an older copy as a whole; its folder is created if needed.

    The copy is written beside the older one and renamed at the end, so the older one stays if the disk is full. A
    device, for instance a tape, is written to. Raises `OSError`.
    """
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy = followed(copy)
    if copy.exists() and not copy.is_file():
        with copy.open("wb") as file:
            write_copy(source, file)
        return
    new = copy.with_name(f".wcspider-{secrets.token_hex(8)}.part")
    try:
        with new.open("xb") as file:
            write_copy(source, file)
            os.fsync(file.fileno())
        if copy.exists():
            copy_permissions(copy, new)
        new.replace(copy)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync_folder(copy.parent)


def write_copy(source: Path, file: IO[bytes]) -> None:
    """Copy a file into an open one, piece by piece."""
    with source.open("rb") as original:
        shutil.copyfileobj(original, file, COPIED_AT_ONCE)
    file.flush()
