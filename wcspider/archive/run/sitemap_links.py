"""The pages that sitemaps list, stored in the file with their commands, as the links of pages are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.page_links import read_links, store_links
from wcspider.pdf.objects import Ref, Value
from wcspider.web.resources import Link

LINKS = "WCSP_Links"
"""The second-class entry of a command for the URLs that its sitemap lists."""

_PAGE, _SITEMAP = "loc", "sitemap"
"""The elements of the links, named as in a sitemap."""


def listed(database: ContentDatabase, command: Ref) -> tuple[str, ...]:
    """Return the pages that the sitemap of a command listed when it was last read."""
    return _of_kind(database, command, _PAGE)


def listed_sitemaps(database: ContentDatabase, command: Ref) -> tuple[str, ...]:
    """Return the sitemaps that the sitemap of a command listed when it was last read."""
    return _of_kind(database, command, _SITEMAP)


def _of_kind(database: ContentDatabase, command: Ref, kind: str) -> tuple[str, ...]:
    entries = database.file.dictionary(command)
    return tuple(link.url for link in _links(database, entries) if link.element == kind)


def store_listed(database: ContentDatabase, command: Ref, urls: Iterable[str], sitemaps: Iterable[str] = ()) -> None:
    """Store the pages and the sitemaps that the sitemap of a command lists."""
    links = (*(Link(url, _PAGE) for url in urls), *(Link(url, _SITEMAP) for url in sitemaps))
    entries = database.file.get(command) or {}
    if links != _links(database, entries):
        others = {key: entry for key, entry in entries.items() if key != LINKS}
        reference = store_links(database.file, links)
        database.file.put(command, others if reference is None else {**others, LINKS: reference})


def _links(database: ContentDatabase, entries: Mapping[str, Value]) -> tuple[Link, ...]:
    reference = entries.get(LINKS)
    return read_links(database.file, reference if isinstance(reference, Ref) else None)
