"""The read pipeline: fills in the items that a spider made of responses (`CaptureItem.from_response`)."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response, TextResponse

from wcspider.crawl.parsing import CAPTURABLE, read_page, rendered_resource, resource_of
from wcspider.crawl.session import CaptureSession, session_of
from wcspider.items import CaptureItem
from wcspider.web.resources import Resource


class ReadPipeline:
    """Fills in what a page is, says and refers to. It comes first, so that a project's own pipelines find it there."""

    def __init__(self, session: CaptureSession) -> None:
        self.session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        return cls(session_of(crawler))

    def process_item(self, item: Any) -> Any:
        """Read a page; what is none is dropped, and noted as left out."""
        if isinstance(item, CaptureItem) and item.response is not None:
            self._read(item, item.response)
        return item

    def _read(self, item: CaptureItem, response: Response) -> None:
        config = self.session.config
        resource = self._resource(item, response)
        if resource.content_type not in CAPTURABLE:
            reason = f"not captured: {resource.content_type}"
            self.session.skip(reason, resource.url)
            raise DropItem(f"{resource.url} {reason}")
        page = read_page(
            resource,
            link_charset=item.link_charset,
            default_charset=config.default_charset,
            viewport=config.viewport,
        ).item
        item.resource, item.encoding, item.references = page.resource, page.encoding, page.references
        item.links, item.text_identifier = page.links, page.text_identifier
        item.title = item.title or page.title
        item.response = None

    def _resource(self, item: CaptureItem, response: Response) -> Resource:
        if item.is_rendered and isinstance(response, TextResponse):
            return rendered_resource(response, self.session.config.clock)
        return resource_of(response, self.session.config.clock)
