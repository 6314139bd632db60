"""The contents section of a file: pages in front of all others that list the page sets. It is optional.

Its last pages list the pages that could not be captured.

It is not a page set, because it has no source. The catalog's WCSP_Contents refers to its node of the page tree. It is
updated at the end of each run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.pages.page_extraction import extract_pages
from wcspider.engines.base import PageGeometry
from wcspider.pdf.file.page_labels import Range, label_of, with_front
from wcspider.pdf.objects import Name, Ref, Syntax, Value
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.steps import portions
from wcspider.webcapture.records import ALL_LEVELS, Command

if TYPE_CHECKING:
    from wcspider.engines.overlays.contents_pages import ContentsSheets, Cover, Row

PAGES_AT_ONCE = 20
"""The number of pages that are drawn before they are put into the file."""

MISSING_NAMED = 2_000
"""The number of missing pages in the list. The rest are counted."""

COMMANDS_NAMED = 20
"""The number of commands on the cover; a run may have thousands. The rest are counted."""


@dataclass(frozen=True, slots=True)
class ContentsDesign:
    """The design of a contents section."""

    is_wanted: bool
    """Whether a file without a contents section gets one."""

    geometry: PageGeometry
    system_fonts: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    """A page set in the list."""

    reference: Ref
    page: Ref
    """Its first page."""

    number: int
    """The number of that page, from 1."""

    item: Ref | None
    """Its item of the document outline."""

    moments: tuple[datetime, ...] = ()
    """When its content was captured for the first time, and when it was known to be up to date."""

    depth: int = 0


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the section: a heading and rows. It begins on a new page."""

    cover: Cover
    count: int
    """The number of rows."""

    row: Callable[[int], Row]
    """Returns a row by its index."""


class Contents:
    """The contents section of a file."""

    def __init__(self, database: ContentDatabase) -> None:
        self.database = database
        self.file = database.file
        self.catalog = database.catalog

    def update(self, design: ContentsDesign, title: str) -> None:
        """Update the section, or add it if it is wanted."""
        node, old = self._present()
        if not old and not design.is_wanted:
            return
        from wcspider.engines.overlays.contents_pages import (
            ContentsSheets,  # here: most runs need none of its libraries
        )

        ranges = self.catalog.page_labels
        entries = self._ordered(self._entries())
        sheets = ContentsSheets(design.geometry, system_fonts=design.system_fonts)
        node = node or self.file.allocate()
        cover = self._cover(title, entries, len(old))
        page_sets = _Part(cover, len(entries), lambda at: self._row(at, entries[at], ranges))
        parts = [page_sets, *_missing_part(SkippedRecords(self.database))]
        pages = self._place(sheets, parts, entries, node, old)
        for page in old[len(pages) :]:
            self.file.put(page, None)
        self.catalog.pages.lead(node, pages)
        self.catalog.contents = node
        self.catalog.page_labels = with_front(ranges, len(old), len(pages))

    def _present(self) -> tuple[Ref | None, list[Ref]]:
        """Return the node of the section, and the pages of the section that are still in the page tree.

        Other programs may have moved pages to other nodes, or removed them; then the node is None.
        """
        node, tree = self.catalog.contents, self.catalog.pages
        held = [] if node is None else tree.kids(node)
        if not held:
            return None, []
        numbers = tree.page_numbers(set(held))
        old = [page for page in held if page in numbers]
        if old and all(tree.node_of(page) == node for page in old):
            return node, old
        tree.remove(old)
        return None, old

    # The list

    def _entries(self) -> list[_Entry]:
        """Return the page sets in the order of their pages."""
        found = [
            _Entry(stored.reference, content.objects[0], 0, content.outline, tuple(_moments(content)))
            for stored in self.database.page_sets()
            if (content := stored.content).objects
        ]
        numbers = self.catalog.pages.page_numbers({entry.page for entry in found})
        entries = [replace(entry, number=numbers[entry.page]) for entry in found if entry.page in numbers]
        return sorted(entries, key=lambda entry: entry.number)

    def _ordered(self, entries: list[_Entry]) -> list[_Entry]:
        """Return the page sets nested as in the outline; those that are not in the outline come first."""
        by_item = {entry.item: entry for entry in entries if entry.item is not None}
        nested = []
        for item, depth in self.database.outline.items():
            entry = by_item.pop(item, None)
            if entry is not None:
                nested.append(replace(entry, depth=depth))
        known = {entry.reference for entry in nested}
        return [*(entry for entry in entries if entry.reference not in known), *nested]

    def _cover(self, title: str, entries: list[_Entry], old: int) -> Cover:
        from wcspider.engines.overlays.contents_pages import Cover

        moments = [moment for entry in entries for moment in entry.moments]
        range_of_dates = [f"{moment:%Y-%m-%d %H:%M} UTC" for moment in (min(moments), max(moments))] if moments else []
        commands = self.database.commands()
        lines = [
            *([f"Captured {' to '.join(dict.fromkeys(range_of_dates))}"] if moments else []),
            f"Entries: {len(entries)}. PDF pages: {self.catalog.pages.count - old}.",
            "",
            *(_described(command) for _, command in commands[:COMMANDS_NAMED]),
        ]
        if len(commands) > COMMANDS_NAMED:
            lines.append(f"and {len(commands) - COMMANDS_NAMED} more")
        return Cover(title, lines)

    # Its pages

    def _place(
        self, sheets: ContentsSheets, parts: Iterable[_Part], entries: list[_Entry], node: Ref, old: list[Ref]
    ) -> list[Ref]:
        """Put the pages into the file, with the numbers of the old ones as far as they go."""
        pages: list[Ref] = []
        for part in parts:
            cover: Cover | None = part.cover
            cut = _cut(part.count, sheets.rows_below(part.cover), sheets.rows_a_page)
            for drawn in portions(cut, PAGES_AT_ONCE):
                fragment = extract_pages(sheets.draw([[part.row(at) for at in page] for page in drawn], cover))
                replaced = old[len(pages) : len(pages) + len(drawn)]
                pages += self.database.place_front_pages(
                    fragment, node, replaced, lambda targets: [_action(entries, *target) for target in targets.items()]
                )
                cover = None
        return pages

    def _row(self, at: int, entry: _Entry, ranges: list[Range]) -> Row:
        from wcspider.engines.overlays.contents_pages import ROW_SCHEME, Row

        stored = self.database.page_set_at(entry.reference)
        assert stored is not None
        label = label_of(ranges, entry.number - 1, self.file.resolve)
        uri = f"{ROW_SCHEME}{at}"
        return Row(uri, stored.content.title, _origin(stored.content), label, entry.depth, _date(stored.content))


