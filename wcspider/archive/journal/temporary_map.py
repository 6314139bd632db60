"""A map from numbers to bytes in a temporary database, which SQLite removes: its memory does not grow with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from wcspider.archive.journal.spool import temporary_folder


class TemporaryMap:
    """Bytes by number."""

    def __init__(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """Fill the map; of several rows with a number, the first counts.

        Raises `TargetNotWritableError` if there is no space for the database.
        """
        with temporary_folder():
            self._db = sqlite3.connect("", isolation_level=None)
            self._db.execute("CREATE TABLE entry (number INTEGER PRIMARY KEY, value BLOB)")
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?)", rows)
            self._db.execute("COMMIT")

    def get(self, number: int) -> bytes | None:
        """Return the bytes of a number; None if it has none."""
        row = self._db.execute("SELECT value FROM entry WHERE number = ?", (number,)).fetchone()
        return None if row is None else row[0]

    def close(self) -> None:
        """Remove the database."""
        self._db.close()
