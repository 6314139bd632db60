"""``scrapy crawl``: Scrapy's own, which says what is wrong in one line and whether anything was captured."""

from __future__ import annotations

import argparse
import logging
import sys

from scrapy import Spider
from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.crawler import Crawler

from wcspider.config import CaptureConfig, defaults
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.session import CaptureSession
from wcspider.engines.registry import engine_for
from wcspider.exceptions import ArgumentError, WebCaptureError, meant
from wcspider.spiders.capture import CaptureSpider
from wcspider.spiders.refresh import RefreshSpider

logger = logging.getLogger(__name__)


class Command(ScrapyCrawl):
    """Runs a spider.

    The exit status is 2 for wrong settings or arguments, and 1 if nothing was captured or the file could not be
    put in place, and 3 if it could not be shipped.
    """

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider, unless it is none, or its settings or arguments are wrong."""
        assert self.settings is not None
        try:
            self._check_spider(args)
            config = CaptureConfig.from_settings({**defaults(), **self.settings})
            _ = config.logins  # a netrc file that cannot be read
            if args == [CaptureSpider.name]:
                engine_for(CaptureArguments.parse(opts.spargs).engine or config.engine, "text/html")
            elif args == [RefreshSpider.name]:
                RefreshArguments.parse(opts.spargs)
        except WebCaptureError as error:
            print(f"scrapy crawl: {error}", file=sys.stderr)
            if self.settings["LOG_FILE"]:  # where Scrapyd lets one look
                logger.error("%s", error)
            self.exitcode = 2
            return
        super().run(args, opts)
        if self.exitcode == 0:
            self.exitcode = _exit_status(self._crawler)

    def _check_spider(self, args: list[str]) -> None:
        """Refuse what Scrapy would answer with a traceback, or without saying what is meant."""
        if stray := [argument for argument in args[1:] if "=" in argument]:
            raise ArgumentError(f"{stray[0]} has no -a before it", f"write -a {stray[0]}")
        assert self.crawler_process is not None
        spiders = self.crawler_process.spider_loader.list()
        if args and args[0] not in spiders:
            raise ArgumentError(f"there is no spider {args[0]}", meant(args[0], sorted(spiders)))

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        self._crawler = super()._create_crawler(spidercls)
        return self._crawler


def _exit_status(crawler: Crawler) -> int:
    session = crawler.get_extension(CaptureSession)
    return 0 if session is None else session.exit_status
