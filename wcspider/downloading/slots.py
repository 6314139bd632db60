"""How many requests a host gets at once: as many as CONCURRENT_REQUESTS_PER_DOMAIN says, and no more."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from scrapy import Request
from scrapy.core.downloader import Downloader, Slot
from scrapy.http import Response
from twisted.internet.defer import Deferred


class StrictDownloader(Downloader):
    """Scrapy's downloader, which counts a request from the moment at which it is let go.

    Scrapy 2.19 counts it from when its task begins to run. All that is asked for until then is let go as well, so
    that a host gets as many requests at once as a page has images.
    """

    def _wait_for_download(
        self, slot: Slot, request: Request, queue_dfd: Deferred[Response]
    ) -> Coroutine[Any, Any, None]:
        slot.transferring.add(request)
        return super()._wait_for_download(slot, request, queue_dfd)
