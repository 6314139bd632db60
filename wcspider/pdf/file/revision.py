"""A PDF file that grows by revisions: incremental updates (ISO 32000-1, 7.5.6) whose cost does not depend on its size.

A revision contains the new and changed objects, most of them in object streams (7.5.7), and a cross-reference stream
(7.5.8) whose Prev refers to the previous revision. Written bytes are never rewritten. Objects from before the file was
opened are read through pikepdf, one at a time.

A deleted object becomes a null object outside of object streams: MuPDF cannot rewrite a file with a null in an object
stream, and qpdf 11 warns of free entries for objects of earlier object streams.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, cast

import pikepdf

from wcspider.exceptions import TargetDamagedError, TargetNotWritableError
from wcspider.pdf.file.base_file import BaseFile
from wcspider.pdf.file.own_revisions import UNREADABLE, own_revisions
from wcspider.pdf.file.revision_syntax import HEADER, OBJECTS_PER_STREAM, RevisionBody
from wcspider.pdf.file.written_objects import READ_AHEAD, WrittenObjects
from wcspider.pdf.lru import LruCache
from wcspider.pdf.object_syntax import entry_of, from_pikepdf, read
from wcspider.pdf.objects import Ref, Stream, Syntax, Value, write
from wcspider.steps import Steps, completed, portions

VALUES_KEPT = 3072
SYNTAX_KEPT = 8192
"""The number of objects that stay in memory, as values and as syntax. Tree nodes are read again and again, and values
take four times as much memory as syntax."""


MOST_REFERENCES = 8
"""The limit of the number of objects in a row that are only references to the next."""

HASHED_AT_ONCE = 4 * 1024 * 1024


class RevisionFile:
    """A PDF file opened for reading and for appending revisions.

    `put`, `add` and `allocate` collect the next revision; `commit` appends it. No other program may change the file
    in the meantime.
    """

    def __init__(self, path: Path, base: BaseFile | None, trailer: dict[str, Value], length: int | None = None) -> None:
        self.path = path
        self._base = base
        self._trailer = trailer
        size = trailer["Size"] if type(trailer.get("Size")) is int else 1
        self._next_number: int = size
        self._first_pending = size
        """The first object number that the last revision does not use."""

        self._written = WrittenObjects(path, size)
        self._own = WrittenObjects(path, 0)
        """The objects of revisions that wcspider has appended before. They are read without pikepdf."""

        self._pending: dict[Ref, Value] = {}
        self._values: LruCache[Ref, Value] = LruCache(VALUES_KEPT)
        self._syntax: LruCache[Ref, bytes] = LruCache(SYNTAX_KEPT)
        self.pending_bytes = 0
        """An estimate of the size of the next revision: the number of bytes in its streams."""

        is_to_grow = length is None and (base is None or os.access(path, os.W_OK))
        self._file = path.open("r+b" if is_to_grow else "rb")
        self._length = os.fstat(self._file.fileno()).st_size if length is None else length

    @classmethod
    def create(cls, path: Path) -> RevisionFile:
        """Begin a new file at `path`, which exists and is empty; it is not a PDF file until the first commit."""
        path.write_bytes(HEADER)
        return cls(path, None, {})

    @classmethod
    def open(cls, path: Path, length: int | None = None, *, repair: bool = False) -> RevisionFile:
        """Open a PDF file of any program; with `length`, only its first bytes, for reading only.

        Raises a `TargetError` if it is missing, encrypted, damaged or not a PDF file. If `repair` is set, a damaged
        file is read as far as possible: `damage` contains the problem, and the file cannot be committed.
        """
        with ExitStack() as opened:
            base = opened.enter_context(closing(BaseFile(path, length, repair=repair)))
            trailer = {key: entry for key, entry in base.trailer.items() if key in {"Size", "Root", "Info", "ID"}}
            if not isinstance(trailer.get("Root"), Ref):
                raise TargetDamagedError.of(path, "has no catalog")
            file = opened.enter_context(closing(cls(path, base, trailer, base.length if repair else length)))
            resolve_identifiers(trailer, file.resolve)
            if not repair:
                startxref = file._trailer["Prev"] = file._find_startxref()
                file._own = own_revisions(path, file._file.fileno(), startxref)
            opened.pop_all()  # the file stays open unless there was an error
        return file

    def _find_startxref(self) -> int:
        start = max(0, self._length - READ_AHEAD)
        tail = os.pread(self._file.fileno(), self._length - start, start)
        found = re.findall(rb"startxref\s+(\d+)", tail)
        if not found:
            raise TargetDamagedError.of(self.path, "does not end with a cross-reference offset")
        return int(found[-1])

    def close(self) -> None:
        """Close the file, and discard uncommitted changes."""
        self._file.close()
        if self._base is not None:
            self._base.close()

    @property
    def root(self) -> Ref | None:
        """The catalog; None in a new file before it was set."""
        return self._trailer.get("Root")

    @root.setter
    def root(self, reference: Ref) -> None:
        self._trailer["Root"] = reference

    @property
    def info(self) -> Ref | None:
        """The document information dictionary (14.3.3)."""
        info = self._trailer.get("Info")
        if isinstance(info, dict):
            info = self._trailer["Info"] = self.add(info)
        return info if isinstance(info, Ref) and isinstance(self.get(info), dict) else None

    @info.setter
    def info(self, reference: Ref) -> None:
        self._trailer["Info"] = reference

    @property
    def length(self) -> int:
        """The length of the committed file in bytes."""
        return self._length

    @property
    def version(self) -> str:
        """The PDF version in the header of the file, such as ``1.7``."""
        return "1.7" if self._base is None else self._base.version

    @property
    def damage(self) -> str:
        """The first problem of the objects that were read so far; empty if there was none."""
        return "" if self._base is None else self._base.damage

    # Reading

    def get(self, reference: Ref) -> Any:
        """Return the present value of an object; None if there is none. A changed value must be `put`."""
        if reference in self._pending:
            value = self._pending[reference]
            return read(value) if type(value) is Syntax else value
        known = self._values.get(reference)
        if known is not None:
            return known
        value = self._read(reference)
        return value if value is None or isinstance(value, Stream) else self._values.put(reference, value)

    def entry(self, reference: Ref, key: str) -> Value:
        """Return an entry of a dictionary; if the dictionary is not in memory, the rest of it is not read."""
        pending = self._pending.get(reference)
        is_in_memory = reference in self._pending or self._values.get(reference) is not None
        syntax = pending if type(pending) is Syntax else None if is_in_memory else self._syntax_of(reference)
        if syntax is not None:
            return entry_of(syntax, key)
        is_read = is_in_memory or reference.number in self._written
        source: Any = None if is_read or self._base is None else self._base.object(reference)
        if isinstance(source, pikepdf.Dictionary):
            found: Any = source.get(f"/{key}")
            is_indirect = isinstance(found, pikepdf.Object) and found.is_indirect
            return Ref(*found.objgen) if is_indirect else from_pikepdf(found)
        content = self.get(reference)
        return content.get(key) if isinstance(content, dict) else None

    def is_own(self, reference: Ref) -> bool:
        """Tell whether wcspider has written an object, in a revision behind all those of other programs."""
        return reference.number in self._written or reference.number in self._own

    def written(self, reference: Ref) -> bytes | None:
        """Return the syntax of an object written since the file was opened, if it is in memory."""
        return self._syntax.get(reference)

    def _syntax_of(self, reference: Ref) -> bytes | None:
        """Return the syntax of an object in an object stream of wcspider; None for any other object."""
        known = self._syntax.get(reference)
        if known is not None:
            return known
        if reference.number in self._written:
            syntax = self._written.syntax(self._file.fileno(), reference.number)
            return None if syntax is None else self._syntax.put(reference, syntax)
        if reference.generation:
            return None
        try:
            return self._own.syntax(self._file.fileno(), reference.number)
        except UNREADABLE:
            return None

    def _read(self, reference: Ref) -> Value:
        syntax = self._syntax_of(reference)
        if syntax is not None:
            return read(syntax)
        if reference.number in self._written:
            return cast("Value", self._written.value(self._file.fileno(), reference.number))
        return None if self._base is None else self._read_before(reference, self._base)

    def _read_before(self, reference: Ref, base: BaseFile) -> Value:
        """Return an object that was in the file when it was opened."""
        if not reference.generation and self._own.is_outside_streams(reference.number):
            with suppress(*UNREADABLE):  # pikepdf reads the object instead, and reports the damage
                return cast("Value", self._own.value(self._file.fileno(), reference.number))
        return base.value(reference)

    def resolve(self, value: Value) -> Any:
        """Return the object to which a value refers, or the value itself if it is not a reference.

        An object that only refers to itself is null.
        """
        for _ in range(MOST_REFERENCES):
            if type(value) is not Ref:
                return value
            value = self.get(value)
        return None

    def dictionary(self, value: Value) -> dict[str, Any]:
        """Return the dictionary that a value is or refers to; an empty one for a value of another type."""
        found = self.resolve(value)
        return found if isinstance(found, dict) else {}

    def array(self, value: Value) -> list[Any]:
        """Return the array that a value is or refers to; an empty one for a value of another type."""
        found = self.resolve(value)
        return found if isinstance(found, list) else []

    # Collecting a revision

    def allocate(self) -> Ref:
        """Return a reference to an object that does not exist yet."""
        reference = Ref(self._next_number or 1)
        self._next_number = reference.number + 1
        return reference

    def put(self, reference: Ref, value: Value) -> Ref:
        """Set the value of an object in the next revision; None deletes the object."""
        self._pending[reference] = value
        if reference.number < self._first_pending:  # an earlier value may be in memory
            self._values.forget(reference)
            self._syntax.forget(reference)
        if isinstance(value, Stream):
            self.pending_bytes += len(value.data)
        return reference

    def add(self, value: Value) -> Ref:
        """Put a new object into the next revision."""
        return self.put(self.allocate(), value)

    @property
    def is_changed(self) -> bool:
        """True if objects were put since the last commit."""
        return bool(self._pending)

    # Writing

    def commit(self) -> int:
        """Append the collected objects as one revision and sync it; return the number of bytes written.

        Raises `TargetNotWritableError` if it could not be written; the file is then as it was before.
        """
        return completed(self.commit_steps())

    def commit_steps(self) -> Steps[int]:
        """Commit in steps, between which nothing may be put; the file is written in the last one."""
        if not self._pending:
            return 0
        if not self._file.writable():
            raise TargetNotWritableError(f"{self.path}: was opened for reading only")
        body = RevisionBody(self._length)
        packed = yield from self._put_objects(body)
        yield from self._put_packed(body, packed)
        prev = yield from self._put_cross_references(body)
        self._append(body.data)
        self._written.update(body.entries)
        self._trailer["Prev"] = prev
        self._length += len(body.data)
        self._cache_changed(packed)
        self._pending.clear()
        self.pending_bytes = 0
        return len(body.data)

    def _append(self, data: bytearray) -> None:
        """Write a revision behind the last one, and sync the file."""
        if os.fstat(self._file.fileno()).st_size != self._length:
            raise TargetNotWritableError(f"{self.path}: was changed by another program", "repeat the command")
        try:
            self._file.seek(self._length)
            self._file.write(data)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            self._reopen()
            raise TargetNotWritableError(f"{self.path}: {error.strerror or error}") from error

    def _cache_changed(self, packed: list[tuple[Ref, bytes]]) -> None:
        """Cache changed objects, and the nodes of name trees; other new objects are seldom read."""
        for reference, syntax in packed:
            value = self._pending[reference]
            is_changed = reference.number < self._first_pending
            if is_changed or (type(value) is dict and "Limits" in value):
                self._syntax.put(reference, syntax)
            if is_changed and type(value) is dict:
                self._values.put(reference, value)
        self._first_pending = self._next_number

    def _reopen(self) -> None:
        """Cut the file back to its last revision and open it again, without the data that could not be written."""
        os.truncate(self.path, self._length)
        try:
            self._file.close()
        except OSError:
            os.truncate(self.path, self._length)
        self._file = self.path.open("r+b")

    def _put_objects(self, body: RevisionBody) -> Steps[list[tuple[Ref, bytes]]]:
        """Put the objects outside of object streams into the next revision; return the other ones, as syntax."""
        packed: list[tuple[Ref, bytes]] = []
        for portion in portions(sorted(self._pending)):
            for reference in portion:
                value = self._pending[reference]
                if value is None or isinstance(value, Stream) or reference.generation:
                    body.put(reference, value)
                else:
                    packed.append((reference, value if type(value) is Syntax else write(value)))
            yield
        return packed

    def _put_packed(self, body: RevisionBody, packed: list[tuple[Ref, bytes]]) -> Steps[None]:
        """Put object streams into the next revision."""
        for group in portions(packed, OBJECTS_PER_STREAM):
            body.put_members(self.allocate(), group)
            yield

    def _put_cross_references(self, body: RevisionBody) -> Steps[int]:
        """Put the cross-reference stream into the next revision; return its offset."""
        xref = self.allocate()
        digest = yield from _digest(body.data)
        self._trailer["ID"] = [(self._trailer.get("ID") or [digest])[0], digest]
        return body.put_cross_references(xref, self._trailer, self._next_number)


def _digest(data: bytearray) -> Steps[bytes]:
    """Return the MD5 of some data."""
    state = hashlib.md5(usedforsecurity=False)
    for start in range(0, len(data), HASHED_AT_ONCE):
        state.update(data[start : start + HASHED_AT_ONCE])
        yield
    return state.digest()


def resolve_identifiers(trailer: dict[str, Value], resolve: Callable[[Value], Any]) -> None:
    """Make the file identifiers (14.4) of a trailer direct objects; invalid ones are removed."""
    if "ID" in trailer:
        found = resolve(trailer["ID"])
        entries = [resolve(entry) for entry in found] if isinstance(found, list) else []
        trailer["ID"] = entries if all(isinstance(entry, bytes) for entry in entries) else []
