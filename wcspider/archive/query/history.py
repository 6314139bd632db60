"""The history of a file: the states that runs left it in, each of which is still the beginning of the file.

A run appends to the file and changes nothing of what it held. So a state of it ends where the record of the next run
says that the file ended then, and the present one at the end of the file. That record bears the digest of the state as
well: an earlier state whose bytes another program has changed is not given back. The present one has no record after
it, so it is whatever the file is now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from wcspider.archive.database.catalog import Catalog
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query.listing import iso
from wcspider.archive.target.replacement import replacing
from wcspider.archive.target.target import copied
from wcspider.exceptions import ArgumentError, TargetError, TargetRewrittenError, WebCaptureError
from wcspider.pdf.file.part import missing
from wcspider.pdf.file.prefix import FilePrefix
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.values import read_date
from wcspider.pdf.webcapture.run_records import OPTIMIZE, Run

READ_AT_ONCE = 1024 * 1024
COUNTS = ("added", "changed", "removed", "unchanged")
"""What became of page sets in a run."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A state of a file that a run left it in."""

    number: int
    """From 1."""

    run: Run | None
    """None for the state that the first run with a record found."""

    moment: datetime | None
    length: int
    """How many bytes the file had."""

    digest: bytes | None
    """The SHA-256 of these bytes; None for the present state, which no record speaks of."""

    @property
    def is_present(self) -> bool:
        """Tell whether it is the file as it is now, be it what the run wrote or not."""
        return self.digest is None


def revisions(path: Path) -> list[Revision]:
    """Return the states of a file that it can be restored to, the present one last."""
    with closing(RevisionFile.open(path)) as file:
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
    """Return what the information dictionary (14.3.3) gave as the date of a file when it had so many bytes."""
    try:
        with closing(RevisionFile.open(path, length)) as file:
            info = file.resolve(file.info)
            return read_date(file.resolve(info.get("ModDate"))) if isinstance(info, dict) else None
    except WebCaptureError:
        return None


def find_pair(path: Path, before: int | None, after: int | None) -> tuple[Revision, Revision]:
    """Return two states of a file: by default the present one, and the one before the other."""
    found = revisions(path)
    newer = _numbered(path, found, len(found) if after is None else after)
    if before is None and newer.number == 1:
        raise ArgumentError(f"{path}: there is no revision before 1", f"see: scrapy webcapture history {path}")
    return _numbered(path, found, newer.number - 1 if before is None else before), newer


def _numbered(path: Path, found: list[Revision], number: int) -> Revision:
    if not 0 < number <= len(found):
        has = "revision 1 only" if len(found) == 1 else f"revisions 1 to {len(found)}"
        raise ArgumentError(f"{path}: has no revision {number}", f"it has {has}")
    return found[number - 1]


def opened(path: Path, revision: Revision) -> RevisionFile:
    """Open a file as it was at a revision, for reading only.

    Raises `TargetRewrittenError` if that is not in the file any more.
    """
    if not revision.is_present:
        with FilePrefix(path, revision.length) as beginning:
            _check(path, revision, hashlib.file_digest(beginning, "sha256").digest())
    return RevisionFile.open(path, revision.length)


def restore(path: Path, number: int, output: Path, *, force: bool = False) -> Revision:
    """Write a file as it was at a revision, byte for byte, as another file, which may exist if `force` is set.

    Raises `TargetRewrittenError` if that is not in the file any more, or another `TargetError` if it cannot be
    written. What was there before then still is.
    """
    if not path.is_file():
        raise missing(path)
    _refuse(path, output, force)
    revision = _numbered(path, revisions(path), number)
    with replacing(output, path) as part:
        _, digest = copied(path, part, revision.length)
        _check(path, revision, digest)
        if revision.is_present and not _holds(part, number):
            raise TargetError(f"{path}: was changed while it was read", "try again")
    return revision


def _refuse(path: Path, output: Path, force: bool) -> None:
    if not output.exists():
        return
    if output.samefile(path):
        raise TargetError(f"{output}: is the file itself, and would lose what came after", "name another file")
    if not force:
        raise TargetError(f"{output}: exists already", "name another file, or give --force to replace it")


def _check(path: Path, revision: Revision, digest: bytes) -> None:
    if revision.digest not in (None, digest):
        raise TargetRewrittenError(f"{path}: revision {revision.number} is not in it any more")


def _holds(path: Path, number: int) -> bool:
    """Tell whether a file is whole and has so many states."""
    try:
        return len(revisions(path)) == number
    except WebCaptureError:
        return False


# What is said of it


def describe(database: ContentDatabase) -> dict[str, Any]:
    """Return the states of a file as one JSON object."""
    commands = {reference: (index, command) for index, (reference, command) in enumerate(database.commands())}
    rows = []
    found = _revisions(database.file, database.catalog)
    lost = set(_lost(database.file.path, found))
    for revision in found:
        run = revision.run
        ran = [] if run is None else [commands[reference] for reference in run.commands if reference in commands]
        rows.append(
            {
                "revision": revision.number,
                "run": None if run is None else run.kind,
                "date": iso(revision.moment),
                "commands": [{"command": index, "url": command.url} for index, command in ran],
                **{name: None if run is None else getattr(run, name) for name in COUNTS},
                "length": revision.length,
                "lost": revision.number in lost,
            }
        )
    return {"revisions": rows}


def _lost(path: Path, found: Iterable[Revision]) -> Iterator[int]:
    """Yield the numbers of the states that are not in a file any more; it is read once."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        for revision in sorted((entry for entry in found if not entry.is_present), key=lambda entry: entry.length):
            while part := file.read(min(READ_AT_ONCE, revision.length - done)):
                digest.update(part)
                done += len(part)
            if done < revision.length or digest.digest() != revision.digest:
                yield revision.number


def lines(description: dict[str, Any]) -> Iterator[str]:
    """Yield a description as lines for a reader."""
    for row in description["revisions"]:
        yield f"revision {row['revision']}  {row['date'] or 'undated'}  {_account(row)}  ({_extent(row)})"
        yield from (f"    command {ran['command']}  {ran['url']}" for ran in row["commands"])


def _extent(row: dict[str, Any]) -> str:
    return "lost: another program has written the file anew" if row["lost"] else f"{row['length']} bytes"


def _account(row: dict[str, Any]) -> str:
    if row["run"] is None:
        return "before the first recorded run"
    if row["run"] == OPTIMIZE:
        return "optimize: the states before are gone"
    return f"{row['run']}: " + ", ".join(f"{row[name]} {name}" for name in COUNTS)
