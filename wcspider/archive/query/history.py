"""The history of a file: its state at the end of each run.

A run only appends to the file, so each state is still the beginning of the present file. An earlier state ends at the
length that the record of the next run contains, and the present state at the end of the file. The record also contains
the digest of the earlier state, which reveals changes by other programs. The present state has no record after it, and
so no digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from wcspider.archive.database.catalog import Catalog
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query.listing import iso
from wcspider.archive.target.part_files import check_new, check_writable, copied
from wcspider.archive.target.replacement import replacing
from wcspider.exceptions import ArgumentError, TargetError, TargetRewrittenError, WebCaptureError
from wcspider.pdf.file.base_file import BaseFile, require_file
from wcspider.pdf.file.prefix import FilePrefix
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.values import read_date
from wcspider.pdf.webcapture.run_records import MERGE, OPTIMIZE, MergedFile, Run
from wcspider.program_names import file_command

READ_AT_ONCE = 1024 * 1024
COUNTS = ("added", "changed", "returned", "gone", "dropped", "unchanged")
"""The counts of page sets in the record of a run."""

RARE = frozenset({"returned"})
"""The counts that are shown only if they are not 0."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The file at the end of one run. A run may append several revisions (7.5.6); the last of them counts here."""

    number: int
    """From 1."""

    run: Run | None
    """None for the state of the file before the first recorded run."""

    moment: datetime | None
    length: int
    """The length of the file in bytes."""

    digest: bytes | None
    """The SHA-256 of these bytes; None for the present state, which has no record after it."""

    @property
    def is_present(self) -> bool:
        """Whether it is the present file, even if another program has changed the file since the run."""
        return self.digest is None


def revisions(path: Path, *, repair: bool = False) -> list[Revision]:
    """Return the revisions to which a file can be restored, the present one last.

    Raises `TargetDamagedError` if the file is damaged and `repair` is not set.
    """
    with closing(RevisionFile.open(path, repair=repair)) as file:
        return _revisions(file, Catalog(file))


def _revisions(file: RevisionFile, catalog: Catalog) -> list[Revision]:
    runs = catalog.history
    states = runs if runs and not runs[0].base else (None, *runs)
    ends = [*((run.base, run.digest or b"") for run in states[1:] if run is not None), (file.length, None)]
    return [
        Revision(number, run, _modified(file.path, end) if run is None else run.moment, end, digest)
        for number, (run, (end, digest)) in enumerate(zip(states, ends, strict=True), 1)
    ]


def _modified(path: Path, length: int) -> datetime | None:
    """Return the modification date (14.3.3) of a file at an earlier length."""
    try:
        with closing(RevisionFile.open(path, length)) as file:
            info = file.resolve(file.info)
            return read_date(file.resolve(info.get("ModDate"))) if isinstance(info, dict) else None
    except WebCaptureError:
        return None


def find_revision(path: Path, number: int) -> Revision:
    """Return a revision by its number. Raises `ArgumentError` if there is none."""
    return _numbered(path, revisions(path, repair=True), number)


def find_pair(path: Path, before: int | None, after: int | None) -> tuple[Revision, Revision]:
    """Return two revisions by their numbers: by default the present one, and the one before the newer one."""
    found = revisions(path, repair=True)
    newer = _numbered(path, found, len(found) if after is None else after)
    if before is None and newer.number == 1:
        raise ArgumentError(f"{path}: there is no revision before 1", f"see: {file_command('history', path)}")
    return _numbered(path, found, newer.number - 1 if before is None else before), newer


def _numbered(path: Path, found: list[Revision], number: int) -> Revision:
    if not 0 < number <= len(found):
        has = "revision 1 only" if len(found) == 1 else f"revisions 1 to {len(found)}"
        raise ArgumentError(f"{path}: has no revision {number}", f"it has {has}")
    return found[number - 1]


def opened(path: Path, revision: Revision) -> RevisionFile:
    """Open a revision of a file, for reading only.

    Raises `TargetRewrittenError` if another program has changed these bytes of the file.
    """
    if not revision.is_present:
        with FilePrefix(path, revision.length) as beginning:
            _check(path, revision, hashlib.file_digest(beginning, "sha256").digest())
    return RevisionFile.open(path, revision.length, repair=True)


