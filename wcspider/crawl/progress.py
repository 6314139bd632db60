"""The progress of a crawl: one line at the bottom of a terminal, or a line in the log now and then."""

from __future__ import annotations

import logging
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from wcspider.config import AUTOMATIC, NEVER, CaptureConfig
from wcspider.crawl.job import CaptureJob
from wcspider.crawl.session import session_of
from wcspider.crawl.third_party import is_third_party
from wcspider.exceptions import WebCaptureError
from wcspider.units import format_count, format_size

if TYPE_CHECKING:
    from wcspider.crawl.messages.terminal_line import TerminalLine

logger = logging.getLogger(__name__)

TERMINAL_SECONDS = 0.5
"""The interval at which the line on a terminal is drawn."""

WINDOW = 60.0
"""The number of seconds over which the rate is computed."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The progress of a crawl."""

    captured: int
    queued: int
    """Pages that are known and whose turn has not come."""

    rendering: int
    """Pages that are being laid out, or that wait for a worker."""

    size: int
    """The size of the file so far, in bytes; 0 as long as it has no page."""

    rate: float = 0.0
    """Pages stored or skipped per second."""

    is_closed: bool = False
    """True if no page of the queue can lead to others, so that the queue only gets shorter."""

    workers: tuple[str, ...] = ()
    """Phrases about the workers of a cluster."""

    is_refresh: bool = False
    """True if the pages are those of the file, most of which only have to be checked."""

    @property
    def seconds_left(self) -> float | None:
        """The time left at this rate; None if it cannot be known."""
        return self.queued / self.rate if self.is_closed and self.rate else None

    def phrases(self) -> dict[str, str]:
        """Return the phrases of the progress line by their names, without those that say nothing."""
        done = "checked" if self.is_refresh else "captured"
        left = self.seconds_left
        said = {
            "captured": f"{format_count(self.captured, 'page')} {done}",
            "queued": f"{self.queued} queued",
            "rendering": f"{self.rendering} rendering",
            "workers": ", ".join(self.workers),
            "size": format_size(self.size) if self.size else "",
            "rate": f"{self.rate:.1f} pages/s"
            if self.rate >= 0.1 or not self.rate
            else f"{self.rate * 60:.1f} pages/min",
            "left": "" if left is None else f"{in_time(left)} left",
        }
        return {name: phrase for name, phrase in said.items() if phrase}


def in_time(seconds: float) -> str:
    """Return a duration in words: 48 s, 12 min, 3 h 20 min."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02} min"


class Pace:
    """The rate of a growing count, over the last `WINDOW` seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()

    def at(self, count: int) -> float:
        """Note a count and return its growth per second; 0 at first."""
        now = self._clock()
        self._seen.append((now, count))
        while now - self._seen[0][0] > WINDOW and len(self._seen) > 2:
            self._seen.popleft()
        began, first = self._seen[0]
        return (count - first) / (now - began) if now > began else 0.0


class LogLine:
    """A line in the log."""

    def show(self, phrases: Mapping[str, str]) -> None:
        """Log a line."""
        logger.info("Progress: %s", ", ".join(phrases.values()))

    def close(self) -> None:
        """Do nothing."""


class Progress:
    """Shows the progress of a crawl of wcspider's own spiders, on a terminal or in the log."""

    def __init__(self, crawler: Crawler, line: Callable[[], TerminalLine | LogLine], interval: float) -> None:
        self._crawler = crawler
        self._make_line = line
        self._line: TerminalLine | LogLine | None = None
        self._interval = interval
        self._pace = Pace()
        self._levels = 0
        self._task = create_looping_call(self.show)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension of a crawl, unless WEBCAPTURE_PROGRESS or LOGSTATS_INTERVAL turns it off."""
        try:
            wanted = CaptureConfig.from_settings(crawler.settings).progress
        except WebCaptureError as error:
            raise NotConfigured(str(error)) from error
        stream = sys.stderr
        interval = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        if wanted == AUTOMATIC and stream is not None and stream.isatty():
            from wcspider.crawl.messages.terminal_line import TerminalLine  # tqdm takes 30 ms to load

            progress = cls(crawler, lambda: TerminalLine(stream), TERMINAL_SECONDS)
        elif wanted != NEVER and interval > 0:
            progress = cls(crawler, LogLine, interval)
        else:
            raise NotConfigured
        crawler.signals.connect(progress.spider_opened, signals.spider_opened)
        crawler.signals.connect(progress.spider_closed, signals.spider_closed)
        return progress

    def spider_opened(self, spider: Any) -> None:
        """Begin, if the session is open."""
        if not is_third_party(spider) and session_of(self._crawler).is_open:
            self._line = self._make_line()
            job = session_of(self._crawler).job
            self._pace.at(job.writer.position)
            self._levels = max((execution.command.levels for execution in job.executions), default=0)
            self._task.start(self._interval, now=False)

    def spider_closed(self) -> None:
        """End, before the summary."""
        if self._line is not None:
            self._task.stop()
            self._line.close()
            self._line = None

    def show(self) -> None:
        """Show the progress."""
        session = session_of(self._crawler)
        with session.guarded():
            if self._line is not None:
                job = session.job
                standing = standing_of(job, self._levels)
                self._line.show(replace(standing, rate=self._pace.at(job.writer.position)).phrases())


def standing_of(job: CaptureJob, levels: int) -> Standing:
    """Return the progress of a crawl whose commands have so many levels at most, without its rate."""
    position = job.writer.position
    ahead = job.journal.places(position, 1)
    has_pages = job.writer.committed or job.target.base[0]
    return Standing(
        captured=job.report.captured + job.report.not_requested,
        queued=job.journal.next_position - position,
        rendering=job.pool.busy,
        size=job.database.file.length if has_pages else 0,
        workers=tuple(job.pool.phrases()),
        is_closed=bool(ahead) and ahead[0].level >= levels,
        is_refresh=job.is_refresh,
    )
