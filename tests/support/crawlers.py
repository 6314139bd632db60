"""Crawlers of Scrapy inside the test's own process, for components that need one."""

from __future__ import annotations

from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.reactor import install_reactor
from scrapy.utils.test import get_crawler

from wcspider import settings as project

install_reactor(project.TWISTED_REACTOR)  # as Scrapy does before it makes components

PROJECT = {name: value for name, value in vars(project).items() if name.isupper()}


class OtherSpider(Spider):
    """A spider of somebody else's project."""

    name = "other"


def crawler_of(spider: type[Spider] = OtherSpider, settings: dict[str, Any] | None = None, **arguments: Any) -> Crawler:
    """A crawler with the settings of the project, and its spider, before the crawl begins."""
    crawler = get_crawler(spider, {**PROJECT, **(settings or {})})
    crawler.spider = crawler._create_spider(**arguments)
    return crawler
