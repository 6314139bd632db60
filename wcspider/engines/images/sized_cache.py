"""A cache of the most recently used values, up to a total size."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class SizedCache(Generic[V]):
    """The values that were used last, as far as they fit into `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._values: OrderedDict[bytes, tuple[V, int]] = OrderedDict()

    def get(self, key: bytes) -> V | None:
        """Return a value; None if it is not in the cache."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key][0]

    def put(self, key: bytes, value: V, size: int) -> V:
        """Add a value whose key is not in the cache, and return it. A value above the limit is not added."""
        if size <= self._limit:
            self._values[key] = value, size
            self._size += size
        while self._size > self._limit:
            _, (_, oldest) = self._values.popitem(last=False)
            self._size -= oldest
        return value

    def clear(self) -> None:
        """Remove all values."""
        self._values.clear()
        self._size = 0
