"""The outline of a run: the item of each page is below the item of the first page that links to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Journal
from wcspider.archive.journal.outline_items import OutlineItems
from wcspider.engines.base import Heading
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.content_sets import PageSet


class OutlineOrder:
    """Adds outline items below the items of a run's earlier positions, which the journal remembers."""

    def __init__(self, database: ContentDatabase, journal: Journal) -> None:
        self.database = database
        self._items = OutlineItems(journal)

    def add(self, stored: Stored[PageSet], headings: Sequence[Heading], position: int) -> None:
        """Add the item of a new page set at a position."""
        content = stored.content
        above = self._items.above(position)
        item = self.database.outline.add(content, headings, None if above is None else Ref(above))
        updated = self.database.update(stored, replace(content, outline=item))
        self._tell_versions_apart(updated)
        self._note(position, item)

    def note(self, stored: Stored[PageSet], position: int) -> None:
        """Note that a page set of the file is the one at a position: the pages that it links to go below its item."""
        self._note(position, stored.content.outline)

    def update(self, stored: Stored[PageSet], headings: Sequence[Heading], position: int) -> None:
        """Update the item of a page set that was replaced."""
        content = stored.content
        if content.outline is not None:
            self.database.outline.update(content.outline, content, headings)
            self._tell_versions_apart(stored)
        self.note(stored, position)

    def _tell_versions_apart(self, added: Stored[PageSet]) -> None:
        """Add dates to the items of a page set and of the other page sets with the same URL: versions of one page."""
        urls = {source.url for source in added.content.sources}
        found = {stored.reference: stored.content for url in urls for stored in self.database.find_page_sets(url)}
        versions = [
            content for content in found.values() if not urls.isdisjoint(source.url for source in content.sources)
        ]
        if len(versions) > 1:
            for content in versions:
                if content.outline is not None:
                    self.database.outline.add_date(content.outline, content)

    def _note(self, position: int, item: Ref | None) -> None:
        if item is not None:
            self._items.add(position, item.number)
