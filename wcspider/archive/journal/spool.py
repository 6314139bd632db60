"""Values that wait to be used: in memory while they are few, otherwise pickled in a temporary file."""

from __future__ import annotations

import pickle
import tempfile
from typing import Any


class Spool:
    """Keeps values under keys; the first `memory` bytes in memory, the rest in a temporary file."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._used = 0
        self._in_memory: dict[Any, tuple[Any, int]] = {}
        self._spilled: dict[Any, tuple[int, int]] = {}
        self._file = tempfile.TemporaryFile(prefix="wcspider-")  # noqa: SIM115
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
        self._file.seek(self._end)
        self._file.write(data)
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
