"""Values that wait to be used: in memory while they are few, otherwise pickled in a temporary file."""

from __future__ import annotations

import errno
import os
import pickle
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wcspider.exceptions import TargetNotWritableError


@contextmanager
def temporary_folder() -> Iterator[None]:
    """Raise `TargetNotWritableError` in the place of errors of files in the folder for temporary files."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        folder, reason = os.environ.get("TMPDIR") or "/tmp", getattr(error, "strerror", None) or error
        advice = "free space in this folder, or set TMPDIR to another one"
        raise TargetNotWritableError(f"{folder}: {reason}", advice) from error


class Spool:
    """Keeps values under keys; the first `memory` bytes in memory, the rest in a temporary file.

    Its methods raise `TargetNotWritableError` if the temporary file cannot be written.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._used = 0
        self._in_memory: dict[Any, tuple[Any, int]] = {}
        self._spilled: dict[Any, tuple[int, int]] = {}
        with temporary_folder():
            # Without a buffer, because Python would write it again with each later call, and fail again.
            self._file = tempfile.TemporaryFile(prefix="wcspider-", buffering=0)  # noqa: SIM115
        self._end = 0

    def __contains__(self, key: Any) -> bool:
        return key in self._in_memory or key in self._spilled

    def put(self, key: Any, value: Any, size: int) -> None:
        """Add a value that can be pickled and takes about `size` bytes."""
        if self._used + size <= self._memory:
            self._in_memory[key] = (value, size)
            self._used += size
            return
        data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        with temporary_folder():
            self._file.seek(self._end)
            if self._file.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._spilled[key] = (self._end, len(data))
        self._end += len(data)

    def get(self, key: Any) -> Any:
        """Return a value; KeyError if the key has none."""
        if key in self._in_memory:
            return self._in_memory[key][0]
        offset, length = self._spilled[key]
        self._file.seek(offset)
        return pickle.loads(self._file.read(length))

    def pop(self, key: Any) -> Any:
        """Remove a value and return it."""
        value = self.get(key)
        if key in self._in_memory:
            self._used -= self._in_memory.pop(key)[1]
            return value
        del self._spilled[key]
        if not self._spilled:
            self._file.truncate(0)
            self._end = 0
        return value

    def close(self) -> None:
        """Remove all values."""
        self._in_memory.clear()
        self._spilled.clear()
        self._file.close()
