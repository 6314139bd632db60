"""Decompression of answers."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.responsetypes import responsetypes

from wcspider.crawl.reading.parsing import named_type
from wcspider.crawl.reading.source_contents import HTML, TEXT
from wcspider.crawl.reading.threads import in_thread
from wcspider.exceptions import ContentCodingError
from wcspider.web.codings import GZIP_MAGIC, codings, undo

_TEXTS = HTML | TEXT | {"text/css"}
"""The media types that are decompressed even if no header says that they are compressed."""


class UndecodableError(IgnoreRequest):
    """An error for an answer that cannot be decompressed; the message is the reason."""


class ContentDecodingMiddleware(HttpCompressionMiddleware):
    """A downloader middleware that requests compressed answers and decompresses them completely, or not at all.

    It replaces Scrapy's middleware, which keeps the beginning of a truncated or broken body, and passes on a body
    with an unknown content coding. Text that begins like a gzip file is decompressed as well: some servers store
    compressed pages and forget the header, or compress pages twice.
    """

    def __init__(self, *, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._limit = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    async def process_response(  # type: ignore[override]
        self, request: Request, response: Response, spider: Any = None
    ) -> Response:
        """Return the decompressed response; raise `UndecodableError` if that is not possible."""
        applied = codings(value.decode("latin-1") for value in response.headers.getlist("Content-Encoding"))
        is_text = named_type(response.headers) in _TEXTS
        if request.method == "HEAD" or not (applied or (is_text and response.body.startswith(GZIP_MAGIC))):
            return response
        limit = request.meta.get("download_maxsize", self._limit)
        try:
            body = await in_thread(undo, response.body, applied, limit)
            if is_text and body.startswith(GZIP_MAGIC):
                body = await in_thread(undo, body, ("gzip",), limit)
        except ContentCodingError as error:
            if 200 <= response.status < 300:
                raise UndecodableError(error.problem) from error
            body = b""  # the status is reported, not the body
        attributes = {name: getattr(response, name) for name in Response.attributes}
        headers = attributes["headers"] = response.headers.copy()
        headers.pop("Content-Encoding", None)
        kind = responsetypes.from_args(headers=headers, url=response.url, body=body)
        return kind(**{**attributes, "body": body})
