"""The entries of a run's report, in the journal: a URL and a reason for each kind of entry."""

from __future__ import annotations

from collections.abc import Iterator

from wcspider.archive.journal.journal import Journal


class ReportEntries:
    """The entries of the report, by kind (such as ``page``) and by reason (such as ``HTTP 404``)."""

    def __init__(self, journal: Journal) -> None:
        self._connection = journal.connection

    def add(self, kind: str, reason: str, url: str) -> bool:
        """Add an entry; False if there is the same entry already."""
        row = (kind, reason, url)
        return self._connection.execute("INSERT OR IGNORE INTO report_entry VALUES (?, ?, ?)", *row).rowcount == 1

    def remove(self, kind: str, reason: str, url: str) -> bool:
        """Remove an entry; False if there is none."""
        statement = "DELETE FROM report_entry WHERE kind = ? AND reason = ? AND url = ?"
        return self._connection.execute(statement, kind, reason, url).rowcount == 1

    def counts(self, kind: str) -> list[tuple[str, int]]:
        """Return the reasons of a kind, each with the number of its URLs."""
        statement = "SELECT reason, count(*) FROM report_entry WHERE kind = ? GROUP BY reason ORDER BY reason"
        return list(self._connection.execute(statement, kind))

    def sorted_urls(self, kind: str, reason: str, limit: int) -> Iterator[str]:
        """Yield the first `limit` URLs of a kind and a reason in an order that the network cannot change."""
        statement = "SELECT url FROM report_entry WHERE kind = ? AND reason = ? ORDER BY url LIMIT ?"
        yield from (url for (url,) in self._connection.execute(statement, kind, reason, limit))

    def urls(self, kind: str, reason: str, limit: int) -> Iterator[str]:
        """Yield the first `limit` URLs of a kind and a reason."""
        statement = "SELECT url FROM report_entry WHERE kind = ? AND reason = ? ORDER BY rowid LIMIT ?"
        yield from (url for (url,) in self._connection.execute(statement, kind, reason, limit))
