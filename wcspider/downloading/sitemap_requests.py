"""Fetches sitemaps, and those that they lead to, one after the other in the order in which they are listed."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.run.sitemap_links import store_listed, listed, listed_sitemaps
from wcspider.config import CaptureConfig
from wcspider.downloading.errors import reason_of
from wcspider.exceptions import WebCaptureError
from wcspider.pdf.objects import Ref
from wcspider.web.dates import BEFORE, Window
from wcspider.web.sitemaps import Entry, Sitemap, is_robots, read_sitemap
from wcspider.webcapture.records import Command
from wcspider.webcapture.scope import Scope, may_pull

DEPTH = 8
"""How deep indexes of sitemaps may be nested. By the protocol they are not; in robots.txt they may begin."""

OK = 200
LOCAL = "a local file or an FTP server"

logger = logging.getLogger(__name__)


@dataclass
class SitemapWalk:
    """What the sitemap of one command leads to. What is left out is told, by reason, to `skip`."""

    crawler: Crawler
    command: Command
    config: CaptureConfig
    skip: Callable[[str, str], None]
    is_whole: bool = True
    """No sitemap was met that could not be had or read."""

    _met: dict[str, None] = field(default_factory=dict)
    _count: int = 0

    async def pages(self) -> AsyncIterator[str]:
        """Yield the pages that the command wants, in order; a page may come twice."""
        scope, window = Scope.of(self.command), Window(self.command.since, self.command.until)
        stack = [(Entry(self.command.url), 0)]
        while stack:
            entry, depth = stack.pop()
            if entry.url in self._met or self._is_refused(entry, depth):
                continue
            self._met[entry.url] = None
            sitemap = await self._read(entry.url)
            for page in sitemap.pages:
                refusal = self._refusal(page, scope, window)
                if refusal:
                    self.skip(refusal, page.url)
                else:
                    yield page.url
            stack += [(found, depth + 1) for found in reversed(sitemap.sitemaps) if self._is_wanted(found, window)]

    @property
    def others(self) -> list[str]:
        """The sitemaps that the one of the command led to so far."""
        return list(self._met)[1:]

    def _refusal(self, page: Entry, scope: Scope, window: Window) -> str:
        """Return why a page is left out; empty if it is not."""
        self._count += 1
        most = self.config.max_sitemap_urls
        if most and self._count > most:
            return f"behind the first {most} URLs of a sitemap (WEBCAPTURE_MAX_SITEMAP_URLS)"
        refusal = scope.refusal(page.url) or window.refusal(page.changed)
        if not refusal and not may_pull(self.command.url, page.url):
            refusal = LOCAL
        return f"in a sitemap: {refusal}" if refusal else ""

    def _is_refused(self, entry: Entry, depth: int) -> bool:
        most = self.config.max_sitemaps
        if most and len(self._met) >= most:
            self.skip(f"behind the first {most} sitemaps (WEBCAPTURE_MAX_SITEMAPS)", entry.url)
            return True
        if depth > DEPTH:
            self.skip(f"a sitemap more than {DEPTH} indexes deep", entry.url)
        return depth > DEPTH

    def _is_wanted(self, sitemap: Entry, window: Window) -> bool:
        """Tell whether a sitemap that an index lists is to be read."""
        if window.is_before(sitemap.changed):
            self.skip(f"a sitemap {BEFORE}", sitemap.url)
            return False
        if not may_pull(self.command.url, sitemap.url):
            self.skip(f"a sitemap: {LOCAL}", sitemap.url)
            return False
        return True

    async def _read(self, url: str) -> Sitemap:
        """Return what a sitemap says; nothing if it cannot be had or read."""
        try:
            response = await self._fetched(url)
        except Exception as error:  # whatever a download handler or a middleware raises costs this sitemap only
            return self._failed(reason_of(error), url)
        if response.status != OK:
            return self._failed(f"HTTP {response.status}", url)
        try:
            limit = self.crawler.settings.getint("DOWNLOAD_MAXSIZE")
            found = read_sitemap(url if is_robots(url) else response.url, response.body, limit)
        except WebCaptureError as error:
            return self._failed(error.problem, url)
        except Exception:  # one that our rules choke on costs no page of the others
            logger.exception("%s could not be read", url)
            return self._failed("could not be read, as the log shows", url)
        if not found.pages and not found.sitemaps:
            return self._failed("lists nothing", url)
        if found.problem:
            self._failed(found.problem, url)
        return found

    async def _fetched(self, url: str) -> Response:
        # By RFC 9309, 2.2.2, a robots.txt cannot forbid itself.
        meta = {"dont_obey_robotstxt": True} if is_robots(url) else {}
        assert self.crawler.engine is not None
        return await self.crawler.engine.download_async(Request(url, meta={**meta, "allow_offsite": True}))

    def _failed(self, reason: str, url: str) -> Sitemap:
        self.is_whole = False
        self.skip(f"sitemap: {reason}", url)
        return Sitemap()


async def read_listed(walk: SitemapWalk, database: ContentDatabase, command: Ref) -> tuple[str, ...]:
    """Return the pages that a command's sitemap lists, each once, and keep them in the file.

    Where a sitemap could not be had or read, what it listed when it was read last is listed still.
    """
    found = dict.fromkeys([url async for url in walk.pages()])
    sitemaps = dict.fromkeys(walk.others)
    if not walk.is_whole:
        found |= dict.fromkeys(listed(database, command))
        sitemaps |= dict.fromkeys(listed_sitemaps(database, command))
    store_listed(database, command, found, sitemaps)
    return tuple(found)
