"""The values that a status page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
    effect: str = ""
    """The effect of the last run."""

    report: str = ""
    """The name of the report beside the file; empty if there is none."""


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
