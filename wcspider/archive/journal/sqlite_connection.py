"""The SQLite database of a journal: its tables, its format version, and its errors as exceptions of wcspider."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wcspider.exceptions import TargetError, TargetNotWritableError, TargetUnfinishedError, one_line
from wcspider.program_names import flag

FORMAT = 4
"""The version of the tables, in SQLite's ``user_version``. Change it whenever the tables change their meaning."""

PAGE_SIZE = 1024
"""The size of a database page. A checkpoint writes whole pages, and the last page of each table is half empty."""

_TABLES = """
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE place (
    position INTEGER PRIMARY KEY, parent INTEGER, key TEXT, level INTEGER, command INTEGER, charset TEXT, form INTEGER
);
CREATE TABLE fact (number INTEGER PRIMARY KEY, key TEXT, position INTEGER, kind TEXT, value TEXT);
CREATE TABLE stored (number INTEGER PRIMARY KEY, key TEXT, url TEXT, identifier BLOB);
CREATE TABLE problem (key TEXT PRIMARY KEY, reason TEXT) WITHOUT ROWID;
CREATE TABLE seed (number INTEGER PRIMARY KEY, command INTEGER, url TEXT);
CREATE TABLE outline_item (position INTEGER PRIMARY KEY, number INTEGER);
CREATE TABLE skipped_page (
    url TEXT, reason TEXT, position INTEGER, parent INTEGER, command INTEGER, level INTEGER, redirects TEXT,
    moment TEXT
);
CREATE TABLE report_entry (kind TEXT, reason TEXT, url TEXT, PRIMARY KEY (kind, reason, url));
CREATE TABLE url_outcome (
    key TEXT PRIMARY KEY, position INTEGER, state TEXT, reason TEXT, identifier BLOB
) WITHOUT ROWID;
CREATE TABLE removed_chain (first TEXT, url TEXT, chain TEXT);
CREATE TABLE unreferenced_set (identifier BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE unreferenced_record (key BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE removed_page (number INTEGER, generation INTEGER, by INTEGER, by_generation INTEGER);
CREATE TABLE compared_text (key TEXT PRIMARY KEY, before BLOB, after BLOB) WITHOUT ROWID;
"""

_INDEX = """
ATTACH ':memory:' AS memory;
CREATE TABLE memory.known (key TEXT PRIMARY KEY, place INTEGER, fact INTEGER, stored INTEGER) WITHOUT ROWID;
"""


class Connection:
    """A connection to the database of a journal, inside the transaction that the next checkpoint ends."""

    def __init__(self, path: Path | None) -> None:
        """Open the database at `path`, or one in memory for None; create its tables if it has none.

        Raises `TargetNotWritableError` if it cannot be read or written, and `TargetUnfinishedError` if another
        version of wcspider wrote it or it is damaged.
        """
        self.path = path
        with _converted(path):
            self._db = sqlite3.connect(path or ":memory:", isolation_level=None)
            self._db.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            if not self._db.execute("SELECT name FROM sqlite_master").fetchone():
                self._db.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {FORMAT}; COMMIT;")
            self._check_format()
            self._db.executescript(_INDEX)
            self._db.execute("BEGIN")

    def _check_format(self) -> None:
        (found,) = self._db.execute("PRAGMA user_version").fetchone()
        if found == FORMAT:
            return
        self._db.close()
        raise TargetUnfinishedError(
            f"{self.path}: another version of wcspider began this work, and this version cannot resume it",
            f"add {flag('fresh')} to begin anew, or finish it with the version that began it",
        )

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        """Run a statement inside the current transaction.

        After an error, nothing more can be read or written: SQLite may have undone the transaction, and would then
        make each further change permanent at once.
        """
        try:
            return self._db.execute(statement, values)
        except sqlite3.Error as error:  # not `_converted`, which would take longer than most statements
            self._db.close()
            raise _problem(self.path, error) from error

    def loads(self, text: Any) -> Any:
        """Return a value that is stored as JSON. Raises `TargetUnfinishedError` if it is damaged.

        SQLite notices damage in its own structures, but not in long values, of which a crash may leave zero bytes.
        """
        try:
            return json.loads(text)
        except (ValueError, TypeError) as error:
            raise self.damaged(error) from error

    def damaged(self, error: Exception) -> TargetUnfinishedError:
        """Return the error for a value that cannot be understood."""
        return _damaged(self.path, one_line(error))

    def commit(self) -> None:
        """End the current transaction, and begin the next one."""
        self.execute("COMMIT")
        self.execute("BEGIN")

    def close(self) -> None:
        """Close the database, which undoes the current transaction."""
        self._db.close()


@contextmanager
def _converted(path: Path | None) -> Iterator[None]:
    """Convert errors of SQLite (`_problem`)."""
    try:
        yield
    except sqlite3.Error as error:
        raise _problem(path, error) from error


def _problem(path: Path | None, error: sqlite3.Error) -> TargetError:
    """Return the error of wcspider for an error of SQLite: the journal is damaged, or it cannot be written."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details of extended codes
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):  # the last: tables are missing
        return _damaged(path, str(error))
    return TargetNotWritableError(f"{path}: {error}")


def _damaged(path: Path | None, problem: str) -> TargetUnfinishedError:
    return TargetUnfinishedError(f"{path}: is damaged ({problem})", f"add {flag('fresh')} to start over")
