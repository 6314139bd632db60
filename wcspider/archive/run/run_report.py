"""The report of a run: what it stored, and what it skipped and why."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime

from wcspider.archive.journal.journal import CAPTURED, Journal
from wcspider.archive.journal.report_entries import ReportEntries
from wcspider.archive.journal.skipped_pages import SkippedPages
from wcspider.archive.pages.fragments import ConversionNotes
from wcspider.engines.base import NO_FONT
from wcspider.engines.workers.standard_error import kind_of
from wcspider.pdf.webcapture.run_records import MAX_REASONS, MAX_URLS, Note
from wcspider.web.styles.css_pieces import READ

logger = logging.getLogger(__name__)

PAGE, RESOURCE, DEGRADED, KEPT, KEPT_RESOURCE, GONE = "page", "resource", "degraded", "kept", "kept_resource", "gone"
INCOMPLETE, NEW, CHANGED, RETURNED, FOUND = "incomplete", "new", "changed", "returned", "found"
ACTIVE, CLAIM, MESSAGE, STYLES = "active", "claim", "message", "styles"
"""The kinds of entries."""

_LOGGED = {
    PAGE: "Skipped",
    KEPT: "Kept as it was",
    NEW: "New",
    CHANGED: "Changed",
    RETURNED: "Returned",
    GONE: "Gone",
    RESOURCE: "Skipped a resource",
    KEPT_RESOURCE: "Used as it was",
    DEGRADED: "Simpler layout",
    INCOMPLETE: "May be incomplete",
    STYLES: "Style sheet",
    ACTIVE: "Removed from a PDF document",
}
"""The words before a URL in the log, by the kind of its entry."""

REDIRECTED = "redirects to a page with other content"
"""The reason of a gone page whose URL leads to another page."""

CUT_STYLES = f"only the first {READ:,} characters were read: later images and fonts are not fetched"

NOTED = (DEGRADED, INCOMPLETE, STYLES, RESOURCE, KEPT, ACTIVE)
"""The kinds of entries that the record of a run keeps. Skipped pages have records of their own."""


@dataclass
class Counts:
    """The counts of a run."""

    page_sets: int = 0
    """Page sets that were added."""

    known: int = 0
    """Pages that the file held already: only a source or a time stamp was added."""

    not_requested: int = 0
    """Pages that a refresh did not request, because they have not expired."""

    changed: int = 0
    """Pages that were replaced, that belong to another page set than before, or that have moved to another URL."""

    returned: int = 0
    """Pages that an earlier refresh has marked as gone, and that are on the site again."""

    gone: int = 0
    """Pages that a refresh was the first to find gone, and marked."""

    gone_before: int = 0
    """Pages that an earlier refresh has marked as gone, and that are still gone."""

    dropped: int = 0
    """Gone pages that a refresh deleted from the file."""

    pages: int = 0
    image_sets: int = 0
    bytes_written: int = 0


class Report(Counts):
    """The counts of a run, and its entries: URLs with reasons. Each entry is logged as well."""

    def __init__(self, journal: Journal, counts: Mapping[str, int], clock: Callable[[], datetime]) -> None:
        """Continue from `counts`; the entries are in the journal."""
        super().__init__(**counts)
        self.entries = ReportEntries(journal)
        """The URLs with their reasons, by kind."""

        self.skipped_pages = SkippedPages(journal, clock)
        """The skipped pages, for the records in the file."""

    @property
    def captured(self) -> int:
        """The number of pages that were captured, for the first time or again."""
        return sum(getattr(self, name) for name in CAPTURED)

    @property
    def has_pages(self) -> bool:
        """True if a page was captured, or was not requested because it has not expired."""
        return bool(self.captured or self.not_requested)

    def counts(self) -> dict[str, int]:
        """Return the counts, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def entry_count(self, kind: str) -> int:
        """Return the number of entries of a kind."""
        return sum(count for _, count in self.entries.counts(kind))

    def notes(self) -> Iterator[Note]:
        """Yield the entries that the record of the run keeps, by kind and reason, with the first URLs of each."""
        for kind in NOTED:
            for reason, count in self.entries.counts(kind)[:MAX_REASONS]:
                yield Note(kind, reason, count, tuple(self.entries.sorted_urls(kind, reason, MAX_URLS)))

    def _note(self, kind: str, reason: str, url: str) -> None:
        """Add an entry, and log it the first time."""
        if self.entries.add(kind, reason, url):
            logger.info("%s: %s%s", _LOGGED[kind], url, f" ({reason})" if reason else "")

    def skip_page(self, reason: str, url: str) -> None:
        """Report a page in scope that is not in the file."""
        self._note(PAGE, reason, url)

    def skip_unlinked(self, reason: str, url: str, position: int | None = None) -> None:
        """Report a page in scope to which no page links, or which the crawl did not reach.

        `position` is the place of its request in the reading order, if it has one.
        """
        if position is None:
            self.skipped_pages.note(url, reason)
        else:
            self.skipped_pages.note_arrival(position, (), url, reason)
        self.skip_page(reason, url)

    def skip_linked(self, reason: str, url: str, page: int, command: int, level: int) -> None:
        """Note a page in scope that is skipped, and to which the page at the position `page` links."""
        self.skipped_pages.note_linked(url, reason, page, command, level)
        self.skip_page(reason, url)

    def keep_page(self, reason: str, url: str) -> None:
        """Report a page that could not be fetched, and that the file keeps as it was."""
        self._note(KEPT, reason, url)

    def note_new(self, url: str) -> None:
        """Report a page that a refresh has added."""
        self._note(NEW, "", url)

    def note_found(self, url: str) -> None:
        """Count a page at a URL that the file did not have, with content that it had."""
        self.known += 1
        self.entries.add(FOUND, "", url)

    def note_changed(self, urls: str) -> None:
        """Count and report a page that a refresh has replaced."""
        self.changed += 1
        self._note(CHANGED, "", urls)

    def note_moved(self, url: str, destination: str) -> None:
        """Count and report a page that has moved to another URL, at which it is then not a further page."""
        self.note_changed(f"{url} -> {destination}")
        self.forget_added(destination)

    def forget_added(self, url: str) -> None:
        """Take back that a page was added at a URL: the file had this page already."""
        self.page_sets -= self.entries.remove(NEW, "", url)
        self.known -= self.entries.remove(FOUND, "", url)

    def note_returned(self, url: str) -> None:
        """Count and report a page that was gone from the site, and is there again."""
        self.returned += 1
        self._note(RETURNED, "", url)

    def note_gone(self, reason: str, url: str) -> None:
        """Report a page of the file that is gone from the site."""
        self._note(GONE, reason, url)

    def skip_resource(self, reason: str, url: str) -> None:
        """Report an auxiliary resource that could not be fetched; once, however many pages refer to it."""
        self._note(RESOURCE, reason, url)

    def keep_resource(self, reason: str, url: str) -> None:
        """Report an auxiliary resource that could not be fetched, and is used as the file holds it."""
        self._note(KEPT_RESOURCE, reason, url)

    def lose_resource(self, reason: str, url: str) -> None:
        """Report an auxiliary resource that could not be fetched, and of which the file holds nothing to lay out."""
        self.entries.remove(KEPT_RESOURCE, reason, url)
        self.skip_resource(reason, url)

    def degrade(self, how: str, url: str) -> None:
        """Report a page that was laid out without some of its design."""
        self._note(DEGRADED, how, url)

    def note_incomplete(self, notice: str, url: str) -> None:
        """Report a captured page whose content may be missing."""
        self._note(INCOMPLETE, notice, url)

    def note_unlisted(self, note: str, url: str, count: int) -> None:
        """Report a captured page with references behind the limit that are counted, but not listed."""
        self.note_incomplete(note, url)
        logger.info("Skipped more resources of %s, which are not listed: %d references", url, count)

    def note_cut_styles(self, url: str, reason: str = CUT_STYLES) -> None:
        """Report a style sheet, or a page with STYLE elements, whose last references were not read."""
        self._note(STYLES, reason, url)

    def note_conversion(self, url: str, notes: ConversionNotes) -> None:
        """Report the remarks about the conversion of a page.

        The writer calls this when it adds the pages to the file. If several URLs have the same content, it depends on
        the order of the answers how often that is laid out, but it is added once.
        """
        if notes.less_design:
            self.degrade(notes.less_design, url)
        for warning in notes.warnings:
            if warning.startswith(NO_FONT):  # text that a reader misses
                logger.info("%s: %s", url, warning)
                self.degrade(warning.rpartition(", ")[0], url)
            else:
                self.note_message(warning, url)
        for image, reason in notes.unreadable.items():
            self.skip_resource(reason, image)
        for message in notes.messages:
            self.note_message(message, url)
        for kind in notes.removed_active:
            self.note_active(kind, url)

    def note_active(self, kind: str, url: str) -> None:
        """Report active content that was removed from a PDF document."""
        self._note(ACTIVE, kind, url)

    def note_message(self, message: str, url: str) -> None:
        """Report a message of a library about a page; the summary counts messages that differ only in names."""
        self.entries.add(MESSAGE, kind_of(message), url)
        logger.info("%s: %s", url, message)

    def note_claim(self, standard: str) -> None:
        """Report that the file does not claim conformance to a standard any more."""
        if self.entries.add(CLAIM, standard, ""):
            logger.warning("The file does not claim to conform to %s any more: pages were added", standard)
