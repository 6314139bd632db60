"""The pages that a run has left out, with where they were met: a part of the journal, for the end of the run.

Rows are only ever added, in whatever order. What stands first in the reading order is taken for a URL, so what is
kept in the end does not depend on the network.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wcspider.archive.journal.journal import Journal
from wcspider.webcapture.keys import url_of
from wcspider.webcapture.order import FactKind, Turn

NOWHERE = -1
"""The position of what no page led to."""

LAST = 2**62
"""The position of what was met behind all pages."""

_PLACE = "SELECT key, parent, level, command FROM place WHERE position = ?"
_FIRST = (
    "SELECT url, reason, parent, command, level, way, min(position) AS first FROM omitted "
    "GROUP BY url ORDER BY first, url LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class SkippedPage:
    """A page that was left out."""

    url: str
    reason: str
    command: int | None = None
    """Which of the run's commands asked for it."""

    level: int = 0
    """At which of its levels; 0 if that is not known."""

    referrer: str = ""
    """The page whose link led there first; empty if none did."""

    way: tuple[str, ...] = ()
    """The redirections that it was met on, from the URL that was asked for to where they end."""


class SkippedPages:
    """What a run has left out so far."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def note(self, url: str, reason: str, position: int = LAST) -> None:
        """Note a URL that was met at a position, or at none."""
        self._add(url, reason, position)

    def note_linked(self, url: str, reason: str, page: int, command: int, level: int) -> None:
        """Note a URL that got no position, to which the page at the position `page` links."""
        self._add(url, reason, page, page, command, level)

    def note_turn(self, turn: Turn[Any], reason: str) -> None:
        """Note that what the turn of a position asked for came to nothing, with what that redirected to."""
        row = self._journal.run(_PLACE, turn.position).fetchone()
        key, parent, level, command = row or (turn.key, NOWHERE, 0, None)
        way = list(dict.fromkeys(map(url_of, [key, *turn.hops, turn.key])))
        self._add(way[0], reason, turn.position, parent, command, level, json.dumps(way) if len(way) > 1 else None)

    def _add(
        self,
        url: str,
        reason: str,
        position: int,
        parent: int = NOWHERE,
        command: int | None = None,
        level: int = 0,
        way: str | None = None,
    ) -> None:
        row = (url, reason, position, parent, command, level, way)
        self._journal.run("INSERT INTO omitted VALUES (?, ?, ?, ?, ?, ?, ?)", *row)

    def first(self, limit: int) -> Iterator[SkippedPage]:
        """Yield the first `limit` URLs in reading order, each once."""
        for url, reason, parent, command, level, way, _ in self._journal.run(_FIRST, limit).fetchall():
            yield SkippedPage(url, reason, command, level, self._page_at(parent), tuple(json.loads(way or "[]")))

    def _page_at(self, position: int) -> str:
        """Return the URL of the page that stands at a position."""
        row = self._journal.run(_PLACE, position).fetchone()
        if row is None:
            return ""
        key, seen = row[0], set[str]()
        while key not in seen and (fact := self._journal.recall(key)) is not None and fact.kind is FactKind.REDIRECT:
            seen.add(key)
            key = fact.value
        return url_of(key)
