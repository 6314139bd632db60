"""The last lines that a user sees: the summary, in both programs, whatever the log shows and after Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.crawls import crawl_arguments, run, run_module, started
from tests.support.http_server import SiteServer, page

SETTINGS = {"WEBCAPTURE_WORKERS": 1}


@pytest.mark.parametrize("log", [[], ["--nolog"], ["-L", "ERROR"]], ids=str)
def test_the_summary_comes_last(server: Callable[..., SiteServer], tmp_path: Path, log: list[str]) -> None:
    site = server({"/": page("<title>Start</title><p>text")})
    path, report = tmp_path / "site.pdf", tmp_path / "report.html"
    done = run(*crawl_arguments(site.url(), path, {**SETTINGS, "WEBCAPTURE_REPORT": report}), *log)
    assert done.status == 0
    lines = [line.partition("] INFO: ")[2] or line for line in done.log.splitlines()]
    assert lines[-6] == f"Captured 1 page into {path} ({path.stat().st_size / 1000:.1f} kB)"
    assert lines[-1] == f"Wrote the report {report}"
    if not log:
        assert lines[-7] == "Spider closed (finished)", "Scrapy's stats come before"


def test_the_summary_of_wcspider_comes_last_in_its_log(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({"/": page("<title>Start</title><p>text")})
    done = run_module("wcspider", "capture", site.url(), "site.pdf", "-v", folder=tmp_path)
    lines = [line.partition("] INFO: ")[2] for line in done.log.splitlines()]
    assert lines[-6] == "Spider closed (finished)"
    assert lines[-5].startswith("Captured 1 page into site.pdf")


def test_ctrl_c_ends_with_what_to_do(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({"/": page("<p>never sent", gate="never")})
    path = tmp_path / "site.pdf"
    with started(*crawl_arguments(site.url(), path, SETTINGS)) as crawl:
        site.wait_for("/")
        crawl.process.send_signal(signal.SIGINT)
        site.open_gate("never")
        done = crawl.end()
    assert done.status == 1
    last = done.log.splitlines()[-1]
    assert last.endswith("run the same command to continue, or add -a partial=true to finish with these pages")