def restore(path: Path, number: int, output: Path, *, force: bool = False) -> Revision:
    """Write a revision of a file, byte for byte, to another file, which may exist if `force` is set.

    Raises `TargetRewrittenError` if another program has changed these bytes of the file, or another `TargetError` if
    the present state is damaged, or the output cannot be written. In both cases an existing output file is unchanged.
    """
    require_file(path)
    check_writable(output)
    _check_output(path, output, force)
    revision = find_revision(path, number)
    with replacing(output, path) as part:
        _, digest = copied(path, part, revision.length)
        _check(path, revision, digest)
        if revision.is_present and not _has_revisions(part, number):
            BaseFile(path).close()  # raises an error if the file is damaged
            raise TargetError(f"{path}: was changed while it was read", "try again")
    return revision


def _check_output(path: Path, output: Path, force: bool) -> None:
    if output.exists() and output.samefile(path):
        raise TargetError(f"{output}: is the file itself, whose later revisions would be lost", "name another file")
    check_new(output, force=force)


def _check(path: Path, revision: Revision, digest: bytes) -> None:
    if revision.digest not in (None, digest):
        raise TargetRewrittenError(f"{path}: revision {revision.number} is lost")


def _has_revisions(path: Path, number: int) -> bool:
    """Return whether a file is intact and has this number of revisions."""
    try:
        return len(revisions(path)) == number
    except WebCaptureError:
        return False


# Output


def describe(database: ContentDatabase) -> dict[str, Any]:
    """Return the revisions of a file as one JSON object."""
    commands = {reference: (index, command) for index, (reference, command) in enumerate(database.commands())}
    rows = []
    found = _revisions(database.file, database.catalog)
    missing = set(lost(database.file.path, found))
    for revision in found:
        run = revision.run
        ran = [] if run is None else [commands[reference] for reference in run.commands if reference in commands]
        rows.append(
            {
                "revision": revision.number,
                "run": None if run is None else run.kind,
                "date": iso(revision.moment),
                "commands": [{"command": index, "url": command.url} for index, command in ran],
                **(dict.fromkeys(COUNTS) if run is None else counts_of(run)),
                "length": revision.length,
                **({} if run is None or run.kind != MERGE else {"inputs": list(map(_described_input, run.inputs))}),
                "lost": revision.number in missing,
            }
        )
    return {"revisions": rows}


def _described_input(file: MergedFile) -> dict[str, Any]:
    """Return a merged file and its runs; the runs of files that were merged into it before are left out."""
    runs = [{"run": run.kind, "date": iso(run.moment), **counts_of(run)} for run in file.runs]
    return {"file": file.name, "length": file.length, "sha256": file.digest.hex(), "runs": runs}


def lost(path: Path, found: Iterable[Revision]) -> Iterator[int]:
    """Yield the numbers of the revisions whose bytes have changed. The file is read once."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        for revision in sorted((entry for entry in found if not entry.is_present), key=lambda entry: entry.length):
            while part := file.read(min(READ_AT_ONCE, revision.length - done)):
                digest.update(part)
                done += len(part)
            if done < revision.length or digest.digest() != revision.digest:
                yield revision.number


def lines(description: dict[str, Any]) -> Iterator[str]:
    """Yield a description as lines of text."""
    for row in description["revisions"]:
        yield f"revision {row['revision']}  {row['date'] or 'undated'}  {_summary(row)}  ({_extent(row)})"
        for file in row.get("inputs", ()):
            yield f"    file {file['file']}  ({file['length']} bytes, SHA-256 {file['sha256']})"
            yield from (f"        {run['date'] or 'undated'}  {_summary(run)}" for run in file["runs"])
        yield from (f"    command {ran['command']}  {ran['url']}" for ran in row["commands"])


def _extent(row: dict[str, Any]) -> str:
    return "lost: another program has rewritten the file" if row["lost"] else f"{row['length']} bytes"


def _summary(row: dict[str, Any]) -> str:
    if row["run"] is None:
        return "before the first recorded run"
    if row["run"] == OPTIMIZE:
        return "optimize: removed the earlier revisions"
    return f"{row['run']}: {effect({name: row[name] for name in COUNTS})}"


def counts_of(run: Run) -> dict[str, int]:
    """Return the counts of page sets of a run, by the words of `COUNTS`."""
    return {name: getattr(run, name) for name in COUNTS}


def effect(counts: Mapping[str, int]) -> str:
    """Return the counts of a run in words."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count or name not in RARE)
