"""Objects that a refresh may have to remove at its end, in the journal: a page of a later turn may still need them."""

from __future__ import annotations

from wcspider.archive.journal.journal import Journal
from wcspider.pdf.objects import Ref


class RemovalCandidates:
    """Content sets and auxiliary records that were without a reference at some time, and replaced PDF pages."""

    def __init__(self, journal: Journal) -> None:
        self._connection = journal.connection

    def add_content_set(self, identifier: bytes) -> None:
        """Note that a page set has lost its last source, or an image set its last page."""
        self._connection.execute("INSERT OR IGNORE INTO unreferenced_set VALUES (?)", identifier)

    def content_sets(self) -> list[bytes]:
        """Return the identifiers of the content sets."""
        return [identifier for (identifier,) in self._connection.execute("SELECT identifier FROM unreferenced_set")]

    def add_record(self, key: bytes) -> None:
        """Note that no page refers to an auxiliary record any more."""
        self._connection.execute("INSERT OR IGNORE INTO unreferenced_record VALUES (?)", key)

    def records(self) -> list[bytes]:
        """Return the keys of the auxiliary records."""
        return [key for (key,) in self._connection.execute("SELECT key FROM unreferenced_record")]

    def add_page(self, page: Ref, substitute: Ref) -> None:
        """Note a PDF page that was removed, and the page to which destinations are to lead instead."""
        self._connection.execute("INSERT INTO removed_page VALUES (?, ?, ?, ?)", *page, *substitute)

    def pages(self) -> dict[Ref, Ref]:
        """Return the removed PDF pages with their substitutes."""
        rows = self._connection.execute("SELECT * FROM removed_page")
        return {Ref(number, generation): Ref(by, by_generation) for number, generation, by, by_generation in rows}
