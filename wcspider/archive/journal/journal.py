"""The journal of an unfinished run: the state that must survive a crash, in an SQLite file beside FILE.part.

The journal holds the frontier, the facts about every URL, and the entries of the final report. All changes between
two commits of FILE.part are one transaction. After a crash the journal is as it was at the last checkpoint; FILE.part
is cut back to the length in that checkpoint, and the crawl resumes from there.

The spider runs ahead of the file. Facts from later turns than the last one in the file are tagged with their turn and
deleted on resuming: those pages are fetched again.

Tables that grow with the crawl only grow at their end, so that a checkpoint writes only new rows. An index on disk
would write one database page for each URL. The index of URLs is therefore in memory, about a hundred
bytes for each URL, and is built when the journal is opened.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wcspider.archive.journal.sqlite_connection import Connection
from wcspider.webcapture.order import Fact, FactKind
from wcspider.webcapture.records import FormCode

SUFFIXES = ("", "-wal", "-shm", "-journal")
"""The endings that SQLite appends to the name of a database for the files beside it."""

_FILL_INDEX = """
INSERT INTO known SELECT key, max(place), max(fact), max(stored) FROM (
    SELECT key, position AS place, NULL AS fact, NULL AS stored FROM place
    UNION ALL SELECT key, NULL, number, NULL FROM fact
    UNION ALL SELECT key, NULL, NULL, number FROM stored
) GROUP BY key
"""


@dataclass(frozen=True, slots=True)
class Place:
    """An entry of the frontier: a page to fetch, or one that was fetched, with its position in the reading order."""

    position: int
    key: str
    """The request key of the page (`wcspider.crawl.request_keys.request_key`)."""

    level: int
    """1 for the URL of a command."""

    command: int
    charset: str | None = None
    """The charset attribute of the link to the page."""

    form: FormCode = FormCode.NONE


CAPTURED = ("page_sets", "known", "changed", "returned")
"""The counts of captured pages, by the names of the report."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The progress of a run: the valid part of FILE.part, and the next turn."""

    length: int = 0
    """The length of the valid part of FILE.part in bytes. 0 means that there is nothing to resume."""

    position: int = 0
    """The position whose turn is next."""

    commands: tuple[int, ...] = ()
    """The object numbers of the run's commands."""

    title: str = ""
    """The title of the first page set."""

    counts: tuple[tuple[str, int], ...] = ()
    """The counts of the report, by name."""

    @property
    def has_pages(self) -> bool:
        """True if a page was captured before the checkpoint."""
        return any(count for name, count in self.counts if name in CAPTURED)


