"""Which pages differ between two states of a file, by the URL that each came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.pdf.webcapture.content_sets import PageSet

NEVER = datetime.min.replace(tzinfo=UTC)


class ChangeKind(StrEnum):
    """What became of a page, in the order in which it is told."""

    NEW = "new"
    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Change:
    """A page that differs between two states."""

    kind: ChangeKind
    url: str
    to: str | None = None
    """The URL that `url` redirects to now, if that is how it moved."""

    by: tuple[str, ...] = ()
    """By what its contents differ: ``source``, ``text``, ``auxiliary``; empty also where that is not known."""

    pages: tuple[int | None, int | None] = (None, None)
    """The number of its first page before and after, from 1."""


@dataclass(frozen=True, slots=True)
class _Page:
    """The page set that was found at a URL last."""

    reference: int
    identifier: bytes
    text: bytes | None
    source: bytes | None
    updated: datetime
    place: int | None
    """The number of its first page."""


@dataclass(slots=True)
class State:
    """What a file holds, to be compared when it is closed: page sets by URL, and where URLs redirect to."""

    pages: dict[str, _Page] = field(default_factory=dict)
    ways: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, database: ContentDatabase) -> State:
        """Read the state of an open file."""
        state = cls()
        found = [stored for stored in database.content_sets() if isinstance(stored.content, PageSet)]
        firsts = {page for stored in found for page in stored.content.objects[:1]}
        places = database.catalog.pages.page_numbers(firsts)
        for stored in found:
            assert isinstance(stored.content, PageSet)
            objects = stored.content.objects
            state._add(stored, stored.content, places.get(objects[0]) if objects else None)
        return state

    def _add(self, stored: Stored, content: PageSet, place: int | None) -> None:
        """Add a page set. Of several that came from one URL the one counts that was found there last."""
        for source in content.sources:
            if source.gone is not None:
                continue
            page = _Page(
                stored.reference.number,
                content.identifier,
                content.text_identifier,
                content.source_digest,
                source.updated or NEVER,
                place,
            )
            known = self.pages.get(source.url)
            if known is None or (known.updated, known.reference) < (page.updated, page.reference):
                self.pages[source.url] = page
            for url in source.keys:
                if url != source.url:
                    self.ways.setdefault(url, set()).add(source.url)


def compare(old: State, new: State) -> list[Change]:
    """Return the pages that differ between two states of a file, by kind and then in the order of their pages.

    A page set that is the same may have moved: its URL redirects to another now, or it stands at another place among
    the page sets that are the same.
    """
    changes: list[Change] = []
    same: list[str] = []
    for url in old.pages:
        change = _change(url, old, new)
        if change is not None:
            changes.append(change)
        else:
            same.append(url)
    known = {*old.pages, *(change.to for change in changes)}
    changes += [
        Change(ChangeKind.NEW, url, pages=(None, page.place)) for url, page in new.pages.items() if url not in known
    ]
    changes += _displaced(same, old, new)
    return sorted(changes, key=_rank)


def _change(url: str, old: State, new: State) -> Change | None:
    """Return what became of the page at a URL; None if it is there as it was."""
    page, now = old.pages[url], _where(url, old, new)
    if now is None:
        return Change(ChangeKind.GONE, url, pages=(page.place, None))
    found = new.pages[now]
    pages = page.place, found.place
    if now != url:
        return Change(ChangeKind.MOVED, url, now, _by(page, found), pages)
    if page.identifier == found.identifier:
        return None
    return Change(ChangeKind.CHANGED, url, None, _by(page, found), pages)


def _where(url: str, old: State, new: State) -> str | None:
    """Return where what was at a URL is found now: there, where the URL redirects to, or nowhere.

    A file that is only added to keeps the page set of a URL that redirects now. Then the URL was not found to give
    the page once more, and the redirection was not there before.
    """
    ways = new.ways.get(url, set())
    found = ways - old.ways.get(url, set())
    if url in new.pages and not (found and new.pages[url].updated == old.pages[url].updated):
        return url
    return max(found or ways, key=lambda way: (new.pages[way].updated, way), default=None)


def _by(old: _Page, new: _Page) -> tuple[str, ...]:
    """Return by what two page sets differ, as far as they say."""
    if old.identifier == new.identifier or old.source is None or new.source is None:
        return ()
    if old.source == new.source:
        return ("auxiliary",)
    return ("source",) if old.text == new.text else ("source", "text")


def _displaced(urls: Iterable[str], old: State, new: State) -> Iterator[Change]:
    """Yield the pages that stand at another place among these: as few as need be moved to get the new order."""
    placed = [
        ((before, after), url)
        for url in urls
        if (before := old.pages[url].place) is not None and (after := new.pages[url].place) is not None
    ]
    placed.sort()
    staying = set(_longest_rise([after for (_, after), _ in placed]))
    for index, (pages, url) in enumerate(placed):
        if index not in staying:
            yield Change(ChangeKind.MOVED, url, pages=pages)


def _longest_rise(numbers: Sequence[int]) -> Iterator[int]:
    """Yield the indices of a longest subsequence that never falls, from the last to the first.

    >>> sorted(_longest_rise([1, 5, 2, 2, 4, 3]))
    [0, 2, 3, 5]
    """
    ends: list[int] = []  # the least number that a rise of each length ends with, and where it stands
    at: list[int] = []
    before: list[int | None] = []
    for index, number in enumerate(numbers):
        length = bisect_right(ends, number)
        before.append(at[length - 1] if length else None)
        ends[length : length + 1] = [number]
        at[length : length + 1] = [index]
    last = at[-1] if at else None
    while last is not None:
        yield last
        last = before[last]


def _rank(change: Change) -> tuple[int, int, str]:
    before, after = change.pages
    return list(ChangeKind).index(change.kind), after or before or 0, change.url


# What is said of it


def describe(before: int, after: int, changes: Iterable[Change]) -> dict[str, Any]:
    """Return the changes from one revision to another as one JSON object."""
    rows = [
        {
            "change": str(change.kind),
            "url": change.url,
            "to": change.to,
            "by": list(change.by),
            "page_before": change.pages[0],
            "page_after": change.pages[1],
        }
        for change in changes
    ]
    return {"from": before, "to": after, "changes": rows}


def lines(description: dict[str, Any]) -> Iterator[str]:
    """Yield a description as lines for a reader."""
    for row in description["changes"]:
        to = "" if row["to"] is None else f" -> {row['to']}"
        details = ", ".join(row["by"])
        if row["change"] == ChangeKind.MOVED and not to:
            details = f"from page {row['page_before']} to page {row['page_after']}"
        yield f"{row['change']:<7}  {row['url']}{to}" + (f"  ({details})" if details else "")
    if not description["changes"]:
        yield f"no page differs between revisions {description['from']} and {description['to']}"
