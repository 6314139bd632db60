"""The comparison of two revisions of a file: which pages differ, by their request keys."""

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
from wcspider.pdf.webcapture.source_keys import SourceKeys
from wcspider.webcapture.keys import url_of


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
    """The page sets of one revision by request key, and the redirects, in memory."""

    page_sets: dict[str, _LatestPageSet] = field(default_factory=dict)
    redirects: dict[str, set[str]] = field(default_factory=dict)
    """The destinations of each key that redirects."""

    gone: dict[str, _LatestPageSet] = field(default_factory=dict)
    """The page sets that the file keeps although they are gone from the site, by request key."""

    posted: dict[str, list[str]] = field(default_factory=dict)
    """The keys of `page_sets` that are POST requests, by URL."""

    @classmethod
    def of(cls, database: ContentDatabase) -> Snapshot:
        """Read the page sets of an open file. Only the fields of this class stay in memory."""
        snapshot, keys = cls(), SourceKeys(database.file)
        for stored in database.page_sets():
            snapshot._add(stored, keys)
        by_key = snapshot.page_sets, snapshot.gone
        first_pages = {page for found in by_key for entry in found.values() if (page := entry.first_page) is not None}
        numbers = database.catalog.pages.page_numbers(first_pages)
        for found in by_key:
            for key, entry in found.items():
                if entry.first_page is not None:
                    found[key] = replace(entry, page_number=numbers.get(entry.first_page))
        return snapshot

    def __contains__(self, key: str) -> bool:
        """Tell whether a page came from a request key, also by a redirect, or is gone."""
        return key in self.page_sets or key in self.redirects or key in self.gone

    def keys_at(self, key: str) -> list[str]:
        """Return the keys of `page_sets` with the URL of a key, by any method and with any data."""
        url = url_of(key)
        return [found for found in (url, *self.posted.get(url, ())) if found in self.page_sets]

    def has_answer(self, key: str, identifier: bytes) -> bool:
        """Tell whether a page set was the answer to a request to the URL of a key."""
        return any(self.page_sets[found].identifier == identifier for found in self.keys_at(key))

    def has_url(self, url: str) -> bool:
        """Tell whether a page came from a URL, by any method, also by a redirect, or is gone."""
        return any(url_of(key) == url for found in (self.page_sets, self.redirects, self.gone) for key in found)

    def _add(self, stored: Stored[PageSet], keys: SourceKeys) -> None:
        """Add a page set. If several have a source with the same key, the latest source wins."""
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
            key = keys.of(source)
            known = found.get(key)
            if known is None and key != source.url and source.gone is None:
                self.posted.setdefault(source.url, []).append(key)
            if known is None or (known.updated, known.reference) < (page_set.updated, page_set.reference):
                found[key] = page_set
            for hop in keys.of_redirects(source) if source.gone is None else ():
                if hop != key:
                    self.redirects.setdefault(hop, set()).add(key)


def compare(old: Snapshot, new: Snapshot) -> list[Change]:
    """Return the pages that differ between two revisions, by kind and then by page number.

    A page may have moved: its URL redirects to another one now, or its position among the unchanged pages is different.
    A page is gone when it is gone from the site, and also when its page set, kept until then, is deleted from the
    file. It is gone as well if its URL redirects to a page with another text that was there before.
    """
    changes: list[Change] = []
    unchanged: list[str] = []
    for key in old.page_sets:
        change = _change(key, old, new)
        if change is not None:
            changes.append(change)
        elif key in new.page_sets:
            unchanged.append(key)
    known = {*old.page_sets, *(change.to for change in changes)}
    changes += [
        Change(
            ChangeKind.RETURNED if key in old.gone else ChangeKind.NEW,
            key,
            pages=(None, page_set.page_number),
            page_sets=(None, page_set.reference),
        )
        for key, page_set in new.page_sets.items()
        if key not in known and not old.has_answer(key, page_set.identifier)
    ]
    changes += [
        _gone(key, page_set) for key, page_set in old.gone.items() if key not in old.page_sets and key not in new
    ]
    changes += _displaced(unchanged, old, new)
    return sorted(map(_with_urls, changes), key=_sort_key)


