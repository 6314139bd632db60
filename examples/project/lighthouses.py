"""A spider that scrapes headings, and captures the pages with the headings into lighthouses.pdf.

Run it with ``scrapy crawl lighthouses -a url=https://example.com/ -O headings.jsonl``. The default of ``url`` is
https://example.com/.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from wcspider.items import CaptureItem


class LighthousesSpider(Spider):
    """A spider that follows the links of the first page to the same host, including images and PDF files."""

    name = "lighthouses"
    custom_settings = {"WEBCAPTURE_PDF": "%(name)s.pdf", "DEPTH_LIMIT": 1}  # noqa: RUF012
    links = LinkExtractor(deny_extensions=[])

    def __init__(self, url: str = "https://example.com/", **kwargs: Any) -> None:
        super().__init__(start_urls=[url], allowed_domains=[urlsplit(url).hostname], **kwargs)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        """Yield the page to capture; for HTML, also its headings and requests for its links."""
        yield CaptureItem.from_response(response)
        if isinstance(response, HtmlResponse):
            for heading in response.css("h1"):
                yield {"page": response.url, "heading": " ".join(heading.css("::text").getall())}
            yield from response.follow_all(self.links.extract_links(response))
