"""The paths to a URL: from the commands of a file, along the links of its pages, as a crawl follows them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.page_links import read_links
from wcspider.archive.run.sitemap_links import listed, listed_sitemaps
from wcspider.pdf.objects import Ref
from wcspider.web.resources import Link
from wcspider.web.urls import canonical_url, is_capturable
from wcspider.webcapture.patterns import Patterns
from wcspider.webcapture.records import Command
from wcspider.webcapture.scope import Scope, Scopes, may_pull

NOFOLLOW = "its author asks robots not to follow the link (nofollow)"
LOCAL_TARGET = "a page from the web may not lead to local files or FTP servers"
TOO_DEEP = "it is deeper than the levels of the command"


@dataclass(frozen=True, slots=True)
class Discovery:
    """The first command and page from which a crawl came to a URL."""

    command: int
    level: int
    referrer: str = ""
    """The page or sitemap that links to the URL; empty for the URL of the command."""

    refusal: str = ""
    """Why the link was not followed; empty if it was."""


class LinkPaths:
    """A search for URLs along the links of the pages of a file.

    Pages are read in the order of a crawl until the URL is found. The URLs that were found before it are in memory. All
    runs of the file count as one crawl.
    """

    def __init__(self, database: ContentDatabase) -> None:
        self.database = database
        self.commands = database.commands()
        self.scopes = {
            index: Scope.of(command) for index, (_, command) in enumerate(self.commands) if _is_usable(command)
        }
        self._all_scopes = Scopes(self.scopes)

    def find(self, urls: Collection[str], *, follow_nofollow: bool = False) -> Discovery | None:
        """Return the discovery of one of several URLs: by a link that was followed, or else by a refused link."""
        refused: Discovery | None = None
        seen: set[str] = set()
        waiting: deque[tuple[str, Discovery]] = deque()
        for url, discovery in self._start_urls():
            if url in urls:
                return discovery
            if url not in seen:
                seen.add(url)
                waiting.append((url, discovery))
        while waiting:
            page, page_discovery = waiting.popleft()
            for link in self._links(page):
                if link.url in seen:
                    continue
                discovery = self._follow(page, link, page_discovery, follow_nofollow)
                if link.url in urls and not discovery.refusal:
                    return discovery
                if link.url in urls:
                    refused = refused or discovery
                elif not discovery.refusal:
                    seen.add(link.url)
                    waiting.append((link.url, discovery))
        return refused

    def _start_urls(self) -> Iterator[tuple[str, Discovery]]:
        for index in self.scopes:
            reference, command = self.commands[index]
            url = canonical_url(command.url)
            if command.sitemap:
                yield from ((entry, Discovery(index, 2, url)) for entry in listed(self.database, reference))
            else:
                yield url, Discovery(index, 1)

    def _links(self, page: str) -> Iterator[Link]:
        for _, source in self.database.sources_at(page):
            yield from read_links(self.database.file, source.links)

    def _follow(self, page: str, link: Link, found: Discovery, follow_nofollow: bool) -> Discovery:
        """Return the discovery of the target of a link; the page with the link was found before."""
        command = None
        if follow_nofollow or not link.nofollow:
            command = self._all_scopes.first(link.url, found.level, found.command)
        if command is not None and may_pull(page, link.url):
            return Discovery(command, found.level + 1, page)
        return Discovery(found.command, found.level + 1, page, self._refusal(page, link, found))

    def _refusal(self, page: str, link: Link, found: Discovery) -> str:
        if link.nofollow:
            return NOFOLLOW
        if not may_pull(page, link.url):
            return LOCAL_TARGET
        scope = self.scopes[found.command]
        return explained_refusal(scope, link.url) if scope.follows(found.level) else TOO_DEEP

    def linking_page(self, url: str) -> str | None:
        """Return the first page of the file that links to a URL, even if no command leads to that page."""
        pages = [
            (self.database.catalog.pages.page_number(stored.content.objects[0]) or 0, source.url)
            for stored in self.database.page_sets()
            if stored.content.objects
            for source in stored.content.sources
            if any(link.url == url for link in read_links(self.database.file, source.links))
        ]
        return min(pages)[1] if pages else None

    def sitemap_at(self, url: str) -> Discovery | None:
        """Return the discovery of a sitemap: by a command, or by the sitemap of a command; None for other URLs."""
        sitemaps = [index for index in self.scopes if self.commands[index][1].sitemap]
        urls = {index: canonical_url(self.commands[index][1].url) for index in sitemaps}
        named = (Discovery(index, 1) for index in sitemaps if urls[index] == url)
        others = (
            Discovery(index, 1, urls[index])
            for index in sitemaps
            if url in listed_sitemaps(self.database, self.commands[index][0])
        )
        return next(named, None) or next(others, None)

    def index_of(self, reference: Ref | None) -> int | None:
        """Return the index of a command; None if the file does not list it."""
        return next((index for index, (found, _) in enumerate(self.commands) if found == reference), None)


def explained_refusal(scope: Scope, url: str) -> str:
    """Return why the scope of a command excludes a URL, with the pattern that does; empty if it includes the URL."""
    return scope.patterns.explained(scope.refusal(url))


def _is_usable(command: Command) -> bool:
    return is_capturable(command.url) and not Patterns(command.allow, command.deny).problem()
