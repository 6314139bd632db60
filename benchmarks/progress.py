"""An extension that records the cost of a capture so far, after every twenty pages."""

from __future__ import annotations

import atexit
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler

from wcspider.crawl.session import session_of

FILE = "BENCHMARK_PROGRESS"
"""The Scrapy setting with the path of the file for the samples."""

STEP = 20


@dataclass(frozen=True)
class Sample:
    """The cost of the main process up to a number of pages."""

    captured: int
    pdf_pages: float
    cpu: float
    """Seconds of processor time."""

    clock: float
    """The time of day, in seconds."""

    memory: int
    """The memory in use, in bytes."""

    peak: int
    """The peak of the memory in use so far, in bytes."""

    written: int
    """The bytes written to disk, as the kernel counts them, in whole blocks."""


class Progress:
    """A Scrapy extension that writes a sample after every twenty pages and at the end of the process."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._path = Path(crawler.settings[FILE])
        self._due = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the extension of a crawl."""
        progress = cls(crawler)
        crawler.signals.connect(progress.item_scraped, signals.item_scraped)
        atexit.register(progress.sample)
        return progress

    def item_scraped(self, item: Any) -> None:
        """Write a sample after every twenty pages."""
        captured = session_of(self._crawler).job.report.captured
        if captured >= self._due:
            self._due = captured // STEP * STEP + STEP
            self.sample()

    def sample(self) -> None:
        """Append a sample to the file."""
        report = session_of(self._crawler).job.report
        status, io = _numbers("status"), _numbers("io")
        taken = Sample(
            captured=report.captured,
            pdf_pages=report.pages,
            cpu=time.process_time(),
            clock=time.time(),
            memory=status["VmRSS"] * 1024,
            peak=status["VmHWM"] * 1024,
            written=io["write_bytes"],
        )
        with self._path.open("a") as file:
            print(json.dumps(asdict(taken)), file=file)


def _numbers(name: str) -> dict[str, int]:
    """Return the counters of this process in a file of /proc."""
    rows = (line.partition(":") for line in Path(f"/proc/self/{name}").read_text().splitlines())
    return {key: int(value.split()[0]) for key, _, value in rows if value.split()[:1] and value.split()[0].isdigit()}


def read_samples(path: Path) -> list[Sample]:
    """Return the samples of a run, in order."""
    return [Sample(**json.loads(line)) for line in path.read_text().splitlines()]
