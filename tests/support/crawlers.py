"""Crawlers in the process of a test, with wcspider's settings, for tests of single components."""

from __future__ import annotations

from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from wcspider import settings

OWN: dict[str, Any] = {name: value for name, value in vars(settings).items() if name.isupper()}
OWN["WEBCAPTURE_PROGRESS"] = "none"  # it would need a running event loop


class OtherSpider(Spider):
    """A spider of another project."""

    name = "other"


def make_crawler(
    spider: type[Spider] = OtherSpider, arguments: dict[str, str] | None = None, **changed: Any
) -> Crawler:
    """Return a crawler with its extensions and its spider, which does not crawl."""
    crawler = get_crawler(spider, {**OWN, **changed})
    crawler.spider = crawler._create_spider(**(arguments or {}))
    return crawler
