"""The values that a status page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from wcspider.archive.query.history import effect
from wcspider.archive.query.listing import iso


class State(StrEnum):
    """The state of a file, or the result of a job. The value is its word on the page."""

    GOOD = "complete"
    INCOMPLETE = "incomplete"
    """Pages were skipped."""

    UNFINISHED = "unfinished"
    """A crawl was stopped, or runs."""

    FAILED = "failed"
    UNKNOWN = "no result"
    """A job that runs, or that was killed."""

    @property
    def needs_attention(self) -> bool:
        """True if nobody should take it for a success."""
        return self not in (State.GOOD, State.INCOMPLETE)


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file of the folder."""

    name: str
    state: State
    problem: str = ""
    """The reason of a state that is not complete."""

    next_step: str = ""
    """The command to run, or the advice; empty if there is nothing to do."""

    size: int = 0
    page_sets: int = 0
    last_run: str = ""
    """The kind of the last run that changed the file."""

    ended: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    """The effect of the last run: the numbers of page sets by the words of `COUNTS`."""

    report: str = ""
    """The name of the report beside the file; empty if there is none."""

    @property
    def effect(self) -> str:
        """The effect of the last run in words."""
        return effect(self.counts)


@dataclass(frozen=True, slots=True)
class JobRow:
    """One log of a job."""

    name: str
    """The folder of the log and its name, such as ``refresh/2026-03-01``."""

    state: State
    ended: datetime | None
    result: str
    """The line of the log that tells the result."""

    file: str = ""
    """The path of the PDF file in that line; empty if it names none."""

    @property
    def file_name(self) -> str:
        """The name of the PDF file, without its folder."""
        return self.file.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class StatusPage:
    """A status page."""

    folder: str
    made: datetime
    files: Sequence[FileRow]
    jobs: Sequence[JobRow]
    """The newest first."""

    hidden_jobs: int = 0
    """The number of older jobs that are not shown."""

    @property
    def needs_attention(self) -> int:
        """The number of files that need attention, and of spiders whose newest job failed for another file."""
        known = {row.name for row in self.files}
        newest: dict[str, JobRow] = {}
        for job in self.jobs:
            newest.setdefault(job.name.rpartition("/")[0], job)
        failed = (job.file_name not in known for job in newest.values() if job.state is State.FAILED)
        return sum(row.state.needs_attention for row in self.files) + sum(failed)

    def described(self) -> dict[str, Any]:
        """Return the page as a JSON object. Texts that are empty are null."""
        return {
            "folder": self.folder,
            "made": iso(self.made),
            "needs_attention": self.needs_attention,
            "files": [_described(row) for row in self.files],
            "jobs": [_described(job) for job in self.jobs],
            "hidden_jobs": self.hidden_jobs,
        }


def _described(row: FileRow | JobRow) -> dict[str, Any]:
    found = {name: None if value == "" else value for name, value in asdict(row).items()}
    return {**found, "state": row.state.value, "ended": iso(row.ended)}
