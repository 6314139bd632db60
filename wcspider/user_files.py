"""The files that a user names in arguments and settings: lists of URLs, data, cookies, logins."""

from __future__ import annotations

import os
import stat
from pathlib import Path

LARGEST = 256 * 1024 * 1024
"""The largest size of such a file in bytes. A device such as /dev/zero never ends."""


def read_file(path: Path) -> bytes:
    """Return the contents of a file or a pipe. Raises `OSError`, and `ValueError` if the file is too large."""
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"is larger than {LARGEST // 1024**2} MB")
    return content


def refuse_device(path: Path) -> None:
    """Raise `ValueError` for a device that may never end, before a library reads it to its end. May raise `OSError`."""
    mode = path.stat().st_mode
    if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and path != Path(os.devnull):
        raise ValueError("is a device, not a file")


def problem_of(error: OSError | ValueError) -> str:
    """Return why a text file cannot be read, without a part of its contents."""
    if isinstance(error, OSError):
        return error.strerror or "cannot be read"
    return "is not a text file" if isinstance(error, UnicodeDecodeError) else str(error)
