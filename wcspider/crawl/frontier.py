"""The frontier of a crawl: the pages that are known, in reading order, and the links that lead to further pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from scrapy import Request

from wcspider.archive.journal.journal import Place
from wcspider.archive.journal.sitemap_seeds import Seeds
from wcspider.config import CaptureConfig
from wcspider.crawl.job import CaptureJob
from wcspider.crawl.request_keys import command_request, request_key
from wcspider.web.resources import Link
from wcspider.web.urls import LOGIN_LINK
from wcspider.webcapture.keys import AGAIN, url_of
from wcspider.webcapture.order import ReadingOrder, Turn, TurnKind
from wcspider.webcapture.patterns import BY_PATTERN
from wcspider.webcapture.records import Command
from wcspider.webcapture.scope import Scope, Scopes, may_pull

BEGINNING = -1
"""The position of the parent of a seed: no page links to a seed."""

SITEMAP_LEVEL = 1
"""The level of a sitemap: it is the URL of its command (Table 357)."""

LINKS_AT_ONCE = 250
"""The number of links that are queued in one step, so that other work is not held up by a page with many links."""

STAGE = "refresh stage"
"""The key of the journal's state that holds the current run of commands and its first position."""


class Frontier:
    """The places of a crawl: added by links, requested in order, and handed on as turns in the same order.

    The commands of one run are executed together, and the runs one after the other. A capture has a single run. A
    refresh has the runs that built the file. A page of an earlier run is not requested again: it gets another place in
    the later run, and its links are followed as far as the levels of the later run allow.
    """

    def __init__(self, job: CaptureJob, config: CaptureConfig, take: Callable[[Turn[Any]], None]) -> None:
        """Continue where the journal of a job ends; `take` gets each turn, in reading order."""
        self.commands: Sequence[Command] = [execution.command for execution in job.executions]
        self.scopes = [Scope.of(command) for command in self.commands]
        self.seeds = Seeds(job.journal)
        """The pages that the sitemaps of the commands list."""

        self._config = config
        self._job = job
        self._journal = job.journal
        self._held = job.held if job.is_refresh else None
        self._take = take
        self._traps = config.trap_limits
        self._runs = _runs_of([execution.run for execution in job.executions])
        stage: tuple[int, int] = self._journal.read_state(STAGE) or (0, 0)
        self._stage, self._first = stage
        self._bounds = Scopes({})
        self._places: dict[int, Place] = {}
        self._issued = job.target.checkpoint.position
        self._next = self._journal.next_position
        self._order: ReadingOrder[tuple[Link, ...]] = ReadingOrder(self._journal, self._issued)
        self._turn: _OpenTurn | None = None

    # Runs of commands

    @property
    def executed(self) -> Sequence[int]:
        """The indices of the commands of the current run."""
        return self._runs[self._stage]

    def begin(self) -> None:
        """Add the seeds of the current run: the URLs of its commands and the pages that its sitemaps list."""
        self._bounds = Scopes({index: self.scopes[index] for index in self.executed})
        for index in self.executed:
            command = self.commands[index]
            if command.sitemap:
                self._add_listed(index)
            else:
                key = self._place_key(request_key(command_request(command)))
                self._add(Place(self._next, key, 1, index, form=command.form_code), BEGINNING)

    def begin_next_run(self) -> bool:
        """Begin the next run if all pages of the current run are in the file; return False if there is none."""
        if self._places or self._job.writer.pending or self._stage + 1 >= len(self._runs):
            return False
        self._stage, self._first = self._stage + 1, self._next
        self._journal.write_state(STAGE, (self._stage, self._first))
        self.begin()
        return True

    def _add_listed(self, index: int) -> None:
        for url in self.seeds.of(index):
            key = self._place_key(url)
            if self._journal.has_place(key):
                continue
            refusal = self._refusal(url)
            if refusal:
                self.skip_listed(index, refusal, url)
            else:
                self._add(Place(self._next, key, SITEMAP_LEVEL + 1, index), BEGINNING)

    # Places

    def place(self, position: int) -> Place | None:
        """Return the place of a position that was requested and has not had its turn."""
        return self._places.get(position)

    @property
    def is_behind(self) -> bool:
        """True if `advance` stopped at a page with many links, and has to be called again soon."""
        return self._turn is not None

    def advance(self) -> list[Place]:
        """Hand on the turns that have become possible; return the next places to request, a bounded number ahead.

        Only a part of the links of the turns is queued if there are many; then `is_behind` is true.
        """
        wanted: list[Place] = []
        left = LINKS_AT_ONCE
        moved = True
        while moved and left > 0:
            left, moved = self._take_turns(left)
            for place in self._journal.places(self._issued, self._free()):
                self._issued = place.position + 1
                self._places[place.position] = place
                if self._is_first(place):
                    wanted.append(place)
                else:
                    moved = True
        return wanted

    def unvisited(self) -> Iterator[tuple[str, int | None]]:
        """Yield the URLs whose turn has not come, because the crawl was stopped before, with their positions.

        The position is None for the URL of a command that is executed later.
        """
        yield from ((url_of(place.key), place.position) for place in self._places.values())
        while places := self._journal.places(self._issued, 1000):
            self._issued = places[-1].position + 1
            yield from ((url_of(place.key), place.position) for place in places)
        for run in self._runs[self._stage + 1 :]:
            yield from ((self.commands[index].url, None) for index in run)

    def _free(self) -> int:
        """Return how many more pages may be requested ahead of the page that is stored next."""
        return max(0, self._config.lookahead - self._order.waiting - self._job.writer.pending)

    def _is_first(self, place: Place) -> bool:
        """Announce a place; False if its page is fetched by another place."""
        key, again, _ = place.key.rpartition(AGAIN)
        is_first = self._order.announce(place.position, place.key)
        if again:
            self._order.record_redirect(place.position, (place.key,), key)
            return False
        if not is_first:
            self._order.record_redirect(place.position, (), place.key)
        return is_first

    def _add(self, place: Place, parent: int) -> None:
        """Give a page that is new to the crawl the next position in the reading order."""
        if self._journal.add_place(place, parent):
            self._next += 1

    def _place_key(self, key: str) -> str:
        """Return the key of the place of a request; a page that an earlier run has requested gets a new key."""
        return f"{key}{AGAIN}{self._stage}" if self._was_met(key) else key

    def _was_met(self, key: str) -> bool:
        """Tell whether an earlier run has requested the page of a request, or was redirected to it."""
        return self._first > 0 and self._journal.has_place_or_fact_before(key, self._first)

    # Links

    def _take_turns(self, links: int) -> tuple[int, bool]:
        """Take the turns that are possible, with about so many links; return how many are left, and if one was taken.

        The links of a page are queued before its turn is handed on: in this order, a crash loses no link.
        """
        moved = False
        while links > 0:
            if self._turn is None:
                turn = next(self._order.ready(), None)
                if turn is None:
                    break
                self._turn = _OpenTurn(turn, iter(self._links(turn)))
            open_turn = self._turn
            queued = 0
            for link in islice(open_turn.links, links):
                self._follow(link, open_turn.turn)
                queued += 1
            links -= max(queued, 1)
            if links > 0:
                self._turn = None
                del self._places[open_turn.turn.position]
                self._take(replace(open_turn.turn, payload=None))
                moved = True
        return links, moved

    def _follow(self, link: Link, turn: Turn[tuple[Link, ...]]) -> None:
        """Queue a link of a page, or report why it is skipped."""
        place = self._places[turn.position]
        key = self._place_key(link.url)
        command = None if self._journal.has_place(key) else self._command_for(turn.key, link, place)
        if command is None:
            return
        refusal = LOGIN_LINK if link.has_login else self._refusal(link.url)
        if refusal:
            self._skip(refusal, link.url, turn.position, command, place.level + 1)
        else:
            self._add(Place(self._next, key, place.level + 1, command, link.charset), turn.position)

    def _links(self, turn: Turn[tuple[Link, ...]]) -> tuple[Link, ...]:
        """Return the links of a page that may be followed: those in the file if an earlier run requested the page."""
        if not self._bounds.follows(self._places[turn.position].level):
            return ()
        if self._held is not None and turn.kind is TurnKind.ALIAS and self._was_met(turn.key):
            return self._held.links(turn.key)
        return turn.payload or ()

    def _command_for(self, page: str, link: Link, place: Place) -> int | None:
        """Return the command that follows a link: that of its page, or else another of the run; None if none does."""
        if link.nofollow and not self._config.follow_nofollow:
            return None
        command = self._bounds.first(link.url, place.level, place.command)
        return command if command is not None and may_pull(page, link.url) else None

    def _refusal(self, url: str) -> str:
        """Return the limit by which a linked page in scope is skipped; a refresh skips no page that the file holds."""
        refusal = self._limit(url)
        is_held = refusal and self._held is not None and self._held.page(url) is not None
        return "" if is_held else refusal

    def _limit(self, url: str) -> str:
        config = self._config
        page, _, query = url.partition("?")
        if config.max_pages and self._next >= config.max_pages:
            return f"behind the first {config.max_pages} pages (WEBCAPTURE_MAX_PAGES)"
        variants = config.max_query_variants
        if query and variants and self._journal.query_variants(page, variants) >= variants:
            return f"a page with more than {variants} queries (WEBCAPTURE_MAX_QUERY_VARIANTS)"
        return self._traps.refusal(url)

    def _skip(self, reason: str, url: str, page: int, command: int, level: int) -> None:
        """Report a URL that is skipped and to which the page at a position links."""
        self._job.report.skip_linked(reason, url, page, command, level)

    def skip_listed(self, index: int, reason: str, url: str) -> None:
        """Report a URL that is skipped and that the sitemap of a command lists."""
        self._skip(reason, url, BEGINNING, index, SITEMAP_LEVEL + 1)

    def exclude_listed(self, index: int, reason: str, url: str) -> None:
        """Note a URL that the sitemap of a command lists and that a rule of the command excludes."""
        self._job.report.skipped_pages.note_excluded(url, reason, index, SITEMAP_LEVEL + 1)

    # Answers

    def claim(self, key: str, position: int) -> bool:
        """Claim the key that a request was redirected to; False if another request fetches it."""
        return self._order.claim(key, position)

    def way(self, position: int, request: Request) -> tuple[str, ...]:
        """Return the keys on the way to a request of a position: the key of its place, then that of each redirect.

        A middleware of another project may follow redirects itself. Then only the last of them is known.
        """
        claimed, key = self._order.way(position), request_key(request)
        return claimed if claimed[-1] == key else (*claimed, key)

    def record_content(self, position: int, way: Sequence[str], links: tuple[Link, ...]) -> None:
        """Record that the last URL of `way` gave a page, after redirects at the others."""
        self._order.record_content(position, way[-1], tuple(way[:-1]), links)

    def record_redirect(self, position: int, way: Sequence[str]) -> None:
        """Record that the last URL of `way` is fetched by another request, after redirects at the others."""
        self._order.record_redirect(position, tuple(way[:-1]), way[-1])

    def record_failure(self, position: int, reason: str, destination: str = "") -> None:
        """Record that a position gave no page; `destination` is the URL of a redirect that was not followed."""
        self._order.record_failure(position, reason, destination)

    def in_scope(self, request: Request, position: int) -> bool:
        """Tell whether the request of a position may be redirected to another request, or to itself."""
        place = self.place(position)
        if place is None:
            return False
        is_first = place.level == 1
        scope = self.scopes[place.command]
        return request_key(request) in self._order.way(position) or scope.allows(request.url, is_first=is_first)

    def refusal_of_redirect(self, url: str, position: int) -> str:
        """Return why the request of a position may not be redirected to a URL, with advice for a URL of the user."""
        place = self._places[position]
        scope, is_first = self.scopes[place.command], place.level == 1
        refusal = scope.refusal(url, is_first=is_first)
        if refusal in BY_PATTERN:
            return f"redirected to {url if is_first else 'a URL'} that is {scope.patterns.explained(refusal)}"
        if is_first:
            return f"redirected to {url} out of scope (capture that URL, or add same_site=false)"
        return "redirected out of scope"


@dataclass
class _OpenTurn:
    """A turn whose links are being queued."""

    turn: Turn[tuple[Link, ...]]
    links: Iterator[Link]
    """The links that are not queued yet."""


def _runs_of(numbers: Sequence[Any]) -> list[list[int]]:
    """Return the indices of the commands of each run, in order."""
    return [[index for index, run in enumerate(numbers) if run == number] for number in sorted(set(numbers))]
