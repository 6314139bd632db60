"""The reading of pages in a process of its own, and without the styles if it fails on them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.support.crawlers import make_crawler
from wcspider.config import CaptureConfig
from wcspider.crawl.processes.pools import Pools
from wcspider.crawl.reading.source_contents import PageContents, PageSource, read_contents
from wcspider.downloading.page_reader import SMALL_PAGE, PageReader
from wcspider.engines.workers.pool_interface import Effort
from wcspider.exceptions import EngineTimeoutError, WorkersStoppedError
from wcspider.web.resources import Resource

URL = "http://example.com/page"
CONFIG = CaptureConfig.from_settings(make_crawler().settings)

Page = tuple[str, str | None, bytes]

LONG = b"<title>Page</title><a href=/other>x</a><img src=a.png><p>caf\xe9 " + b"text " * SMALL_PAGE
STYLED = b"<style>p { background: url(/style.png) } %b</style><img src=/last.png><a href=/next>next</a>" % (
    b"/**/" * 25_000
)
PAGES: list[Page] = [
    ("text/html", "iso-8859-1", LONG),
    ("application/xhtml+xml", None, b'<html xmlns="http://www.w3.org/1999/xhtml"><p>%b</p></html>' % (b"x" * 5_000)),
    ("text/plain", None, b"some words " * SMALL_PAGE),
    ("text/html", None, b"<p>small"),
    ("image/png", None, b"\x89PNG" * SMALL_PAGE),
    ("text/html", None, STYLED),
]


class OwnPool:
    """A pool that works in this process; its first calls fail."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    async def run_sized(self, effort: Effort, function: Any, *args: Any) -> Any:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return function(*args)

    async def stop(self) -> None:
        """Do nothing."""


def read(pages: Sequence[Page], pool: Any) -> list[PageContents]:
    """Read pages one after the other."""
    return asyncio.run(_read(pages, pool))


def read_in_process(pages: Sequence[Page], config: CaptureConfig) -> list[PageContents]:
    """Read pages with the pools of a crawl."""

    async def run() -> list[PageContents]:
        pools = Pools(config)
        found = await _read(pages, pools.reading)
        await pools.close(at_once=True)
        return found

    return asyncio.run(run())


async def _read(pages: Sequence[Page], pool: Any) -> list[PageContents]:
    reader = PageReader(pool)
    try:
        found = [await reader.read(Resource(URL, body, kind, given), None, CONFIG) for kind, given, body in pages]
        return [page.contents for page in found]
    finally:
        await reader.close()


def expected(page: Page) -> PageContents:
    kind, charset, body = page
    if kind.startswith("image/"):
        return PageContents()
    return read_contents(body, PageSource(URL, kind, charset, None, CONFIG.default_charset, CONFIG.viewport))


def test_pages_are_read_alike_in_both_processes() -> None:
    wanted = [expected(page) for page in PAGES]
    first = wanted[0]
    assert (first.title, len(first.links), len(first.references)) == ("Page", 1, 1)
    assert read_in_process([*PAGES, *PAGES], CONFIG) == wanted * 2


def test_the_first_page_and_small_pages_need_no_process() -> None:
    pool = OwnPool()
    read([PAGES[0], *PAGES[3:5]], pool)
    assert pool.calls == 0
    read([PAGES[3], *PAGES[:3]], pool)
    assert pool.calls == 3


def test_large_styles_of_the_first_page_are_read_in_the_process() -> None:
    pool = OwnPool()
    assert read([PAGES[5]], pool) == [expected(PAGES[5])]
    assert pool.calls == 1


@pytest.mark.parametrize("page", [PAGES[0], PAGES[5]])
def test_a_process_that_was_stopped_loses_nothing(page: Page) -> None:
    assert read([PAGES[3], page], OwnPool(WorkersStoppedError("stopped")))[1] == expected(page)


def test_without_room_for_a_process_pages_are_read_in_threads() -> None:
    assert read_in_process([PAGES[0]] * 2, replace(CONFIG, render_memory=1)) == [expected(PAGES[0])] * 2


def test_styles_on_which_the_process_fails_are_reported_as_cut() -> None:
    [found] = read([PAGES[5]], OwnPool(EngineTimeoutError("too slow")))
    assert [entry.url for entry in found.references] == ["http://example.com/last.png"]
    assert found.has_cut_styles
    assert [link.url for link in found.links] == ["http://example.com/next"]


def test_a_page_on_which_the_process_fails_is_an_error() -> None:
    with pytest.raises(EngineTimeoutError):
        read([PAGES[3], PAGES[0]], OwnPool(EngineTimeoutError("too slow"), EngineTimeoutError("too slow")))
