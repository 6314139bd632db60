"""The outline of a run: the item of each page below that of the page whose link led to it first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Journal
from wcspider.engines.base import Heading
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.content_sets import PageSet


class OutlineOrder:
    """Keeps the outline items of a run's positions in the journal, and adds items below them."""

    def __init__(self, database: ContentDatabase, journal: Journal) -> None:
        self.database = database
        self._journal = journal
        journal.run("CREATE TABLE IF NOT EXISTS item (position INTEGER PRIMARY KEY, number INTEGER)")

    def add(self, stored: Stored, headings: Sequence[Heading], position: int) -> None:
        """Add the item of a page set that was met for the first time at a position."""
        content = stored.content
        assert isinstance(content, PageSet)
        item = self.database.outline.add(content, headings, self._above(position))
        self.database.update(stored, replace(content, outline=item))
        self._keep(position, item)

    def meet(self, stored: Stored, position: int) -> None:
        """Take that a page set which the file holds was met at a position: what it leads to stands below it."""
        if isinstance(stored.content, PageSet):
            self._keep(position, stored.content.outline)

    def change(self, stored: Stored, headings: Sequence[Heading], position: int) -> None:
        """Let the item of a page set that was replaced say what that says now."""
        content = stored.content
        if isinstance(content, PageSet) and content.outline is not None:
            self.database.outline.change(content.outline, content, headings)
        self.meet(stored, position)

    def _keep(self, position: int, item: Ref | None) -> None:
        if item is not None:
            self._journal.run("INSERT OR REPLACE INTO item VALUES (?, ?)", position, item.number)

    def _above(self, position: int) -> Ref | None:
        """Return the item of the page whose link led to a position."""
        row = self._journal.run(
            "SELECT item.number FROM place JOIN item ON item.position = place.parent WHERE place.position = ?", position
        ).fetchone()
        return None if row is None else Ref(row[0])
