"""The sink of a capture: it adds pages to the file."""

from __future__ import annotations

from typing import Any, Protocol

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Journal
from wcspider.archive.pages.packed import Rendered
from wcspider.archive.run.outline_order import OutlineOrder, tell_versions_apart
from wcspider.archive.run.run_report import Report
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.steps import Steps
from wcspider.webcapture.order import REDIRECT_LOOP, Turn

Hops = tuple[str, ...]


class PageSink(Protocol):
    """A receiver of the pages of a run, which the writer passes to it in reading order."""

    def page(self, rendered: Rendered, hops: Hops, command: Ref | None, position: int) -> Steps[None]:
        """Store a page that comes for the first time in the run, with the redirects that led to it, in steps."""

    def alias(self, url: str, identifier: bytes, hops: Hops, position: int) -> None:
        """Add a redirect to a page that the run has stored."""

    def skip(self, turn: Turn[Any], reason: str) -> None:
        """Report a position that gave no page."""

    def reserve(self, identifier: bytes) -> None:
        """Keep a page set until its turn: its page was not rendered, because the file holds its PDF pages."""

    def is_going(self, identifier: bytes) -> bool:
        """Tell whether a page set is being replaced, so that it cannot be reserved."""


class CaptureSink:
    """Adds pages to a file. A page set that the file holds gets another source, or a new time stamp."""

    def __init__(self, database: ContentDatabase, journal: Journal, report: Report) -> None:
        self.database = database
        self.outline_order = OutlineOrder(database, journal)
        self.report = report

    def page(self, rendered: Rendered, hops: Hops, command: Ref | None, position: int) -> Steps[None]:
        """Add a page, or a source if the file holds its page set."""
        chains = (hops,) if hops else ()
        known = self.database.page_set(rendered.capture.identifier)
        if known is not None:
            url = rendered.capture.resource.url
            renewed = yield from self.database.add_source(known, rendered.capture, chains, command)
            self.outline_order.note(renewed, position)
            if known.content.source(url) is None:
                tell_versions_apart(self.database, url)
            if any(source.url == url and source.gone is not None for source in known.content.sources):
                self.report.note_returned(url)
            else:
                self.report.known += 1
            return
        fragment = yield from rendered.unpacked()
        assert fragment is not None
        self.report.note_conversion(rendered.capture.resource.url, fragment.notes)
        added = yield from self.database.add_page_set(rendered.capture, fragment, chains, command, rendered.zoom)
        self.outline_order.add(added, fragment.structure.headings, position)
        tell_versions_apart(self.database, rendered.capture.resource.url)
        count_page_set(self.report, self.database, added)

    def alias(self, url: str, identifier: bytes, hops: Hops, position: int) -> None:
        """Add an alias chain (14.10.5.2) to a page that this run has captured."""
        known = self.database.page_set(identifier)
        if known is not None and hops:
            self.database.add_chain(known, url, hops)

    def skip(self, turn: Turn[Any], reason: str) -> None:
        """Report a position that gave no page."""
        self.report.skip_page(reason, described_urls(turn))

    def reserve(self, identifier: bytes) -> None:
        """Do nothing: a capture removes no page set."""

    def is_going(self, identifier: bytes) -> bool:
        """Return False: a capture replaces no page set."""
        return False


def count_page_set(report: Report, database: ContentDatabase, added: Stored[PageSet]) -> None:
    """Count a page set that was added."""
    report.page_sets += 1
    report.pages += len(added.content.objects)
    report.image_sets += database.images.pop_added_count()


def described_urls(turn: Turn[Any]) -> str:
    """Return the URL that a turn asked for, and the URL to which it was redirected, for a report."""
    way = [end.partition("#")[0] for end in (*turn.hops, turn.key, turn.destination) if end]
    if turn.reason == REDIRECT_LOOP:
        return " -> ".join([way[0], *way[1:][-2:]])
    return " -> ".join(dict.fromkeys((way[0], way[-1])))
