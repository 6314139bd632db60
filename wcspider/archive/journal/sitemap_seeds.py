"""The seeds that the sitemaps of a run list, in the journal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wcspider.archive.journal.journal import Journal

ROWS_AT_ONCE = 1000
_COMPLETE = "sitemaps read"


class Seeds:
    """The URLs that the sitemaps of a run list, by the index of the command."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def begin(self) -> bool:
        """Begin to collect seeds; False if an unfinished run has collected all of them."""
        if self._journal.read_state(_COMPLETE):
            return False
        self._journal.connection.execute("DELETE FROM seed")
        return True

    def end(self) -> None:
        """Note that all seeds were collected."""
        self._journal.write_state(_COMPLETE, True)

    def add(self, command: int, urls: Iterable[str]) -> None:
        """Add the URLs of a command, in order."""
        for url in urls:
            self._journal.connection.execute("INSERT INTO seed (command, url) VALUES (?, ?)", command, url)

    def of(self, command: int) -> Iterator[str]:
        """Yield the URLs of a command, in order."""
        last = 0
        statement = "SELECT number, url FROM seed WHERE command = ? AND number > ? ORDER BY number LIMIT ?"
        while rows := self._journal.connection.execute(statement, command, last, ROWS_AT_ONCE).fetchall():
            last = rows[-1][0]
            yield from (url for _, url in rows)
