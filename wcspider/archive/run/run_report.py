"""The report of a run: what it stored, and what it skipped and why."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

from wcspider.archive.journal.journal import CAPTURED, Journal
from wcspider.archive.journal.report_entries import ReportEntries
from wcspider.archive.journal.skipped_pages import SkippedPages
from wcspider.archive.pages.fragments import ConversionNotes
from wcspider.engines.base import NO_FONT
from wcspider.engines.workers.standard_error import kind_of
from wcspider.pdf.webcapture.run_records import MAX_REASONS, MAX_URLS, Note
from wcspider.program_names import file_command
from wcspider.units import format_count, format_size
from wcspider.web.styles.css_pieces import READ

logger = logging.getLogger(__name__)

PAGE, RESOURCE, DEGRADED, KEPT, KEPT_RESOURCE, GONE = "page", "resource", "degraded", "kept", "kept_resource", "gone"
INCOMPLETE, NEW, CHANGED, RETURNED, FOUND = "incomplete", "new", "changed", "returned", "found"
ACTIVE, CLAIM, MESSAGE, STYLES = "active", "claim", "message", "styles"
"""The kinds of entries."""

REDIRECTED = "redirects to a page with other content"
"""The reason of a gone page whose URL leads to another page."""

TITLES = {
    NEW: "New pages",
    CHANGED: "Changed pages",
    RETURNED: "Pages that returned to the site",
    GONE: "Pages gone from the site",
    PAGE: "Pages skipped",
    RESOURCE: "Resources skipped",
    DEGRADED: "Pages with a simpler layout",
    INCOMPLETE: "Pages that may be incomplete",
    STYLES: "Style sheets that were read in part",
    KEPT: "Pages that could not be fetched and are unchanged",
    KEPT_RESOURCE: "Resources that could not be fetched and are unchanged",
    ACTIVE: "Active content removed from PDF documents",
    MESSAGE: "Messages of the layout",
    CLAIM: "Claims of conformance removed, because the pages that were added do not conform",
}

CUT_STYLES = f"only the first {READ:,} characters were read: later images and fonts are not fetched"

NOTED = (DEGRADED, INCOMPLETE, STYLES, RESOURCE, KEPT, ACTIVE)
"""The kinds of entries that the record of a run keeps. Skipped pages have records of their own."""

MAX_SHOWN_CHARACTERS = 500
"""How many characters of a URL the summary shows. A page may link to URLs of megabytes."""


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
        self._entries = ReportEntries(journal)
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
        return sum(count for _, count in self._entries.counts(kind))

    def notes(self) -> Iterator[Note]:
        """Yield the entries that the record of the run keeps, by kind and reason, with the first URLs of each."""
        for kind in NOTED:
            for reason, count in self._entries.counts(kind)[:MAX_REASONS]:
                yield Note(kind, reason, count, tuple(self._entries.sorted_urls(kind, reason, MAX_URLS)))

    def skip_page(self, reason: str, url: str) -> None:
        """Report a page in scope that is not in the file."""
        if self._entries.add(PAGE, reason, url):
            logger.info("Skipped: %s (%s)", url, reason)

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
        if self._entries.add(KEPT, reason, url):
            logger.info("Kept as it was: %s (%s)", url, reason)

    def note_new(self, url: str) -> None:
        """Report a page that a refresh has added."""
        if self._entries.add(NEW, "", url):
            logger.info("New: %s", url)

    def note_found(self, url: str) -> None:
        """Count a page at a URL that the file did not have, with content that it had."""
        self.known += 1
        self._entries.add(FOUND, "", url)

    def note_changed(self, urls: str) -> None:
        """Count and report a page that a refresh has replaced."""
        self.changed += 1
        if self._entries.add(CHANGED, "", urls):
            logger.info("Changed: %s", urls)

    def note_moved(self, url: str, destination: str) -> None:
        """Count and report a page that has moved to another URL, at which it is then not a further page."""
        self.note_changed(f"{url} -> {destination}")
        self.page_sets -= self._entries.remove(NEW, "", destination)
        self.known -= self._entries.remove(FOUND, "", destination)

    def note_returned(self, url: str) -> None:
        """Count and report a page that was gone from the site, and is there again."""
        self.returned += 1
        if self._entries.add(RETURNED, "", url):
            logger.info("Returned: %s", url)

    def note_gone(self, reason: str, url: str) -> None:
        """Report a page of the file that is gone from the site."""
        if self._entries.add(GONE, reason, url):
            logger.info("Gone: %s (%s)", url, reason)

    def skip_resource(self, reason: str, url: str) -> None:
        """Report an auxiliary resource that could not be fetched; once, however many pages refer to it."""
        if self._entries.add(RESOURCE, reason, url):
            logger.info("Skipped a resource: %s (%s)", url, reason)

    def keep_resource(self, reason: str, url: str) -> None:
        """Report an auxiliary resource that could not be fetched, and is used as the file holds it."""
        if self._entries.add(KEPT_RESOURCE, reason, url):
            logger.info("Used as it was: %s (%s)", url, reason)

    def degrade(self, how: str, url: str) -> None:
        """Report a page that was laid out without some of its design."""
        if self._entries.add(DEGRADED, how, url):
            logger.info("Simpler layout: %s (%s)", url, how)

    def note_incomplete(self, notice: str, url: str) -> None:
        """Report a captured page whose content may be missing."""
        if self._entries.add(INCOMPLETE, notice, url):
            logger.info("May be incomplete: %s (%s)", url, notice)

    def note_unlisted(self, note: str, url: str, count: int) -> None:
        """Report a captured page with references behind the limit that are counted, but not listed."""
        self.note_incomplete(note, url)
        logger.info("Skipped more resources of %s, which are not listed: %d references", url, count)

    def note_cut_styles(self, url: str, reason: str = CUT_STYLES) -> None:
        """Report a style sheet, or a page with STYLE elements, whose last references were not read."""
        if self._entries.add(STYLES, reason, url):
            logger.info("Style sheet: %s (%s)", url, reason)

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
        if self._entries.add(ACTIVE, kind, url):
            logger.info("Removed from a PDF document: %s (%s)", kind, url)

    def note_message(self, message: str, url: str) -> None:
        """Report a message of a library about a page; the summary counts messages that differ only in names."""
        self._entries.add(MESSAGE, kind_of(message), url)
        logger.info("%s: %s", url, message)

    def note_claim(self, standard: str) -> None:
        """Report that the file does not claim conformance to a standard any more."""
        if self._entries.add(CLAIM, standard, ""):
            logger.warning("The file does not claim to conform to %s any more: pages were added", standard)

    def lines(
        self,
        path: Path,
        size: int,
        limit: int,
        *,
        refreshed: bool = False,
        finished: bool = True,
        keeps_states: bool = True,
    ) -> Iterator[str]:
        """Yield the summary, with at most `limit` URLs for each reason.

        A run that is not `finished` has not replaced FILE. After a refresh that keeps the earlier states of FILE, the
        summary names the command that shows the differences. Without these states, `size` is not the final size of
        FILE, and is not shown.
        """
        if refreshed:
            final = f" ({format_size(size)})" if keeps_states else ""  # the size changes without the earlier states
            yield f"Refreshed {path}{final}" if finished else f"Not changed: {path}"
            yield f"  unchanged        {self.known}"
            if self.not_requested:
                yield f"  not requested    {self.not_requested} (not expired)"
            yield f"  changed          {self.changed}"
            if self.returned:
                yield f"  returned         {self.returned} (gone before)"
            yield f"  new              {self.page_sets}"
            yield f"  gone             {self.gone}"
            if self.gone_before:
                yield f"  gone before      {self.gone_before} (still in the file)"
            yield f"  dropped          {self.dropped}"
        elif self.captured:
            into = f"into {path} ({format_size(size)})" if finished else f"so far, and none of them is in {path} yet"
            yield f"Captured {format_count(self.captured, 'page')} {into}"
            yield f"  new page sets    {self.page_sets} ({format_count(self.pages, 'PDF page')})"
            yield f"  already there    {self.known}"
            if self.returned:
                yield f"  returned         {self.returned} (gone before)"
        else:
            yield "Captured no page"
        if refreshed or self.captured:
            yield f"  new image sets   {self.image_sets}"
        if finished and keeps_states:
            yield f"  written          {format_size(self.bytes_written)}"
        elif not finished and self.captured:
            yield f"  in {path.name}.part: {format_size(self.bytes_written)}"
        is_comparable = refreshed and finished and keeps_states
        if is_comparable and (self.changed or self.returned or self.page_sets or self.gone or self.dropped):
            yield f"  differences      {file_command('diff', path)}"
        recorded = file_command("omitted", path)
        for kind, title in TITLES.items():
            yield from self._section(kind, title, limit, recorded if finished and kind == PAGE else "the log")

    def _section(self, kind: str, title: str, limit: int, source: str) -> Iterator[str]:
        """Yield the entries of a kind, and refer to `source` for those beyond the limit."""
        reasons = self._entries.counts(kind)
        if not reasons:
            return
        yield f"{title}: {sum(count for _, count in reasons)}"
        for reason, count in reasons:
            if reason:
                yield f"  {reason}: {count}"
            yield from (f"    {_shortened(url)}" for url in self._entries.urls(kind, reason, limit) if url)
            if count > limit:
                yield f"    and {count - limit} more; see {source}"


def _shortened(url: str) -> str:
    """Return a URL, or the URLs of a redirect, as the summary shows them; the log has all of their characters."""
    if len(url) <= MAX_SHOWN_CHARACTERS:
        return url
    return f"{url[:MAX_SHOWN_CHARACTERS]}... ({len(url)} characters)"
