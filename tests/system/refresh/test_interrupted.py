"""A killed or stopped refresh leaves the old file, and the same command continues to the same result."""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.crawls import FIXED_TIME, Run, captured, dying, run, started, tool
from tests.support.http_server import Reply, Site, SiteServer, page, redirect
from tests.system.refresh.crawling import refresh_arguments, refreshed
from tests.system.refresh.state import state_of
from wcspider.archive.check.checker import check_file

pytestmark = pytest.mark.crash

SETTINGS = {"WEBCAPTURE_BATCH_PAGES": 2, "WEBCAPTURE_FIXED_TIME": FIXED_TIME, "WEBCAPTURE_LOOKAHEAD": 5}
IMPATIENT = {**SETTINGS, "DOWNLOAD_TIMEOUT": 3}
"""A crawl that is stopped waits for the answers to what it has asked."""

PAGES = 10


def text(words: str, **options: Any) -> Reply:
    return Reply(words.encode(), content_type="text/plain", **options)


LINKS = "".join(f'<a href="/{number}.txt">{number}</a> <a href="/to/{number}">way</a>' for number in range(PAGES))
BEFORE: Site = {
    "/": page(f"<title>Start</title><p>{LINKS}"),
    **{f"/{number}.txt": text(f"Text {number}", etag=f'"{number}"') for number in range(PAGES)},
    **{f"/to/{number}": redirect(f"/{number}.txt") for number in range(PAGES)},
    "/few": page("<title>Few</title><p><a href=/0.txt>0</a> <a href=/fewer>fewer</a>"),
    "/fewer": page("<title>Fewer</title><p><a href=/8.txt>8</a> <a href=/last.txt>last</a>"),
    "/last.txt": text("The last"),
}
AFTER: dict[str, Any] = {
    "/": page(f"<title>Start</title><p><a href='/new.txt'>new</a>{LINKS}"),
    "/new.txt": text("New"),
    "/1.txt": text("Another text"),
    "/2.txt": None,
    "/3.txt": redirect("/4.txt"),
    "/to/5": redirect("/6.txt"),
    "/7.txt": text("Text 8"),
    "/9.txt": Reply(b"sorry", status=500),
}


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    """The server of the site, at one address for the whole module."""
    with SiteServer(BEFORE) as running:
        yield running


@pytest.fixture(scope="module")
def old(site: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file as it was captured; the site has changed since."""
    path = tmp_path_factory.mktemp("old") / "site.pdf"
    captured(site.url(), path, SETTINGS, levels="all")
    site.update(AFTER)
    return path


@pytest.fixture(scope="module")
def whole(old: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The file after an uninterrupted refresh."""
    path = shutil.copy(old, tmp_path_factory.mktemp("whole"))
    refreshed(path, IMPATIENT, gone="drop")
    return state_of(path)


@pytest.fixture
def path(old: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(old, tmp_path))


def killed(step: str, times: int, path: Path) -> bool:
    """Run a refresh that is killed at a step (`tests.system.crash.dying`); tell whether it came to that."""
    return dying(step, times, *refresh_arguments(path, IMPATIENT, gone="drop")).status != 0


def assert_is_whole(path: Path, whole: dict[str, Any]) -> None:
    """Assert that a file has the expected content, keeps the rules, and is the only file in its folder."""
    assert state_of(path) == whole
    assert list(check_file(path)) == []
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    tool("qpdf", "--check", path)


STEPS = [
    ("half copied", 0),
    ("begun", 0),
    ("after a revision", 3),
    ("half a revision", 2),
    ("half a checkpoint", 4),
    ("after a checkpoint", 5),
    ("before the rename", 0),
]


@pytest.mark.parametrize(("step", "times"), STEPS)
def test_a_refresh_that_is_killed_goes_on(old: Path, whole: dict[str, Any], path: Path, step: str, times: int) -> None:
    assert killed(step, times, path)
    assert path.read_bytes() == old.read_bytes()
    refreshed(path, IMPATIENT, gone="drop")
    assert_is_whole(path, whole)


@pytest.mark.parametrize("seed", range(2))
def test_a_refresh_that_is_killed_at_random_goes_on(old: Path, whole: dict[str, Any], path: Path, seed: int) -> None:
    moments = random.Random(seed)
    while killed("a statement", moments.randrange(60, 400), path):
        assert path.read_bytes() == old.read_bytes()
    assert_is_whole(path, whole)


@pytest.mark.parametrize("seed", range(2))
def test_commands_of_several_runs_go_on_where_they_were(site: SiteServer, tmp_path: Path, seed: int) -> None:
    old, path, whole = (tmp_path / name / "site.pdf" for name in ("old", "new", "whole"))
    for folder in (old, path, whole):
        folder.parent.mkdir()
    for start, levels in (("/few", 1), ("/", 2), ("/few", 3)):
        captured(site.url(start), old, SETTINGS, levels=levels)
    for copy in (path, whole):
        shutil.copy(old, copy)
    refreshed(whole, SETTINGS, gone="drop")
    moments = random.Random(seed)
    while killed("a statement", moments.randrange(60, 400), path):
        assert path.read_bytes() == old.read_bytes()
    assert_is_whole(path, state_of(whole))
    assert state_of(path)["page sets"].keys() == state_of(old)["page sets"].keys()


def test_another_refresh_does_not_touch_what_was_begun(site: SiteServer, path: Path) -> None:
    assert killed("after a checkpoint", 2, path)
    other = run(*refresh_arguments(path, IMPATIENT, gone="keep"))
    assert "holds the unfinished work of another command" in other.problem


def test_ctrl_c_leaves_the_old_file_and_the_same_command_goes_on(
    site: SiteServer, old: Path, whole: dict[str, Any], path: Path
) -> None:
    site.update({"/6.txt": text("Text 6", gate="six")})
    with started(*refresh_arguments(path, IMPATIENT, gone="drop")) as crawl:
        site.wait_for("/6.txt", site.paths().count("/6.txt") + 1)
        crawl.process.send_signal(signal.SIGINT)
        done: Run = crawl.end()
    assert done.status == 1
    assert f"the pages captured so far are in {path}.part; run the same command to continue" in done.log
    assert path.read_bytes() == old.read_bytes()
    site.update({"/6.txt": BEFORE["/6.txt"]})
    refreshed(path, IMPATIENT, gone="drop")
    assert_is_whole(path, whole)