def _origin(page_set: PageSet) -> str:
    """Return the first URL of a page set, and since when it has been gone from the site."""
    if not page_set.sources:
        return ""
    url = page_set.sources[0].url
    gone = [source.gone for source in page_set.sources if source.gone is not None]
    return f"{url} (gone since {max(gone):%Y-%m-%d})" if len(gone) == len(page_set.sources) else url


def _moments(page_set: PageSet) -> Iterator[datetime]:
    """Yield when the content of a page set was captured for the first time, and when its sources were up to date."""
    yield from filter(None, (page_set.created, *(source.updated for source in page_set.sources)))


def _date(page_set: PageSet) -> str:
    """Return the date of a page set: when its content was captured for the first time."""
    moment = next(_moments(page_set), None)
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _missing_part(records: SkippedRecords) -> Iterator[_Part]:
    """Yield the part about the pages that are missing, by reason, if there are any."""
    from wcspider.engines.overlays.contents_pages import Cover, Row

    found = sorted((record.reason, url, record.referrer) for url, record in records.missing())
    if not found:
        return
    rows: list[Row] = []
    totals = Counter(reason for reason, _, _ in found)
    for reason, group in groupby(found[:MISSING_NAMED], key=itemgetter(0)):
        rows.append(Row("", f"{reason}: {totals[reason]}", "", "", 0))
        rows += [Row(url, url, f"linked from {referrer}" if referrer else "", "", 1) for _, url, referrer in group]
    if len(found) > MISSING_NAMED:
        rows.append(Row("", f"and {len(found) - MISSING_NAMED} more pages", "", "", 0))
    cover = Cover("Not in this file", [f"Pages that could not be captured: {len(found)}. The links lead to the web."])
    yield _Part(cover, len(rows), rows.__getitem__)


def _action(entries: list[_Entry], key: bytes, uri_action: bytes) -> Value:
    """Return the action of a row's link: a jump to a page set (12.6.4.2), or the action of a URI."""
    from wcspider.engines.overlays.contents_pages import ROW_SCHEME

    if not key.startswith(ROW_SCHEME.encode()):
        return Syntax(uri_action)
    entry = entries[int(key.rpartition(b":")[2])]
    return {"S": Name("GoTo"), "D": [entry.page, Name("XYZ"), None, None, None]}


def _cut(rows: int, first: int, others: int) -> Iterator[range]:
    """Yield the rows of each page; there is at least one page."""
    yield range(min(first, rows))
    for start in range(first, rows, others):
        yield range(start, min(start + others, rows))


def _described(command: Command) -> str:
    """Return a command in words."""
    levels = "all levels" if command.levels == ALL_LEVELS else f"levels: {command.levels}"
    scope = ["same path"] if command.same_path else ["same site"] if command.same_site else []
    patterns = [f"{name}: {value}" for name in ("allow", "deny", "since", "until") if (value := getattr(command, name))]
    return f"{command.url} ({', '.join([levels, *scope, *patterns])})" if command.levels > 1 else command.url
