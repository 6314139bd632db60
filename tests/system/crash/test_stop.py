"""A crawl that is stopped while pages wait for their layout: it ends at once, and the next run lays them out."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import EXAMPLE_SETTINGS
from tests.support.crawls import Archive, captured, crawl_arguments, started
from tests.support.http_server import SiteServer, page
from tests.support.paths import ROOT
from wcspider.downloading.graceful_stop import STOPPING

pytestmark = pytest.mark.crash

NAMES = [f"/{number}" for number in range(20)]
FAULTS = {"PYTHONPATH": f"{ROOT / 'tests' / 'support' / 'faults'}:{ROOT}"}
HANGING = {**EXAMPLE_SETTINGS, "WEBCAPTURE_WORKERS": 1, "WEBCAPTURE_RENDER_TIMEOUT": 3600}


def test_pages_that_wait_for_their_layout_are_left_to_the_next_run(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    links = "".join(f"<a href={name}>{name}</a> " for name in NAMES)
    hanging = {name: page(f"<title>{name}</title><p>hang with styles") for name in NAMES}
    site = server({"/": page(f"<title>home</title>{links}"), **hanging})
    path = tmp_path / "site.pdf"
    arguments = crawl_arguments(site.url(), path, HANGING, levels=2, engine="faulty")
    with started(*arguments, environment=FAULTS) as crawl:
        for name in NAMES:
            site.wait_for(name)
        crawl.process.send_signal(signal.SIGINT)
        done = crawl.end()  # not before an hour, if the pages in the queue were laid out first
    assert done.status == 1
    assert "Traceback" not in done.output + done.log
    told = [line for line in done.messages("INFO") if "press Ctrl-C again" in line]
    assert told == [STOPPING]
    assert f"the pages captured so far are in {path}.part; run the same command to continue" in done.problem
    site.update({name: page(f"<title>{name}</title><p>well") for name in NAMES})
    captured(site.url(), path, HANGING, levels=2, engine="faulty", environment=FAULTS)
    with Archive(path) as archive:
        assert [found.title for found in archive.page_sets] == ["home", *NAMES]


@pytest.mark.parametrize("log", [["-L", "ERROR"], ["--nolog"]], ids=" ".join)
def test_a_second_interrupt_ends_it_at_once_and_says_what_to_do(
    server: Callable[..., SiteServer], tmp_path: Path, log: list[str]
) -> None:
    site = server({"/": page("<p>never sent", gate="never")})
    path = tmp_path / "site.pdf"
    with started(*crawl_arguments(site.url(), path, HANGING), *log) as crawl:
        site.wait_for("/")
        crawl.process.send_signal(signal.SIGINT)
        assert crawl.process.stderr is not None
        line = crawl.process.stderr.readline()
        assert line == f"{STOPPING}\n"
        crawl.process.send_signal(signal.SIGINT)
        done = crawl.end()
    assert done.status == 1
    assert (
        f"{path}: not written: the crawl was stopped at once before a page was stored; repeat the command\n" in done.log
    )


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("signals", [1, 2])
def test_a_crawl_that_is_stopped_before_its_first_page_leaves_nothing_that_counts_as_captured(
    server: Callable[..., SiteServer], tmp_path: Path, is_there: bool, signals: int
) -> None:
    site = server({"/": page("<title>home</title><p>later", gate="later"), "/old": page("<title>old</title><p>old")})
    path = tmp_path / "site.pdf"
    if is_there:
        captured(site.url("/old"), path)
    before = path.read_bytes() if is_there else None
    with started(*crawl_arguments(site.url(), path, {"DOWNLOAD_TIMEOUT": 2, "RETRY_TIMES": 0})) as crawl:
        site.wait_for("/")
        assert crawl.process.stderr is not None
        crawl.process.send_signal(signal.SIGINT)
        while STOPPING not in crawl.process.stderr.readline():
            pass
        if signals == 2:
            crawl.process.send_signal(signal.SIGINT)
        done = crawl.end()
    assert done.status == 1
    assert (path.read_bytes() if path.exists() else None) == before
    how = "by Ctrl-C or a signal before a page was captured" if signals == 1 else "at once before a page was stored"
    assert f"{path}: not written: the crawl was stopped {how}; repeat the command" in done.messages("ERROR")
    assert list(tmp_path.iterdir()) == [path][:is_there]
    site.open_gate("later")
    captured(site.url(), path, {"DOWNLOAD_TIMEOUT": 2, "RETRY_TIMES": 0})
    with Archive(path) as archive:
        assert [found.title for found in archive.page_sets] == ["old", "home"][not is_there :]
    assert list(tmp_path.iterdir()) == [path]
