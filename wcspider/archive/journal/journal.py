"""The journal of an unfinished capture: what a crash must not lose, in an SQLite file beside FILE.part.

It holds the frontier, what is known of every URL that was met, and what is to be said at the end. All of it is one
transaction from one commit of FILE.part to the next, so the two go together: after a crash the journal is as it was
at the last checkpoint, FILE.part is cut back to the length that it names, and the crawl goes on from there.

What the spider has found out beyond the last turn that is in the file is tagged with its turn and forgotten on
resuming: those pages are fetched once more, and give the same again.

What grows with the crawl is only ever added to at its end, so that a checkpoint writes what is new and no more: an
index on disk would have a page of its own written for each URL. Where a URL stands is in an index in memory, of some
hundred bytes each, which is made when the journal is opened.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wcspider.exceptions import TargetNotWritableError
from wcspider.webcapture.order import Fact, FactKind
from wcspider.webcapture.records import FormCode

SUFFIXES = ("", "-wal", "-shm", "-journal")
"""What SQLite appends to the name of a database for the files beside it."""

BLOCK = 1024
"""The size of the pages of the database: a checkpoint writes whole ones, and the last of each table is half empty."""

_SCHEMA = """
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE place (
    position INTEGER PRIMARY KEY, parent INTEGER, key TEXT, level INTEGER, command INTEGER, charset TEXT, form INTEGER
);
CREATE TABLE fact (number INTEGER PRIMARY KEY, key TEXT, position INTEGER, kind TEXT, value TEXT);
CREATE TABLE stored (number INTEGER PRIMARY KEY, key TEXT, url TEXT, identifier BLOB);
CREATE TABLE problem (key TEXT PRIMARY KEY, reason TEXT) WITHOUT ROWID;
CREATE TABLE omitted (
    url TEXT, reason TEXT, position INTEGER, parent INTEGER, command INTEGER, level INTEGER, way TEXT
);
CREATE TABLE omission (what TEXT, reason TEXT, url TEXT, PRIMARY KEY (what, reason, url));
"""

_INDEX = """
ATTACH ':memory:' AS memory;
CREATE TABLE memory.known (key TEXT PRIMARY KEY, place INTEGER, fact INTEGER, stored INTEGER) WITHOUT ROWID;
"""

_FILL_INDEX = """
INSERT INTO known SELECT key, max(place), max(fact), max(stored) FROM (
    SELECT key, position AS place, NULL AS fact, NULL AS stored FROM place
    UNION ALL SELECT key, NULL, number, NULL FROM fact
    UNION ALL SELECT key, NULL, NULL, number FROM stored
) GROUP BY key
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in the reading order: a page that is to be fetched, or was."""

    position: int
    key: str
    """What its request claims (`wcspider.crawl.request_keys.request_key`)."""

    level: int
    """1 for the URL of a command."""

    command: int
    charset: str | None = None
    """The charset attribute of the link that led there."""

    form: FormCode = FormCode.NONE


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a capture stands: what is in FILE.part, and what is to be done next."""

    length: int = 0
    """How much of FILE.part holds. 0: nothing yet, so there is nothing to resume."""

    position: int = 0
    """The position whose turn is next."""

    commands: tuple[int, ...] = ()
    """The object numbers of the run's commands."""

    title: str = ""
    """The title of the first page set."""

    counts: tuple[tuple[str, int], ...] = ()
    """The counts of the report, by name."""


