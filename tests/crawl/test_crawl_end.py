"""The end of a crawl: what is said about FILE is true, also if the last rename or a later step fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.memory_sites import MemoryCrawl, Page, capture_into, config_at, refresh_of
from wcspider.archive.query.history import revisions
from wcspider.archive.run.summary import summary_lines
from wcspider.archive.target.part_files import journal_of
from wcspider.crawl.closing.crawl_end import CrawlEnd, Network, end_of_crawl
from wcspider.pdf.file.part import part_of
from wcspider.pdf.file.revision import RevisionFile
from wcspider.steps import completed

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SITE = {"/": Page("Home")}
REACHED = Network(has_sent=True, is_reached=True)


class Told:
    """The summaries of a crawl that were shown, with the content of FILE at that moment."""

    def __init__(self, crawl: MemoryCrawl) -> None:
        self.crawl = crawl
        self.path = crawl.job.target.path
        self.shown: list[tuple[str, bytes | None]] = []

    def summary(self, finished: bool) -> Callable[[], None]:
        """Read the summary, and return a function that shows it."""
        job = self.crawl.job
        first = next(summary_lines(job.report, self.path, 0, 1, refreshed=job.is_refresh, finished=finished))
        return lambda: self.shown.append((first, self.path.read_bytes() if self.path.is_file() else None))


def ended(crawl: MemoryCrawl, before: Callable[[], object] = lambda: None) -> tuple[CrawlEnd, Told]:
    """Answer the requests of a crawl, and end it; something happens just before FILE is replaced."""
    crawl._answer_requests(None)
    told = Told(crawl)
    finish = crawl.job.target.finish

    def finish_after() -> None:
        before()
        finish()

    crawl.job.target.finish = finish_after  # type: ignore[method-assign]
    spider: Any = SimpleNamespace(unvisited=tuple)
    end = completed(end_of_crawl(crawl.job, spider, "finished", REACHED, told.summary))
    if end.keeps_part:
        crawl.job.target.keep()
    crawl.job.writer.close()
    return end, told


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with one page."""
    path = tmp_path / "site.pdf"
    MemoryCrawl(capture_into(path, "/", "1"), SITE, config_at(MOMENT)).run()
    return path


def test_success_is_told_when_the_file_is_replaced(path: Path) -> None:
    before = path.read_bytes()
    end, told = ended(MemoryCrawl(refresh_of(path, "keep"), SITE, config_at(MOMENT)))
    assert end == CrawlEnd(is_written=True)
    [(line, content)] = told.shown
    assert line == f"Refreshed {path} (0 bytes)"
    assert content == path.read_bytes() != before


def test_a_file_that_is_not_replaced_is_not_called_refreshed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the folder became read-only: root, who may run the tests, is not stopped by that."""
    before = path.read_bytes()

    def refused(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    crawl = MemoryCrawl(refresh_of(path, "keep"), SITE, config_at(MOMENT))
    with monkeypatch.context() as patched:
        end, told = ended(crawl, lambda: patched.setattr(Path, "replace", refused))
    assert str(end.problem).startswith(f"{path}: Read-only file system; ")
    assert (end.is_written, end.keeps_part) == (False, True)
    assert told.shown == [(f"Not changed: {path}", before)]
    again = MemoryCrawl(refresh_of(path, "keep"), SITE, config_at(MOMENT))
    assert again.job.is_resumed
    assert ended(again)[0] == CrawlEnd(is_written=True)


@pytest.mark.parametrize(
    "put", [Path.mkdir, lambda path: path.symlink_to("nowhere"), lambda path: path.symlink_to(path.name)]
)
@pytest.mark.parametrize("is_refresh", [True, False])
def test_what_takes_the_place_of_the_file_in_the_last_moment_stays(
    path: Path, put: Callable[[Path], object], is_refresh: bool
) -> None:
    def replace() -> None:
        if is_refresh:
            path.unlink()
        put(path)

    if is_refresh:
        arguments: Any = refresh_of(path, "keep")
    else:
        path.unlink()
        arguments = capture_into(path, "/", "1")
    end, told = ended(MemoryCrawl(arguments, SITE, config_at(MOMENT)), replace)
    assert str(end.problem).startswith(f"{path}: was changed since the unfinished work in {path.name}.part began; ")
    assert end.keeps_part
    first = f"Not changed: {path}" if is_refresh else f"Captured 1 page so far, and none of them is in {path} yet"
    assert told.shown == [(first, None)]
    assert path.is_symlink() or path.is_dir()
    assert part_of(path).exists()
    assert journal_of(part_of(path)).exists()


def test_states_that_cannot_be_dropped_do_not_undo_the_refresh(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    crawl = MemoryCrawl(refresh_of(path, "keep", keep="1"), SITE, config_at(MOMENT))
    with monkeypatch.context() as patched:
        follow_up = crawl.job.task.follow_up
        patched.setattr(
            crawl.job.task, "follow_up", lambda: (patched.setattr(RevisionFile, "commit", full), follow_up())
        )
        end, told = ended(crawl)
    problem = f"{path}: is refreshed, but still has its earlier states: {path}.part: No space left on device; "
    assert str(end.problem).startswith(problem)
    assert (end.is_written, end.keeps_part) == (True, False)
    assert told.shown == [(f"Refreshed {path} (0 bytes)", path.read_bytes())]
    assert len(revisions(path)) == 2
    assert list(path.parent.iterdir()) == [path]
