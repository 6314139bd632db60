"""The outline items of a run's positions, in the journal."""

from __future__ import annotations

from wcspider.archive.journal.journal import Journal

_ABOVE = """
SELECT outline_item.number FROM place JOIN outline_item ON outline_item.position = place.parent
WHERE place.position = ?
"""


class OutlineItems:
    """The object numbers of the outline items, by position."""

    def __init__(self, journal: Journal) -> None:
        self._connection = journal.connection

    def add(self, position: int, number: int) -> None:
        """Set the outline item of a position."""
        self._connection.execute("INSERT OR REPLACE INTO outline_item VALUES (?, ?)", position, number)

    def above(self, position: int) -> int | None:
        """Return the outline item of the page that links to a position; None if it has none."""
        row = self._connection.execute(_ABOVE, position).fetchone()
        return None if row is None else int(row[0])
