"""``scrapy crawl``: Scrapy's command with one-line messages, and an exit status that tells whether FILE was written."""

from __future__ import annotations

import argparse
import logging
import sys

from scrapy import Spider
from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.crawler import Crawler
from scrapy.spiderloader import get_spider_loader

from wcspider.config import CaptureConfig, defaults
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.inputs.spider_arguments import ARGUMENTS, help_text
from wcspider.crawl.session import CaptureSession
from wcspider.engines.registry import engine_for
from wcspider.exceptions import ArgumentError, WebCaptureError, meant
from wcspider.program_names import crawl_name
from wcspider.spiders.capture import CaptureSpider
from wcspider.spiders.refresh import RefreshSpider

logger = logging.getLogger(__name__)


class Command(ScrapyCrawl):
    """The command; its exit statuses are those of `ExitStatus`."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options of Scrapy. The help is printed later, when the name of the spider is known."""
        parser.add_argument("-h", "--help", action="store_true", help="show this help message and exit")
        super().add_options(parser)
        self._parser = parser

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the help, or set the settings of the command line."""
        if opts.help:
            self._parser.print_help()
            assert self.settings is not None
            for name in args:
                if name in ARGUMENTS and name in get_spider_loader(self.settings).list():
                    print(f"\n{help_text(name, ARGUMENTS[name])}")
            raise SystemExit(0)
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider, unless its name, settings or arguments are wrong."""
        assert self.settings is not None
        try:
            self._check_spider(args)
            config = CaptureConfig.from_settings({**defaults(), **self.settings})
            _ = config.logins  # raises SettingError if the netrc file cannot be read
            if args == [CaptureSpider.name]:
                engine_for(CaptureArguments.parse(opts.spargs).engine or config.engine, "text/html")
            elif args == [RefreshSpider.name]:
                RefreshArguments.parse(opts.spargs)
        except WebCaptureError as error:
            print(f"{crawl_name(''.join(args[:1]))}: {error}", file=sys.stderr)
            if self.settings["LOG_FILE"]:  # the log of the job, if Scrapyd runs the command
                logger.error("%s", error)
            self.exitcode = error.exit_status
            return
        super().run(args, opts)
        if self.exitcode == 0:
            self.exitcode = _exit_status(self._crawler)

    def _check_spider(self, args: list[str]) -> None:
        """Raise `ArgumentError` for mistakes that Scrapy reports with a traceback or without advice."""
        if stray := [argument for argument in args[1:] if "=" in argument]:
            raise ArgumentError(f"{stray[0]}: -a is missing before an argument", f"write -a {stray[0]}")
        assert self.crawler_process is not None
        spiders = self.crawler_process.spider_loader.list()
        if args and args[0] not in spiders:
            raise ArgumentError(f"unknown spider {args[0]}", meant(args[0], sorted(spiders)))

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        self._crawler = super()._create_crawler(spidercls)
        return self._crawler


def _exit_status(crawler: Crawler) -> int:
    session = crawler.get_extension(CaptureSession)
    if session is None:
        return 0
    session.announce_abort()
    return session.exit_status
