"""The capture spider: crawls from the URLs of its commands, in the order in which a reader would meet the pages."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response
from scrapy.http.request import VerboseCookie
from twisted.python.failure import Failure

from wcspider.capture.order import ReadingOrder, Turn, TurnKind
from wcspider.capture.records import Command, FormCode
from wcspider.capture.references import Link
from wcspider.capture.scope import Scope, may_pull
from wcspider.capture.urls import canonical_url
from wcspider.config import CaptureConfig
from wcspider.exceptions import WebCaptureError
from wcspider.frontier import POSITION, request_key
from wcspider.items import CaptureItem, TurnItem
from wcspider.middlewares import AlreadyClaimedError
from wcspider.omissions import reason_of
from wcspider.reading import CAPTURABLE, media_type, read_page, resource_of
from wcspider.spiders.arguments import CaptureArguments

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of a position in the reading order."""

    key: str
    """What its request claims."""

    level: int
    """1 for the URL of a command."""

    command: int
    charset: str | None = None
    """The charset attribute of the link that led there."""

    form: FormCode = FormCode.NONE


class CaptureSpider(Spider):
    """Captures pages, and the pages that they link to, into one PDF file."""

    name = "capture"
    config: CaptureConfig

    def __init__(self, **arguments: str) -> None:
        super().__init__()
        self.__dict__.update({name: value for name, value in arguments.items() if name.startswith("_")})
        self.problem: WebCaptureError | None = None
        self.commands: tuple[Command, ...] = ()
        self.order: ReadingOrder[tuple[Link, ...]] = ReadingOrder()
        self.places: dict[int, Place] = {}
        self._known: set[str] = set()
        self._next = 0
        try:
            self.arguments = CaptureArguments.parse(arguments)
        except WebCaptureError as error:
            self.problem = error
        else:
            self.commands = self.arguments.commands
            self.scopes = [Scope.of(command) for command in self.commands]

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider; wrong arguments and settings are kept in `problem`, and nothing is then crawled."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        try:
            spider.config = CaptureConfig.from_settings(crawler.settings)
        except WebCaptureError as error:
            spider.problem = spider.problem or error
        crawler.signals.connect(spider.headers_received, signals.headers_received)
        return spider

    # Requests

    async def start(self) -> AsyncIterator[TurnItem | Request]:
        """Yield the request of each command."""
        if self.problem is not None:
            return
        for index, command in enumerate(self.commands):
            request = Request(
                command.url,
                method="GET" if command.data is None else "POST",
                body=command.data or b"",
                headers={} if command.data is None else {"Content-Type": _posted_type(command)},
                cookies=_cookies(command),
            )
            place = Place(request_key(request), 1, index, form=command.form_code)
            if place.key not in self._known:
                for made in self._placed(request, place):
                    yield made

    def _placed(self, request: Request, place: Place) -> Iterator[Request]:
        """Give a request the next position in the reading order.

        A URL that a redirection has claimed in the meantime is being fetched: then there is no request.
        """
        position, self._next = self._next, self._next + 1
        self._known.add(place.key)
        self.places[position] = place
        placed = request.replace(
            callback=self.parse,
            errback=self.failed,
            dont_filter=True,
            meta={**request.meta, POSITION: position, "depth": place.level - 1},
        )
        if self.order.expected(position, place.key):
            yield placed
        else:
            self.order.redirected(position, (), place.key)

    def claim(self, request: Request) -> bool:
        """Claim the URL that a request was redirected to; False if it is being fetched already."""
        return self.order.claim(request_key(request), request.meta[POSITION])

    def _advance(self) -> Iterator[TurnItem | Request]:
        """Yield the turns that have come, and requests for the links of their pages."""
        for turn in self.order.ready():
            place = self.places.pop(turn.position)
            yield TurnItem(replace(turn, payload=None))
            if turn.kind is TurnKind.PAGE:
                yield from self._followed(turn, place)

    def _followed(self, turn: Turn[tuple[Link, ...]], place: Place) -> Iterator[Request]:
        for link in turn.payload or ():
            command = self._command_for(turn.key, link, place)
            if command is not None and link.url not in self._known:
                found = Place(link.url, place.level + 1, command, link.charset)
                yield from self._placed(Request(link.url), found)

    def _command_for(self, page: str, link: Link, place: Place) -> int | None:
        """Return the command by which a link is followed: that of its page, or another of the run that allows it."""
        if (link.nofollow and not self.config.follow_nofollow) or not may_pull(page, link.url):
            return None
        candidates = [place.command, *(index for index in range(len(self.scopes)) if index != place.command)]
        for index in candidates:
            if self.scopes[index].follows(place.level) and self.scopes[index].allows(link.url):
                return index
        return None

    def in_scope(self, request: Request) -> bool:
        """Tell whether a redirection of one of the spider's requests may be followed."""
        place = self.places.get(request.meta[POSITION])
        return place is not None and self.scopes[place.command].allows(request.url)

    # Answers

    def parse(self, response: Response, **kwargs: Any) -> Iterator[CaptureItem | TurnItem | Request]:
        """Turn an answer into an item, and go on with what it links to when its turn has come."""
        position = response.meta[POSITION]
        kind = media_type(response)
        if kind not in CAPTURABLE:
            self.order.omitted(position, f"not captured: {kind}")
        else:
            try:
                yield self._captured(position, response)
            except Exception:  # a page that our rules choke on must not hold up those behind it
                logger.exception("%s could not be read", response.url)
                self.order.omitted(position, "could not be read, as the log shows")
        yield from self._advance()

    def _captured(self, position: int, response: Response) -> CaptureItem:
        place = self.places[position]
        assert response.request is not None
        resource = resource_of(response, self.config.clock)
        page = read_page(
            resource,
            link_charset=place.charset,
            default_charset=self.config.default_charset,
            viewport=self.config.viewport,
        )
        way = self._way(response.request, place)
        page.item.key = way[-1]
        page.item.command = place.command
        page.item.form = place.form
        links = () if page.nofollow and not self.config.follow_nofollow else page.links
        self.order.captured(position, way[-1], way[:-1], links)
        return page.item

    def left_over(self) -> Iterator[str]:
        """Yield the URLs whose turn has not come: those that a crawl which was stopped did not reach."""
        yield from (place.key.partition("#")[0] for place in self.places.values())

    def failed(self, failure: Failure) -> Iterator[TurnItem | Request]:
        """Note a page that could not be fetched, or that another request fetches."""
        error: Any = failure.value
        request: Request = failure.request  # type: ignore[attr-defined]
        position = request.meta[POSITION]
        if isinstance(error, AlreadyClaimedError):
            *hops, target = self._way(error.redirected, self.places[position])
            self.order.redirected(position, tuple(hops), target)
        else:
            self.order.omitted(position, reason_of(error))
        yield from self._advance()

    def _way(self, request: Request, place: Place) -> tuple[str, ...]:
        """Return what was claimed on the way to a request: what its place asked for, and each redirection."""
        urls = request.meta.get("redirect_urls", [])
        return (place.key, *(canonical_url(url) for url in urls[1:]), *([request_key(request)] if urls else []))

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Leave off a download as soon as its headers say that it is nothing that becomes a page."""
        if request.meta.get(POSITION) is None:
            return
        kind = (headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
        if kind and kind not in CAPTURABLE and not kind.endswith("octet-stream") and "Location" not in headers:
            raise StopDownload(fail=False)


def _posted_type(command: Command) -> str:
    """Return the type of a command's posted data; a header of that name goes before the argument."""
    return next((value for name, value in command.headers if name.lower() == "content-type"), command.content_type)


def _cookies(command: Command) -> list[VerboseCookie]:
    """Return the cookies of a command's Cookie header: Scrapy drops the header itself, and keeps a jar.

    So they go to every page and resource of the command's host, until its server gives others.
    """
    pairs = (
        pair.strip().partition("=")
        for name, value in command.headers
        if name.lower() == "cookie"
        for pair in value.split(";")
    )
    return [VerboseCookie(name=name, value=value, path="/") for name, _, value in pairs if name]
