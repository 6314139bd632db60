"""The store pipeline: hands captures to the writer of the file."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from wcspider.archive.pages.packed import Rendered
from wcspider.crawl.parsing import HTML
from wcspider.crawl.session import CaptureSession, capturing_session_of
from wcspider.items import CaptureItem
from wcspider.webcapture.records import Capture, Outcome


class StorePipeline:
    """Puts what was captured into the file, in reading order."""

    def __init__(self, session: CaptureSession) -> None:
        self.session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        return cls(capturing_session_of(crawler))

    def process_item(self, item: Any) -> Any:
        """Store a capture."""
        if isinstance(item, CaptureItem):
            with self.session.guarded():
                self._store(item)
        return item

    def _store(self, item: CaptureItem) -> None:
        writer = self.session.job.writer
        if item.key is None and not item.problem:
            writer.add(self._rendered(item))
        elif item.key is None:
            writer.report.skip_unlinked(item.problem, item.resource.url)
        elif item.problem and item.outcome is Outcome.FETCHED:
            writer.failed(item.key, item.problem)
        else:
            writer.captured(item.key, self._rendered(item))
        item.fragment = None  # it waits in the writer, not in memory

    def _rendered(self, item: CaptureItem) -> Rendered:
        capture = Capture(
            resource=item.resource,
            encoding=item.encoding,
            identifier=item.identifier,
            text_identifier=item.text_identifier,
            title=item.title,
            auxiliaries=item.auxiliaries,
            links=item.links,
            outcome=item.outcome,
            problem=item.problem,
            command=item.command,
            form=item.form,
        )
        scaled = item.resource.content_type in HTML
        return Rendered(
            capture, item.fragment, self.session.config_of(item.command).geometry.preferred_zoom if scaled else None
        )
