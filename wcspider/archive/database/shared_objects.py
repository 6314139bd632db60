"""The objects of a file that fragments share: fonts, form XObjects, graphics states, found again by a digest.

The index of the digests is in the file, so that a resumed run and every later run find what the file holds. Each
revision adds a stream with its new entries: 16 bytes of digest and 4 bytes of object number for each. The streams form
a chain, and the catalog's second-class entry WCSP_Shared refers to a dictionary with the latest of them. An entry is
only a hint: other programs renumber objects. So the object of an entry is compared before it is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache

from wcspider.archive.database.catalog import Catalog
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.object_syntax import read
from wcspider.pdf.objects import Ref, Stream, Syntax, Value, references, write
from wcspider.pdf.values import type_of

SHARED = "WCSP_Shared"
"""The second-class entry of the catalog for the index."""

LAST, PREVIOUS = "Last", "Prev"
"""The entries of the index for its latest stream, and of each stream for the one before it."""

DIGEST_SIZE = 16
ENTRY_SIZE = DIGEST_SIZE + 4
ADOPTED_PAGES = 64
MOST_ADOPTED = 1024
"""The limits for the index of a file that has none: pages to read, and objects of each page."""

_SHORT, _LONG = 2_000, 64_000
"""The largest sizes of the syntax of objects whose digests are kept in memory: many short ones, and a few long ones."""

NOT_SHARED = frozenset({"Page", "Pages", "Catalog"})
"""The types of objects that are never shared, and may be changed later."""

MOST_STREAMS = 1_000_000
"""The maximum number of streams that are read, so that a damaged chain with a cycle ends."""


class SharedObjects:
    """The shared objects of a file, by digest."""

    def __init__(self, file: RevisionFile, catalog: Catalog) -> None:
        self.file = file
        self.catalog = catalog
        self._numbers: dict[bytes, int] | None = None
        self._unchecked: set[bytes] = set()
        self._added: list[tuple[bytes, int]] = []

    def add(self, value: Value) -> Ref:
        """Return the object with a value, which is not changed afterwards, and put it if the file has none."""
        written = value if isinstance(value, Stream) else Syntax(write(value))
        digest = _digest(written)
        found = self._find(digest)
        if found is not None:
            return found
        reference = self.file.add(written)
        self._index[digest] = reference.number
        self._added.append((digest, reference.number))
        return reference

    def adopt(self, value: Value) -> None:
        """Add the objects to which a value of the file refers to the index, for a file that has lost its index."""
        seen: set[Ref] = set()
        stack = list(references(value))
        while stack and len(seen) < MOST_ADOPTED:
            reference = stack.pop()
            if reference in seen or reference.generation:
                continue
            seen.add(reference)
            content = self.file.get(reference)
            if content is None or type_of(content) in NOT_SHARED:
                continue
            digest = _digest(content)
            if digest not in self._index:
                self._index[digest] = reference.number
                self._added.append((digest, reference.number))
            stack += references(content)

    def _adopt_pages(self) -> None:
        """Add the resources of the last pages: another program, or `optimize`, has removed the index."""
        stack: list[Value] = [self.catalog.pages.root]
        pages = 0
        seen: set[Ref] = set()
        while stack and pages < ADOPTED_PAGES:
            node = stack.pop()
            content = self.file.get(node) if isinstance(node, Ref) and node not in seen else None
            if not isinstance(content, dict) or not isinstance(node, Ref):
                continue
            seen.add(node)
            kids = self.file.resolve(content.get("Kids"))
            if isinstance(kids, list):
                stack += kids
            else:
                pages += 1
                self.adopt(content.get("Resources"))

    def _find(self, digest: bytes) -> Ref | None:
        number = self._index.get(digest)
        if number is None:
            return None
        if digest in self._unchecked:
            self._unchecked.discard(digest)
            if not self._holds(number, digest):
                del self._index[digest]
                return None
        return Ref(number)

    def _holds(self, number: int, digest: bytes) -> bool:
        value = self.file.get(Ref(number))
        return value is not None and _digest(value) == digest

    @property
    def _index(self) -> dict[bytes, int]:
        """The object numbers, by digest."""
        if self._numbers is None:
            self._numbers = {}
            for digest, number in self._stored():
                self._numbers.setdefault(digest, number)
            self._unchecked = set(self._numbers)
            if not self._numbers and not self.catalog.is_new:
                self._adopt_pages()
        return self._numbers

    def _stored(self) -> Iterator[tuple[bytes, int]]:
        """Yield the entries of the index in the file, the latest first."""
        head = self.file.resolve(self.catalog.entry(SHARED))
        at = head.get(LAST) if isinstance(head, dict) else None
        for _ in range(MOST_STREAMS):
            stream = self.file.get(at) if isinstance(at, Ref) else None
            if not isinstance(stream, Stream):
                return
            for start in range(0, len(stream.data) - ENTRY_SIZE + 1, ENTRY_SIZE):
                row = stream.data[start : start + ENTRY_SIZE]
                yield row[:DIGEST_SIZE], int.from_bytes(row[DIGEST_SIZE:], "big")
            at = stream.dictionary.get(PREVIOUS)

    def flush(self) -> None:
        """Put the new entries of the index into the next revision."""
        if not self._added:
            return
        rows = b"".join(digest + number.to_bytes(4, "big") for digest, number in self._added)
        self._added = []
        reference = self.catalog.entry(SHARED)
        head = self.file.get(reference) if isinstance(reference, Ref) else None
        previous = head.get(LAST) if isinstance(head, dict) else None
        chain = {} if previous is None else {PREVIOUS: previous}
        entries = {LAST: self.file.add(Stream(chain, rows))}
        if isinstance(head, dict) and isinstance(reference, Ref):
            self.file.put(reference, entries)
        else:
            self.catalog.set_entry(SHARED, self.file.add(entries))


def _digest(value: Value) -> bytes:
    """Return a digest of a value: equal for equal values, however they are spelled."""
    if isinstance(value, Syntax):
        if len(value) <= _SHORT:
            return _short_digest(value)
        return _long_digest(value) if len(value) <= _LONG else _digest(read(value))
    if not isinstance(value, Stream):
        return hashlib.blake2b(write(value), digest_size=DIGEST_SIZE).digest()
    # A stream of the file has a Length; a stream of a fragment may have none.
    own = {key: entry for key, entry in value.dictionary.items() if key != "Length"}
    state = hashlib.blake2b(write(own), digest_size=DIGEST_SIZE)
    state.update(value.data)
    return state.digest()


# The pages of a site have the same few fonts, tables of glyph widths and graphics states.
@lru_cache(maxsize=4_096)
def _short_digest(syntax: Syntax) -> bytes:
    return _digest(read(syntax))


@lru_cache(maxsize=128)
def _long_digest(syntax: Syntax) -> bytes:
    return _digest(read(syntax))
