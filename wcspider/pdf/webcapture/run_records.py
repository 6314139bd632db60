"""The records of runs: what each crawl did to a file. ISO 32000-1 has no place for them, so they are our own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.values import date_string, read_date
from wcspider.pdf.webcapture.sources import Resolve

CAPTURE, REFRESH, OPTIMIZE = "capture", "refresh", "optimize"
"""What a run may be."""

_COUNTS = {"Added": "added", "Changed": "changed", "Removed": "removed", "Unchanged": "unchanged", "Omitted": "omitted"}


@dataclass(frozen=True, slots=True)
class Run:
    """What one run did to a file, and what the file was before."""

    kind: str
    """`CAPTURE`, `REFRESH` or `OPTIMIZE`; what another release writes is kept."""

    base: int = 0
    """The length of the file before the run, in bytes; 0 if there was none. The run before ends there."""

    digest: bytes | None = None
    """The SHA-256 of the file before the run; None where `base` is 0."""

    moment: datetime | None = None
    """When it ended."""

    commands: tuple[Ref, ...] = ()
    """The commands (14.10.5.3) that it ran."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    """Page sets, by what became of them."""

    omitted: int = 0
    """Pages that it left out, whether the file has records of them or not."""

    def as_pdf(self) -> dict[str, Value]:
        """Return the record of the run. A count that is left out is 0."""
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
        """Read a record; None for what is none. Entries of a wrong type are passed over."""
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
