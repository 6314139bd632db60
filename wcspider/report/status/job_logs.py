"""The results of jobs, from their logs: Scrapyd keeps one for each job and forgets its exit status."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from wcspider.report.status.status_rows import JobRow, State

TAIL = 256 * 1024
"""The bytes at the end of a log that are read. The result is in the last lines."""

MAX_JOBS = 200
"""The number of jobs on a page."""

_LINE = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \[(?P<logger>wcspider\.(?:crawl\.session|commands\.crawl))\] "
    r"(?P<level>INFO|ERROR): (?P<message>.*)"
)
_DONE = re.compile(r"(?:Captured .* into|Refreshed) (?P<file>.*?)(?: \([\d.]+ (?:bytes|[kMG]B)\))?")
_UNCHANGED = re.compile(r"(?P<file>.*?): not changed: no page (?:that could be fetched )?has expired")
_FAILED = re.compile(r"(?P<file>.*?\.pdf): ")
_SKIPPED = re.compile(r"Pages skipped: \d+")


def read_jobs(folder: Path) -> tuple[list[JobRow], int]:
    """Return the newest jobs whose logs are in a folder or below it, and the number of older ones."""
    found = (path for path in folder.rglob("*.log") if path.is_file())  # no folder, and no link without a target
    logs = sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
    return [_job(path, folder) for path in logs[:MAX_JOBS]], max(0, len(logs) - MAX_JOBS)


def _job(path: Path, folder: Path) -> JobRow:
    name = path.relative_to(folder).with_suffix("").as_posix()
    state, result, file = State.UNKNOWN, "the log has no result: the job runs, or was killed", ""
    for line in _last_lines(path):
        match = _LINE.match(line)
        if match is None:
            continue
        message = match["message"]
        if match["level"] == "ERROR":
            named = _FAILED.match(message)
            state, result, file = State.FAILED, message, named["file"] if named else file
        elif done := _DONE.fullmatch(message) or _UNCHANGED.match(message):
            state, result, file = State.GOOD, message, done["file"]
        elif _SKIPPED.fullmatch(message) and state is State.GOOD:
            state, result = State.INCOMPLETE, f"{result}. {message}"
    return JobRow(name, state, datetime.fromtimestamp(path.stat().st_mtime, UTC), result, file)


def _last_lines(path: Path) -> list[str]:
    """Return the lines at the end of a log; bytes that are not UTF-8 are replaced."""
    with path.open("rb") as log:
        log.seek(0, os.SEEK_END)
        log.seek(max(0, log.tell() - TAIL))
        return log.read().decode("utf-8", "replace").splitlines()
