"""The first bytes of a file as a file object: a file that grows by revisions can be read as it was earlier.

Bytes can be added behind them, so that a file can also be read as if it had another revision.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any


class FilePrefix(io.RawIOBase):
    """The first `length` bytes of a file and the bytes in `tail` behind them, for reading."""

    def __init__(self, path: Path, length: int, tail: bytes = b"") -> None:
        self._descriptor = os.open(path, os.O_RDONLY)
        self._length = length
        self._tail = tail
        self._position = 0

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            os.close(self._descriptor)
        super().close()

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Change the position, counted from the beginning, from the present position or from the end; return it."""
        end = self._length + len(self._tail)
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: end}[whence]
        self._position = start + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; return the number of bytes, 0 at the end."""
        into = memoryview(buffer).cast("B")
        count = min(len(into), max(0, self._length - self._position))
        data = os.pread(self._descriptor, count, self._position)
        if len(data) == count < len(into):
            behind = max(0, self._position - self._length)
            data += self._tail[behind : behind + len(into) - count]
        into[: len(data)] = data
        self._position += len(data)
        return len(data)


def openable(path: Path) -> Path | FilePrefix:
    """Return a path, or a file object if its name is not UTF-8, which pikepdf and PDFium cannot open by name."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return FilePrefix(path, path.stat().st_size)
    return path
