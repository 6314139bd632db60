"""The comparison of two revisions of a file: which pages differ, by their URLs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query.text_changes import longest_non_decreasing
from wcspider.pdf.objects import Ref
from wcspider.pdf.values import UNDATED
from wcspider.pdf.webcapture.content_sets import PageSet


class ChangeKind(StrEnum):
    """The kind of a change, in the order of the report."""

    NEW = "new"
    RETURNED = "returned"
    """It was gone, and is there again."""

    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Change:
    """A page that differs between two revisions."""

    kind: ChangeKind
    url: str
    to: str | None = None
    """The URL that `url` redirects to now; None if it does not."""

    by: tuple[str, ...] = ()
    """The parts that differ: ``source``, ``text``, ``type``, ``auxiliary``; empty if the file does not tell."""

    pages: tuple[int | None, int | None] = (None, None)
    """The number of its first PDF page before and after, from 1."""

    page_sets: tuple[Ref | None, Ref | None] = field(default=(None, None), compare=False)
    """Its page set before and after."""


@dataclass(frozen=True, slots=True)
class _LatestPageSet:
    """The page set of the latest source with a URL."""

    reference: Ref
    identifier: bytes
    text: bytes | None
    source: bytes | None
    content_type: str
    updated: datetime
    first_page: Ref | None
    page_number: int | None = None
    """The number of its first PDF page."""


@dataclass(slots=True)
class Snapshot:
    """The page sets of one revision by URL, and the redirects, in memory."""

    page_sets: dict[str, _LatestPageSet] = field(default_factory=dict)
    redirects: dict[str, set[str]] = field(default_factory=dict)
    """The destinations of each URL that redirects."""

    gone: dict[str, _LatestPageSet] = field(default_factory=dict)
    """The page sets that the file keeps although they are gone from the site, by URL."""

    @classmethod
    def of(cls, database: ContentDatabase) -> Snapshot:
        """Read the page sets of an open file. Only the fields of this class stay in memory."""
        snapshot = cls()
        for stored in database.page_sets():
            snapshot._add(stored)
        by_url = snapshot.page_sets, snapshot.gone
        first_pages = {page for found in by_url for entry in found.values() if (page := entry.first_page) is not None}
        numbers = database.catalog.pages.page_numbers(first_pages)
        for found in by_url:
            for url, entry in found.items():
                if entry.first_page is not None:
                    found[url] = replace(entry, page_number=numbers.get(entry.first_page))
        return snapshot

    def __contains__(self, url: str) -> bool:
        """Tell whether a page came from a URL, also by a redirect, or is gone."""
        return url in self.page_sets or url in self.redirects or url in self.gone

    def _add(self, stored: Stored[PageSet]) -> None:
        """Add a page set. If several have a source with the same URL, the latest source wins."""
        content = stored.content
        for source in content.sources:
            page_set = _LatestPageSet(
                stored.reference,
                content.identifier,
                content.text_identifier,
                content.source_digest,
                sys.intern(content.content_type),
                source.updated or UNDATED,
                content.objects[0] if content.objects else None,
            )
            found = self.page_sets if source.gone is None else self.gone
            known = found.get(source.url)
            if known is None or (known.updated, known.reference) < (page_set.updated, page_set.reference):
                found[source.url] = page_set
            for url in source.keys if source.gone is None else ():
                if url != source.url:
                    self.redirects.setdefault(url, set()).add(source.url)


def compare(old: Snapshot, new: Snapshot) -> list[Change]:
    """Return the pages that differ between two revisions, by kind and then by page number.

    A page may have moved: its URL redirects to another one now, or its position among the unchanged pages is different.
    A page is gone when it is gone from the site, and also when its page set, kept until then, is deleted from the
    file. It is gone as well if its URL redirects to a page with another text that was there before.
    """
    changes: list[Change] = []
    unchanged: list[str] = []
    for url in old.page_sets:
        change = _change(url, old, new)
        if change is not None:
            changes.append(change)
        else:
            unchanged.append(url)
    known = {*old.page_sets, *(change.to for change in changes)}
    changes += [
        Change(
            ChangeKind.RETURNED if url in old.gone else ChangeKind.NEW,
            url,
            pages=(None, page_set.page_number),
            page_sets=(None, page_set.reference),
        )
        for url, page_set in new.page_sets.items()
        if url not in known
    ]
    changes += [
        _gone(url, page_set) for url, page_set in old.gone.items() if url not in old.page_sets and url not in new
    ]
    changes += _displaced(unchanged, old, new)
    return sorted(changes, key=_sort_key)


def _change(url: str, old: Snapshot, new: Snapshot) -> Change | None:
    """Return the change of the page with a URL; None if it is unchanged."""
    before, url_now = old.page_sets[url], _current_url(url, old, new)
    if url_now is None:
        return _gone(url, before)
    after = new.page_sets[url_now]
    if url_now != url and _is_other_page(url_now, before, after, old):
        return _gone(url, before)
    pages, page_sets = (before.page_number, after.page_number), (before.reference, after.reference)
    if url_now != url:
        return Change(ChangeKind.MOVED, url, url_now, _differing_parts(before, after), pages, page_sets)
    if before.identifier == after.identifier and not _differing_readings(before, after):
        return None
    return Change(ChangeKind.CHANGED, url, None, _differing_parts(before, after), pages, page_sets)


def _is_other_page(destination: str, before: _LatestPageSet, after: _LatestPageSet, old: Snapshot) -> bool:
    """Return whether the destination of a redirect is not the page from before, but another one, like the home page."""
    return destination in old.page_sets and before.identifier != after.identifier and before.text != after.text


def _gone(url: str, page_set: _LatestPageSet) -> Change:
    return Change(ChangeKind.GONE, url, pages=(page_set.page_number, None), page_sets=(page_set.reference, None))


def _current_url(url: str, old: Snapshot, new: Snapshot) -> str | None:
    """Return the URL that a page has now: its URL, or the destination of a redirect; None if the page is gone.

    The URL of a page that a refresh marked as gone may redirect to another page.
    If a run only adds pages, the file keeps the page set of a URL that redirects now. The URL counts as redirected if
    the redirect is new and the source with the URL has not been updated.
    """
    destinations = new.redirects.get(url, set())
    added = destinations - old.redirects.get(url, set())
    if url in new.page_sets and not (added and new.page_sets[url].updated == old.page_sets[url].updated):
        return url
    if url in new.gone:
        return None
    return max(added or destinations, key=lambda other: (new.page_sets[other].updated, other), default=None)


def _differing_parts(old: _LatestPageSet, new: _LatestPageSet) -> tuple[str, ...]:
    """Return the parts in which two page sets differ; none if the file does not tell."""
    if old.identifier == new.identifier:
        return _differing_readings(old, new)
    if old.source is None or new.source is None:
        return ()
    if old.source == new.source:
        return ("auxiliary",)
    return ("source",) if old.text == new.text else ("source", "text")


def _differing_readings(old: _LatestPageSet, new: _LatestPageSet) -> tuple[str, ...]:
    """Return how two page sets with the same source differ: in the text, by another charset, or in the media type."""
    is_same_text = old.text is None or new.text is None or old.text == new.text
    is_same_type = not old.content_type or not new.content_type or old.content_type == new.content_type
    return (*(() if is_same_text else ("text",)), *(() if is_same_type else ("type",)))


def _displaced(urls: Iterable[str], old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """Yield the smallest number of pages that have to move to change the old order into the new order."""
    numbered = [
        ((before, after), url)
        for url in urls
        if (before := old.page_sets[url].page_number) is not None
        and (after := new.page_sets[url].page_number) is not None
    ]
    numbered.sort()
    in_order = set(longest_non_decreasing([after for (_, after), _ in numbered]))
    for index, (pages, url) in enumerate(numbered):
        if index not in in_order:
            references = old.page_sets[url].reference, new.page_sets[url].reference
            yield Change(ChangeKind.MOVED, url, pages=pages, page_sets=references)


def _sort_key(change: Change) -> tuple[int, int, str]:
    before, after = change.pages
    return list(ChangeKind).index(change.kind), after or before or 0, change.url
