"""The capture spider: crawls from the URLs of its commands, in the order in which a reader would meet the pages."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response
from twisted.python.failure import Failure

from wcspider.archive.journal.journal import Place
from wcspider.archive.journal.sitemap_seeds import Seeds
from wcspider.config import CaptureConfig
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.parsing import CAPTURABLE, UNNAMED, media_type, named_type, read_page, resource_of
from wcspider.crawl.request_keys import POSITION, command_request, request_key
from wcspider.crawl.session import session_of
from wcspider.downloading.errors import reason_of
from wcspider.downloading.redirect import AlreadyClaimedError, OutOfScopeError
from wcspider.downloading.retry import is_ending
from wcspider.downloading.sitemap_requests import SitemapWalk, read_listed
from wcspider.exceptions import WebCaptureError
from wcspider.items import CaptureItem
from wcspider.web.resources import Link
from wcspider.web.urls import canonical_url
from wcspider.webcapture.order import ReadingOrder, Turn
from wcspider.webcapture.patterns import BY_PATTERN
from wcspider.webcapture.records import Command
from wcspider.webcapture.scope import Scope, Scopes, may_pull

logger = logging.getLogger(__name__)

BEGINNING = -1
"""Where the places of the commands come from: no page led to them."""

SITEMAP_LEVEL = 1
"""The level of a sitemap, which is its command's URL (Table 357)."""


