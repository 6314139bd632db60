"""Pages of other projects' spiders that could not be fetched: they are reported, although no item is made of them."""

from __future__ import annotations

from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.httperror import HttpError

from wcspider.crawl.session import CaptureSession, session_of
from wcspider.downloading.conditional import ASKED
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
            self._session.note_failure(_asked(response.meta, response.url), reason_of(exception))


class NetworkErrorReportMiddleware:
    """Reports requests that failed without a response, such as a timeout or an unknown host.

    Its order has to be below those of the middlewares that repeat requests. A request that another middleware ignores,
    such as one to another site, is not a failure.
    """

    def __init__(self, session: CaptureSession) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(session_of(crawler))

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report a request of the spider that failed; Scrapy then calls its errback."""
        is_of_spider = request.callback is not NO_CALLBACK and ASKED not in request.meta
        if is_of_spider and not isinstance(exception, IgnoreRequest):
            self._session.note_failure(_asked(request.meta, request.url), reason_of(exception))


def _asked(meta: dict[str, Any], url: str) -> str:
    """Return the URL that the spider asked for, before any redirects."""
    first: str = meta.get("redirect_urls", [url])[0]
    return first
