"""Values that wait: in memory as long as they are few, then pickled in a temporary file that goes with the process."""

from __future__ import annotations

import pickle
import tempfile
from typing import Any


class Spool:
    """Keeps values under keys; the first `memory` bytes of them in memory, the others in a temporary file."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._used = 0
        self._kept: dict[Any, tuple[Any, int]] = {}
        self._spilled: dict[Any, tuple[int, int]] = {}
        self._file = tempfile.TemporaryFile(prefix="wcspider-")  # noqa: SIM115
        self._end = 0

    def __contains__(self, key: Any) -> bool:
        return key in self._kept or key in self._spilled

    def put(self, key: Any, value: Any, size: int) -> None:
        """Keep a value that can be pickled, and takes about `size` bytes."""
        if self._used + size <= self._memory:
            self._kept[key] = (value, size)
            self._used += size
            return
        data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        self._file.seek(self._end)
        self._file.write(data)
        self._spilled[key] = (self._end, len(data))
        self._end += len(data)

    def get(self, key: Any) -> Any:
        """Return a value; KeyError if there is none under that key."""
        if key in self._kept:
            return self._kept[key][0]
        offset, length = self._spilled[key]
        self._file.seek(offset)
        return pickle.loads(self._file.read(length))

    def take(self, key: Any) -> Any:
        """Return a value and keep it no longer."""
        value = self.get(key)
        if key in self._kept:
            self._used -= self._kept.pop(key)[1]
            return value
        del self._spilled[key]
        if not self._spilled:
            self._file.truncate(0)
            self._end = 0
        return value

    def close(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._spilled.clear()
        self._file.close()
