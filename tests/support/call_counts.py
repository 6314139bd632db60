"""Counts of Python calls, which say how much work code does on any machine, however busy the machine is."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler

FILE = "CALL_COUNTS_FILE"
"""The Scrapy setting with the path of the file for the result of `CrawlCalls`."""

READING = "wcspider.web."
"""The package that reads pages and style sheets."""


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """Count the calls of Python functions in this thread, by the name of the module."""
    counts: Counter[str] = Counter()
    before = sys.getprofile()
    sys.setprofile(_profile(counts))
    try:
        yield counts
    finally:
        sys.setprofile(before)


def crawl_calls(file: Path) -> tuple[int, int]:
    """Return the number of calls that `CrawlCalls` counted, and how many of them were in modules that read pages."""
    counts: dict[str, int] = json.loads(file.read_text())
    return sum(counts.values()), sum(count for module, count in counts.items() if module.startswith(READING))


class CrawlCalls:
    """An extension of Scrapy that counts the calls in all threads of the main process, from the first response on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._counts: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the extension of a crawl."""
        extension = cls(Path(crawler.settings[FILE]))
        crawler.signals.connect(extension.begin, signals.response_received)
        crawler.signals.connect(extension.end, signals.engine_stopped)
        return extension

    def begin(self) -> None:
        """Begin with the first response, when Scrapy has loaded what it needs, and before any thread reads a page."""
        if sys.getprofile() is None:
            threading.setprofile(_profile(self._counts))
            sys.setprofile(_profile(self._counts))

    def end(self) -> None:
        """Write the counts."""
        threading.setprofile(None)
        sys.setprofile(None)
        self._file.write_text(json.dumps(self._counts))


def _profile(counts: Counter[str]) -> Any:
    def count(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            counts[frame.f_globals.get("__name__", "")] += 1

    return count
