"""A strict limit on the concurrent requests to a host (CONCURRENT_REQUESTS_PER_DOMAIN)."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from scrapy import Request
from scrapy.core.downloader import Downloader, Slot
from scrapy.http import Response
from twisted.internet.defer import Deferred


class StrictDownloader(Downloader):
    """Scrapy's downloader, changed to count a request from the moment when it leaves the queue.

    Scrapy 2.19 counts a request only from the moment when its task starts to run. Until then further requests leave
    the queue, so a host would get as many concurrent requests as a page has images.
    """

    def _wait_for_download(
        self, slot: Slot, request: Request, queue_dfd: Deferred[Response]
    ) -> Coroutine[Any, Any, None]:
        """Count a request as being transferred, then wait for its response."""
        slot.transferring.add(request)
        return super()._wait_for_download(slot, request, queue_dfd)
