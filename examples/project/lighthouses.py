"""A spider that scrapes headings, and keeps the pages that it found them on in lighthouses.pdf.

Run it with ``scrapy crawl lighthouses -a url=https://example.com/ -O headings.jsonl``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response

from wcspider.items import CaptureItem


class LighthousesSpider(Spider):
    """Follows the links of the first page."""

    name = "lighthouses"
    custom_settings = {"WEBCAPTURE_PDF": "%(name)s.pdf"}  # noqa: RUF012

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first request."""
        yield Request(self.url)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        """Yield the headings of a page, and the page."""
        yield CaptureItem.from_response(response)
        if isinstance(response, HtmlResponse):
            for heading in response.css("h1"):
                yield {"page": response.url, "heading": " ".join(heading.css("::text").getall())}
            if response.meta["depth"] == 0:
                yield from response.follow_all(css="a")
