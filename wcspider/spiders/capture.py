"""The capture spider: crawls from the URLs of its commands, in the order in which a reader meets the pages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider, StopDownload
from scrapy.http import Headers, Response
from twisted.python.failure import Failure

from wcspider.archive.journal.journal import Place
from wcspider.config import CaptureConfig
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.frontier import Frontier
from wcspider.crawl.reading.parsing import CAPTURABLE, UNNAMED, named_type
from wcspider.crawl.request_keys import POSITION, command_request, request_key
from wcspider.crawl.session import CaptureSession, session_of
from wcspider.downloading.errors import reason_of
from wcspider.downloading.fetching.sitemap_requests import SitemapWalk, read_listed
from wcspider.downloading.redirect import AlreadyClaimedError, OutOfScopeError
from wcspider.downloading.retry import is_ending
from wcspider.exceptions import TargetError, WebCaptureError
from wcspider.items import CaptureItem
from wcspider.spiders.answers import Answer, Answers, FreshAnswers
from wcspider.webcapture.records import Command

logger = logging.getLogger(__name__)

PARSED = "_parsed"
"""The name of the argument in which a command passes on the arguments that it has parsed."""


class CaptureSpider(Spider):
    """Captures pages, and the pages that they link to, into one PDF file."""

    name = "capture"
    config: CaptureConfig

    def __init__(self, **arguments: Any) -> None:
        super().__init__()
        parsed = arguments.pop(PARSED, None)
        self.__dict__.update({name: value for name, value in arguments.items() if name.startswith("_")})
        self.problem: WebCaptureError | None = None
        self.frontier: Frontier | None = None
        """The pages to fetch; None until the crawl begins."""

        self._is_catching_up = False

        try:
            self.arguments = parsed or self.read_arguments(arguments)
        except WebCaptureError as error:
            self.problem = error

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider. The error of a wrong argument or setting is kept in `problem`; nothing is crawled then."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        try:
            spider.config = CaptureConfig.from_settings(crawler.settings)
        except WebCaptureError as error:
            spider.problem = spider.problem or error
        crawler.signals.connect(spider.headers_received, signals.headers_received)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(spider.item_done, signal)
        return spider

    # The parts in which a refresh differs

    @staticmethod
    def read_arguments(given: Mapping[str, str]) -> CaptureArguments | RefreshArguments:
        """Return the arguments of the spider; raises `ArgumentError`."""
        return CaptureArguments.parse(given)

    def make_answers(self, session: CaptureSession) -> Answers:
        """Return the part that turns responses into items."""
        return FreshAnswers(session)

    # The commands, for the downloader middlewares

    @property
    def commands(self) -> Sequence[Command]:
        """The commands of the crawl."""
        return self.frontier.commands if self.frontier is not None else ()

    @property
    def executed(self) -> Sequence[int]:
        """The indices of the commands that are executed at the moment."""
        return self.frontier.executed if self.frontier is not None else ()

    def in_scope(self, request: Request) -> bool:
        """Tell whether the redirect that a request follows may be followed."""
        return self._pages.in_scope(request, request.meta[POSITION])

    def claim(self, request: Request) -> bool:
        """Claim the URL that a request was redirected to; False if another request fetches it."""
        return self._pages.claim(request_key(request), request.meta[POSITION])

    # Requests

    def prepare(self, session: CaptureSession) -> None:
        """Set up the crawl for a file that is open."""
        self._session = session
        self.frontier = self._pages = Frontier(session.job, self.config, session.take_turn)
        self._answers = self.make_answers(session)

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first requests: those of the commands, or the next ones of an unfinished crawl."""
        if self.problem is not None:
            return
        session_of(self.crawler)  # raises NotConfigured if the extension is not enabled
        with self._session.guarded():
            await self._read_sitemaps()
            self._pages.begin()
            for request in self._next_requests():
                yield request

    async def _read_sitemaps(self) -> None:
        """Read the sitemaps of all commands, unless an unfinished crawl has read them."""
        seeds, job = self._pages.seeds, self._session.job
        if not seeds.begin():
            return
        for index, command in enumerate(self.commands):
            if command.sitemap:
                pages = self._pages
                notes = partial(pages.skip_listed, index), partial(pages.exclude_listed, index)
                walk = SitemapWalk(self.crawler, command, self.config, *notes)
                seeds.add(index, await read_listed(walk, job.database, job.writer.commands[index]))
        if not is_ending(self.crawler):  # otherwise the next run fetches the sitemaps that are missing
            seeds.end()

    def _next_requests(self) -> list[Request]:
        """Return the next requests, all at once: an answer may arrive between two requests that are only yielded."""
        requests = [self._request(place) for place in self._pages.advance()]
        if self._pages.is_behind and not self._is_catching_up:
            self._is_catching_up = True
            asyncio.get_running_loop().call_soon(self._catch_up)
        return requests

    def _catch_up(self) -> None:
        """Continue with a page that has many links, after other work had its turn."""
        self._is_catching_up = False
        if self._is_usable() and not is_ending(self.crawler):
            self._request_more()

    def _request(self, place: Place) -> Request:
        request = command_request(self.commands[place.command]) if place.level == 1 else Request(place.key)
        return self._answers.prepared(
            request.replace(
                callback=self.parse,
                errback=self.failed,
                dont_filter=True,
                # Scrapy would name the page whose answer made room for the request, which need not link to it.
                meta={POSITION: place.position, "depth": place.level - 1, "referrer_policy": "no-referrer"},
            )
        )

    def _request_more(self) -> bool:
        """Send the next requests; False if there are none."""
        assert self.crawler.engine is not None
        requests: list[Request] = []
        with self._session.guarded():
            requests = self._next_requests()
        for request in requests:
            self.crawler.engine.crawl(request)
        return bool(requests)

    def _is_usable(self) -> bool:  # no property: Scrapy's feeds read all attributes before the session is open
        return self.problem is None and self.frontier is not None and self._session.end.problem is None

    def item_done(self) -> None:
        """Send more requests when a page has left the pipelines: there may be room for them now."""
        if self._is_usable():
            self._request_more()

    def pages_stored(self) -> None:
        """Send more requests when pages were stored that took long: there may be room for them now."""
        if self._is_usable() and not is_ending(self.crawler) and not self._request_more():
            self.crawler.engine._slot.nextcall.schedule()  # type: ignore[union-attr]

    def idle(self) -> None:
        """Keep the crawl open until all links are queued, all pages are stored and all runs of commands are executed.

        Scrapy asks again after five seconds, and when pages are stored (`pages_stored`), so no step is left to later
        if it can be done at once.
        """
        while self._is_usable():
            if self._request_more() or self._session.is_storing:
                raise DontCloseSpider
            with self._session.guarded():
                if not self._pages.is_behind and not self._pages.begin_next_run():
                    return

    def unvisited(self) -> Iterator[tuple[str, int | None]]:
        """Yield the URLs that a crawl which was stopped did not reach, with their positions; see `Frontier`."""
        while self._pages.is_behind:
            self._pages.advance()
        return self._pages.unvisited()

    # Answers

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[CaptureItem | Request]:
        """Turn a response into an item, and continue with its links when its turn has come."""
        position = response.meta[POSITION]
        place = self._pages.place(position)
        assert place is not None
        assert response.request is not None
        way = self._pages.way(position, response.request)
        with self._session.guarded():
            taken = await self._read(response, place, way[-1])
            if isinstance(taken, Request):
                assert self.crawler.engine is not None
                self.crawler.engine.crawl(taken)
            elif isinstance(taken, str):
                self._pages.record_failure(position, taken)
            else:
                yield self._placed(taken, place, way)
            async for request in self._following():
                yield request

    async def _read(self, response: Response, place: Place, key: str) -> Answer:
        try:
            return await self._answers.read(response, place, key)
        except TargetError:
            raise
        except Exception:  # an error in our parsing of one page must not block the pages behind it
            logger.exception("%s could not be read", response.url)
            return "could not be read, as the log shows"

    async def failed(self, failure: Failure) -> AsyncIterator[CaptureItem | Request]:
        """Record a request that gave no page, or whose page another request fetches."""
        error: Any = failure.value
        request: Request = failure.request  # type: ignore[attr-defined]
        position = request.meta[POSITION]
        place = self._pages.place(position)
        assert place is not None
        with self._session.guarded():
            if isinstance(error, AlreadyClaimedError):
                self._pages.record_redirect(position, self._pages.way(position, error.redirected))
            elif isinstance(error, OutOfScopeError):
                self._pages.record_failure(position, self._pages.refusal_of_redirect(error.url, position), error.url)
            else:
                way = self._pages.way(position, request)
                kept = self._answers.kept(way[-1], reason_of(error))
                if kept is not None:
                    yield self._placed(kept, place, way)
                else:
                    self._pages.record_failure(position, reason_of(error))
            async for following in self._following():
                yield following

    async def _following(self) -> AsyncIterator[Request]:
        """Yield the next requests, and those for which there is room when pages are stored whose turn has come."""
        for request in self._next_requests():
            yield request
        if self._session.is_storing:
            await self._session.stored()
            for request in self._next_requests():
                yield request

    def _placed(self, item: CaptureItem, place: Place, way: tuple[str, ...]) -> CaptureItem:
        """Give an item its position in the reading order, and its links the positions behind it."""
        item.key = way[-1]
        item.link_charset = place.charset
        item.update(command=place.command, form=place.form)
        self._pages.record_content(place.position, way, item.links)
        return item

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Stop a download as soon as its headers say that it cannot become a page."""
        if request.meta.get(POSITION) is None:
            return
        if named_type(headers) not in CAPTURABLE | UNNAMED and "Location" not in headers:
            raise StopDownload(fail=False)
