"""Name trees (ISO 32000-1, 7.9.6) with byte-string keys, read and changed one node at a time.

The trees that we grow are B+ trees: every leaf is equally deep, and no node has more than `FANOUT` entries. A tree
that somebody else made is read as it is; a leaf of it that we add to is split into pieces of that size.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeVar

from wcspider.pdf.objects import Ref, Value
from wcspider.pdf.revision import RevisionFile

FANOUT = 32

T = TypeVar("T")

Entry = tuple[bytes, Value]
Node = dict[str, Value]


class NameTree:
    """The name tree whose root is the object `root`, an existing dictionary."""

    def __init__(self, file: RevisionFile, root: Ref) -> None:
        self.file = file
        self.root = root

    def __getitem__(self, key: bytes) -> Value:
        """Return the value of a key as it stands in the tree, which may be a reference; KeyError if absent."""
        content = self.file.resolve(self.root) or {}
        while kids := self.file.resolve(content.get("Kids")):
            content = self.file.resolve(kids[self._kid_for(kids, key)]) or {}
        names = self.file.resolve(content.get("Names")) or []
        for at in range(0, len(names) - 1, 2):  # not by halves: somebody else's leaf may be out of order
            if names[at] == key:
                return names[at + 1]
        raise KeyError(key)

    def get(self, key: bytes, default: Value = None) -> Value:
        """Return the value of a key, or `default`."""
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key: bytes) -> bool:
        try:
            self[key]
        except KeyError:
            return False
        return True

    def items(self, low: bytes | None = None, high: bytes | None = None) -> Iterator[Entry]:
        """Yield the keys from `low` to `high`, both included, with their values, in order.

        Only the nodes whose Limits (Table 36) meet that range are read.
        """
        yield from self._items(self.root, low, high)

    def _items(self, node: Ref | Node, low: bytes | None, high: bytes | None) -> Iterator[Entry]:
        content = self.file.resolve(node) or {}
        for key, value in _pairs(self.file.resolve(content.get("Names")) or []):
            if (low is None or key >= low) and (high is None or key <= high):
                yield key, value
        for kid in self.file.resolve(content.get("Kids")) or []:
            first, last = self._limits(kid)
            if (low is None or last >= low) and (high is None or first <= high):
                yield from self._items(kid, low, high)

    def _limits(self, kid: Ref | Node) -> tuple[bytes, bytes]:
        limits = self.file.resolve((self.file.resolve(kid) or {}).get("Limits"))
        if isinstance(limits, list) and len(limits) == 2:
            return limits[0], limits[1]
        keys = [key for key, _ in self._items(kid, None, None)]
        return min(keys, default=b""), max(keys, default=b"")

    def __setitem__(self, key: bytes, value: Value) -> None:
        """Add a key, or change its value."""
        pieces = self._insert(self.root, key, value)
        if len(pieces) > 1:
            kids = [self.file.add(_with_limits(piece, self._span(piece))) for piece in pieces]
            self.file.put(self.root, {"Kids": kids})
        else:
            self.file.put(self.root, pieces[0])

    def _insert(self, node: Ref, key: bytes, value: Value) -> list[Node]:
        """Return what `node` becomes with the key in it: one node, or several where it grew too large."""
        content = self.file.resolve(node) or {}
        kids = self.file.resolve(content.get("Kids"))
        if not kids:
            names = sorted(_pairs(self.file.resolve(content.get("Names")) or []), key=lambda pair: pair[0])
            return [{"Names": _flat(part)} for part in _split(_inserted(names, key, value))]
        at = self._kid_for(kids, key)
        child = kids[at] if isinstance(kids[at], Ref) else self.file.add(kids[at])
        pieces = self._insert(child, key, value)
        replaced = [self.file.put(child, _with_limits(pieces[0], self._span(pieces[0])))]
        replaced += [self.file.add(_with_limits(piece, self._span(piece))) for piece in pieces[1:]]
        return [{"Kids": part} for part in _split([*kids[:at], *replaced, *kids[at + 1 :]])]

    def _kid_for(self, kids: list[Value], key: bytes) -> int:
        """Return the index of the kid that a key belongs in: the last that does not begin behind it."""
        return max(0, bisect_right(kids, key, key=lambda kid: self._limits(kid)[0]) - 1)

    def _span(self, node: Node) -> list[bytes]:
        if "Names" in node:
            return [node["Names"][0], node["Names"][-2]]
        return [self._limits(node["Kids"][0])[0], self._limits(node["Kids"][-1])[1]]

    def __delitem__(self, key: bytes) -> None:
        """Remove a key; KeyError if it is absent. A node that is left empty goes with it."""
        self.file.put(self.root, self._delete(self.root, key) or {"Names": []})

    def _delete(self, node: Ref, key: bytes) -> Node | None:
        """Return what `node` becomes without the key; None for nothing at all."""
        content = self.file.resolve(node) or {}
        kids = self.file.resolve(content.get("Kids"))
        if not kids:
            names = list(_pairs(self.file.resolve(content.get("Names")) or []))
            kept = [pair for pair in names if pair[0] != key]
            if len(kept) == len(names):
                raise KeyError(key)
            return {"Names": _flat(kept)} if kept else None
        at = self._kid_for(kids, key)
        child = kids[at] if isinstance(kids[at], Ref) else self.file.add(kids[at])
        left = self._delete(child, key)
        if left is not None:
            kids = [*kids[:at], self.file.put(child, _with_limits(left, self._span(left))), *kids[at + 1 :]]
        else:
            kids = [*kids[:at], *kids[at + 1 :]]
        return {"Kids": kids} if kids else None


def _pairs(names: list[Value]) -> Iterator[Entry]:
    return zip(names[::2], names[1::2], strict=False)


def _flat(pairs: list[Entry]) -> list[Value]:
    return [part for pair in pairs for part in pair]


def _inserted(names: list[Entry], key: bytes, value: Value) -> list[Entry]:
    at = bisect_left(names, key, key=lambda pair: pair[0])
    replaces = at < len(names) and names[at][0] == key
    return [*names[:at], (key, value), *names[at + replaces :]]


def _split(entries: list[T]) -> list[list[T]]:
    """Cut a list that is longer than `FANOUT` into equal parts, each at least half full."""
    if len(entries) <= FANOUT:
        return [entries]
    parts = -(-len(entries) // (FANOUT * 3 // 4))
    bounds = [len(entries) * part // parts for part in range(parts + 1)]
    return [entries[start:end] for start, end in pairwise(bounds)]


def _with_limits(node: Node, limits: list[bytes]) -> Node:
    return {"Limits": limits, **node}
