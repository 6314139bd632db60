"""The records of runs: the changes of each run to a file. ISO 32000-1 does not define them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from wcspider.pdf.objects import Name, Ref, Resolve, Value
from wcspider.pdf.values import date_string, read_array, read_bytes, read_date, read_text, text_string

CAPTURE, REFRESH, OPTIMIZE, MERGE = "capture", "refresh", "optimize", "merge"
"""The kinds of runs."""

DEEPEST = 32
"""The limit of the number of merges of merged files whose records are read."""

_COUNTS = {
    "Added": "added",
    "Changed": "changed",
    "Returned": "returned",
    "Gone": "gone",
    "Removed": "dropped",
    "Unchanged": "unchanged",
    "Omitted": "skipped",
}
"""The counts of a run, by their entries."""


MAX_REASONS, MAX_URLS, LONGEST = 50, 20, 500
"""The bounds of the notes of a run: reasons of a kind, URLs of a reason, characters of a reason or a URL."""


@dataclass(frozen=True, slots=True)
class Note:
    """An observation about pages or resources of a run, such as a missing font."""

    kind: str
    reason: str
    count: int
    """The number of URLs that it applies to."""

    urls: tuple[str, ...] = ()
    """The first of them in alphabetical order."""

    def as_pdf(self) -> dict[str, Value]:
        """Return the dictionary. Long texts are cut."""
        urls: list[Value] = [text_string(url[:LONGEST]) for url in self.urls]
        return {
            "Kind": Name(self.kind),
            "Reason": text_string(self.reason[:LONGEST]),
            "Count": self.count,
            "URLs": urls,
        }

    @classmethod
    def from_pdf(cls, value: Value, resolve: Resolve) -> Note | None:
        """Read a note; None if it is invalid. Entries of a wrong type are ignored."""
        if not isinstance(value, dict) or not isinstance(value.get("Kind"), Name):
            return None
        urls = resolve(value.get("URLs"))
        found = (read_text(resolve(url)) for url in urls) if isinstance(urls, list) else ()
        return cls(
            str(value["Kind"]),
            read_text(resolve(value.get("Reason"))),
            _number(resolve(value.get("Count"))),
            tuple(url for url in found if url)[:MAX_URLS],
        )


@dataclass(frozen=True, slots=True)
class MergedFile:
    """A file whose content sets a run has taken over."""

    name: str
    length: int
    """In bytes."""

    digest: bytes
    """The SHA-256 of the file."""

    runs: tuple[Run, ...] = ()
    """The history of the file. The commands in it are those of the file that contains this record."""

    def as_pdf(self) -> dict[str, Value]:
        """Return the dictionary."""
        result = {"F": text_string(self.name), "Length": self.length, "Digest": self.digest}
        return {**result, **({"Runs": [run.as_pdf() for run in self.runs]} if self.runs else {})}

    @classmethod
    def from_pdf(cls, value: Value, resolve: Resolve, depth: int) -> MergedFile | None:
        """Read a record; None if it is invalid. All of it is direct objects, so that it cannot contain itself."""
        if not isinstance(value, dict):
            return None
        runs = [Run.from_pdf(run, resolve, depth + 1) for run in read_array(value.get("Runs"))]
        return cls(
            name=read_text(value.get("F")),
            length=_number(value.get("Length")),
            digest=read_bytes(value.get("Digest")) or b"",
            runs=tuple(run for run in runs if run is not None),
        )


@dataclass(frozen=True, slots=True)
class Run:
    """The changes of one run to a file, and the state of the file before."""

    kind: str
    """`CAPTURE`, `REFRESH`, `OPTIMIZE` or `MERGE`; another value if another version of wcspider wrote the record."""

    base: int = 0
    """The length of the file before the run, in bytes; 0 for a new file. The previous run ends there."""

    digest: bytes | None = None
    """The SHA-256 of the file before the run; None if `base` is 0."""

    moment: datetime | None = None
    """The end of the run."""

    commands: tuple[Ref, ...] = ()
    """The commands (14.10.5.3) of the run."""

    added: int = 0
    changed: int = 0
    returned: int = 0
    gone: int = 0
    dropped: int = 0
    unchanged: int = 0
    """Numbers of page sets."""

    skipped: int = 0
    """The number of skipped pages, with or without records in the file."""

    inputs: tuple[MergedFile, ...] = ()
    """The files that a `MERGE` has read, in order."""

    notes: tuple[Note, ...] = ()
    """Pages with a simpler layout, missing characters, resources that could not be fetched, and the like."""

    def with_commands(self, change: Callable[[Ref], Ref | None]) -> Run:
        """Return the record with other references to commands, also in the histories of its inputs."""
        commands = [change(reference) for reference in self.commands]
        inputs = [replace(file, runs=tuple(run.with_commands(change) for run in file.runs)) for file in self.inputs]
        kept = tuple(reference for reference in commands if reference is not None)
        return replace(self, commands=kept, inputs=tuple(inputs))

    def as_pdf(self) -> dict[str, Value]:
        """Return the dictionary. It has no entries for counts of 0."""
        result: dict[str, Value] = {"Run": Name(self.kind), "Base": self.base}
        if self.moment is not None:
            result["D"] = date_string(self.moment)
        if self.commands:
            result["Commands"] = list(self.commands)
        if self.digest is not None:
            result["Digest"] = self.digest
        if self.inputs:
            result["Inputs"] = [file.as_pdf() for file in self.inputs]
        if self.notes:
            result["Notes"] = [note.as_pdf() for note in self.notes]
        counts = {key: getattr(self, name) for key, name in _COUNTS.items()}
        return result | {key: count for key, count in counts.items() if count}

    @classmethod
    def from_pdf(cls, value: Value, resolve: Resolve, depth: int = 0) -> Run | None:
        """Read a record; None if it is invalid. Entries of a wrong type are ignored."""
        if not isinstance(value, dict) or depth > DEEPEST or not isinstance(value.get("Run"), Name):
            return None
        entries = {key: resolve(entry) for key, entry in value.items()}
        digest, commands = entries.get("Digest"), entries.get("Commands")
        inputs = [MergedFile.from_pdf(file, resolve, depth) for file in read_array(value.get("Inputs"))]
        notes = entries.get("Notes")
        found = (Note.from_pdf(resolve(note), resolve) for note in notes) if isinstance(notes, list) else ()
        return cls(
            kind=str(value["Run"]),
            base=_number(entries.get("Base")),
            digest=digest if isinstance(digest, bytes) else None,
            moment=read_date(entries.get("D")),
            commands=tuple(entry for entry in commands if isinstance(entry, Ref)) if isinstance(commands, list) else (),
            inputs=tuple(file for file in inputs if file is not None),
            notes=tuple(note for note in found if note is not None),
            **{name: _number(entries.get(key)) for key, name in _COUNTS.items()},
        )


def all_runs(history: Iterable[Run]) -> Iterator[Run]:
    """Yield the runs of a history, each after the runs of the files that it has merged."""
    for run in history:
        for file in run.inputs:
            yield from all_runs(file.runs)
        yield run


def _number(value: Value) -> int:
    return value if type(value) is int and value > 0 else 0
