"""The status page: the state of each file and job, and hostile names."""

from __future__ import annotations

import os
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml import html

from tests.archive.query.test_listing import site
from tests.support.pdf_samples import plain_pdf
from wcspider.cli.program import main
from wcspider.exceptions import TargetMissingError
from wcspider.report.status.job_logs import TAIL, read_jobs
from wcspider.report.status.status_page import collect_status, verdict, write_status
from wcspider.report.status.status_rows import FileRow, JobRow, State, StatusPage

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SESSION = "2026-03-01 12:00:00 [wcspider.crawl.session]"
ADVICE = "the summary lists the pages with their reasons"
FAILED = f"{SESSION} ERROR: /srv/pdf/site.pdf: not changed: no page could be fetched; {ADVICE}\n"

LOGS = [
    (f"{SESSION} INFO: Captured 2 pages into /srv/site.pdf (1.0 kB)\n", State.GOOD, "/srv/site.pdf"),
    (f"{SESSION} INFO: Refreshed /srv/a b.pdf (12 bytes)\n", State.GOOD, "/srv/a b.pdf"),
    (f"{SESSION} INFO: Refreshed /srv/a b.pdf\n", State.GOOD, "/srv/a b.pdf"),
    (
        f"{SESSION} INFO: Refreshed /srv/site.pdf (1.0 kB)\n{SESSION} INFO: Pages skipped: 3\n",
        State.INCOMPLETE,
        "/srv/site.pdf",
    ),
    (f"{SESSION} INFO: /srv/site.pdf: not changed: no page has expired; to\n", State.GOOD, "/srv/site.pdf"),
    (f"{SESSION} INFO: Captured no page\n{FAILED}", State.FAILED, "/srv/pdf/site.pdf"),
    (
        f"{SESSION} INFO: Captured 2 pages into /srv/site.pdf (1.0 kB)\n{SESSION} ERROR: not delivered to s3://b/\n",
        State.FAILED,
        "/srv/site.pdf",
    ),
    ("2026-03-01 12:00:00 [wcspider.commands.crawl] ERROR: unknown argument level\n", State.FAILED, ""),
    (f"{SESSION} INFO: Captured 2 pages so far, and none of them is in /srv/site.pdf yet\n", State.UNKNOWN, ""),
    ("2026-03-01 12:00:00 [other] INFO: Refreshed /srv/site.pdf (1.0 kB)\n", State.UNKNOWN, ""),
    ("", State.UNKNOWN, ""),
    ("x" * 2 * TAIL + "\n" + FAILED, State.FAILED, "/srv/pdf/site.pdf"),
]


@pytest.mark.parametrize(("text", "state", "file"), LOGS)
def test_a_log_tells_the_result_of_its_job(tmp_path: Path, text: str, state: State, file: str) -> None:
    log = tmp_path / "refresh" / "night.log"
    log.parent.mkdir()
    log.write_text(text)
    [job], hidden = read_jobs(tmp_path)
    assert (job.name, job.state, job.file, hidden) == ("refresh/night", state, file, 0)


def test_the_newest_jobs_are_shown(tmp_path: Path) -> None:
    for number in range(205):
        log = tmp_path / f"{number}.log"
        log.touch()
        os.utime(log, (number, number))
    jobs, hidden = read_jobs(tmp_path)
    assert ([jobs[0].name, jobs[-1].name], hidden) == (["204", "5"], 5)


