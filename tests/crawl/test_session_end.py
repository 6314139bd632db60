"""The messages about unfinished work: they name FILE.part only if it holds captured pages."""

from __future__ import annotations

import asyncio
import errno
import os
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.crawlers import make_crawler
from tests.support.memory_sites import MemoryCrawl, Page, capture_into, config_at
from wcspider.crawl.closing.session_end import SessionEnd
from wcspider.exceptions import TargetNotWritableError
from wcspider.pdf.file.part import part_of

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SITE = {"/": Page("Home")}


class Lines(list[str]):
    """Announcements that are kept."""

    def add(self, line: str, level: int = 0) -> None:
        """Keep a line."""
        self.append(line)

    def release(self) -> None:
        """Do nothing: no line is held back."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "site.pdf"


def crawl_and_end(path: Path, *, has_page: bool, is_committed: bool = True) -> tuple[MemoryCrawl, SessionEnd, Any]:
    """Return a crawl that has captured one page, or none, and the end of its session."""
    crawl, lines = MemoryCrawl(capture_into(path, "/", "1"), SITE, config_at(MOMENT)), Lines()
    if has_page:
        crawl._answer_requests(None)
    if has_page and is_committed:
        crawl.job.writer.commit()
    announcements: Any = lines
    return crawl, SessionEnd(make_crawler(), lambda: MOMENT, announcements), lines


@pytest.mark.parametrize("has_page", [True, False])
def test_an_error_keeps_the_work_if_there_is_any(path: Path, has_page: bool) -> None:
    crawl, end, lines = crawl_and_end(path, has_page=has_page)
    end.give_up(TargetNotWritableError(f"{path}: No space left on device"))
    asyncio.run(end.close(crawl.job, None, "finished"))
    kept = [f"The pages captured so far are in {path}.part: run the same command to continue"]
    assert lines[1:] == (kept if has_page else [])
    assert part_of(path).exists() == has_page


@pytest.mark.parametrize("has_page", [True, False])
def test_a_rename_that_fails_is_told(path: Path, monkeypatch: pytest.MonkeyPatch, has_page: bool) -> None:
    """The pages that the last revision added cannot be continued, so they alone are no reason to keep the work."""
    crawl, end, lines = crawl_and_end(path, has_page=has_page)
    crawl._answer_requests(None)
    pool: Any = SimpleNamespace(summary=tuple)
    crawl.job.pool = pool

    def refused(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "replace", refused)
    asyncio.run(end.close(crawl.job, SimpleNamespace(unvisited=tuple), "finished"))
    assert any(line.startswith(f"{path}: Read-only file system; ") for line in lines)
    assert part_of(path).exists() == has_page
    assert crawl.job.target._lock.closed


@pytest.mark.parametrize("has_page", [True, False])
def test_a_second_ctrl_c_tells_where_the_work_is(path: Path, has_page: bool) -> None:
    crawl, end, lines = crawl_and_end(path, has_page=has_page, is_committed=False)
    end.announce_abort(crawl.job)
    rest = (
        f"; the pages stored so far are in {path}.part; run the same command to continue"
        if has_page
        else " before a page was stored; repeat the command"
    )
    assert lines == [f"{path}: not written: the crawl was stopped at once{rest}"]
    kept = ["site.pdf.part", "site.pdf.part.db"]
    assert sorted(found.name for found in path.parent.iterdir()) == (kept if has_page else [])
    if has_page:
        continued = MemoryCrawl(capture_into(path, "/", "1"), SITE, config_at(MOMENT))
        assert continued.job.report.captured == 1
        continued.die()
