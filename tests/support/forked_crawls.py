"""The commands of Scrapy and wcspider, to be forked with their libraries in them (`tests.support.forked`)."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import scrapy.commands

import wcspider
from tests.support import forked_workers
from wcspider.crawl.processes.garbage import collect_rarely

LIBRARIES = (
    "scrapy.core.downloader.handlers.file",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.extensions.memusage",
    "scrapy.extensions.remote_control",
    "scrapy.extensions.telnet",
    "scrapy.pqueues",
)
"""The modules that Scrapy imports by their names during a crawl."""

prepare = forked_workers.install


def load() -> None:
    """Import all modules of wcspider, the commands of Scrapy and `LIBRARIES`."""
    for package in (scrapy.commands, wcspider):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                import_module(found.name)
    for name in LIBRARIES:
        import_module(name)
    assert "twisted.internet.reactor" not in sys.modules  # each crawl chooses it
    collect_rarely()  # as each crawl does
