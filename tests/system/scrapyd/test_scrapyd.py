"""wcspider as an egg in a real Scrapyd: scheduled, followed, cancelled, scheduled again."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import EXAMPLE_SETTINGS, ExampleCapture
from tests.support.crawls import Archive, Run, tool
from tests.support.http_server import Site, SiteServer, page
from tests.support.worker_kills import fork_servers, worker_processes
from tests.system.scrapyd.daemon import Job, Scrapyd

pytestmark = pytest.mark.slow

EACH_PAGE = {"WEBCAPTURE_BATCH_PAGES": 1, "WEBCAPTURE_LOOKAHEAD": 1}
"""A page is in the part, for good, before the next is asked for."""

NAMES = ("one", "two", "three", "four", "last")
LINKS = "".join(f"<a href=/{name}>{name}</a> " for name in NAMES)
STOPPED: Site = {
    "/": page(f"<title>Start</title><p>{LINKS}"),
    **{f"/{name}": page(f"<title>{name}</title><p>{name}") for name in NAMES},
    **{f"/{name}": page(f"<title>{name}</title><p>{name}", gate=name) for name in ("two", "three", "four")},
}


def test_the_spiders_are_listed(scrapyd: Scrapyd) -> None:
    assert scrapyd.ask("listspiders.json?project=wcspider")["spiders"] == ["capture", "refresh"]


def test_a_job_makes_the_file_that_the_command_makes(scrapyd: Scrapyd, example: ExampleCapture, tmp_path: Path) -> None:
    # Styles, fonts and engines come from the egg, in the workers as well.
    path = tmp_path / "example.pdf"
    done = scrapyd.end(scrapyd.schedule("capture", EXAMPLE_SETTINGS, url=f"{example.site}/", levels="all", pdf=path))
    assert (done.status, done.messages("ERROR")) == (0, [])
    assert path.read_bytes() == example.pdf.read_bytes()


def test_jobs_wait_run_and_end(scrapyd: Scrapyd, server: Callable[..., SiteServer], tmp_path: Path) -> None:
    """Of two jobs on one file, the second fails. The name of a file may contain that of the job."""
    site = server({"/": page("<p>hello", gate="open")})
    path = tmp_path / "site.pdf"
    first = scrapyd.schedule("capture", url=site.url(), pdf=path)
    site.wait_for("/")
    second = scrapyd.end(scrapyd.schedule("capture", url=site.url(), pdf=path))
    assert second.problem.startswith(f"{path}: another process captures into it;")

    march = {"WEBCAPTURE_FIXED_TIME": "2026-03-01"}
    named = scrapyd.schedule("capture", march, url=site.url(), pdf="%(name)s-%(time)s-%(_job)s.pdf")
    last = scrapyd.schedule("capture", url=site.url(), pdf=tmp_path / "last.pdf")
    site.wait_for("/", 2)
    assert [scrapyd.state(job) for job in (first, named, last)] == ["running", "running", "pending"]
    site.open_gate("open")
    assert [scrapyd.end(job).status for job in (first, named, last)] == [0, 0, 0]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["last.pdf", "site.pdf"]
    name = f"capture-2026-03-01T00-00-00+00-00-{named.identifier}.pdf"
    tool("qpdf", "--check", scrapyd.folder / name)  # where the daemon was started


def test_wrong_arguments_and_settings_are_in_the_log_of_the_job(scrapyd: Scrapyd, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    jobs = {
        "unknown argument level of the capture spider; did you mean levels?": scrapyd.schedule(
            "capture", url="http://127.0.0.1/", pdf=path, level=2
        ),
        "unknown setting WEBCAPTURE_WORKER; did you mean WEBCAPTURE_WORKERS?": scrapyd.schedule(
            "capture", {"WEBCAPTURE_WORKER": 2}, url="http://127.0.0.1/", pdf=path
        ),
        f"{path}: no such file; check the path": scrapyd.schedule("refresh", pdf=path),
    }
    assert {scrapyd.end(job).problem for job in jobs.values()} == set(jobs)


def _cancel(scrapyd: Scrapyd, job: Job) -> None:
    assert scrapyd.cancel(job) == "running"


def _stop_all(scrapyd: Scrapyd, job: Job) -> None:
    """As a service is stopped: SIGTERM to the job, its fork server and its workers."""
    [process] = [found["pid"] for found in scrapyd.jobs()["running"] if found["id"] == job.identifier]
    for each in (*worker_processes(process), *fork_servers(process), process):
        os.kill(each, signal.SIGTERM)


def _held(done: Run, path: Path) -> int:
    """The number of pages that a job found in the part when it began."""
    begun = re.escape(f"Continuing the unfinished crawl in {path}.part: it holds ")
    found = re.search(rf"{begun}(\d+) page", done.log)
    return 0 if found is None else int(found[1])


def test_a_job_that_was_stopped_goes_on(scrapyd: Scrapyd, server: Callable[..., SiteServer], tmp_path: Path) -> None:
    """A job is cancelled, stopped with the service, and cancelled twice; the same job requests only missing pages."""
    site, path = server(STOPPED), tmp_path / "site.pdf"
    pages = ["/", *(f"/{name}" for name in NAMES)]

    def scheduled() -> Job:
        site.forget()
        return scrapyd.schedule("capture", EACH_PAGE, url=site.url(), levels=2, pdf=path)

    def check_requests(done: Run, certain: int, last: str) -> None:
        """`certain` pages were in the part. A slow machine may lay out the page behind them too late for it."""
        held = _held(done, path)
        assert held in (certain, certain + 1) if certain else held == 0
        assert site.paths() == ["/robots.txt", *pages[held : pages.index(last) + 1]]

    for stop, name, certain in ((_cancel, "two", 0), (_stop_all, "three", 2)):
        job = scheduled()
        site.wait_for(f"/{name}")
        stop(scrapyd, job)
        scrapyd.wait_for_log(job, "shutting down gracefully")
        site.open_gate(name)  # the answer to a request is waited for
        done = scrapyd.end(job)
        assert f"{path}: not written: the crawl was stopped by Ctrl-C or a signal" in done.problem
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["site.pdf.part", "site.pdf.part.db"]
        check_requests(done, certain, f"/{name}")

    job = scheduled()
    site.wait_for("/four")
    _cancel(scrapyd, job)
    scrapyd.wait_for_log(job, "shutting down gracefully")
    _cancel(scrapyd, job)
    done = scrapyd.end(job)  # at once: the answer does not come
    assert "forcing unclean shutdown" in done.log
    assert "Traceback" not in done.log
    assert not path.exists()
    check_requests(done, 3, "/four")

    site.open_gate("four")
    done = scrapyd.end(scheduled())
    assert done.status == 0, done.log
    assert "'webcapture/degraded': 0" in done.log
    check_requests(done, 4, "/last")
    with Archive(path) as archive:
        assert archive.order(site.url("")) == pages
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
