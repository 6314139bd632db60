"""How a URL was come to: from the commands of a file by the links that its pages have, as a crawl follows them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.page_links import read_links
from wcspider.archive.run.sitemap_links import listed, listed_sitemaps
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.web.resources import Link
from wcspider.web.urls import canonical_url, is_capturable
from wcspider.webcapture.patterns import Patterns
from wcspider.webcapture.records import Command
from wcspider.webcapture.scope import Scope, Scopes, may_pull

NOFOLLOW = "its author asks robots not to follow the link (nofollow)"
LOCAL = "a page from the web may not lead to local files or FTP servers"
TOO_DEEP = "it is deeper than the levels of the command"


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where a URL was met first."""

    command: int
    level: int
    referrer: str = ""
    """The page, or the sitemap, that leads there; empty for the URL of the command."""

    refusal: str = ""
    """Why it was not followed from there; empty if it was."""


class Paths:
    """The commands of a file, and where the links of its pages lead from them.

    Pages are looked at in the order in which a crawl comes to them, until the URL that is looked for is met; in
    memory are the URLs that were met until then. The runs of a file are taken for one.
    """

    def __init__(self, database: ContentDatabase) -> None:
        self.database = database
        self.commands = database.commands()
        self.scopes = {index: Scope.of(command) for index, (_, command) in enumerate(self.commands) if _is_fit(command)}
        self._bounds = Scopes(self.scopes)

    def find(self, urls: Collection[str], *, follow_nofollow: bool = False) -> Meeting | None:
        """Return where one of several URLs was met: where it was followed from, or else where it could have been."""
        refused: Meeting | None = None
        seen: set[str] = set()
        waiting: deque[tuple[str, Meeting]] = deque()
        for url, meeting in self._beginnings():
            if url in urls:
                return meeting
            if url not in seen:
                seen.add(url)
                waiting.append((url, meeting))
        while waiting:
            page, met = waiting.popleft()
            for link in self._links(page):
                if link.url in seen:
                    continue
                meeting = self._followed(page, link, met, follow_nofollow)
                if link.url in urls and not meeting.refusal:
                    return meeting
                if link.url in urls:
                    refused = refused or meeting
                elif not meeting.refusal:
                    seen.add(link.url)
                    waiting.append((link.url, meeting))
        return refused

    def _beginnings(self) -> Iterator[tuple[str, Meeting]]:
        for index in self.scopes:
            reference, command = self.commands[index]
            url = canonical_url(command.url)
            if command.sitemap:
                yield from ((entry, Meeting(index, 2, url)) for entry in listed(self.database, reference))
            else:
                yield url, Meeting(index, 1)

    def _links(self, page: str) -> Iterator[Link]:
        for stored in self.database.find_by_url(page):
            for source in stored.content.sources if isinstance(stored.content, PageSet) else ():
                if page in source.keys:
                    yield from read_links(self.database.file, source.links)

    def _followed(self, page: str, link: Link, met: Meeting, follow_nofollow: bool) -> Meeting:
        command = (
            None if link.nofollow and not follow_nofollow else self._bounds.first(link.url, met.level, met.command)
        )
        if command is not None and may_pull(page, link.url):
            return Meeting(command, met.level + 1, page)
        return Meeting(met.command, met.level + 1, page, self._refusal(page, link, met))

    def _refusal(self, page: str, link: Link, met: Meeting) -> str:
        if link.nofollow:
            return NOFOLLOW
        if not may_pull(page, link.url):
            return LOCAL
        scope = self.scopes[met.command]
        return scope.refusal(link.url) if scope.follows(met.level) else TOO_DEEP

    def linking_page(self, url: str) -> str | None:
        """Return the first page of the file that links to a URL, whether or not a command leads to that page."""
        pages = [
            (self.database.catalog.pages.page_number(stored.content.objects[0]) or 0, source.url)
            for stored in self.database.content_sets()
            if isinstance(stored.content, PageSet) and stored.content.objects
            for source in stored.content.sources
            if any(link.url == url for link in read_links(self.database.file, source.links))
        ]
        return min(pages)[1] if pages else None

    def sitemap_at(self, url: str) -> Meeting | None:
        """Return where a sitemap was met, which a command names or its sitemap leads to; None if it is none."""
        sitemaps = [index for index in self.scopes if self.commands[index][1].sitemap]
        urls = {index: canonical_url(self.commands[index][1].url) for index in sitemaps}
        named = (Meeting(index, 1) for index in sitemaps if urls[index] == url)
        others = (
            Meeting(index, 1, urls[index])
            for index in sitemaps
            if url in listed_sitemaps(self.database, self.commands[index][0])
        )
        return next(named, None) or next(others, None)

    def index_of(self, reference: Ref | None) -> int | None:
        """Return the number of a command."""
        return next((index for index, (found, _) in enumerate(self.commands) if found == reference), None)


def _is_fit(command: Command) -> bool:
    return is_capturable(command.url) and not Patterns(command.allow, command.deny).problem()
