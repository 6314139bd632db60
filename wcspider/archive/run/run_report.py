"""What a capture did, for the summary at its end: what was kept, and what was left out and why."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

from wcspider.archive.journal.journal import Journal
from wcspider.archive.journal.skipped_pages import SkippedPages
from wcspider.archive.units import format_count, format_size

logger = logging.getLogger(__name__)

PAGE, RESOURCE, DEGRADED, KEPT, KEPT_RESOURCE, GONE = "page", "resource", "degraded", "kept", "kept_resource", "gone"
"""What the journal keeps skip_reasons of."""

TITLES = {
    PAGE: "Pages left out",
    RESOURCE: "Resources of pages left out",
    DEGRADED: "Pages kept without all of their design",
    KEPT: "Pages that could not be asked for, and are kept as they were",
    KEPT_RESOURCE: "Resources of pages that could not be asked for, and are taken as they were",
    GONE: "Pages that are gone",
}


class Report:
    """Counts of a run, and the URLs of what did not make it, by reason. Each of these URLs is in the log as well."""

    def __init__(self, journal: Journal, counts: Mapping[str, int]) -> None:
        """Go on counting from `counts`; what was left out is kept in the journal."""
        self._journal = journal
        self.skipped_pages = SkippedPages(journal)
        """The pages that were left out, for the file."""

        self.page_sets = counts.get("page_sets", 0)
        """Page sets that were added."""

        self.known = counts.get("known", 0)
        """Pages that turned out to be in the file already: only a source or a time stamp was added."""

        self.not_requested = counts.get("not_requested", 0)
        """Pages that a refresh did not request, because they have not expired."""

        self.changed = counts.get("changed", 0)
        """Pages that were replaced, or found in another page set than before."""

        self.removed = counts.get("removed", 0)
        """Pages that were gone, and dropped."""

        self.pages = counts.get("pages", 0)
        self.image_sets = counts.get("image_sets", 0)
        self.bytes_written = counts.get("bytes_written", 0)

    @property
    def captured(self) -> int:
        """How many pages were captured, for the first time or once more."""
        return self.page_sets + self.known + self.changed

    def counts(self) -> dict[str, int]:
        """Return what was counted, by name."""
        return {
            "page_sets": self.page_sets,
            "known": self.known,
            "not_requested": self.not_requested,
            "changed": self.changed,
            "removed": self.removed,
            "pages": self.pages,
            "image_sets": self.image_sets,
            "bytes_written": self.bytes_written,
        }

    def omitted(self, what: str) -> dict[str, list[str]]:
        """Return the URLs of what was left out, by reason."""
        return {
            reason: list(self._journal.omitted(what, reason, count))
            for reason, count in self._journal.skip_reasons(what)
        }

    def skipped_count(self, what: str) -> int:
        """Return how much was left out."""
        return sum(count for _, count in self._journal.skip_reasons(what))

    def skip_page(self, reason: str, url: str) -> None:
        """Note a page in scope that is not in the file."""
        if self._journal.add_skipped(PAGE, reason, url):
            logger.info("Left out: %s (%s)", url, reason)

    def skip_unlinked(self, reason: str, url: str) -> None:
        """Note a page in scope that no page led to, or that was not come to."""
        self.skipped_pages.note(url, reason)
        self.skip_page(reason, url)

    def skip_linked(self, reason: str, url: str, page: int, command: int, level: int) -> None:
        """Note a page in scope that is skipped, and to which the page at the position `page` links."""
        self.skipped_pages.note_linked(url, reason, page, command, level)
        self.skip_page(reason, url)

    def keep_page(self, reason: str, url: str) -> None:
        """Note a page that could not be fetched, and is kept as the file holds it."""
        if self._journal.add_skipped(KEPT, reason, url):
            logger.info("Kept as it was: %s (%s)", url, reason)

    def note_removed(self, reason: str, url: str) -> None:
        """Note a page of the file that is gone."""
        self.skipped_pages.note(url, reason)
        if self._journal.add_skipped(GONE, reason, url):
            logger.info("Gone: %s (%s)", url, reason)

    def skip_resource(self, reason: str, url: str) -> None:
        """Note an auxiliary resource that could not be fetched; once, however many pages refer to it."""
        if self._journal.add_skipped(RESOURCE, reason, url):
            logger.info("Left out of a page: %s (%s)", url, reason)

    def keep_resource(self, reason: str, url: str) -> None:
        """Note an auxiliary resource that could not be fetched, and is taken as the file holds it."""
        if self._journal.add_skipped(KEPT_RESOURCE, reason, url):
            logger.info("Taken as it was: %s (%s)", url, reason)

    def degrade(self, how: str, url: str) -> None:
        """Note a page that was laid out without some of its design."""
        if self._journal.add_skipped(DEGRADED, how, url):
            logger.info("%s: %s", how.capitalize(), url)

    def lines(
        self, path: Path, size: int, limit: int, *, refreshed: bool = False, finished: bool = True
    ) -> Iterator[str]:
        """Yield the summary, at most `limit` URLs for each reason; of work that is not put in place as well."""
        if refreshed:
            yield f"Refreshed {path} ({format_size(size)})" if finished else f"Not refreshed yet: {path}"
            yield f"  unchanged        {self.known}"
            if self.not_requested:
                yield f"  not requested    {self.not_requested} (not expired)"
            yield f"  changed          {self.changed}"
            yield f"  new              {self.page_sets}"
            yield f"  dropped          {self.removed}"
        else:
            into = f"into {path} ({format_size(size)})" if finished else f"so far, and none of them is in {path} yet"
            yield f"Captured {format_count(self.captured, 'page')} {into}" if self.captured else "Captured no page"
            yield f"  new page sets    {self.page_sets} ({format_count(self.pages, 'PDF page')})"
            yield f"  already there    {self.known}"
        yield f"  new image sets   {self.image_sets}"
        yield f"  written          {format_size(self.bytes_written)}"
        for what, title in TITLES.items():
            yield from self._section(what, title, limit)

    def _section(self, what: str, title: str, limit: int) -> Iterator[str]:
        reasons = self._journal.skip_reasons(what)
        if not reasons:
            return
        yield f"{title}: {sum(count for _, count in reasons)}"
        for reason, count in reasons:
            yield f"  {reason}: {count}"
            yield from (f"    {url}" for url in self._journal.omitted(what, reason, limit))
            if count > limit:
                yield f"    and {count - limit} more, listed in the log"
