"""A mapping that keeps what was used last, so that its memory does not grow with the file."""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Keeps `limit` entries at most, and at least the half of them that was used last.

    In two halves: what is used goes into the young one; when that is full, it takes the place of the old one. That
    takes half the memory of an order of all entries, and less time.
    """

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """Return the value of a key; None if it is not kept."""
        value = self._young.get(key)
        if value is not None:
            return value
        value = self._old.get(key)
        return None if value is None else self.put(key, value)

    def put(self, key: K, value: V) -> V:
        """Keep a value, which is not None; return it."""
        if len(self._young) >= self._half and key not in self._young:
            self._young, self._old = {}, self._young
        self._young[key] = value
        return value

    def forget(self, key: K) -> None:
        """Keep a value no longer."""
        self._young.pop(key, None)
        self._old.pop(key, None)
