"""FILE.part, the copy of FILE that a run works on until it replaces FILE."""

from __future__ import annotations

import os
from pathlib import Path

from wcspider.exceptions import TargetMissingError

PART = ".part"


def part_of(path: Path) -> Path:
    """Return FILE.part for FILE."""
    return path.with_name(path.name + PART)


def followed(path: Path) -> Path:
    """Return the target of a symbolic link, or the path itself: FILE is replaced there, and the link stays."""
    return Path(os.path.realpath(path)) if _is_link(path) else path


def missing(path: Path) -> TargetMissingError:
    """Return the error for a missing FILE, which mentions FILE.part if there is one.

    FILE.part may be the beginning of FILE, or a copy of a FILE that was moved away since.
    """
    file = followed(path)
    part = part_of(file)
    try:
        is_begun = part.stat().st_size > 0
    except OSError:
        is_begun = False
    if is_begun:
        return TargetMissingError(
            f"{path}: no such file, only {part}, which is unfinished",
            f"put {file.name} back if it was moved, and repeat the command that began the work",
        )
    if _is_link(path):
        return TargetMissingError(f"{path}: is a symbolic link to {file}, which does not exist")
    return TargetMissingError(f"{path}: no such file")


def _is_link(path: Path) -> bool:
    return os.path.islink(path)  # noqa: PTH114 -- Path.is_symlink raises an error if the path is too long
