"""The outcomes of the URLs of a refresh, in the journal. At its end, they tell which pages are gone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

from wcspider.archive.journal.journal import Journal
from wcspider.webcapture.chains import Chain
from wcspider.webcapture.keys import url_of


class State(StrEnum):
    """The kind of an outcome."""

    CONTENT = "content"
    REDIRECT = "redirect"
    FAILED = "failed"
    """The URL could not be fetched. This does not show whether the page still exists."""

    GONE = "gone"
    """The server says that the page does not exist any more."""


@dataclass(frozen=True, slots=True)
class UrlOutcome:
    """The outcome of a URL."""

    state: State
    reason: str = ""
    """The reason if it gave no content, or the destination of a redirect."""


class UrlOutcomes:
    """The outcomes so far, by request key."""

    def __init__(self, journal: Journal) -> None:
        self._connection = journal.connection

    def note(self, key: str, outcome: UrlOutcome, position: int, identifier: bytes | None = None) -> None:
        """Note the outcome of a key at a position, and the identifier of its page set; the first outcome stays."""
        row = (key, position, str(outcome.state), outcome.reason, identifier)
        self._connection.execute("INSERT OR IGNORE INTO url_outcome VALUES (?, ?, ?, ?, ?)", *row)

    def find(self, key: str) -> UrlOutcome | None:
        """Return the outcome of a key; None if the refresh has not requested it yet."""
        row = self._connection.execute("SELECT state, reason FROM url_outcome WHERE key = ?", key).fetchone()
        return None if row is None else UrlOutcome(State(row[0]), row[1])

    def failed(self) -> list[str]:
        """Return the URLs that could not be fetched."""
        rows = self._connection.execute("SELECT key FROM url_outcome WHERE state = ?", State.FAILED.value)
        return [url_of(key) for (key,) in rows]

    def found(self) -> int:
        """Return the number of URLs that gave content."""
        statement = "SELECT count(*) FROM url_outcome WHERE state = ?"
        (count,) = self._connection.execute(statement, State.CONTENT.value).fetchone()
        return int(count)

    def page_sets_in_order(self) -> list[bytes]:
        """Return the identifiers of the page sets, each once, in reading order."""
        statement = "SELECT identifier FROM url_outcome WHERE identifier IS NOT NULL ORDER BY position"
        return list(dict.fromkeys(identifier for (identifier,) in self._connection.execute(statement)))

    def note_removed_chain(self, url: str, chain: Chain) -> None:
        """Note an alias chain that was removed from the source `url`; it returns if its first URL turns out to fail."""
        self._connection.execute("INSERT INTO removed_chain VALUES (?, ?, ?)", chain[0], url, json.dumps(chain))

    def removed_chains(self, first: str) -> list[tuple[str, Chain]]:
        """Return the removed chains that begin with a URL, each with the URL of its source."""
        rows = self._connection.execute("SELECT url, chain FROM removed_chain WHERE first = ?", first)
        return [(url, tuple(self._connection.loads(chain))) for url, chain in rows]


class TextComparisons:
    """The text of each page of a refresh, before and now: its text identifier, or else its digital identifier."""

    def __init__(self, journal: Journal) -> None:
        self._connection = journal.connection

    def add(self, key: str, before: bytes, now: bytes) -> None:
        """Add a page."""
        self._connection.execute("INSERT OR REPLACE INTO compared_text VALUES (?, ?, ?)", key, before, now)

    def count(self) -> int:
        """Return the number of pages."""
        (count,) = self._connection.execute("SELECT count(*) FROM compared_text").fetchone()
        return int(count)

    def largest_group(self) -> tuple[int, int]:
        """Return the size of the largest group of pages with the same text now, and how many texts it had before."""
        row: tuple[int, int] | None = self._connection.execute(
            "SELECT count(*) AS pages, count(DISTINCT before) FROM compared_text "
            "GROUP BY after ORDER BY pages DESC LIMIT 1"
        ).fetchone()
        return row or (0, 0)
