"""A static status page about the files of a folder, for people who look after captures that run by themselves."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.query.history import counts_of, revisions
from wcspider.archive.run.run_report import KEPT
from wcspider.exceptions import TargetMissingError, WebCaptureError
from wcspider.pdf.file.part import PART, followed, part_of
from wcspider.program_names import capture_command, file_command
from wcspider.report.status.job_logs import read_jobs
from wcspider.report.status.status_rows import FileRow, JobRow, State, StatusPage
from wcspider.report.writing import read_resource, render
from wcspider.units import format_count


def collect_status(folder: Path, logs: Path | None, made: datetime) -> StatusPage:
    """Return the status of the PDF files in a folder, and of the jobs whose logs are in the folder `logs`.

    Raises a `TargetError` if one of the folders does not exist.
    """
    for given in (folder, logs):
        if given is not None and not given.is_dir():
            raise TargetMissingError(f"{given}: {'is a file, not a folder' if given.exists() else 'no such folder'}")
    jobs, hidden = ([], 0) if logs is None else read_jobs(logs)
    names = {path.name.removesuffix(PART) for path in folder.glob("*.pdf*") if path.suffix in (".pdf", PART)}
    files = [_after_jobs(_file_row(folder / name, made), jobs) for name in sorted(names)]
    return StatusPage(str(folder.absolute()), made, files, jobs, hidden)


def write_status(page: StatusPage, folder: str = ".") -> str:
    """Return a status page as one HTML document; `folder` is the path from the document to the folder of the files."""
    return render("status.html", read_resource("report.css"), page=page, folder=folder)


def _file_row(path: Path, made: datetime) -> FileRow:
    part = part_of(followed(path))
    try:
        row = _captured_row(path, made)
    except TargetMissingError as error:  # a link to nothing, or a first capture that has not ended
        row = FileRow(path.name, State.FAILED, error.problem, error.advice)
    except WebCaptureError as error:
        return FileRow(path.name, State.FAILED, error.problem, error.advice)
    except OSError as error:
        return FileRow(path.name, State.FAILED, error.strerror or str(error), "check the file")
    if not part.exists():
        return row
    advice = "if no crawl runs, repeat the command: it continues"
    return replace(row, state=State.UNFINISHED, problem="a crawl runs, or was stopped", next_step=advice)


def _captured_row(path: Path, made: datetime) -> FileRow:
    """Return the row of a file that can be read."""
    with closing(ContentDatabase.open(path, lambda: made)) as database:
        page_sets = sum(1 for _ in database.page_sets())
        records = SkippedRecords(database)
        skipped, kept = records.count(), sum(1 for _ in records.kept())
    last = revisions(path)[-1]
    if last.run is not None:  # the number of records is limited; a capture also counts the pages that it has kept
        skipped = max(skipped, last.run.skipped - kept)
        kept = max(kept, sum(note.count for note in last.run.notes if note.kind == KEPT))
    state, problem, step = verdict(path.name, page_sets, skipped, kept)
    report = path.with_suffix(".html")
    return FileRow(
        name=path.name,
        state=state,
        problem=problem,
        next_step=step,
        size=path.stat().st_size,
        page_sets=page_sets,
        last_run="" if last.run is None else last.run.kind,
        ended=last.moment,
        counts={} if last.run is None else counts_of(last.run),
        report=report.name if report.is_file() else "",
    )


def verdict(name: str, page_sets: int, skipped: int, kept: int) -> tuple[State, str, str]:
    """Return the state of a file, the reason and the next step.

    It is incomplete as long as it records pages that were `skipped`, or that it has `kept` because they could
    not be fetched at the last attempt.
    """
    if not page_sets:
        return State.FAILED, "it contains no captured page", f"capture into it: {capture_command('URL', name)}"
    problems = [
        f"{_were(skipped)} skipped" if skipped else "",
        f"{format_count(kept, 'page')} could not be fetched at the last attempt" if kept else "",
    ]
    if skipped or kept:
        step = f"look at {'it' if skipped + kept == 1 else 'them'}: {file_command('omitted', name)}"
        return State.INCOMPLETE, ", ".join(filter(None, problems)), step
    return State.GOOD, "", ""


def _were(pages: int) -> str:
    return "1 page was" if pages == 1 else f"{pages} pages were"


def _after_jobs(row: FileRow, jobs: Iterable[JobRow]) -> FileRow:
    """Return the row of a file with the problem of its newest job, if that failed and so left the file unchanged."""
    own = next((job for job in jobs if job.file_name == row.name), None)
    if own is None or own.state is not State.FAILED:
        return row
    problem, _, advice = own.result.partition("; ")
    problem = f"job {own.name}: {problem}"
    step = f"see the log of the job: {advice}" if advice else "see the log of the job"
    return replace(row, state=State.FAILED, problem=problem, next_step=step)
