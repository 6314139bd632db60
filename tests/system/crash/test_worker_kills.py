"""Captures whose workers are killed: while they lay out pages, while they start, and all the time."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress

import pytest

from tests.support.crawls import FIXED_TIME, capture, captured, crawl_arguments, started, tool
from tests.support.http_server import SiteServer, page
from tests.support.paths import ROOT
from tests.support.worker_kills import WorkerKiller, fork_servers

pytestmark = pytest.mark.crash

KILLS = int(os.environ.get("WCSPIDER_KILLS", "8"))
"""How many workers are killed at random moments."""

SETTINGS = {"WEBCAPTURE_BATCH_PAGES": 5, "WEBCAPTURE_FIXED_TIME": FIXED_TIME, "WEBCAPTURE_WORKERS": 2}
PAGES = 20 + KILLS // 2
STYLES = "<style>h1 { color: #c00; float: right } p { margin-left: 3em }</style>"
SITE = {
    "/": page("<title>Start</title>" + "".join(f"<a href=/{number}>{number}</a> " for number in range(PAGES))),
    **{f"/{number}": page(f"<title>{number}</title>{STYLES}<h1>{number}</h1><p>word</p>") for number in range(PAGES)},
}


@pytest.fixture(scope="module")
def site():
    with SiteServer(SITE) as running:
        yield running


@pytest.fixture
def watched(tmp_path):
    """The environment of crawls whose workers write their current calls into files."""
    (tmp_path / "marks").mkdir()
    folder = ROOT / "tests" / "system" / "crash" / "watched"
    return {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "WCSPIDER_MARKS": str(tmp_path / "marks")}


@pytest.mark.timeout(300 + 10 * KILLS)
def test_killed_workers_change_nothing(site, watched, tmp_path):
    """The file has the same bytes as without kills, if no page loses two workers."""
    whole = tmp_path / "whole.pdf"
    captured(site.url(), whole, SETTINGS, levels="all", engine="watched", environment=watched)
    kills = kills_at_start = crawls = 0
    while kills < KILLS or not kills_at_start:
        path = tmp_path / f"{crawls}.pdf"
        arguments = crawl_arguments(site.url(), path, SETTINGS, levels="all", engine="watched")
        with started(*arguments, environment=watched, is_forked=False) as crawl:
            killer = WorkerKiller(crawl.process.pid, tmp_path / "marks", crawls)
            while crawl.process.poll() is None:
                if kills + killer.kills < KILLS or not kills_at_start + killer.kills_at_start:
                    killer.kill_one()
                with suppress(subprocess.TimeoutExpired):
                    crawl.process.wait(0.02)
            done = crawl.end()
        assert done.status == 0, done.log
        # The death of a fork server is logged only if a worker has waited for it.
        logged = done.log.count("A worker process died") + done.log.count("could not start")
        assert logged >= killer.kills - killer.kills_at_start
        assert "laid out without" not in done.log
        assert path.read_bytes() == whole.read_bytes()
        kills, kills_at_start, crawls = kills + killer.kills, kills_at_start + killer.kills_at_start, crawls + 1
    tool("qpdf", "--check", whole)


def test_workers_without_memory_end_the_crawl(site, tmp_path):
    path = tmp_path / "site.pdf"
    little = {**SETTINGS, "WEBCAPTURE_RENDER_MEMORY": 60}
    done = capture(site.url(), path, little, levels="all", is_forked=False)
    assert done.status == 1
    assert not path.exists()
    problem = "the worker processes cannot start (the conversion exceeded the memory limit of its worker process)"
    assert any(message.startswith(problem) for message in done.messages("ERROR"))
    assert "Traceback" not in done.log
    captured(site.url(), path, SETTINGS, levels="all")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_crawl_ends_on_a_signal_while_its_workers_start(site, watched, tmp_path, ending):
    """All fork servers are killed while they start, so that no page can be laid out."""
    arguments = crawl_arguments(site.url(), tmp_path / "site.pdf", SETTINGS, levels="all", engine="watched")
    with started(*arguments, environment=watched, is_forked=False) as crawl:
        killed: set[int] = set()
        while len(killed) < 5:
            for server in fork_servers(crawl.process.pid):
                with suppress(ProcessLookupError):
                    os.kill(server, signal.SIGKILL)
                    killed.add(server)
            assert crawl.process.poll() is None
        crawl.process.send_signal(ending)
        done = crawl.end()
    assert done.status in (0, 1)
    assert "Traceback" not in done.output + done.log
