"""A cache of the most recently used entries, whose memory does not grow with the file."""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A cache of at most `limit` entries; at least the more recently used half of them stays.

    It has two halves. Used entries go into the young half; when it is full, it replaces the old half. This takes half
    the memory of a complete order of the entries, and less time.
    """

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """Return the value of a key; None if it is not in the cache."""
        value = self._young.get(key)
        if value is not None:
            return value
        value = self._old.get(key)
        return None if value is None else self.put(key, value)

    def put(self, key: K, value: V) -> V:
        """Add a value, which is not None; return it."""
        if len(self._young) >= self._half and key not in self._young:
            self._young, self._old = {}, self._young
        self._young[key] = value
        return value

    def forget(self, key: K) -> None:
        """Remove a value."""
        self._young.pop(key, None)
        self._old.pop(key, None)