class Journal:
    """The journal in one SQLite file, or in memory."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the journal at `path`, making it if need be; None for one that is gone with the process.

        Raises `TargetNotWritableError` if it cannot be read or written.
        """
        self.path = path
        with _translated(path):
            self._db = sqlite3.connect(path or ":memory:", isolation_level=None)
            self._db.execute(f"PRAGMA page_size = {BLOCK}")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            if not self._db.execute("SELECT name FROM sqlite_master").fetchone():
                self._db.executescript(_SCHEMA)
            self._db.executescript(_INDEX)
            self._db.execute("BEGIN")
            self._db.execute(_FILL_INDEX)

    def close(self) -> None:
        """Close the journal as it was at the last checkpoint."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")
        self._db.close()

    def _run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        with _translated(self.path):
            return self._db.execute(statement, values)

    def run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        """Run a statement, of a table of another module's, in the transaction that the next checkpoint ends."""
        return self._run(statement, *values)

    # The state of the capture

    def read_state(self, key: str) -> Any:
        """Return a value of the state; None if there is none."""
        row = self._run("SELECT value FROM state WHERE key = ?", key).fetchone()
        return None if row is None else json.loads(row[0])

    def write_state(self, key: str, value: Any) -> None:
        """Set a value of the state, which JSON can hold."""
        self._run("INSERT OR REPLACE INTO state VALUES (?, ?)", key, json.dumps(value))

    @property
    def checkpoint(self) -> Checkpoint:
        """Where the capture stood at the last checkpoint."""
        state = self.read_state("checkpoint") or {}
        counts = tuple((name, count) for name, count in state.get("counts", ()))
        commands = tuple(state.get("commands", ()))
        return Checkpoint(**{**state, "counts": counts, "commands": commands}) if state else Checkpoint()

    def commit(self, checkpoint: Checkpoint) -> None:
        """Make everything since the last checkpoint hold, at once."""
        self.write_state("checkpoint", asdict(checkpoint))
        self._run("COMMIT")
        self._run("BEGIN")

    def rewind(self) -> Checkpoint:
        """Forget what was found out beyond the last checkpoint; return it."""
        checkpoint = self.checkpoint
        self._run("DELETE FROM place WHERE parent >= ?", checkpoint.position)
        self._run("DELETE FROM fact WHERE position >= ?", checkpoint.position)
        self._run("DELETE FROM omitted WHERE position >= ?", checkpoint.position)
        self._run("DELETE FROM problem WHERE key NOT IN (SELECT key FROM fact)")
        self._run("DELETE FROM known")
        self._run(_FILL_INDEX)
        return checkpoint

    def _find(self, column: str, key: str) -> int | None:
        """Return the number of a key's row in one of the tables; None if it has none."""
        row = self._run(f"SELECT {column} FROM known WHERE key = ?", key).fetchone()
        return None if row is None else row[0]

    def _note(self, column: str, key: str, number: int | None) -> None:
        """Put the number of a key's row in one of the tables into the index."""
        self._run(
            f"INSERT INTO known (key, {column}) VALUES (?, ?) ON CONFLICT DO UPDATE SET {column} = excluded.{column}",
            key,
            number,
        )

    # The frontier

    def add_place(self, place: Place, parent: int) -> bool:
        """Add a place that the page at the position `parent` led to; False if its key is known already."""
        if self.has_place(place.key):
            return False
        row = (place.position, parent, place.key, place.level, place.command, place.charset, int(place.form))
        self._run("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
        self._note("place", place.key, place.position)
        return True

    def has_place(self, key: str) -> bool:
        """Tell whether a key has a place."""
        return self._find("place", key) is not None

    def query_variants(self, page: str, limit: int) -> int:
        """Return how many places have the URL `page` with a query behind it, counting up to `limit`."""
        (count,) = self._run(
            "SELECT count(*) FROM (SELECT 1 FROM known WHERE key >= ? AND key < ? AND place IS NOT NULL LIMIT ?)",
            page + "?",
            page + "@",  # the character behind "?"
            limit,
        ).fetchone()
        return int(count)

    @property
    def next_position(self) -> int:
        """The first position that no place has."""
        (last,) = self._run("SELECT max(position) FROM place").fetchone()
        return 0 if last is None else last + 1

    def places(self, start: int, limit: int) -> list[Place]:
        """Return up to `limit` places from the position `start` on, in order."""
        rows = self._run(
            "SELECT position, key, level, command, charset, form FROM place WHERE position >= ? "
            "ORDER BY position LIMIT ?",
            start,
            limit,
        )
        return [
            Place(position, key, level, command, charset, FormCode(form))
            for position, key, level, command, charset, form in rows
        ]

    # What turns have shown (`wcspider.webcapture.order.Facts`)

    def recall(self, key: str) -> Fact | None:
        """Return what is known of a key."""
        number = self._find("fact", key)
        if number is None:
            return None
        kind, value = self._run("SELECT kind, value FROM fact WHERE number = ?", number).fetchone()
        return Fact(FactKind(kind), value)

    def keep(self, key: str, fact: Fact, position: int) -> None:
        """Keep what the turn of a position has shown of a key; what was kept first holds."""
        if self._find("fact", key) is None:
            row = (None, key, position, str(fact.kind), fact.value)
            self._note("fact", key, self._run("INSERT INTO fact VALUES (?, ?, ?, ?, ?)", *row).lastrowid)

    # What the writer has done with it

    def keep_stored(self, key: str, url: str, identifier: bytes) -> None:
        """Keep which URL and identifier the content of a key has in the file."""
        row = (None, key, None if url == key else url, identifier)
        self._note("stored", key, self._run("INSERT INTO stored VALUES (?, ?, ?, ?)", *row).lastrowid)

    def stored(self, key: str) -> tuple[str, bytes]:
        """Return the URL and the identifier of the content of a key."""
        number = self._find("stored", key)
        url, identifier = self._run("SELECT url, identifier FROM stored WHERE number = ?", number).fetchone()
        return url or key, identifier

    def keep_problem(self, key: str, reason: str) -> None:
        """Keep why no pages could be made of what a key gave; the first reason holds."""
        self._run("INSERT OR IGNORE INTO problem VALUES (?, ?)", key, reason)

    def problem(self, key: str) -> str | None:
        """Return why no pages could be made of what a key gave."""
        row = self._run("SELECT reason FROM problem WHERE key = ?", key).fetchone()
        return None if row is None else str(row[0])

    # What is to be said at the end

    def add_skipped(self, what: str, reason: str, url: str) -> bool:
        """Note what did not make it; False if it was noted before."""
        return self._run("INSERT OR IGNORE INTO omission VALUES (?, ?, ?)", what, reason, url).rowcount == 1

    def skip_reasons(self, what: str) -> list[tuple[str, int]]:
        """Return the reasons for which something of a kind did not make it, and for how many URLs."""
        return list(
            self._run("SELECT reason, count(*) FROM omission WHERE what = ? GROUP BY reason ORDER BY reason", what)
        )

    def omitted(self, what: str, reason: str, limit: int) -> Iterator[str]:
        """Yield the first `limit` URLs that did not make it for a reason."""
        rows = self._run(
            "SELECT url FROM omission WHERE what = ? AND reason = ? ORDER BY rowid LIMIT ?", what, reason, limit
        )
        yield from (url for (url,) in rows)


def remove(path: Path) -> None:
    """Remove the journal at `path`, and the files that SQLite puts beside it."""
    for suffix in SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def _translated(path: Path | None) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise TargetNotWritableError(f"{path}: {error}") from error
