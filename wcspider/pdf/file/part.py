"""FILE.part, where FILE is worked on until it is whole."""

from __future__ import annotations

import os
from pathlib import Path

from wcspider.exceptions import TargetMissingError

PART = ".part"


def part_of(path: Path) -> Path:
    """Return FILE.part for FILE."""
    return path.with_name(path.name + PART)


def followed(path: Path) -> Path:
    """Return where a symbolic link leads, or the path itself: FILE is replaced there, and the link stays."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def missing(path: Path) -> TargetMissingError:
    """Return the error that there is no FILE, which says so if there is the beginning of one."""
    part = part_of(path)
    try:
        is_begun = part.stat().st_size > 0
    except OSError:
        is_begun = False
    if not is_begun:
        return TargetMissingError(f"{path}: no such file")
    return TargetMissingError(
        f"{path}: no such file yet, only {part}, which is unfinished", "repeat the command that began it"
    )
