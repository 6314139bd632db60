"""The spiders as components."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DontCloseSpider, StopDownload
from scrapy.http import Headers, Response
from twisted.python.failure import Failure

from tests.support.crawlers import make_crawler
from wcspider.archive.journal.journal import Place
from wcspider.crawl.request_keys import POSITION
from wcspider.crawl.session import session_of
from wcspider.exceptions import ArgumentError, SettingError, TargetNotWritableError
from wcspider.spiders.answers import FreshAnswers
from wcspider.spiders.capture import CaptureSpider
from wcspider.spiders.refresh import RefreshSpider

GIVEN = {CaptureSpider: {"url": "http://h/", "pdf": "site.pdf"}, RefreshSpider: {"pdf": "site.pdf"}}


def spider_of(kind: Any, arguments: dict[str, str], **changed: Any) -> Any:
    return make_crawler(kind, arguments, **changed).spider


@pytest.mark.parametrize("kind", GIVEN)
def test_arguments_are_read(kind: Any) -> None:
    spider = spider_of(kind, {**GIVEN[kind], "_job": "7"})
    assert (spider.problem, str(spider.arguments.pdf), spider._job) == (None, "site.pdf", "7")
    assert (tuple(spider.commands), tuple(spider.executed)) == ((), ())  # before the file is open


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize(
    ("arguments", "settings", "problem"),
    [({"levle": "2"}, {}, ArgumentError), ({}, {"WEBCAPTURE_MEDIA": "tv"}, SettingError)],
)
def test_a_mistake_is_kept_and_nothing_is_requested(
    kind: Any, arguments: dict[str, str], settings: dict[str, str], problem: type[Exception]
) -> None:
    spider = spider_of(kind, {**GIVEN[kind], **arguments}, EXTENSIONS={}, **settings)

    async def requests() -> list[Request]:
        return [request async for request in spider.start()]

    assert isinstance(spider.problem, problem)
    assert asyncio.run(requests()) == []


# headers, whether the download goes on
HEADERS = [
    ({"Content-Type": "text/html; charset=utf-8"}, True),
    ({"Content-Type": "application/pdf"}, True),
    ({"Content-Type": "application/octet-stream"}, True),  # the first bytes decide
    ({}, True),
    ({"Content-Type": "application/zip"}, False),
    ({"Content-Type": "video/mp4"}, False),
    ({"Content-Type": "application/zip", "Location": "/other"}, True),  # a redirect
]


@pytest.mark.parametrize(("headers", "goes_on"), HEADERS)
def test_a_download_that_cannot_become_a_page_is_stopped(headers: dict[str, str], goes_on: bool) -> None:
    spider = spider_of(CaptureSpider, GIVEN[CaptureSpider])
    spider.headers_received(Headers(headers), Request("http://h/"))  # a resource of a page: always
    request = Request("http://h/", meta={POSITION: 0})
    if goes_on:
        spider.headers_received(Headers(headers), request)
    else:
        with pytest.raises(StopDownload):
            spider.headers_received(Headers(headers), request)


class Pages:
    """A frontier and the session that stores its pages, in which some work is left that leads to no request."""

    def __init__(self, steps: int = 0, runs: int = 0, is_slow: bool = False) -> None:
        self.steps = steps
        """How many steps it takes to queue the links of the last page."""

        self.runs = runs
        """How many runs of commands are left."""

        self.is_storing = False
        self.end = SimpleNamespace(problem=None)
        self.guarded = nullcontext
        self._is_slow = is_slow
        """Whether the pages of a run take several slices to store."""

    @property
    def is_behind(self) -> bool:
        return self.steps > 0

    def advance(self) -> list[Any]:
        self.steps -= self.is_behind
        return []

    def begin_next_run(self) -> bool:
        assert not self.is_behind
        if self.is_storing or not self.runs:
            return False
        self.runs -= 1
        self.is_storing = self._is_slow
        return True


@pytest.mark.parametrize("pages", [Pages(), Pages(steps=3), Pages(runs=3)])
def test_an_idle_crawl_ends_when_nothing_is_left(pages: Pages) -> None:
    async def ended() -> tuple[int, int]:
        idle_spider(pages).idle()  # without DontCloseSpider, after which Scrapy waits
        return pages.steps, pages.runs

    assert asyncio.run(ended()) == (0, 0)


def test_an_idle_crawl_stays_open_until_every_run_is_stored() -> None:
    async def runs_left() -> int:
        pages = Pages(runs=3, is_slow=True)
        spider = idle_spider(pages)
        spider.crawler.engine._slot.nextcall = SimpleNamespace(schedule=spider.idle)  # Scrapy asks again at once
        for call in (spider.idle, spider.pages_stored, spider.pages_stored):
            with pytest.raises(DontCloseSpider):
                call()
            pages.is_storing = False
        spider.pages_stored()
        return pages.runs

    assert asyncio.run(runs_left()) == 0


def idle_spider(pages: Pages) -> Any:
    """A spider with nothing to request; Scrapy runs."""
    spider = spider_of(CaptureSpider, GIVEN[CaptureSpider])
    spider.frontier = spider._pages = spider._session = pages
    spider.crawler.engine = SimpleNamespace(running=True, _slot=SimpleNamespace(closing=None))
    return spider


class FullDisk:
    """A frontier whose journal cannot be written; Scrapy runs."""

    is_behind = True
    seeds = SimpleNamespace(begin=lambda: False)
    writer = SimpleNamespace(is_busy=False)

    def __init__(self) -> None:
        self.closed_for: list[str] = []
        self.running = True
        self._slot = SimpleNamespace(closing=None, nextcall=SimpleNamespace(schedule=lambda: None))

    async def close_spider_async(self, *, reason: str) -> None:
        self.closed_for.append(reason)

    def place(self, position: int) -> Place:
        return Place(position, "http://h/", 1, 0)

    def way(self, position: int, request: Request) -> tuple[str, ...]:
        return (request.url,)

    def advance(self) -> list[Place]:
        raise TargetNotWritableError("site.pdf.part.db: database or disk is full")

    record_content = record_failure = begin = lambda *_: None


async def used(iterator: Any) -> None:
    """Take what an asynchronous iterator yields."""
    async for _ in iterator:
        pass


REQUEST = Request("http://h/", meta={POSITION: 0})
REFUSED = Failure(ConnectionRefusedError())
REFUSED.request = REQUEST  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "work",
    [
        lambda spider: used(spider.start()),
        lambda spider: used(spider.parse(Response("http://h/", request=REQUEST, status=204))),
        lambda spider: used(spider.failed(REFUSED)),
        lambda spider: spider.item_done(),
        lambda spider: spider.pages_stored(),
        lambda spider: spider.idle(),
    ],
    ids=["start", "parse", "failed", "item_done", "pages_stored", "idle"],
)
def test_a_journal_that_cannot_be_written_ends_the_crawl(work: Callable[[Any], Any]) -> None:
    async def problem() -> object:
        spider, disk = spider_of(CaptureSpider, GIVEN[CaptureSpider]), FullDisk()
        spider.frontier = spider._pages = spider.crawler.engine = disk
        spider._session = session_of(spider.crawler)
        spider._session._job = disk  # the file is open
        spider._answers = FreshAnswers(spider._session)
        done = work(spider)
        if done is not None:
            await done
        await spider._session._closing
        assert disk.closed_for == ["target_failed"]
        return spider._session.end.problem

    assert isinstance(asyncio.run(problem()), TargetNotWritableError)
