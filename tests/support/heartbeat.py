"""A Scrapy extension that records for how long the reactor was busy without a break."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

FILE = "HEARTBEAT_FILE"
"""The Scrapy setting with the path of the file for the result."""

TOTAL = ".total"
"""The suffix of the file next to it with the processor time of all threads of the process."""


class Heartbeat:
    """Measures the processor time of the reactor's thread between two turns of the loop, which other programs do not
    change.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._last = 0.0
        self._began = 0.0
        self.longest = 0.0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the extension of a crawl."""
        extension = cls(Path(crawler.settings[FILE]))
        crawler.signals.connect(extension.begin, signals.response_received)
        crawler.signals.connect(extension.end, signals.engine_stopped)
        return extension

    def begin(self) -> None:
        """Begin with the first response, when Scrapy has loaded what it needs."""
        if not self._last:
            self._last = time.thread_time()
            self._began = time.process_time()
            self._beat()

    def _beat(self) -> None:
        from twisted.internet import reactor

        now = time.thread_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now
        reactor.callLater(0.01, self._beat)

    def end(self) -> None:
        """Write the longest time and the total, in seconds."""
        self.longest = max(self.longest, time.thread_time() - self._last)
        self._file.write_text(f"{self.longest}")
        self._file.with_suffix(TOTAL).write_text(f"{time.process_time() - self._began}")