class CaptureSpider(Spider):
    """Captures pages, and the pages that they link to, into one PDF file."""

    name = "capture"
    config: CaptureConfig

    def __init__(self, **arguments: str) -> None:
        super().__init__()
        self.__dict__.update({name: value for name, value in arguments.items() if name.startswith("_")})
        self.problem: WebCaptureError | None = None
        self.commands: tuple[Command, ...] = ()
        self._places: dict[int, Place] = {}
        self._issued = 0
        try:
            self.arguments = self.read_arguments(arguments)
        except WebCaptureError as error:
            self.problem = error

    @staticmethod
    def read_arguments(given: Mapping[str, str]) -> CaptureArguments | RefreshArguments:
        """Return what the user asks for; raises `ArgumentError`."""
        return CaptureArguments.parse(given)

    def use(self, commands: Sequence[Command], runs: Sequence[int] = ()) -> None:
        """Take the commands that are to be executed; `runs` says which of them belong together."""
        self.commands = tuple(commands)
        self.scopes = [Scope.of(command) for command in commands]

    @property
    def executed(self) -> Sequence[int]:
        """Which of the commands are executed at the moment."""
        return range(len(self.commands))

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider; wrong arguments and settings are kept in `problem`, and nothing is then crawled."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        try:
            spider.config = CaptureConfig.from_settings(crawler.settings)
        except WebCaptureError as error:
            spider.problem = spider.problem or error
        crawler.signals.connect(spider.headers_received, signals.headers_received)
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(spider.item_done, signal)
        return spider

    # Requests

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first requests: those of the commands, or those that an unfinished crawl had come to."""
        if self.problem is not None:
            return
        self.session = session_of(self.crawler)
        self.journal = self.session.job.journal
        self._issued = self.session.job.checkpoint.position
        self.order: ReadingOrder[tuple[Link, ...]] = ReadingOrder(self.journal, self._issued)
        self._next = self.journal.next_position
        self.seeds = Seeds(self.journal)
        self._traps = self.config.trap_limits
        await self._find_seeds()
        self._begin()
        for request in self._go_on():
            yield request

    async def _find_seeds(self) -> None:
        """Read the sitemaps of all commands."""
        if not self.seeds.begin():
            return
        for index, command in enumerate(self.commands):
            if command.sitemap:
                walk = SitemapWalk(self.crawler, command, self.config, partial(self._skip_listed, index))
                reference = self.session.job.writer.commands[index]
                self.seeds.add(index, await read_listed(walk, self.session.job.database, reference))
        if not is_ending(self.crawler):  # else what was not fetched for that is fetched by the run that goes on
            self.seeds.end()

    def _begin(self) -> None:
        """Begin with the URLs of the commands, and the pages that their sitemaps list."""
        self._bounds = Scopes({index: self.scopes[index] for index in self.executed})
        for index in self.executed:
            command = self.commands[index]
            if command.sitemap:
                self._add_seeds(index)
                continue
            key = self._place_key(request_key(command_request(command)))
            self._add_place(Place(self._next, key, 1, index, form=command.form_code), BEGINNING)

    def _add_seeds(self, index: int) -> None:
        for url in self.seeds.of(index):
            key = self._place_key(url)
            if self.journal.has_place(key):
                continue
            refusal = self._refusal(url)
            if refusal is None:
                self._add_place(Place(self._next, key, SITEMAP_LEVEL + 1, index), BEGINNING)
            else:
                self._skip_listed(index, refusal, url)

    def _skip(self, reason: str, url: str, page: int, command: int, level: int) -> None:
        """Note a URL that is not fetched, to which the page at a position leads."""
        self.session.job.report.skipped_pages.note_linked(url, reason, page, command, level)
        self.session.job.report.skip_page(reason, url)

    def _skip_listed(self, index: int, reason: str, url: str) -> None:
        self._skip(reason, url, BEGINNING, index, SITEMAP_LEVEL + 1)

    def _place_key(self, key: str) -> str:
        """Return the key of the place of what a request claims."""
        return key

    def _add_place(self, place: Place, parent: int) -> None:
        """Give a page that was not met before the next position in the reading order."""
        if self.journal.add_place(place, parent):
            self._next += 1

    def _go_on(self) -> list[Request]:
        """Hand on the turns that have come, and return requests for the next places, a bounded number ahead.

        All at once: an answer may come in between any two requests that are only yielded.
        """
        requests: list[Request] = []
        moved = True
        while moved:
            moved = False
            for turn in self.order.ready():
                self._take(turn)
                moved = True
            for place in self.journal.places(self._issued, self._room()):
                self._issued = place.position + 1
                self._places[place.position] = place
                request = self._ask(place)
                if request is not None:
                    requests.append(request)
                else:
                    moved = True
        return requests

    def _ask(self, place: Place) -> Request | None:
        """Return the request for a place; None if a redirection has led there, and the page is being fetched."""
        if self.order.announce(place.position, place.key):
            return self._request(place)
        self.order.record_redirect(place.position, (), place.key)
        return None

    def _room(self) -> int:
        """Return how many more pages may be fetched ahead of the one that is to be stored next."""
        return max(0, self.config.lookahead - self.order.waiting - self.session.job.writer.pending)

    def _take(self, turn: Turn[tuple[Link, ...]]) -> None:
        """Queue what a page links to, then hand its turn on: in that order, so that a crash loses no link."""
        place = self._places.pop(turn.position)
        for link in dict.fromkeys(self._links(turn, place)):  # a page tends to link to another more than once
            key = self._place_key(link.url)
            command = None if self.journal.has_place(key) else self._command_for(turn.key, link, place)
            if command is None:
                continue
            refusal = self._refusal(link.url)
            if refusal is None:
                self._add_place(Place(self._next, key, place.level + 1, command, link.charset), turn.position)
            else:
                self._skip(refusal, link.url, turn.position, command, place.level + 1)
        self.session.turn(replace(turn, payload=None))

    def _links(self, turn: Turn[tuple[Link, ...]], place: Place) -> tuple[Link, ...]:
        """Return what a page links to, where it is met for the first time."""
        return turn.payload or ()

    def _refusal(self, url: str) -> str | None:
        """Return why a page that is linked to is not fetched, though it is in scope: what a limit is there for."""
        config = self.config
        page, _, query = url.partition("?")
        if config.max_pages and self._next >= config.max_pages:
            return f"behind the first {config.max_pages} pages (WEBCAPTURE_MAX_PAGES)"
        variants = config.max_query_variants
        if query and variants and self.journal.query_variants(page, variants) >= variants:
            return f"a page with more than {variants} queries (WEBCAPTURE_MAX_QUERY_VARIANTS)"
        return self._traps.refusal(url)

    def _request(self, place: Place) -> Request:
        request = command_request(self.commands[place.command]) if place.level == 1 else Request(place.key)
        return request.replace(
            callback=self.parse,
            errback=self.failed,
            dont_filter=True,
            meta={POSITION: place.position, "depth": place.level - 1},
        )

    def item_done(self) -> None:
        """Fetch more when a page has left the pipelines: there may be room for it now."""
        if self.problem is None and self.session.problem is None:
            for request in self._go_on():
                self.crawler.engine.crawl(request)

    def claim(self, request: Request) -> bool:
        """Claim the URL that a request was redirected to; False if it is being fetched already."""
        return self.order.claim(request_key(request), request.meta[POSITION])

    def _command_for(self, page: str, link: Link, place: Place) -> int | None:
        """Return the command by which a link is followed: that of its page, or another of the run that allows it."""
        if (link.nofollow and not self.config.follow_nofollow) or not may_pull(page, link.url):
            return None
        return self._bounds.first(link.url, place.level, place.command)

    def in_scope(self, request: Request) -> bool:
        """Tell whether a redirection of one of the spider's requests may be followed."""
        place = self._places.get(request.meta[POSITION])
        return place is not None and self.scopes[place.command].allows(request.url)

    # Answers

    def parse(self, response: Response, **kwargs: Any) -> Iterator[CaptureItem | Request]:
        """Turn an answer into an item, and go on with what it links to when its turn has come."""
        position = response.meta[POSITION]
        kind = media_type(response)
        if kind not in CAPTURABLE:
            self.order.record_failure(position, f"not captured: {kind}")
        else:
            try:
                yield self._captured(position, response)
            except Exception:  # a page that our rules choke on must not hold up those behind it
                logger.exception("%s could not be read", response.url)
                self.order.record_failure(position, "could not be read, as the log shows")
        yield from self._go_on()

    def _captured(self, position: int, response: Response) -> CaptureItem:
        place = self._places[position]
        assert response.request is not None
        resource = resource_of(response, self.config.clock)
        page = read_page(
            resource,
            link_charset=place.charset,
            default_charset=self.config.default_charset,
            viewport=self.session.config_of(place.command).viewport,
        )
        if page.nofollow and not self.config.follow_nofollow:
            page.item.links = ()
        return self._placed(page.item, position, self._way(response.request, place))

    def _placed(self, item: CaptureItem, position: int, way: tuple[str, ...]) -> CaptureItem:
        """Give an item its place in the reading order, and what it links to the places behind it."""
        place = self._places[position]
        item.key = way[-1]
        item.command = place.command
        item.form = place.form
        item.link_charset = place.charset
        self.order.record_content(position, way[-1], way[:-1], item.links)
        return item

    def unvisited(self) -> Iterator[str]:
        """Yield the URLs whose turn has not come: those that a crawl which was stopped did not reach."""
        yield from (place.key.partition("#")[0] for place in self._places.values())
        while places := self.journal.places(self._issued, 1000):
            self._issued = places[-1].position + 1
            yield from (place.key.partition("#")[0] for place in places)

    def failed(self, failure: Failure) -> Iterator[CaptureItem | Request]:
        """Note a page that could not be fetched, or that another request fetches."""
        error: Any = failure.value
        request: Request = failure.request  # type: ignore[attr-defined]
        position = request.meta[POSITION]
        if isinstance(error, AlreadyClaimedError):
            *hops, target = self._way(error.redirected, self._places[position])
            self.order.record_redirect(position, tuple(hops), target)
        elif isinstance(error, OutOfScopeError):
            self.order.record_failure(position, self._out_of_scope(error, self._places[position]))
        else:
            self.order.record_failure(position, reason_of(error))
        yield from self._go_on()

    def _out_of_scope(self, error: OutOfScopeError, place: Place) -> str:
        """Return why a redirection was not followed; where the user named its beginning, also where it led."""
        refusal = self.scopes[place.command].refusal(error.url)
        is_by_pattern = refusal in BY_PATTERN
        if place.level > 1:
            return f"redirected to a URL that is {refusal}" if is_by_pattern else reason_of(error)
        advice = f"{refusal} by a pattern" if is_by_pattern else "capture that URL, or add same_site=false"
        return f"{error} out of scope ({advice})"

    def _way(self, request: Request, place: Place) -> tuple[str, ...]:
        """Return what was claimed on the way to a request: what its place asked for, and each redirection."""
        urls = request.meta.get("redirect_urls", [])
        return (place.key, *(canonical_url(url) for url in urls[1:]), *([request_key(request)] if urls else []))

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Leave off a download as soon as its headers say that it is nothing that becomes a page."""
        if request.meta.get(POSITION) is None:
            return
        kind = named_type((headers.get("Content-Type") or b"").decode("latin-1"))
        if kind not in CAPTURABLE | UNNAMED and "Location" not in headers:
            raise StopDownload(fail=False)
