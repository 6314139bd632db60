"""Name trees (ISO 32000-1, 7.9.6) with byte-string keys, read and changed one node at a time.

New trees are B+ trees: all leaves have the same depth, and no node has more than `FANOUT` entries. Trees of other
programs are read as they are; a leaf of such a tree is split into nodes of that size when it is added to.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping
from heapq import merge
from itertools import chain, groupby, pairwise
from typing import Final, NamedTuple, TypeVar

from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Ref, Value, write

FANOUT = 16
"""Small, because adding a key rewrites a whole leaf."""

SEARCHED_KEPT = 256
"""The number of nodes whose arrays of kids are kept for searching."""

DEEPEST = 64
"""The maximum depth of a tree. A deeper tree must have a cycle."""

_REMOVED: Final = object()
"""The pending value of a removed key, and the value of an absent one."""

_WITHOUT_KEYS: Final = (b"", b"")
"""The limits of a node without keys, by its identity. Other programs write such nodes."""

T = TypeVar("T")

Entry = tuple[bytes, Value]
Node = dict[str, Value]


class _Leaf(NamedTuple):
    """A leaf that was searched."""

    node: Ref | Node
    low: bytes
    high: bytes | None
    """The limits of its keys: from `low` on, and less than `high`; None if it is the last leaf.

    They are equal if the leaf was searched for one key only.
    """

    written: bytes | None
    """Its syntax, if it is in memory."""

    def holds(self, key: bytes) -> bool:
        """Tell whether a key is in this leaf, if it is in the tree."""
        return self.low <= key and (self.high is None or key < self.high)


NOWHERE: Final = _Leaf({}, b"", b"", None)
"""A leaf for no key."""


class NameTree:
    """The name tree whose root is the object `root`, an existing dictionary."""

    def __init__(self, file: RevisionFile, root: Ref) -> None:
        self.file = file
        self.root = root
        self._changed: dict[bytes, Value] = {}
        self._changed_keys: list[bytes] = []
        """The changes since the last `flush`, and their keys in order."""

        self._bounds: dict[Ref, tuple[bytes, bytes]] = {}
        """The limits of nodes, so that searching a node does not read all of its kids.

        This takes about twenty bytes for each key of the tree.
        """

        self._searched: LruCache[int, tuple[list[Value], list[int], list[bytes]]] = LruCache(SEARCHED_KEPT)
        """Arrays of kids, by their identity, with the indices of the kids that have keys, and their first keys."""

        self._leaf = NOWHERE
        """The leaf that was searched last, since the last `flush`."""

    @property
    def changes(self) -> int:
        """The number of changes since the last `flush`."""
        return len(self._changed_keys)

    def __getitem__(self, key: bytes) -> Value:
        """Return the value of a key, which may be a reference; KeyError if the key is absent."""
        value = self.get(key, _REMOVED)
        if value is _REMOVED:
            raise KeyError(key)
        return value

    def get(self, key: bytes, default: Value = None) -> Value:
        """Return the value of a key, which may be a reference, or `default`."""
        if key in self._changed:
            value = self._changed[key]
            return default if value is _REMOVED else value
        leaf = self._leaf_for(key)
        if leaf.written is not None and write(key) not in leaf.written:
            return default
        names = self.file.array(self.file.dictionary(leaf.node).get("Names"))
        keys = names[: len(names) - 1 : 2]
        if key in keys:  # no binary search: a leaf of another program may be out of order
            return names[2 * keys.index(key) + 1]
        for at, name in enumerate(keys):
            if type(name) is Ref and self.file.resolve(name) == key:
                return names[2 * at + 1]
        return default

    def _leaf_for(self, key: bytes) -> _Leaf:
        """Return the leaf for a key, which is often the leaf for the key before."""
        if not self._leaf.holds(key):
            self._leaf = self._find_leaf(key)
        return self._leaf

    def _find_leaf(self, key: bytes) -> _Leaf:
        leaf = _Leaf(self.root, b"", None, None)
        depth, is_plain = 0, True
        while kids := self.file.array(self.file.dictionary(leaf.node).get("Kids")):
            depth = self._deeper(depth)
            own_keys = [known for known, _ in self._pairs(self.file.dictionary(leaf.node))]
            if key in own_keys:  # of another program, like all keys beside kids
                return _Leaf(leaf.node, key, key, None)
            is_plain = is_plain and not own_keys
            places, first_keys = self._first_keys(kids)
            at = _last_not_above(first_keys, key)
            low = max(leaf.low, first_keys[at]) if at else leaf.low
            high = first_keys[at + 1] if at + 1 < len(first_keys) else leaf.high
            kid = kids[places[at]]
            leaf = _Leaf(kid, low, high, self._written_leaf(kid))
            if leaf.written is not None:
                break
        return leaf if is_plain else leaf._replace(low=key, high=key)

    def _deeper(self, depth: int) -> int:
        """Return the depth of the next level; raises `TargetDamagedError` beyond the limit."""
        if depth >= DEEPEST:
            raise self._endless()
        return depth + 1

    def _endless(self) -> TargetDamagedError:
        """Return the error of a tree with a cycle. `optimize` copies such a tree as it is."""
        problem = f"{self.file.path}: the name tree in object {self.root.number} contains itself"
        return TargetDamagedError(problem, "use an older copy of the file")

    def _written_leaf(self, kid: Ref | Node) -> bytes | None:
        """Return the syntax of a kid that is a written leaf. It is not parsed, because most keys are new."""
        written = self.file.written(kid) if isinstance(kid, Ref) else None
        return None if written is None or b"/Kids " in written else written

    def __contains__(self, key: bytes) -> bool:
        return self.get(key, _REMOVED) is not _REMOVED

    def items(self, low: bytes | None = None, high: bytes | None = None) -> Iterator[Entry]:
        """Yield the keys from `low` to `high`, both included, with their values, in order.

        Only the nodes whose Limits (Table 36) overlap that range are read.
        """
        start = 0 if low is None else bisect_left(self._changed_keys, low)
        end = len(self._changed_keys) if high is None else bisect_right(self._changed_keys, high)
        changed = ((key, self._changed[key]) for key in self._changed_keys[start:end])
        kept = (entry for entry in self._items(self.root, low, high, set()) if entry[0] not in self._changed)
        yield from (entry for entry in merge(kept, changed, key=_key) if entry[1] is not _REMOVED)

    def _items(
        self, node: Ref | Node, low: bytes | None, high: bytes | None, seen: set[Ref], depth: int = 0
    ) -> Iterator[Entry]:
        content = self._content(node, seen)
        for key, value in self._pairs(content):
            if (low is None or key >= low) and (high is None or key <= high):
                yield key, value
        kids = self.file.array(content.get("Kids"))
        for kid in kids if low is None else kids[self._kid_for(kids, low) :]:
            first, last = self._limits(kid)
            if high is not None and first > high:
                break
            if low is None or last >= low:
                yield from self._items(kid, low, high, seen, self._deeper(depth))

    def _limits(self, kid: Ref | Node) -> tuple[bytes, bytes]:
        if not isinstance(kid, Ref):
            return self._read_limits(kid)
        if kid not in self._bounds:
            self._bounds[kid] = self._read_limits(kid)
        return self._bounds[kid]

    def _read_limits(self, kid: Ref | Node) -> tuple[bytes, bytes]:
        limits = self.file.array(self.file.dictionary(kid).get("Limits"))
        if len(limits) == 2:
            first, last = map(self.file.resolve, limits)
            if isinstance(first, bytes) and isinstance(last, bytes):
                return first, last
        keys = list(self._keys(kid, set()))
        return (min(keys), max(keys)) if keys else _WITHOUT_KEYS

    def _content(self, node: Ref | Node, seen: set[Ref]) -> Node:
        """Return the dictionary of a node. Raises `TargetDamagedError` if it was read before: it has two parents."""
        if isinstance(node, Ref):
            if node in seen:
                raise self._endless()
            seen.add(node)
        return self.file.dictionary(node)

    def _keys(self, node: Ref | Node, seen: set[Ref], depth: int = 0) -> Iterator[bytes]:
        """Yield all keys below a node, whatever its Limits say."""
        content = self._content(node, seen)
        yield from (key for key, _ in self._pairs(content))
        for kid in self.file.array(content.get("Kids")):
            yield from self._keys(kid, seen, self._deeper(depth))

    def _pairs(self, leaf: Mapping[str, Value]) -> Iterator[Entry]:
        """Yield the keys of a leaf with their values; keys that are not strings are ignored."""
        names = self.file.array(leaf.get("Names"))
        for key, value in zip(names[::2], names[1::2], strict=False):
            known = key if type(key) is bytes else self.file.resolve(key)
            if isinstance(known, bytes):
                yield known, value

    def __setitem__(self, key: bytes, value: Value) -> None:
        """Set the value of a key; the nodes are changed by the next `flush`."""
        if key not in self._changed:
            insort(self._changed_keys, key)
        self._changed[key] = value

    def __delitem__(self, key: bytes) -> None:
        """Remove a key; KeyError if it is absent. The nodes are changed by the next `flush`."""
        if key not in self:
            raise KeyError(key)
        self[key] = _REMOVED

    def flush(self) -> None:
        """Put the changes into the nodes: many changes at once cost little more than one."""
        if not self._changed:
            return
        self._put_root(self._changed_node(self.root, [(key, self._changed[key]) for key in self._changed_keys]))
        self._changed_keys.clear()
        self._changed.clear()

    def put_in_order(self) -> None:
        """Replace a tree whose keys are not in the order of bytes by one with the same entries. Reads all nodes."""
        entries = list(self._items(self.root, None, None, set()))
        if any(key > following for (key, _), (following, _) in pairwise(entries)):
            self._put_root([{"Names": list(chain.from_iterable(part))} for part in _split(sorted(entries, key=_key))])

    def _put_root(self, pieces: list[Node]) -> None:
        """Put the root, above the nodes that take its place."""
        while len(pieces) > 1:
            kids = [self._put(self.file.allocate(), piece) for piece in pieces]
            pieces = [{"Kids": part} for part in _split(kids)]
        self.file.put(self.root, pieces[0] if pieces else {"Names": []})
        self._leaf = NOWHERE

    def _changed_node(self, node: Ref, entries: list[Entry], depth: int = 0) -> list[Node]:
        """Return the nodes that replace `node` after changes, which are in order: several if it grew, none if empty."""
        content = self.file.dictionary(node)
        kids = self.file.array(content.get("Kids"))
        names = dict(self._pairs(content))
        if names:
            entries = sorted((names | dict(entries)).items(), key=_key)
        if not kids:
            left = [entry for entry in entries if entry[1] is not _REMOVED]
            return [{"Names": list(chain.from_iterable(part))} for part in _split(left)] if left else []
        found = list(kids)
        groups = [(at, list(part)) for at, part in groupby(entries, lambda entry: self._kid_for(kids, entry[0]))]
        for at, part in reversed(groups):
            found[at : at + 1] = self._changed_kid(kids[at], part, self._deeper(depth))
        found = [kid for kid in found if self._limits(kid) is not _WITHOUT_KEYS]
        return [{"Kids": part} for part in _split(found)] if found else []

    def _changed_kid(self, kid: Ref | Node, entries: list[Entry], depth: int) -> list[Ref]:
        """Return a kid after changes, with the new nodes that follow it; an empty list if it is empty."""
        child = kid if isinstance(kid, Ref) else self.file.add(kid)
        pieces = self._changed_node(child, entries, depth)
        return [self._put(self.file.allocate() if at else child, piece) for at, piece in enumerate(pieces)]

    def _put(self, node: Ref, content: Node) -> Ref:
        """Put a node, with its limits, into the next revision."""
        first, last = self._bounds[node] = self._span(content)
        return self.file.put(node, {"Limits": [first, last], **content})

    def _kid_for(self, kids: list[Value], key: bytes) -> int:
        """Return the index of the kid for a key: the last one whose first key is not greater."""
        places, first_keys = self._first_keys(kids)
        return places[_last_not_above(first_keys, key)] if places else 0

    def _first_keys(self, kids: list[Value]) -> tuple[list[int], list[bytes]]:
        """Return the indices of the kids that have keys, and their first keys; of all kids if none has keys.

        The lists of the nodes that are searched most are kept.
        """
        known = self._searched.get(id(kids))
        if known is None or known[0] is not kids:
            limits = [self._limits(kid) for kid in kids]
            places = [at for at, found in enumerate(limits) if found is not _WITHOUT_KEYS] or list(range(len(kids)))
            known = self._searched.put(id(kids), (kids, places, [limits[at][0] for at in places]))
        return known[1], known[2]

    def _span(self, node: Node) -> tuple[bytes, bytes]:
        if "Names" in node:
            return node["Names"][0], node["Names"][-2]
        return self._limits(node["Kids"][0])[0], self._limits(node["Kids"][-1])[1]


def _last_not_above(keys: list[bytes], key: bytes) -> int:
    """Return the index of the last of some keys, which are in order, that is not greater than a key; 0 if all are."""
    return max(0, bisect_right(keys, key) - 1)


def _key(entry: Entry) -> bytes:
    return entry[0]


def _split(entries: list[T]) -> list[list[T]]:
    """Split a list that is longer than `FANOUT` into equal parts, each at least half full."""
    if len(entries) <= FANOUT:
        return [entries]
    parts = -(-len(entries) // (FANOUT * 3 // 4))
    bounds = [len(entries) * part // parts for part in range(parts + 1)]
    return [entries[start:end] for start, end in pairwise(bounds)]
