"""The refresh spider: repeats the commands that a file holds, and brings it up to date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from wcspider.archive.database.page_links import read_links
from wcspider.archive.journal.journal import Place
from wcspider.archive.refresh.refresh_sink import is_removed
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.request_keys import POSITION
from wcspider.downloading.conditional import NOT_MODIFIED, held_page, renewed
from wcspider.downloading.errors import reason_of
from wcspider.downloading.redirect import AlreadyClaimedError, OutOfScopeError
from wcspider.items import CaptureItem
from wcspider.spiders.capture import CaptureSpider
from wcspider.web.resources import Link, Resource
from wcspider.webcapture.keys import AGAIN
from wcspider.webcapture.order import Turn, TurnKind
from wcspider.webcapture.records import Command, Outcome

EMPTY = "answered with nothing"
BROKEN_OFF = "download_stopped"
"""The flag that Scrapy gives an answer whose body was not wanted."""


STAGE = "refresh stage"
"""The key of the journal's state that says which commands are executed, and from which position on."""


class RefreshSpider(CaptureSpider):
    """Asks for the pages of a file again, and goes on from those that have not changed by the links that it holds.

    The commands of one run are executed together, as they were; those of another run after them. A page that an
    earlier run met is not asked for once more: it has a place of its own in the later run, by which its links are
    followed as far as that run goes.
    """

    name = "refresh"

    def __init__(self, **arguments: str) -> None:
        super().__init__(**arguments)
        self._runs: list[list[int]] = []
        self._stage, self._first = 0, 0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        return spider

    @staticmethod
    def read_arguments(given: Mapping[str, str]) -> CaptureArguments | RefreshArguments:
        """Return what the user asks for; raises `ArgumentError`."""
        return RefreshArguments.parse(given)

    # One run of commands after the other

    def use(self, commands: Sequence[Command], runs: Sequence[int] = ()) -> None:
        """Take the commands that are to be executed; `runs` says which of them belong together."""
        super().use(commands)
        self._runs = [[index for index, run in enumerate(runs) if run == number] for number in sorted(set(runs))]

    @property
    def executed(self) -> Sequence[int]:
        """Which of the commands are executed at the moment."""
        return self._runs[self._stage]

    async def _find_seeds(self) -> None:
        """Read the sitemaps of all runs before the first of them, as if they were one."""
        runs, self._runs = self._runs, [list(range(len(self.commands)))]
        try:
            await super()._find_seeds()
        finally:
            self._runs = runs

    def _begin(self) -> None:
        """Begin with the URLs of the first run, or go on with the run that an unfinished refresh had come to."""
        self._stage, self._first = self.journal.read_state(STAGE) or (0, 0)
        super()._begin()

    def idle(self) -> None:
        """Begin the next run when there is nothing left to do for this one."""
        while self.problem is None and self.session.problem is None and self._is_over():
            self.journal.write_state(STAGE, (self._stage + 1, self._next))
            self._begin()
            requests = self._go_on()
            for request in requests:
                self.crawler.engine.crawl(request)
            if requests:
                raise DontCloseSpider

    def _is_over(self) -> bool:
        """Tell whether all pages of a run are in the file, and there is another run."""
        return not self._places and not self.session.job.writer.pending and self._stage + 1 < len(self._runs)

    def unvisited(self) -> Iterator[str]:
        """Yield the URLs that a crawl which was stopped did not reach."""
        yield from super().unvisited()
        for run in self._runs[self._stage + 1 :]:
            yield from (self.commands[index].url for index in run)

    def _place_key(self, key: str) -> str:
        """Return the key of the place of what a request claims: of what an earlier run met, one of this run's own."""
        return f"{key}{AGAIN}{self._stage}" if self._was_met(key) else key

    def _was_met(self, key: str) -> bool:
        """Tell whether an earlier run met what a request claims, as a place or by a redirection."""
        return self.journal.has_place_or_fact_before(key, self._first)

    def _ask(self, place: Place) -> Request | None:
        """Return the request for a place; None for what is fetched already."""
        key, again, _ = place.key.rpartition(AGAIN)
        if not again:
            return super()._ask(place)
        self.order.announce(place.position, place.key)
        self.order.record_redirect(place.position, (place.key,), key)
        return None

    def _links(self, turn: Turn[tuple[Link, ...]], place: Place) -> tuple[Link, ...]:
        """Return what a page links to; of one that an earlier run met, as the file holds it."""
        if turn.kind is not TurnKind.ALIAS or not self._was_met(turn.key):
            return super()._links(turn, place)
        held = held_page(self.session.job.database, turn.key)
        return () if held is None else read_links(self.session.job.database.file, held[1].links)

    def _refusal(self, url: str) -> str | None:
        """Return why a page that is linked to is not fetched; what the file holds is no trap."""
        refusal = super()._refusal(url)
        return None if refusal is None or held_page(self.session.job.database, url) is not None else refusal

    # Requests and answers

    def _request(self, place: Place) -> Request:
        request = super()._request(place)
        request.meta["handle_httpstatus_list"] = [NOT_MODIFIED]
        return request

    def parse(self, response: Response, **kwargs: Any) -> Iterator[CaptureItem | Request]:
        """Take an answer; one without a body says nothing of a page that the file has with one."""
        position = response.meta[POSITION]
        way = self._way(response.request, self._places[position])  # type: ignore[arg-type]
        item = None
        if response.status == NOT_MODIFIED:
            item = self._unchanged(response, way[-1])
        elif not response.body and BROKEN_OFF not in response.flags:
            item = self._kept(way[-1], EMPTY)
        if item is None and response.status == NOT_MODIFIED:
            self.order.record_failure(position, "HTTP 304, to a request for the whole page")
            yield from self._go_on()
        elif item is None:
            yield from super().parse(response, **kwargs)
        else:
            yield self._placed(item, position, way)
            yield from self._go_on()

    def failed(self, failure: Failure) -> Iterator[CaptureItem | Request]:
        """Keep a page that could not be asked for, and go on from it as it was."""
        error: Any = failure.value
        request: Request = failure.request  # type: ignore[attr-defined]
        position = request.meta[POSITION]
        reason = reason_of(error)
        way = self._way(request, self._places[position])
        item = None if self._is_certain(error, reason) else self._kept(way[-1], reason)
        if item is None:
            yield from super().failed(failure)
        else:
            yield self._placed(item, position, way)
            yield from self._go_on()

    @staticmethod
    def _is_certain(error: Any, reason: str) -> bool:
        """Tell whether an error says what became of a page: where it leads now, or that it is gone."""
        return isinstance(error, AlreadyClaimedError | OutOfScopeError) or is_removed(reason)

    def _unchanged(self, response: Response, key: str) -> CaptureItem | None:
        """Return the item of a page that holds still, with the dates that came with the answer."""
        item = self._held(key)
        if item is not None:
            item.resource = renewed(item.resource, response, self.config.clock)
        return item

    def _kept(self, key: str, reason: str) -> CaptureItem | None:
        """Return the item of a page that could not be fetched; None if the file does not hold it."""
        item = self._held(key)
        if item is not None:
            item.outcome, item.problem = Outcome.FAILED, reason
        return item

    def _held(self, key: str) -> CaptureItem | None:
        """Return the item of a page that the file holds."""
        if "#" in key:  # what was posted may have been done by posting it
            return None
        database = self.session.job.database
        held = held_page(database, key)
        if held is None:
            return None
        stored, source = held
        resource = Resource(
            url=key,
            body=b"",
            content_type=stored.content.content_type,
            fetched=source.updated,
            expires=source.expires,
            etag=source.etag,
            last_modified=source.last_modified,
            held=stored.content.identifier,
        )
        return CaptureItem(
            resource,
            links=read_links(database.file, source.links),
            identifier=stored.content.identifier,
            outcome=Outcome.UNCHANGED,
        )