def test_folders_and_links_without_a_target_are_no_logs(tmp_path: Path) -> None:
    (tmp_path / "old.log").mkdir()
    (tmp_path / "newest.log").symlink_to(tmp_path / "removed")
    assert read_jobs(tmp_path) == ([], 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files in several states."""
    plain_pdf(1, tmp_path / "blank.pdf")
    (tmp_path / "broken.pdf").write_text("no PDF file")
    (tmp_path / "stopped.pdf.part").touch()
    (tmp_path / "stopped.pdf.part.db").touch()
    (tmp_path / "other.txt").touch()
    return tmp_path


def test_files_without_captured_pages_do_not_look_successful(folder: Path) -> None:
    page = collect_status(folder, None, MOMENT)
    assert {row.name: (row.state, row.problem) for row in page.files} == {
        "blank.pdf": (State.FAILED, "it contains no captured page"),
        "broken.pdf": (State.FAILED, f"{folder}/broken.pdf: is not a PDF file"),
        "stopped.pdf": (State.UNFINISHED, "a crawl runs, or was stopped"),
    }
    assert page.needs_attention == 3
    assert all(row.next_step for row in page.files)


@pytest.mark.parametrize(
    ("skipped", "kept", "problem", "step"),
    [
        (1, 0, "1 page was skipped", "look at it: "),
        (0, 1, "1 page could not be fetched at the last attempt", "look at it: "),
        (1, 1, "1 page was skipped, 1 page could not be fetched at the last attempt", "look at them: "),
        (2, 0, "2 pages were skipped", "look at them: "),
    ],
)
def test_missing_pages_are_counted(skipped: int, kept: int, problem: str, step: str) -> None:
    found = verdict("site.pdf", 3, skipped, kept)
    assert found == (State.INCOMPLETE, problem, f"{step}scrapy webcapture omitted site.pdf")


def test_a_link_to_a_file_that_a_crawl_is_at(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    path = site(tmp_path / "files" / "site.pdf", 1)
    (tmp_path / "link.pdf").symlink_to(path)
    [row] = collect_status(tmp_path, None, MOMENT).files
    assert row.state is State.GOOD
    path.with_name("site.pdf.part").touch()
    [row] = collect_status(tmp_path, None, MOMENT).files
    assert (row.name, row.state, row.problem) == ("link.pdf", State.UNFINISHED, "a crawl runs, or was stopped")


def test_a_link_to_nothing_tells_its_problem(tmp_path: Path) -> None:
    (tmp_path / "link.pdf").symlink_to("nowhere/site.pdf")
    [row] = collect_status(tmp_path, None, MOMENT).files
    assert (row.state, row.next_step) == (State.FAILED, "check the path")
    assert row.problem.endswith("which does not exist")


def test_a_failed_job_marks_its_file(folder: Path) -> None:
    logs = folder / "logs"
    logs.mkdir()
    (logs / "night.log").write_text(FAILED.replace("site.pdf", "blank.pdf"))
    row = collect_status(folder, logs, MOMENT).files[0]
    assert (row.state, row.next_step) == (
        State.FAILED,
        f"see the log of the job: {ADVICE}",
    )
    assert row.problem == "job night: /srv/pdf/blank.pdf: not changed: no page could be fetched"


def test_a_failed_job_for_a_file_that_does_not_exist_needs_attention(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(FAILED)
    page = collect_status(tmp_path, tmp_path, MOMENT)
    assert (list(page.files), page.needs_attention) == ([], 1)
    newer = JobRow("next", State.GOOD, MOMENT, "Captured 1 page", "/srv/pdf/other.pdf")
    assert StatusPage("srv", MOMENT, [], [newer, *page.jobs]).needs_attention == 0


def test_the_heading_names_the_folder_also_from_inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert collect_status(Path(), None, MOMENT).folder == str(folder)


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TargetMissingError, match="no such folder; check the path"):
        collect_status(tmp_path / "none", None, MOMENT)


HOSTILE = ["<script>alert(1)</script>.pdf", '" onclick="alert(1).pdf', "\u202egnp.pdf", "a\u2028b.pdf"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_add_no_markup(name: str) -> None:
    def written(text: str) -> str:
        row = FileRow(text, State.FAILED, text, text, 1, 1, text, MOMENT, {text: 1}, text)
        return write_status(StatusPage(text, MOMENT, [row], [JobRow(text, State.FAILED, MOMENT, text, text)], 1))

    hostile, plain = html.document_fromstring(written(name)), html.document_fromstring(written("plain.pdf"))
    assert [element.tag for element in hostile.iter()] == [element.tag for element in plain.iter()]
    assert not [key for element in hostile.iter() for key in element.attrib if key.startswith("on")]
    assert "\u202e" not in written(name)


def test_the_page_allows_nothing_but_its_own_style(folder: Path) -> None:
    text = write_status(collect_status(folder, None, MOMENT))
    assert re.search(r"content=\"default-src &#39;none&#39;; style-src &#39;sha256-", text)
    assert "<script" not in text


def test_the_command_writes_page_and_reports(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = folder / "out" / "status.html"
    output.parent.mkdir()
    assert main(["status", str(folder), "--reports", "-o", str(output)]) == 1
    printed = capsys.readouterr()
    assert printed.out == f"{output}\n"
    problem = f"{folder}/broken.pdf: is not a PDF file; name a PDF file"
    assert printed.err == f"wcspider: no report: {problem}\n"
    [link] = html.document_fromstring(output.read_text()).cssselect("a")
    assert (output.parent / link.get("href")).resolve() == folder / "blank.html"
    assert (folder / "blank.html").is_file()
    shutil.rmtree(output.parent)
    assert main(["status", str(folder), "-o", str(output)]) == 2
    assert "out: no such folder; create it, or name another folder" in capsys.readouterr().err


def test_a_report_that_is_not_written_fails_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = site(tmp_path / "good.pdf", 1)
    assert main(["status", str(tmp_path), "--reports"]) == 0
    capsys.readouterr()
    good.with_suffix(".html").unlink()
    good.with_suffix(".html").mkdir()
    assert main(["status", str(tmp_path), "--reports"]) == 1
    printed = capsys.readouterr()
    assert printed.out == f"{tmp_path / 'status.html'}\n"
    assert printed.err == f"wcspider: no report: {good.with_suffix('.html')}: is a folder; name a file\n"
    assert main(["status", str(tmp_path)]) == 0, "without --reports, none is missing"


def test_a_link_without_a_target_does_not_stop_the_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report of an earlier time is beside it."""
    (tmp_path / "a.pdf").symlink_to("removed.pdf")
    (tmp_path / "a.html").touch()
    site(tmp_path / "b.pdf", 1)
    assert main(["status", str(tmp_path), "--reports"]) == 1
    problem = f"{tmp_path}/a.pdf: is a symbolic link to {tmp_path}/removed.pdf, which does not exist"
    assert capsys.readouterr().err == f"wcspider: no report: {problem}; check the path\n"
    assert (tmp_path / "b.html").is_file()
    assert (tmp_path / "status.html").is_file()
