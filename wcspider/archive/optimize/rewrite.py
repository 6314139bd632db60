"""The rewriting of a file without superseded and unreachable objects, and with equal objects stored once.

The objects keep their order and get new numbers. They are read and written one at a time, so the memory grows by a few
bytes for each object, not with the size of the file. The new file is written in revisions of `BATCH_BYTES`. No object
is in two of them, so the file is as compact as with a single revision.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, islice
from pathlib import Path

from wcspider.archive.database.catalog import HISTORY
from wcspider.archive.database.shared_objects import SHARED
from wcspider.archive.optimize.shared_content import Merger
from wcspider.archive.optimize.survey import Source, survey, tree_entries
from wcspider.archive.target.part_files import check_new, check_writable
from wcspider.archive.target.replacement import replacing
from wcspider.exceptions import TargetError
from wcspider.pdf.file.base_file import require_file
from wcspider.pdf.file.name_tree import FANOUT
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.file.revision_syntax import HEADER, OBJECTS_PER_STREAM
from wcspider.pdf.file.signatures import signature_values
from wcspider.pdf.objects import Name, Ref, Stream, Syntax, Value, renumbered, write
from wcspider.pdf.values import read_array
from wcspider.pdf.webcapture.run_records import OPTIMIZE, Run
from wcspider.steps import portions

BATCH_BYTES = 32 * 1024 * 1024
BATCH_OBJECTS = 512 * OBJECTS_PER_STREAM
UNCOMPRESSED = frozenset({"Filter", "F", "FFilter", "DecodeParms"})
"""The entries of a stream whose data is encoded already, or in another file."""

_Kid = tuple[bytes, bytes, Ref]
"""The first key, the last key and the reference of a node of a name tree."""


@dataclass(frozen=True, slots=True)
class Optimized:
    """The size of a file in bytes, before and after it was optimized."""

    before: int
    after: int
    damage: str = ""
    """The first problem of the file that was repaired; empty if there was none."""

    earlier_states: int = 0
    """The number of the earlier states that the new file does not have."""

    is_copy: bool = False
    """Whether the new file is another file."""


def optimize(
    path: Path,
    output: Path | None = None,
    *,
    force: bool = False,
    moment: datetime | None = None,
    keeps_run: bool = False,
) -> Optimized:
    """Rewrite a file, in its place or as `output`, which may be the path of the file itself or a symbolic link to it.

    A signed file is rewritten, and another file replaced, only if `force` is set. A hard link is another file: the
    rename separates the two.

    The new file has no earlier revisions: its history begins with this run, which ends at `moment`, and whose record
    takes over what the record of the last run says about skipped pages. With `keeps_run`, it begins with the last run.
    A damaged file is repaired as far as possible, but only if the output is another file: a repair may lose objects.
    Raises a `TargetError` if the file is damaged or signed, if another process writes to the output, or if the output
    cannot be written. In all these cases an existing output file is unchanged.
    """
    require_file(path)
    check_writable(output or path)
    is_copy = output is not None and os.path.realpath(output) != os.path.realpath(path)
    if output is not None and is_copy:
        check_new(output, force=force)
    with replacing(output or path, path) as part, closing(Source(path, repair=is_copy)) as source:
        if not force:
            _refuse_signed(source, "give --force if the signature may become invalid")
        history = _history(source)
        run = _first_run(history, moment, keeps_run=keeps_run)
        after = _Rewrite(source, run).write_to(part)
        source.check()
        # each run that appended to a file left an earlier state before it
        earlier_states = sum(entry.base > 0 for entry in history)
        return Optimized(path.stat().st_size, after, source.damage, earlier_states, is_copy)


def _history(source: Source) -> list[Run]:
    """Return the records of the runs of a file, the oldest first."""
    records = source.resolve(source.catalog.get(HISTORY))
    found = (Run.from_pdf(source.resolve(record), source.resolve) for record in read_array(records))
    return [run for run in found if run is not None]


def _first_run(history: Sequence[Run], moment: datetime | None, *, keeps_run: bool) -> Run:
    """Return the record with which the history of the new file begins."""
    last = history[-1] if history else Run(OPTIMIZE)
    if keeps_run:
        return replace(last, base=0, digest=None)
    return Run(OPTIMIZE, moment=moment, skipped=last.skipped, notes=last.notes)


def check_unsigned(path: Path, advice: str) -> None:
    """Raise a `TargetError` with this advice if the file is signed, so that `optimize` would refuse it."""
    with closing(Source(path)) as source:
        _refuse_signed(source, advice)


def _refuse_signed(source: Source, advice: str) -> None:
    """Raise a `TargetError` if a file has a digital signature (12.8), which rewriting would make invalid."""
    permissions = _dictionary(source, source.catalog.get("Perms"))
    form = _dictionary(source, source.catalog.get("AcroForm"))
    if not {"DocMDP", "UR3"}.isdisjoint(permissions) or any(signature_values(source.resolve, form.get("Fields"))):
        raise TargetError(f"{source.path}: is signed, and rewriting the file makes the signature invalid", advice)


def _dictionary(source: Source, value: Value) -> dict[str, Value]:
    content = source.resolve(value)
    return content if isinstance(content, dict) else {}


class _Rewrite:
    """The transfer of the objects of a file into a new file."""

    file: RevisionFile

    def __init__(self, source: Source, run: Run) -> None:
        """Make a transfer; the history of the new file consists of `run`."""
        self.source = source
        self.run = run
        self.survey = survey(source)
        self.merger = Merger(source, self.survey.members)
        self._numbers = array("I")
        self._in_batch = 0

    def write_to(self, part: Path) -> int:
        """Write the new file to a path; return its length."""
        for reference in sorted(self.survey.pages):
            self.merger.add_page(self.source.outline(reference))
        with closing(self._new_file(part, self._number_objects())) as self.file:
            for reference in self._kept_references():
                if reference in self.survey.trees:
                    self._put_tree(reference)
                else:
                    self._put(self._numbered(reference), self._content(reference))
            self.file.commit()
            return self.file.length

    def _kept_references(self) -> Iterator[Ref]:
        return (reference for reference in self.survey if self.merger.kept(reference) == reference)

    def _number_objects(self) -> int:
        """Give a new number to each object that is kept; return the number of these objects."""
        count = 0
        for count, reference in enumerate(self._kept_references(), 1):
            self._numbers.extend([0] * (reference.number - len(self._numbers)))
            self._numbers.append(count)
        return count

    def _numbered(self, reference: Ref) -> Ref:
        return Ref(self._numbers[reference.number])

    def _new(self, reference: Ref) -> Ref | None:
        """Return the new reference of an object; None if the object is not in the new file."""
        return self._numbered(self.merger.kept(reference)) if reference in self.survey else None

    def _new_file(self, part: Path, objects: int) -> RevisionFile:
        """Create the new file, with the trailer of the old one and with the numbers of its objects reserved."""
        part.write_bytes(HEADER)
        trailer = {key: renumbered(entry, self._new) for key, entry in self.source.trailer.items()}
        file = RevisionFile(part, None, {key: entry for key, entry in trailer.items() if entry is not None})
        for _ in range(objects):
            file.allocate()
        return file

    def _content(self, reference: Ref) -> Value:
        """Return the new content of an object, with the old numbers in its references."""
        value = self.source.get(reference)
        if isinstance(value, Stream):
            return _compressed(value)
        return self._new_catalog(value) if reference == self.source.trailer["Root"] else value

    def _new_catalog(self, content: dict[str, Value]) -> dict[str, Value]:
        """Return the catalog with a new history. The header says 1.7, so a higher version becomes an entry."""
        version = {"Version": Name(self.source.version)} if self.source.version > "1.7" else {}
        kept = {key: entry for key, entry in content.items() if key != SHARED}  # its object numbers have changed
        return {**version, **kept, HISTORY: [self.run.as_pdf()]}

    def _put(self, reference: Ref, value: Value) -> None:
        self._write(reference, renumbered(value, self._new))

    def _write(self, reference: Ref, value: Value) -> Ref:
        self.file.put(reference, value if isinstance(value, Stream) else Syntax(write(value)))
        self._in_batch += 1
        if self._in_batch >= BATCH_OBJECTS or self.file.pending_bytes >= BATCH_BYTES:
            self.file.commit()
            self._in_batch = 0
        return reference

    def _put_tree(self, root: Ref) -> None:
        """Write a name tree (7.9.6) with the same entries, in full leaves of equal depth."""
        entries = tree_entries(self.source, root)
        head = list(islice(entries, FANOUT + 1))
        if len(head) <= FANOUT:
            self._put(self._numbered(root), {"Names": list(chain.from_iterable(head))})
            return
        kids = [self._leaf(group) for group in portions(chain(head, entries), FANOUT)]
        while len(kids) > FANOUT:
            kids = [self._branch(group) for group in portions(kids, FANOUT)]
        self._write(self._numbered(root), {"Kids": [kid for _, _, kid in kids]})

    def _leaf(self, entries: list[tuple[Value, Value]]) -> _Kid:
        names = renumbered(list(chain.from_iterable(entries)), self._new)
        return self._kid(entries[0][0], entries[-1][0], {"Names": names})

    def _branch(self, kids: list[_Kid]) -> _Kid:
        return self._kid(kids[0][0], kids[-1][1], {"Kids": [kid for _, _, kid in kids]})

    def _kid(self, first: bytes, last: bytes, content: dict[str, Value]) -> _Kid:
        return first, last, self._write(self.file.allocate(), {"Limits": [first, last], **content})


def _compressed(stream: Stream) -> Stream:
    """Compress a stream without a filter; metadata (14.3.2) stay readable for programs that do not read PDF."""
    if not UNCOMPRESSED.isdisjoint(stream.dictionary) or stream.dictionary.get("Type") == "Metadata":
        return stream
    packed = Stream.deflated(stream.dictionary, stream.data)
    return packed if len(packed.data) < len(stream.data) else stream
