"""The read pipeline: parses the responses of items that a spider made (`CaptureItem.from_response`)."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response, TextResponse

from wcspider.crawl.reading.parsing import CAPTURABLE, rendered_resource, resource_of
from wcspider.crawl.session import CaptureSession, session_of
from wcspider.downloading.page_reader import PageReader
from wcspider.exceptions import EngineError
from wcspider.items import CaptureItem
from wcspider.web.resources import Resource


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
            raise self._dropped(f"not captured: {resource.content_type}", resource.url)
        try:
            page = await self._session.shared(PageReader).read(resource, item.link_charset, config)
        except EngineError as error:
            raise self._dropped(f"could not be read: {error.problem}", resource.url) from error
        self._session.note_limits(page)
        title, form = item.title or page.capture.title, item.form
        item.capture, item.references, item.response = page.capture, page.contents.references, None
        item.update(title=title, form=form)
        if response.status != 200:  # the spider wants this error page
            item.update(notice="")

    def _dropped(self, reason: str, url: str) -> DropItem:
        """Report a page as skipped; return the exception for its item."""
        self._session.skip(reason, url)
        return DropItem(f"{url} {reason}")

    def _resource(self, item: CaptureItem, response: Response) -> Resource:
        clock = self._session.config.clock
        if item.is_rendered and isinstance(response, TextResponse):
            return rendered_resource(response, clock)
        return resource_of(response, clock)
