"""What a capture did, for the summary at its end: what was kept, and what was left out and why."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Report:
    """Counts of a run, and the URLs of what did not make it, by reason. Each of these URLs is in the log as well."""

    page_sets: int = 0
    """Page sets that were added."""

    known: int = 0
    """Pages that turned out to be in the file already: only a source or a time stamp was added."""

    pages: int = 0
    image_sets: int = 0
    bytes_written: int = 0
    omitted_pages: dict[str, list[str]] = field(default_factory=dict)
    omitted_resources: dict[str, list[str]] = field(default_factory=dict)
    degraded: dict[str, list[str]] = field(default_factory=dict)
    """Pages that were captured with less than their author's design, by how much less."""

    @property
    def captured(self) -> int:
        """How many pages were captured, for the first time or once more."""
        return self.page_sets + self.known

    def omit_page(self, reason: str, url: str) -> None:
        """Note a page in scope that is not in the file."""
        self.omitted_pages.setdefault(reason, []).append(url)
        logger.info("Left out: %s (%s)", url, reason)

    def omit_resource(self, reason: str, url: str) -> None:
        """Note an auxiliary resource that could not be fetched; once, however many pages refer to it."""
        urls = self.omitted_resources.setdefault(reason, [])
        if url not in urls:
            urls.append(url)
            logger.info("Left out of a page: %s (%s)", url, reason)

    def degrade(self, how: str, url: str) -> None:
        """Note a page that was laid out without some of its design."""
        self.degraded.setdefault(how, []).append(url)
        logger.info("%s: %s", how.capitalize(), url)

    def lines(self, path: Path, size: int, limit: int) -> Iterator[str]:
        """Yield the summary, at most `limit` URLs for each reason."""
        yield f"Captured {_count(self.captured, 'page')} into {path} ({_bytes(size)})"
        yield f"  new page sets    {self.page_sets} ({_count(self.pages, 'PDF page')})"
        yield f"  already there    {self.known}"
        yield f"  new image sets   {self.image_sets}"
        yield f"  written          {_bytes(self.bytes_written)}"
        yield from _section("Pages left out", self.omitted_pages, limit)
        yield from _section("Resources of pages left out", self.omitted_resources, limit)
        yield from _section("Pages kept without all of their design", self.degraded, limit)


def _section(title: str, reasons: dict[str, list[str]], limit: int) -> Iterator[str]:
    if not reasons:
        return
    yield f"{title}: {sum(map(len, reasons.values()))}"
    for reason, urls in sorted(reasons.items()):
        yield f"  {reason}: {len(urls)}"
        yield from (f"    {url}" for url in urls[:limit])
        if len(urls) > limit:
            yield f"    and {len(urls) - limit} more, listed in the log"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
