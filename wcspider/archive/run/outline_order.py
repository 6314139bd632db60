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
        self.database.update(stored, replace(content, outline=item))
        self._note(position, item)

    def note(self, stored: Stored[PageSet], position: int) -> None:
        """Note that a page set of the file is the one at a position: the pages that it links to go below its item."""
        self._note(position, stored.content.outline)

    def update(self, stored: Stored[PageSet], headings: Sequence[Heading], position: int) -> None:
        """Update the item of a page set that was replaced."""
        content = stored.content
        if content.outline is not None:
            self.database.outline.update(content.outline, content, headings)
        self.note(stored, position)

    def _note(self, position: int, item: Ref | None) -> None:
        if item is not None:
            self._items.add(position, item.number)


def tell_versions_apart(database: ContentDatabase, url: str) -> None:
    """Add dates to the items of the page sets at a URL if there are several, and remove the date of a single one."""
    versions = _versions(database, url)
    for stored in versions:
        if len(versions) > 1 and stored.content.outline is not None:
            database.outline.add_date(stored.content.outline, stored.content)
        else:
            remove_date_of_single(database, stored.content)


def remove_date_of_single(database: ContentDatabase, content: PageSet) -> None:
    """Remove the date from the item of a page set that is the only one at each of its URLs."""
    if content.outline is None or not database.outline.has_date(content.outline, content):
        return
    if not any(len(_versions(database, source.url)) > 1 for source in content.sources):
        database.outline.remove_date(content.outline, content)


def _versions(database: ContentDatabase, url: str) -> list[Stored[PageSet]]:
    return [stored for stored in database.find_page_sets(url) if stored.content.source(url) is not None]
