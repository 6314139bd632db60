"""The reading of pages, in a process of its own: links and references are found while other pages are laid out."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

from wcspider.config import CaptureConfig
from wcspider.crawl.reading.parsing import ParsedPage
from wcspider.crawl.reading.source_contents import (
    HTML,
    TEXT,
    PageContents,
    PageSource,
    read_contents,
    read_small_contents,
)
from wcspider.crawl.reading.threads import in_thread
from wcspider.crawl.session import session_of
from wcspider.engines.workers.pool_interface import Effort, Pool
from wcspider.exceptions import EngineError, WorkersError
from wcspider.web.resources import Resource
from wcspider.webcapture.resource_limits import most_references

MEGABYTE = 1024 * 1024

SMALL_PAGE = 4 * 1024
"""The size up to which a page is read in a thread, in bytes: sending it to the process takes longer."""

LARGE_PAGE = 16 * MEGABYTE
"""The size from which a page is read in a thread, in bytes: the process would need the memory for it again."""


class PageReader:
    """Reads pages, in a process that does nothing else.

    Workers that lay out pages may be busy for a minute, and a crawl has to find its next pages meanwhile. The process
    starts with the second page, because a capture of a single page would have to wait for it.
    """

    def __init__(self, pool: Pool) -> None:
        """Read with a pool of one process."""
        self._pool = pool
        self._pages = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the reader of a crawl (`CaptureSession.shared`); it ends with the spider."""
        reader = cls(session_of(crawler).pools.reading)
        crawler.signals.connect(reader.close, signals.spider_closed)
        return reader

    async def close(self) -> None:
        """End the process."""
        await self._pool.stop()

    async def read(self, resource: Resource, link_charset: str | None, config: CaptureConfig) -> ParsedPage:
        """Read a page of one of the `CAPTURABLE` types.

        `link_charset` is the charset attribute of the link that led to the page. Raise `EngineError` if the process
        fails on the page.
        """
        if resource.content_type not in HTML | TEXT:
            return ParsedPage.of(resource, PageContents())
        source = PageSource(
            resource.url,
            resource.content_type,
            resource.charset,
            link_charset,
            config.default_charset,
            config.viewport,
            config.max_links,
            most_references(config.max_resources),
            resource.nofollow,
        )
        return ParsedPage.of(resource, await self._contents(resource.body, source))

    async def _contents(self, body: bytes, source: PageSource) -> PageContents:
        """Read a page, in a thread of this process if it is not worth the other one."""
        self._pages += 1
        if self._pages == 1 or not SMALL_PAGE < len(body) < LARGE_PAGE:
            contents = await in_thread(read_small_contents, body, source)
            if contents is not None:
                return contents
        try:
            return await self._in_process(body, source)
        except WorkersError:  # the process cannot be had, and the page is read all the same
            return await in_thread(read_contents, body, source)

    async def _in_process(self, body: bytes, source: PageSource) -> PageContents:
        """Read a page in the process. If it fails, the STYLE elements are not read: few pages have anything worse."""
        effort = Effort.in_proportion(len(body))
        try:
            return await self._pool.run_sized(effort, read_contents, body, source)
        except EngineError:
            return await self._pool.run_sized(effort, read_contents, body, replace(source, reads_styles=False))
