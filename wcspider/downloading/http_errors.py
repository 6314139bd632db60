"""Pages of other projects' spiders that a server refused: they are reported, although no item is made of them."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError

from wcspider.crawl.session import CaptureSession, session_of
from wcspider.downloading.errors import reason_of


class HttpErrorReportMiddleware:
    """Reports responses that Scrapy withholds from a spider because of their status, such as 404.

    Its order has to be above that of Scrapy's `HttpErrorMiddleware`, which handles these exceptions.
    """

    def __init__(self, session: CaptureSession) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(session_of(crawler))

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """Report a response with an error status; Scrapy's middleware then handles it."""
        if isinstance(exception, HttpError):
            asked = response.meta.get("redirect_urls", [response.url])[0]
            self._session.note_failure(asked, reason_of(exception))
