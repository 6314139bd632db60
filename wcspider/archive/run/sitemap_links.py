"""What sitemaps list: in the journal while a run lasts, and with their commands in the file, as pages have links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.page_links import keep_links, read_links
from wcspider.archive.journal.journal import Journal
from wcspider.pdf.objects import Ref, Value
from wcspider.web.resources import Link

LINKS = "WCSP_Links"
"""The entry of a command, of our own, that holds what its sitemap lists."""

AT_ONCE = 1000
_FOUND = "sitemaps read"
_PAGE, _SITEMAP = "loc", "sitemap"
"""What such a link comes from, as the elements of sitemaps are called."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """The URLs that the sitemaps of a run list, by the index of the command."""

    journal: Journal

    def begin(self) -> bool:
        """Begin to collect; False if an unfinished run had collected all."""
        if self.journal.read_state(_FOUND):
            return False
        self.journal.run("DROP TABLE IF EXISTS seed")
        self.journal.run("CREATE TABLE seed (number INTEGER PRIMARY KEY, command INTEGER, url TEXT)")
        return True

    def end(self) -> None:
        """Note that all were collected."""
        self.journal.write_state(_FOUND, True)

    def add(self, command: int, urls: Iterable[str]) -> None:
        """Add the URLs of a command, in order."""
        for url in urls:
            self.journal.run("INSERT INTO seed (command, url) VALUES (?, ?)", command, url)

    def of(self, command: int) -> Iterator[str]:
        """Yield the URLs of a command, in order."""
        last = 0
        statement = "SELECT number, url FROM seed WHERE command = ? AND number > ? ORDER BY number LIMIT ?"
        while rows := self.journal.run(statement, command, last, AT_ONCE).fetchall():
            last = rows[-1][0]
            yield from (url for _, url in rows)


def listed(database: ContentDatabase, command: Ref) -> tuple[str, ...]:
    """Return the pages that the sitemap of a command listed when it was read last."""
    return _of_kind(database, command, _PAGE)


def listed_sitemaps(database: ContentDatabase, command: Ref) -> tuple[str, ...]:
    """Return the sitemaps that the sitemap of a command led to when it was read last."""
    return _of_kind(database, command, _SITEMAP)


def _of_kind(database: ContentDatabase, command: Ref, kind: str) -> tuple[str, ...]:
    entries = database.file.resolve(command) or {}
    return tuple(link.url for link in _links(database, entries) if link.element == kind)


def keep_listed(database: ContentDatabase, command: Ref, urls: Iterable[str], sitemaps: Iterable[str] = ()) -> None:
    """Keep the pages that the sitemap of a command lists, and the sitemaps that it leads to."""
    links = (*(Link(url, _PAGE) for url in urls), *(Link(url, _SITEMAP) for url in sitemaps))
    entries = database.file.get(command) or {}
    if links != _links(database, entries):
        others = {key: entry for key, entry in entries.items() if key != LINKS}
        reference = keep_links(database.file, links)
        database.file.put(command, others if reference is None else {**others, LINKS: reference})


def _links(database: ContentDatabase, entries: Mapping[str, Value]) -> tuple[Link, ...]:
    reference = entries.get(LINKS)
    return read_links(database.file, reference if isinstance(reference, Ref) else None)
