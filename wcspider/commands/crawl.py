"""``scrapy crawl``: Scrapy's own, whose exit status also tells whether anything was captured."""

from __future__ import annotations

import argparse

from scrapy.commands.crawl import Command as ScrapyCrawl

from wcspider.extensions import CaptureSession


class Command(ScrapyCrawl):
    """Runs a spider; the exit status is not 0 if it was to capture and captured nothing."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider."""
        super().run(args, opts)
        assert self.crawler_process
        for crawler in self._crawlers():
            session = crawler.get_extension(CaptureSession)
            if session is None or session.exit_status:
                self.exitcode = 1

    def _create_crawler(self, name: str):  # type: ignore[no-untyped-def]
        self._crawler = super()._create_crawler(name)
        return self._crawler

    def _crawlers(self):  # type: ignore[no-untyped-def]
        return [self._crawler] if self._crawler.extensions else []
