"""The records of runs: the changes of each run to a file. ISO 32000-1 does not define them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.values import date_string, read_date
from wcspider.pdf.webcapture.sources import Resolve

CAPTURE, REFRESH, OPTIMIZE = "capture", "refresh", "optimize"
"""The kinds of runs."""

_COUNTS = {"Added": "added", "Changed": "changed", "Removed": "removed", "Unchanged": "unchanged", "Omitted": "skipped"}


@dataclass(frozen=True, slots=True)
class Run:
    """The changes of one run to a file, and the state of the file before."""

    kind: str
    """`CAPTURE`, `REFRESH` or `OPTIMIZE`; another value if another version of wcspider wrote the record."""

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
    removed: int = 0
    unchanged: int = 0
    """Numbers of page sets."""

    skipped: int = 0
    """The number of skipped pages, with or without records in the file."""

    def as_pdf(self) -> dict[str, Value]:
        """Return the dictionary. It has no entries for counts of 0."""
        result: dict[str, Value] = {"Run": Name(self.kind), "Base": self.base}
        if self.moment is not None:
            result["D"] = date_string(self.moment)
        if self.commands:
            result["Commands"] = list(self.commands)
        if self.digest is not None:
            result["Digest"] = self.digest
        counts = {key: getattr(self, name) for key, name in _COUNTS.items()}
        return result | {key: count for key, count in counts.items() if count}

    @classmethod
    def from_pdf(cls, value: Value, resolve: Resolve) -> Run | None:
        """Read a record; None if it is invalid. Entries of a wrong type are ignored."""
        if not isinstance(value, dict) or not isinstance(value.get("Run"), Name):
            return None
        entries = {key: resolve(entry) for key, entry in value.items()}
        digest, commands = entries.get("Digest"), entries.get("Commands")
        return cls(
            kind=str(value["Run"]),
            base=_number(entries.get("Base")),
            digest=digest if isinstance(digest, bytes) else None,
            moment=read_date(entries.get("D")),
            commands=tuple(entry for entry in commands if isinstance(entry, Ref)) if isinstance(commands, list) else (),
            **{name: _number(entries.get(key)) for key, name in _COUNTS.items()},
        )


def _number(value: Value) -> int:
    return value if type(value) is int and value > 0 else 0
