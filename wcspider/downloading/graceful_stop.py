"""The end of a crawl that is stopped, by Ctrl-C for example: pages get a few seconds more, not as long as they take."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler

from wcspider.crawl.messages.announcements import announce
from wcspider.crawl.session import session_of
from wcspider.downloading.retry import STEP_SECONDS
from wcspider.engines.workers.pool_interface import Pool

logger = logging.getLogger(__name__)

GRACE_SECONDS = 3.0
"""The time that pages get to be laid out once the last answer has arrived."""

STOPPING = (
    "Waiting for the answers to the last requests; press Ctrl-C again to stop at once. Pages that are not yet "
    "stored are fetched again when the same command is run to continue"
)


class GracefulStop:
    """A Scrapy extension that stops the worker processes a few seconds after the crawl was stopped.

    The pages that are not laid out by then are left to the next run of the same command. A crawl with partial=true has
    no next run, so it lays out all of its pages.
    """

    def __init__(self, crawler: Crawler, grace: float = GRACE_SECONDS) -> None:
        self._crawler = crawler
        self._grace = grace
        self._watch: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension of a crawl."""
        extension = cls(crawler)
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def engine_started(self) -> None:
        """Begin to watch, if the session is open."""
        session = session_of(self._crawler)
        if session.is_open and not session.job.task.partial:
            self._watch = asyncio.get_running_loop().create_task(self._stop_in_time(session.job.pool))

    def spider_closed(self) -> None:
        """End the watch."""
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    async def _stop_in_time(self, pool: Pool) -> None:
        """Stop the worker processes when the crawl was stopped, has its last answer, and the grace is over."""
        engine: Any = self._crawler.engine
        # Scrapy sends the signal just before it sets this. A pause here could miss a crawl that is stopped at once.
        while not engine.running:
            await asyncio.sleep(0)
        while engine.running:
            await asyncio.sleep(STEP_SECONDS)
        announce(logger, STOPPING)
        while engine.downloader.active:
            await asyncio.sleep(STEP_SECONDS)
        await asyncio.sleep(self._grace)
        await pool.stop()
