"""The URLs that a refresh has met, in the journal: what became of each, so that the rest can be told to be gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from wcspider.archive.journal.journal import Journal
from wcspider.pdf.objects import Ref
from wcspider.webcapture.chains import Chain
from wcspider.webcapture.keys import url_of

_SCHEMA = """
CREATE TABLE IF NOT EXISTS met (
    key TEXT PRIMARY KEY, position INTEGER, state TEXT, reason TEXT, identifier BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dropped (first TEXT, url TEXT, chain TEXT);
CREATE TABLE IF NOT EXISTS emptied (identifier BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unused (key BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS surplus (number INTEGER, generation INTEGER, by INTEGER, by_generation INTEGER);
CREATE TABLE IF NOT EXISTS compared (key TEXT PRIMARY KEY, before BLOB, after BLOB) WITHOUT ROWID;
"""


class State(StrEnum):
    """What became of a URL."""

    CONTENT = "content"
    REDIRECT = "redirect"
    FAILED = "failed"
    """It could not be fetched, which says nothing of the page."""

    GONE = "gone"
    """The server says that there is no page any more."""


@dataclass(frozen=True, slots=True)
class UrlOutcome:
    """What became of a URL, and why."""

    state: State
    reason: str = ""


class UrlOutcomes:
    """What a refresh has met so far; a part of the journal, so that it lasts as long as the work does."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        for statement in _SCHEMA.split(";"):
            self._journal.run(statement)

    def keep(self, key: str, met: UrlOutcome, position: int, identifier: bytes | None = None) -> None:
        """Keep what became of a URL at a position, and which page set came of it; the first that is said holds."""
        row = (key, position, str(met.state), met.reason, identifier)
        self._journal.run("INSERT OR IGNORE INTO met VALUES (?, ?, ?, ?, ?)", *row)

    def recall(self, key: str) -> UrlOutcome | None:
        """Return what became of a URL; None if it was not met."""
        row = self._journal.run("SELECT state, reason FROM met WHERE key = ?", key).fetchone()
        return None if row is None else UrlOutcome(State(row[0]), row[1])

    def failed(self) -> list[str]:
        """Return the URLs that could not be asked."""
        rows = self._journal.run("SELECT key FROM met WHERE state = ?", State.FAILED.value)
        return [url_of(key) for (key,) in rows]

    def order(self) -> list[bytes]:
        """Return the identifiers of the page sets that were met, each once, in the order in which they were."""
        rows = self._journal.run("SELECT identifier FROM met WHERE identifier IS NOT NULL ORDER BY position")
        return list(dict.fromkeys(identifier for (identifier,) in rows))

    # Chains that were not met with again when their destination was

    def drop_chain(self, url: str, chain: Chain) -> None:
        """Keep a chain to a URL that was dropped, in case its beginning turns out to have failed."""
        self._journal.run("INSERT INTO dropped VALUES (?, ?, ?)", chain[0], url, json.dumps(chain))

    def dropped(self, first: str) -> list[tuple[str, Chain]]:
        """Return the chains that were dropped and begin with a URL, each with where it led."""
        rows = self._journal.run("SELECT url, chain FROM dropped WHERE first = ?", first)
        return [(url, tuple(json.loads(chain))) for url, chain in rows]

    # Page sets without a source, and images that no page shows

    def keep_emptied(self, identifier: bytes) -> None:
        """Keep that a page set has lost its last source, or an image set its last page; it may get another."""
        self._journal.run("INSERT OR IGNORE INTO emptied VALUES (?)", identifier)

    def emptied(self) -> list[bytes]:
        """Return the content sets that have lost their last source or page at some time."""
        return [identifier for (identifier,) in self._journal.run("SELECT identifier FROM emptied")]

    # AuxiliaryRecords that no page refers to

    def keep_unused(self, key: bytes) -> None:
        """Keep that no page refers to a record any more; one whose turn has not come may."""
        self._journal.run("INSERT OR IGNORE INTO unused VALUES (?)", key)

    def unused(self) -> list[bytes]:
        """Return the keys of records to which no page referred at some time."""
        return [key for (key,) in self._journal.run("SELECT key FROM unused")]

    # Pages that are no more, for what took their place has less of them

    def keep_surplus(self, page: Ref, by: Ref) -> None:
        """Keep that a page is no more, and which one stands for it."""
        self._journal.run("INSERT INTO surplus VALUES (?, ?, ?, ?)", *page, *by)

    def surplus(self) -> dict[Ref, Ref]:
        """Return the pages that are no more, with those that stand for them."""
        rows = self._journal.run("SELECT * FROM surplus")
        return {Ref(number, generation): Ref(by, by_generation) for number, generation, by, by_generation in rows}

    # What pages said before, and say now

    def compare(self, key: str, before: bytes, after: bytes) -> None:
        """Keep by what a page was known before and now: its text, or its identifier where it has no text."""
        self._journal.run("INSERT OR REPLACE INTO compared VALUES (?, ?, ?)", key, before, after)

    def compared(self) -> int:
        """Return how many pages were compared."""
        (count,) = self._journal.run("SELECT count(*) FROM compared").fetchone()
        return int(count)

    def most_alike(self) -> tuple[int, int]:
        """Return how many pages, at most, say the same now, and how many different things these said before."""
        rows: Iterator[tuple[int, int]] = self._journal.run(
            "SELECT count(*) AS pages, count(DISTINCT before) FROM compared GROUP BY after ORDER BY pages DESC LIMIT 1"
        )
        return next(iter(rows), (0, 0))
