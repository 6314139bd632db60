"""Requests for sitemaps and the sitemaps that they list, one after the other in the order of the lists."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.run.sitemap_links import listed, listed_sitemaps, store_listed
from wcspider.config import CaptureConfig
from wcspider.crawl.reading.threads import in_thread
from wcspider.downloading.errors import reason_of
from wcspider.exceptions import WebCaptureError
from wcspider.pdf.objects import Ref
from wcspider.web.dates import BEFORE, Window
from wcspider.web.sitemaps import Entry, Sitemap, is_robots, read_sitemap
from wcspider.web.urls import LOGIN_LINK, has_login, without_login
from wcspider.webcapture.records import Command
from wcspider.webcapture.scope import Scope, may_pull

DEPTH = 8
"""How deep sitemap indexes may be nested; the protocol does not allow nesting, but some sites use it."""

OK = 200
LOCAL = "a local file or an FTP server"

logger = logging.getLogger(__name__)


@dataclass
class SitemapWalk:
    """The pages and sitemaps that the sitemap of one command lists.

    URLs that the crawl should capture and cannot are passed to `skip`, and those that a rule of the command excludes
    to `exclude`, each with its reason.
    """

    crawler: Crawler
    command: Command
    config: CaptureConfig
    skip: Callable[[str, str], None]
    exclude: Callable[[str, str], None]
    is_whole: bool = True
    """True as long as every sitemap could be fetched and read."""

    _met: dict[str, None] = field(default_factory=dict)
    _count: int = 0
    _excluded: Counter[str] = field(default_factory=Counter)
    """The number of pages and sitemaps that each rule of the command excludes."""

    _excluded_pages: int = 0

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
                if refusal := self._refusal(page):
                    self.skip(refusal, without_login(page.url))
                elif excluded := scope.refusal(page.url) or window.refusal(page.changed):
                    self._excluded[excluded] += 1
                    self._excluded_pages += 1
                    self.exclude(f"in a sitemap: {excluded}", page.url)
                elif not may_pull(self.command.url, page.url):
                    self.skip(f"in a sitemap: {LOCAL}", page.url)
                else:
                    yield page.url
            stack += [(found, depth + 1) for found in reversed(sitemap.sitemaps) if self._is_wanted(found, window)]
        if self.is_whole and self._count == self._excluded_pages:
            self.skip(f"sitemap: {self._emptiness()}", self.command.url)

    def _emptiness(self) -> str:
        """Return why a sitemap without problems has no page for the command."""
        if not self._excluded:  # an index that lists itself, for example
            return "it leads to no page"
        [(reason, _)] = self._excluded.most_common(1)
        return f"it leads to excluded pages only: {reason}"

    @property
    def others(self) -> list[str]:
        """The sitemaps to which the sitemap of the command has led so far."""
        return list(self._met)[1:]

    def _refusal(self, page: Entry) -> str:
        """Count a page, and return why it is skipped whatever the rules of the command are; empty if it is not."""
        self._count += 1
        most = self.config.max_sitemap_urls
        if most and self._count > most:
            return f"behind the first {most} URLs of a sitemap (WEBCAPTURE_MAX_SITEMAP_URLS)"
        return f"in a sitemap: {LOGIN_LINK}" if has_login(page.url) else ""

    def _is_refused(self, entry: Entry, depth: int) -> bool:
        """Tell whether a sitemap exceeds the limits on number and depth, and report it as skipped."""
        most = self.config.max_sitemaps
        if most and len(self._met) >= most:
            self.skip(f"behind the first {most} sitemaps (WEBCAPTURE_MAX_SITEMAPS)", entry.url)
            return True
        if depth > DEPTH:
            self.skip(f"a sitemap more than {DEPTH} indexes deep", entry.url)
        return depth > DEPTH

    def _is_wanted(self, sitemap: Entry, window: Window) -> bool:
        """Tell whether a sitemap that an index lists is to be read; otherwise report it as skipped or excluded."""
        if window.is_before(sitemap.changed):
            self._excluded[BEFORE] += 1
            self.exclude(f"a sitemap {BEFORE}", sitemap.url)
            return False
        if has_login(sitemap.url):
            self.skip(f"a sitemap: {LOGIN_LINK}", without_login(sitemap.url))
            return False
        if not may_pull(self.command.url, sitemap.url):
            self.skip(f"a sitemap: {LOCAL}", sitemap.url)
            return False
        return True

    async def _read(self, url: str) -> Sitemap:
        """Fetch and read a sitemap; return an empty one if it cannot be fetched or read."""
        try:
            response = await self._fetched(url)
        except Exception as error:  # an exception of a download handler or middleware must not end the crawl
            return self._failed(reason_of(error), url)
        if response.status != OK:
            return self._failed(f"HTTP {response.status}", url)
        try:
            limit = self.crawler.settings.getint("DOWNLOAD_MAXSIZE")
            found = await in_thread(read_sitemap, url if is_robots(url) else response.url, response.body, limit)
        except WebCaptureError as error:
            return self._failed(error.problem, url)
        except Exception:  # an unexpected error in one sitemap must not affect the others
            logger.exception("%s could not be read", url)
            return self._failed("could not be read, as the log shows", url)
        if not found.pages and not found.sitemaps:
            return self._failed("empty", url)
        if found.problem:
            self._failed(found.problem, url)
        return found

    async def _fetched(self, url: str) -> Response:
        """Fetch a sitemap; robots.txt cannot forbid itself (RFC 9309, 2.2.2)."""
        meta = {"dont_obey_robotstxt": True} if is_robots(url) else {}
        assert self.crawler.engine is not None
        return await self.crawler.engine.download_async(Request(url, meta={**meta, "allow_offsite": True}))

    def _failed(self, reason: str, url: str) -> Sitemap:
        """Report a sitemap as skipped, and return an empty one."""
        self.is_whole = False
        self.skip(f"sitemap: {reason}", url)
        return Sitemap()


async def read_listed(walk: SitemapWalk, database: ContentDatabase, command: Ref) -> tuple[str, ...]:
    """Return the pages that a command's sitemap lists, each once, and store them in the file.

    If a sitemap could not be fetched or read, the pages that it listed in earlier runs are kept.
    """
    found = dict.fromkeys([url async for url in walk.pages()])
    sitemaps = dict.fromkeys(walk.others)
    if not walk.is_whole:
        found |= dict.fromkeys(listed(database, command))
        sitemaps |= dict.fromkeys(listed_sitemaps(database, command))
    store_listed(database, command, found, sitemaps)
    return tuple(found)
