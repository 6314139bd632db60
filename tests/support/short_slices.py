"""A Scrapy extension that stores pages in slices of a single step, as on a machine that is very busy."""

from __future__ import annotations

from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

from wcspider import steps


class ShortSlices:
    """Sets the length of slices to nothing while a crawl runs."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the extension of a crawl."""
        extension, usual = cls(), steps.SLICE_SECONDS
        steps.SLICE_SECONDS = 0.0
        crawler.signals.connect(lambda: setattr(steps, "SLICE_SECONDS", usual), signals.engine_stopped, weak=False)
        return extension
