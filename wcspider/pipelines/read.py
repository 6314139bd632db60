"""The read pipeline: parses the responses of items that a spider made (`CaptureItem.from_response`)."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response, TextResponse

from wcspider.crawl.parsing import CAPTURABLE, rendered_resource, resource_of
from wcspider.crawl.session import CaptureSession, session_of
from wcspider.downloading.page_reading import read_beside
from wcspider.items import CaptureItem
from wcspider.web.resources import Resource
from wcspider.webcapture.resource_limits import most_references


class ReadPipeline:
    """Fills in the contents of a page. It comes first, so that the pipelines of a project find them there."""

    def __init__(self, session: CaptureSession) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        return cls(session_of(crawler))

    async def process_item(self, item: Any) -> Any:
        """Parse the response of an item; drop an item that cannot become a page, and report it as skipped."""
        if isinstance(item, CaptureItem) and item.response is not None:
            self._session.warn_if_not_stored()
            await self._read(item, item.response)
        return item

    async def _read(self, item: CaptureItem, response: Response) -> None:
        config = self._session.config
        resource = self._resource(item, response)
        if resource.content_type not in CAPTURABLE:
            reason = f"not captured: {resource.content_type}"
            self._session.skip(reason, resource.url)
            raise DropItem(f"{resource.url} {reason}")
        page = await read_beside(
            self._session,
            resource,
            link_charset=item.link_charset,
            default_charset=config.default_charset,
            viewport=config.viewport,
            max_links=config.max_links,
            max_references=most_references(config.max_resources),
        )
        self._session.note_limits(page)
        title, form = item.title or page.capture.title, item.form
        item.capture, item.references, item.response = page.capture, page.references, None
        item.update(title=title, form=form)
        if response.status != 200:  # the spider wants this error page
            item.update(notice="")

    def _resource(self, item: CaptureItem, response: Response) -> Resource:
        clock = self._session.config.clock
        if item.is_rendered and isinstance(response, TextResponse):
            return rendered_resource(response, clock)
        return resource_of(response, clock)
