"""wcspider as an egg in a real Scrapyd: scheduled, followed, cancelled, scheduled again."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import EXAMPLE_SETTINGS, ExampleCapture
from tests.support.crawls import Archive, tool
from tests.support.http_server import Site, SiteServer, page
from tests.system.scrapyd.daemon import Job, Scrapyd
from wcspider.archive.units import format_count

pytestmark = pytest.mark.slow

EACH_PAGE = {"WEBCAPTURE_BATCH_PAGES": 1, "WEBCAPTURE_LOOKAHEAD": 1}
"""A page is in the part, for good, before the next is asked for."""

LINKS = "".join(f"<a href=/{name}>{name}</a> " for name in ("one", "two", "last"))
STOPPED: Site = {
    "/": page(f"<title>Start</title><p>{LINKS}"),
    "/one": page("<title>One</title><p>one"),
    "/two": page("<title>Two</title><p>two", gate="two"),
    "/last": page("<title>Last</title><p>last"),
}


def test_the_spiders_are_listed(scrapyd: Scrapyd) -> None:
    assert scrapyd.ask("listspiders.json?project=wcspider")["spiders"] == ["capture", "refresh"]


def test_a_job_makes_the_file_that_the_command_makes(scrapyd: Scrapyd, example: ExampleCapture, tmp_path: Path) -> None:
    # Styles, fonts and engines come from the egg, in the workers as well.
    path = tmp_path / "example.pdf"
    done = scrapyd.end(scrapyd.schedule("capture", EXAMPLE_SETTINGS, url=f"{example.site}/", levels="all", pdf=path))
    assert (done.status, done.messages("ERROR")) == (0, [])
    assert path.read_bytes() == example.pdf.read_bytes()


def test_the_name_of_the_file_has_the_job_in_it(scrapyd: Scrapyd, server: Callable[..., SiteServer]) -> None:
    site = server({"/": page("<p>hello")})
    march = {"WEBCAPTURE_FIXED_TIME": "2026-03-01"}
    job = scrapyd.schedule("capture", march, url=site.url(), pdf="%(name)s-%(time)s-%(_job)s.pdf")
    assert scrapyd.end(job).status == 0
    name = f"capture-2026-03-01T00-00-00+00-00-{job.identifier}.pdf"
    tool("qpdf", "--check", scrapyd.folder / name)  # where the daemon was started


def test_jobs_wait_run_and_end(scrapyd: Scrapyd, server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({"/": page("<p>hello", gate="open")})
    jobs = [scrapyd.schedule("capture", url=site.url(), pdf=tmp_path / f"{number}.pdf") for number in range(3)]
    site.wait_for("/", 2)
    assert sorted(map(scrapyd.state, jobs)) == ["pending", "running", "running"]
    site.open_gate("open")
    assert [scrapyd.end(job).status for job in jobs] == [0, 0, 0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.pdf", "1.pdf", "2.pdf"]


def test_of_two_jobs_on_one_file_the_second_fails(
    scrapyd: Scrapyd, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    site = server({"/": page("<p>hello", gate="open")})
    path = tmp_path / "site.pdf"
    first = scrapyd.schedule("capture", url=site.url(), pdf=path)
    site.wait_for("/")
    second = scrapyd.end(scrapyd.schedule("capture", url=site.url(), pdf=path))
    assert second.problem.startswith(f"{path}: another process captures into it;")
    site.open_gate("open")
    assert scrapyd.end(first).status == 0


def test_wrong_arguments_and_settings_are_in_the_log_of_the_job(scrapyd: Scrapyd, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    jobs = {
        "unknown argument level of the capture spider; did you mean levels?": scrapyd.schedule(
            "capture", url="http://127.0.0.1/", pdf=path, level=2
        ),
        "unknown setting WEBCAPTURE_WORKER; did you mean WEBCAPTURE_WORKERS?; see docs/settings.md": scrapyd.schedule(
            "capture", {"WEBCAPTURE_WORKER": 2}, url="http://127.0.0.1/", pdf=path
        ),
        f"{path}: no such file; check the path": scrapyd.schedule("refresh", pdf=path),
    }
    assert {scrapyd.end(job).problem for job in jobs.values()} == set(jobs)


def _cancel(scrapyd: Scrapyd, job: Job) -> None:
    assert scrapyd.cancel(job) == "running"


def _stop_all(scrapyd: Scrapyd, job: Job) -> None:
    """As a service is stopped: SIGTERM to the job and to its workers."""
    [process] = [found["pid"] for found in scrapyd.jobs()["running"] if found["id"] == job.identifier]
    workers = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for each in (*workers, process):
        os.kill(int(each), signal.SIGTERM)


def _stopped_at_two(scrapyd: Scrapyd, site: SiteServer, path: Path, stop: Callable[[Scrapyd, Job], None]) -> Job:
    """Schedule a job, and stop it at its third page."""
    job = scrapyd.schedule("capture", EACH_PAGE, url=site.url(), levels=2, pdf=path)
    site.wait_for("/two")
    stop(scrapyd, job)
    scrapyd.wait_for_log(job, "shutting down gracefully")
    return job


def _goes_on(scrapyd: Scrapyd, site: SiteServer, path: Path, *rest: str) -> None:
    """Assert that the same job requests only the missing pages, and makes the file of an uninterrupted job."""
    site.open_gate("two")
    site.forget()
    done = scrapyd.end(scrapyd.schedule("capture", EACH_PAGE, url=site.url(), levels=2, pdf=path))
    assert done.status == 0, done.log
    assert "'webcapture/degraded': 0" in done.log
    assert (
        f"Continuing the unfinished crawl in {path}.part: it holds {format_count(4 - len(rest), 'page')}"
        in done.summary
    )
    assert site.paths() == ["/robots.txt", *rest]
    with Archive(path) as archive:
        assert archive.order(site.url("")) == ["/", "/one", "/two", "/last"]
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("stop", [_cancel, _stop_all])
def test_a_job_that_was_stopped_goes_on(
    scrapyd: Scrapyd, server: Callable[..., SiteServer], tmp_path: Path, stop: Callable[[Scrapyd, Job], None]
) -> None:
    site, path = server(STOPPED), tmp_path / "site.pdf"
    job = _stopped_at_two(scrapyd, site, path, stop)
    site.open_gate("two")  # what was asked for is waited for
    done = scrapyd.end(job)
    assert f"{path}: not written: the crawl was stopped (shutdown)" in done.problem
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["site.pdf.part", "site.pdf.part.db"]
    _goes_on(scrapyd, site, path, "/last")


def test_a_job_that_was_cancelled_twice_goes_on(
    scrapyd: Scrapyd, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    site, path = server(STOPPED), tmp_path / "site.pdf"
    job = _stopped_at_two(scrapyd, site, path, _cancel)
    assert scrapyd.cancel(job) == "running"
    done = scrapyd.end(job)  # at once: the answer does not come
    assert "forcing unclean shutdown" in done.log
    assert "Traceback" not in done.log
    assert not path.exists()
    _goes_on(scrapyd, site, path, "/two", "/last")


def test_a_file_is_refreshed(scrapyd: Scrapyd, server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({
        "/": page("<title>Start</title><p><a href=/changes>1</a> <a href=/stays>2</a>"),
        "/changes": page("<title>Before</title><p>one"),
        "/stays": page("<title>Stays</title><p>two", etag='"1"'),
    })  # fmt: skip
    path = tmp_path / "site.pdf"
    assert scrapyd.end(scrapyd.schedule("capture", url=site.url(), levels=2, pdf=path)).status == 0
    site.update({"/changes": page("<title>After</title><p>three")})
    done = scrapyd.end(scrapyd.schedule("refresh", pdf=path))
    assert (done.status, done.messages("ERROR")) == (0, [])
    with Archive(path) as archive:
        assert [found.title for found in archive.page_sets] == ["Start", "After", "Stays"]
