"""Decompression of answers."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.responsetypes import responsetypes

from wcspider.crawl.reading.threads import in_thread
from wcspider.exceptions import ContentCodingError
from wcspider.web.codings import codings, undo


class ContentDecodingMiddleware(HttpCompressionMiddleware):
    """A downloader middleware that requests compressed answers and decompresses them completely, or not at all.

    It replaces Scrapy's middleware, which keeps the beginning of a truncated or broken body, and passes on a body
    with an unknown content coding.
    """

    def __init__(self, *, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._limit = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    async def process_response(  # type: ignore[override]
        self, request: Request, response: Response, spider: Any = None
    ) -> Response:
        """Return the decompressed response; raise IgnoreRequest if it cannot be decompressed."""
        applied = codings(value.decode("latin-1") for value in response.headers.getlist("Content-Encoding"))
        if not applied or request.method == "HEAD":
            return response
        try:
            body = await in_thread(undo, response.body, applied, request.meta.get("download_maxsize", self._limit))
        except ContentCodingError as error:
            if 200 <= response.status < 300:
                raise IgnoreRequest(error.problem) from error
            body = b""  # the status is reported, not the body
        attributes = {name: getattr(response, name) for name in Response.attributes}
        headers = attributes["headers"] = response.headers.copy()
        del headers["Content-Encoding"]
        kind = responsetypes.from_args(headers=headers, url=response.url, body=body)
        return kind(**{**attributes, "body": body})
