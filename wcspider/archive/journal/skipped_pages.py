"""The pages that a run has skipped, in the journal: the source of the skipped records at the end of the run.

Rows are only added, in any order. For each URL, the row that comes first in the reading order is used, so that the
result does not depend on the network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wcspider.archive.journal.journal import Journal
from wcspider.webcapture.keys import url_of
from wcspider.webcapture.order import FactKind, Turn

NO_PARENT = -1
"""The position of the linking page for a URL to which no page links."""

LAST = 2**62
"""The position of a URL that has none: behind all pages."""

EXCLUDED = -2
"""The position of a URL in a sitemap that a rule of the command excludes. It stays when an unfinished crawl goes on."""

BEHIND = LAST - 1
"""The place of excluded URLs in the reading order: any other note about such a URL comes first."""

_FIRST = (
    "SELECT url, reason, parent, command, level, redirects, moment, "
    f"min(CASE position WHEN {EXCLUDED} THEN {BEHIND} ELSE position END) AS first FROM skipped_page "
    "GROUP BY url ORDER BY first, url LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class SkippedPage:
    """A page that was skipped."""

    url: str
    reason: str
    command: int | None = None
    """The index of the run's command that asked for the page."""

    level: int = 0
    """The level of that command; 0 if it is not known."""

    referrer: str = ""
    """The URL of the first page that links to it; empty if no page does."""

    redirects: tuple[str, ...] = ()
    """The redirect from the URL that was asked for to its last URL, both included; empty without a redirect."""

    moment: datetime | None = None
    """The time when the run noted that the page is skipped."""

    was_requested: bool = False
    """True if the run requested the page; false if a rule or the end of the crawl came before."""

    is_excluded: bool = False
    """True if the user did not ask for the page: a rule of the command excludes it."""


class SkippedPages:
    """The pages that a run has skipped so far."""

    def __init__(self, journal: Journal, clock: Callable[[], datetime]) -> None:
        self._journal = journal
        self._clock = clock

    def note(self, url: str, reason: str, position: int = LAST) -> None:
        """Note a URL that was skipped at a position, or without a position."""
        self._add(url, reason, position)

    def note_linked(self, url: str, reason: str, page: int, command: int, level: int) -> None:
        """Note a URL that got no position, and to which the page at the position `page` links."""
        self._add(url, reason, page, page, command, level)

    def note_excluded(self, url: str, reason: str, command: int, level: int) -> None:
        """Note a URL in the sitemap of a command that a rule of the command excludes."""
        self._add(url, reason, EXCLUDED, NO_PARENT, command, level)

    def note_turn(self, turn: Turn[Any], reason: str) -> None:
        """Note that the page of a turn was skipped, with the redirects to it."""
        way = [*turn.hops, turn.key, *([turn.destination] if turn.destination else [])]
        self.note_arrival(turn.position, way[:-1], way[-1], reason)

    def note_arrival(self, position: int, hops: Iterable[str], arrived: str, reason: str) -> None:
        """Note that the page at a position was skipped, which redirects over `hops` to the key `arrived`."""
        key, parent, level, command = arrived, NO_PARENT, 0, None
        found = self._journal.found_at(position)
        if found is not None:
            place, parent = found
            key, level, command = place.key, place.level, place.command
        redirects = list(dict.fromkeys(map(url_of, [key, *hops, arrived])))
        written = json.dumps(redirects) if len(redirects) > 1 else None
        self._add(redirects[0], reason, position, parent, command, level, written)

    def _add(
        self,
        url: str,
        reason: str,
        position: int,
        parent: int = NO_PARENT,
        command: int | None = None,
        level: int = 0,
        redirects: str | None = None,
    ) -> None:
        row = (url, reason, position, parent, command, level, redirects, self._clock().isoformat())
        self._journal.connection.execute("INSERT INTO skipped_page VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)

    def first(self, limit: int) -> Iterator[SkippedPage]:
        """Yield the first `limit` URLs in reading order, each once. Excluded ones come behind the others."""
        rows = self._journal.connection.execute(_FIRST, limit).fetchall()
        for url, reason, parent, command, level, redirects, moment, first in rows:
            way = tuple(self._journal.connection.loads(redirects or "[]"))
            noted, was_requested = datetime.fromisoformat(moment), self._journal.recall(url) is not None
            referrer, is_excluded = self._page_at(parent), first == BEHIND
            yield SkippedPage(url, reason, command, level, referrer, way, noted, was_requested, is_excluded)

    def _page_at(self, position: int) -> str:
        """Return the URL of the page at a position, after its redirects; empty if there is no such position."""
        found = self._journal.found_at(position)
        if found is None:
            return ""
        key, seen = found[0].key, set[str]()
        while key not in seen and (fact := self._journal.recall(key)) is not None and fact.kind is FactKind.REDIRECT:
            seen.add(key)
            key = fact.value
        return url_of(key)