class Journal:
    """The journal in one SQLite file, or in memory."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the journal at `path` and create it if it does not exist; None keeps it in memory.

        Raises `TargetNotWritableError` if it cannot be read or written, and `TargetUnfinishedError` if another
        version of wcspider wrote it or it is damaged.
        """
        self.path = path
        self.connection = Connection(path)
        """For the tables of this package only."""

        self.connection.execute(_FILL_INDEX)

    def close(self) -> None:
        """Close the journal as it was at the last checkpoint."""
        self.connection.close()

    # The state of the run

    def read_state(self, key: str) -> Any:
        """Return a value of the state; None if it is not set."""
        row = self.connection.execute("SELECT value FROM state WHERE key = ?", key).fetchone()
        return None if row is None else self.connection.loads(row[0])

    def write_state(self, key: str, value: Any) -> None:
        """Set a value of the state to anything that JSON can express."""
        self.connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", key, json.dumps(value))

    @property
    def checkpoint(self) -> Checkpoint:
        """The last checkpoint."""
        state = self.read_state("checkpoint") or {}
        try:
            counts = tuple((name, count) for name, count in state.get("counts", ()))
            commands = tuple(state.get("commands", ()))
            return Checkpoint(**{**state, "counts": counts, "commands": commands}) if state else Checkpoint()
        except (AttributeError, TypeError, ValueError) as error:
            raise self.connection.damaged(error) from error

    def commit(self, checkpoint: Checkpoint) -> None:
        """Make everything since the last checkpoint permanent, in one transaction."""
        self.write_state("checkpoint", asdict(checkpoint))
        self.connection.commit()

    def rewind(self) -> Checkpoint:
        """Delete the facts from later turns than the last checkpoint; return that checkpoint."""
        checkpoint = self.checkpoint
        self.connection.execute("DELETE FROM place WHERE parent >= ?", checkpoint.position)
        self.connection.execute("DELETE FROM fact WHERE position >= ?", checkpoint.position)
        self.connection.execute("DELETE FROM skipped_page WHERE position >= ?", checkpoint.position)
        self.connection.execute("DELETE FROM problem WHERE key NOT IN (SELECT key FROM fact)")
        self.connection.execute("DELETE FROM known")
        self.connection.execute(_FILL_INDEX)
        return checkpoint

    def _row_number(self, table: str, key: str) -> int | None:
        """Return the number of a key's row in a table; None if the table has no row for the key."""
        row = self.connection.execute(f"SELECT {table} FROM known WHERE key = ?", key).fetchone()
        return None if row is None else row[0]

    def _index_row(self, table: str, key: str, number: int | None) -> None:
        """Put the number of a key's row in a table into the index."""
        self.connection.execute(
            f"INSERT INTO known (key, {table}) VALUES (?, ?) ON CONFLICT DO UPDATE SET {table} = excluded.{table}",
            key,
            number,
        )

    # The frontier

    def add_place(self, place: Place, parent: int) -> bool:
        """Add a place that the page at the position `parent` links to; False if its key has a place already."""
        if self.has_place(place.key):
            return False
        row = (place.position, parent, place.key, place.level, place.command, place.charset, int(place.form))
        self.connection.execute("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
        self._index_row("place", place.key, place.position)
        return True

    def has_place(self, key: str) -> bool:
        """Tell whether a key has a place."""
        return self._row_number("place", key) is not None

    def has_place_or_fact_before(self, key: str, position: int) -> bool:
        """Tell whether a key had a place before a position, or a turn before it showed a fact about the key."""
        statement = "SELECT place, (SELECT position FROM fact WHERE number = known.fact) FROM known WHERE key = ?"
        positions = self.connection.execute(statement, key).fetchone() or ()
        return any(found is not None and found < position for found in positions)

    def query_variants(self, page: str, limit: int) -> int:
        """Return the number of places that have the URL `page` with a query; counts no further than `limit`."""
        (count,) = self.connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM known WHERE key >= ? AND key < ? AND place IS NOT NULL LIMIT ?)",
            page + "?",
            page + "@",  # the character behind "?"
            limit,
        ).fetchone()
        return int(count)

    @property
    def next_position(self) -> int:
        """The first position that has no place."""
        (last,) = self.connection.execute("SELECT max(position) FROM place").fetchone()
        return 0 if last is None else last + 1

    def places(self, start: int, limit: int) -> list[Place]:
        """Return up to `limit` places from the position `start` on, in order."""
        rows = self.connection.execute(
            "SELECT position, key, level, command, charset, form FROM place WHERE position >= ? "
            "ORDER BY position LIMIT ?",
            start,
            limit,
        )
        return [
            Place(position, key, level, command, charset, FormCode(form))
            for position, key, level, command, charset, form in rows
        ]

    def found_at(self, position: int) -> tuple[Place, int] | None:
        """Return the place at a position, and the position of the page that links to it; None if there is none."""
        row = self.connection.execute("SELECT parent FROM place WHERE position = ?", position).fetchone()
        return None if row is None else (self.places(position, 1)[0], row[0])

    # Facts about keys (`wcspider.webcapture.order.Facts`)

    def recall(self, key: str) -> Fact | None:
        """Return the fact about a key."""
        number = self._row_number("fact", key)
        if number is None:
            return None
        kind, value = self.connection.execute("SELECT kind, value FROM fact WHERE number = ?", number).fetchone()
        return Fact(FactKind(kind), value)

    def keep(self, key: str, fact: Fact, position: int) -> None:
        """Add the fact that the turn of a position has shown about a key; the first fact about a key stays."""
        if self._row_number("fact", key) is None:
            row = (None, key, position, str(fact.kind), fact.value)
            cursor = self.connection.execute("INSERT INTO fact VALUES (?, ?, ?, ?, ?)", *row)
            self._index_row("fact", key, cursor.lastrowid)

    # What the writer has stored

    def note_stored(self, key: str, url: str, identifier: bytes) -> None:
        """Note the URL and the digital identifier of the page set that was made from the content of a key."""
        row = (None, key, None if url == key else url, identifier)
        cursor = self.connection.execute("INSERT INTO stored VALUES (?, ?, ?, ?)", *row)
        self._index_row("stored", key, cursor.lastrowid)

    def stored(self, key: str) -> tuple[str, bytes]:
        """Return the URL and the digital identifier of the page set that was made from the content of a key."""
        number = self._row_number("stored", key)
        statement = "SELECT url, identifier FROM stored WHERE number = ?"
        url, identifier = self.connection.execute(statement, number).fetchone()
        return url or key, identifier

    def note_problem(self, key: str, reason: str) -> None:
        """Note why no PDF pages could be made from the content of a key; the first reason stays."""
        self.connection.execute("INSERT OR IGNORE INTO problem VALUES (?, ?)", key, reason)

    def problem(self, key: str) -> str | None:
        """Return why no PDF pages could be made from the content of a key; None if there is no such reason."""
        row = self.connection.execute("SELECT reason FROM problem WHERE key = ?", key).fetchone()
        return None if row is None else str(row[0])


def remove(path: Path) -> None:
    """Remove the journal at `path`, and the files that SQLite puts beside it."""
    for suffix in SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