def _with_urls(change: Change) -> Change:
    """Return a change with URLs in the place of request keys."""
    return replace(change, url=url_of(change.url), to=None if change.to is None else url_of(change.to))


def _change(key: str, old: Snapshot, new: Snapshot) -> Change | None:
    """Return the change of the page with a request key; None if it is unchanged."""
    before, key_now = old.page_sets[key], _current_key(key, old, new)
    if key_now is None:
        key_now = _other_request(key, old, new)
    if key_now is None:
        return _gone(key, before)
    after = new.page_sets[key_now]
    has_moved = url_of(key_now) != url_of(key)
    if has_moved and _is_other_page(key_now, before, after, old):
        return _gone(key, before)
    pages, page_sets = (before.page_number, after.page_number), (before.reference, after.reference)
    if has_moved:
        return Change(ChangeKind.MOVED, key, key_now, _differing_parts(before, after), pages, page_sets)
    if before.identifier == after.identifier and not _differing_readings(before, after):
        return None
    return Change(ChangeKind.CHANGED, key, None, _differing_parts(before, after), pages, page_sets)


def _is_other_page(destination: str, before: _LatestPageSet, after: _LatestPageSet, old: Snapshot) -> bool:
    """Return whether the destination of a redirect is not the page from before, but another one, like the home page."""
    return destination in old.page_sets and before.identifier != after.identifier and before.text != after.text


def _gone(key: str, page_set: _LatestPageSet) -> Change:
    return Change(ChangeKind.GONE, key, pages=(page_set.page_number, None), page_sets=(page_set.reference, None))


def _current_key(key: str, old: Snapshot, new: Snapshot) -> str | None:
    """Return the request key of a page now: its key, or the destination of a redirect; None if the page is gone.

    The URL of a page that a refresh marked as gone may redirect to another page.
    If a run only adds pages, the file keeps the page set of a URL that redirects now. The URL counts as redirected if
    the redirect is new and the source with the URL has not been updated.
    """
    destinations = new.redirects.get(key, set())
    added = destinations - old.redirects.get(key, set())
    if key in new.page_sets and not (added and new.page_sets[key].updated == old.page_sets[key].updated):
        return key
    if key in new.gone:
        return None
    return max(added or destinations, key=lambda other: (new.page_sets[other].updated, other), default=None)


def _other_request(key: str, old: Snapshot, new: Snapshot) -> str | None:
    """Return the key of another request to the URL of a page that probably has the same answer now; None without one.

    A page set has one source for each URL (14.10.5.1). If several requests to a URL have the same answer, the source
    names the last of them, and the keys of the others are lost. The answer is the one from before, or a new one.
    """
    if key in new.gone:
        return None
    for other in new.keys_at(key):
        answer, known = new.page_sets[other].identifier, old.page_sets.get(other)
        if answer == old.page_sets[key].identifier or known is None or known.identifier != answer:
            return other
    return None


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


def _displaced(keys: Iterable[str], old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """Yield the smallest number of pages that have to move to change the old order into the new order."""
    numbered = [
        ((before, after), key)
        for key in keys
        if (before := old.page_sets[key].page_number) is not None
        and (after := new.page_sets[key].page_number) is not None
    ]
    numbered.sort()
    in_order = set(longest_non_decreasing([after for (_, after), _ in numbered]))
    for index, (pages, key) in enumerate(numbered):
        if index not in in_order:
            references = old.page_sets[key].reference, new.page_sets[key].reference
            yield Change(ChangeKind.MOVED, key, pages=pages, page_sets=references)


def _sort_key(change: Change) -> tuple[int, int, str]:
    before, after = change.pages
    return list(ChangeKind).index(change.kind), after or before or 0, change.url
