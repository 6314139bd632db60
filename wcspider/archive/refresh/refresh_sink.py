"""The sink of a refresh: it updates the page sets of the file, one URL at a time.

A page that cannot be fetched changes nothing. Any other answer can move sources from one page set to another
(ISO 32000-1, 14.10.5.1): page sets are replaced, split and joined. Pages that the refresh did not reach, and pages that
are gone, are handled at the end (`wcspider.archive.refresh.settlement`), when no later page can need
them any more.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from wcspider.archive.database.content_index import PageSetSource, Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import NOT_FOLLOWED
from wcspider.archive.journal.journal import Journal
from wcspider.archive.journal.removal_candidates import RemovalCandidates
from wcspider.archive.journal.url_outcomes import State, TextComparisons, UrlOutcome, UrlOutcomes
from wcspider.archive.pages.fragments import Fragment
from wcspider.archive.pages.packed import Rendered
from wcspider.archive.run.capture_sink import Hops, count_page_set, described_urls
from wcspider.archive.run.outline_order import OutlineOrder, remove_date_of_single, tell_versions_apart
from wcspider.archive.run.run_report import Report
from wcspider.pdf.objects import Ref
from wcspider.pdf.values import UNDATED
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.source_keys import SourceKeys
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.steps import Steps
from wcspider.webcapture.chains import Chain
from wcspider.webcapture.keys import url_of
from wcspider.webcapture.order import Turn
from wcspider.webcapture.records import Capture, FormCode, Outcome

logger = logging.getLogger(__name__)

_GONE = ("HTTP 404", "HTTP 410", "not captured: ", NOT_FOLLOWED)
"""The beginnings of the reasons that show that a page is gone."""


class RefreshSink:
    """Updates the page sets of a file."""

    def __init__(self, database: ContentDatabase, journal: Journal, report: Report) -> None:
        self.database = database
        self.report = report
        self.outcomes = UrlOutcomes(journal)
        self.comparisons = TextComparisons(journal)
        self.candidates = RemovalCandidates(journal)
        self.outline_order = OutlineOrder(database, journal)
        self._reserved: Counter[bytes] = Counter()
        self._replaced: bytes | None = None
        """The identifier of the page set that is being replaced."""

        self._keys = SourceKeys(database.file)

    # The results of turns

    def reserve(self, identifier: bytes) -> None:
        """Keep a page set until its turn: its page was not rendered, because the file holds its PDF pages."""
        self._reserved[identifier] += 1

    def page(self, rendered: Rendered, hops: Hops, command: Ref | None, position: int) -> Steps[None]:
        """Store the content of a URL in steps."""
        capture = rendered.capture
        url, identifier = capture.resource.url, capture.identifier
        fragment = yield from rendered.unpacked()
        if fragment is None:
            self._reserved[identifier] -= 1
        if capture.outcome is Outcome.FAILED:
            self._keep_failed(capture, hops, position)
            return
        key = self._keys.key(url, capture.form, command)
        text = self._text_of(capture, fragment)
        before = list(self._sources_of(key))
        self._compare(key, before, text)
        moved: list[str] = []
        if redirects := hops[1:] if capture.form is FormCode.POST else hops:
            moved = self._note_redirects(redirects, url, position, text, identifier)
            before = list(self._sources_of(key))
        elif capture.form is not FormCode.POST and capture.outcome is not Outcome.NOT_REQUESTED:
            self._remove_chains_to_others(url, url)  # it does not redirect any more
        chains = self._valid_chains(hops, before)
        self.outcomes.note(key, UrlOutcome(State.CONTENT), position, identifier)
        shares = before and self._has_other_request(url, key, identifier)
        is_new = yield from self._store(rendered, before, chains, command, position)
        others = [entry for entry in before if is_new or entry.stored.content.identifier != identifier]
        others = [entry for entry in others if self._is_in_other_set(entry, identifier)]
        for entry in others:
            self.remove_source(entry)
        if is_new or not before:
            tell_versions_apart(self.database, url)
        self._count(capture, before, is_new=is_new)
        if shares:
            self.report.forget_added(url)
        for hop in moved:
            self.report.note_moved(hop, url)

    def _has_other_request(self, url: str, key: str, identifier: bytes) -> bool:
        """Tell whether a page set has the answer to another request to a URL.

        It has one source for each URL (14.10.5.1), so it does not tell the two requests apart any more. The other one
        seemed to be new if the file had their answers in one page set before.
        """
        known = self.database.page_set(identifier)
        source = None if known is None else known.content.source(url)
        return source is not None and self.key_of(source) != key

    def _count(self, capture: Capture, before: list[PageSetSource], *, is_new: bool) -> None:
        """Count a page by the latest of the sources that the file had of it. A new page is counted with its page set.

        A capture may have added a changed page as another page set, so that the file has older versions as well.
        """
        url = capture.resource.url
        latest = max(before, key=_age, default=None)
        if latest is None:
            if not is_new:
                self.report.note_found(url)
        elif latest.source.gone is not None:
            self.report.note_returned(url)
        elif is_new or latest.stored.content.identifier != capture.identifier:
            self.report.note_changed(url)
        elif capture.outcome is Outcome.NOT_REQUESTED:
            self.report.not_requested += 1
        else:
            self.report.known += 1

    def _keep_failed(self, capture: Capture, hops: Hops, position: int) -> None:
        """Keep a page that could not be fetched as it is."""
        url, identifier = capture.resource.url, capture.identifier
        self._note_failed([*hops, url], capture.problem, position, identifier)
        self.report.keep_page(capture.problem, url)
        self.report.skipped_pages.note_arrival(position, hops, url, capture.problem)
        stored = self.database.page_set(identifier)
        if stored is not None:
            self.outline_order.note(stored, position)

    def _is_in_other_set(self, entry: PageSetSource, identifier: bytes) -> bool:
        """Tell whether a source is in another page set, which the database may have removed by now."""
        current = self.database.at(entry.stored.reference)
        return current is not None and current.content.identifier != identifier

    def _store(
        self, rendered: Rendered, before: list[PageSetSource], chains: list[Chain], command: Ref | None, position: int
    ) -> Steps[bool]:
        """Store the content of a URL in the file; True if the file did not hold it."""
        capture, fragment = rendered.capture, (yield from rendered.unpacked())
        known = self.database.page_set(capture.identifier)
        if known is not None and (fragment is None or not self._is_read_differently(known, capture, before)):
            renewed = yield from self.database.add_source(known, capture, chains, command)
            self.outline_order.note(
                self.database.keep_chains(renewed, capture.resource.url, lambda chain: chain in chains), position
            )
            return False
        assert fragment is not None
        self.report.note_conversion(capture.resource.url, fragment.notes)
        replaceable = known or self._replaceable(before)
        if replaceable is not None:
            replaced = yield from self._replace(replaceable, rendered, fragment, chains, command)
            self.note_candidates()
            self.outline_order.update(replaced, fragment.structure.headings, position)
            return True
        added = yield from self.database.add_page_set(capture, fragment, chains, command, rendered.zoom)
        self.outline_order.add(added, fragment.structure.headings, position)
        if not before:
            count_page_set(self.report, self.database, added)
            self.report.note_new(capture.resource.url)
        return True

    def _replace(
        self, stored: Stored[PageSet], rendered: Rendered, fragment: Fragment, chains: list[Chain], command: Ref | None
    ) -> Steps[Stored[PageSet]]:
        """Replace a page set, on which no other page can rely in the meantime."""
        self._replaced = stored.content.identifier
        try:
            replaced = yield from self.database.replace_page_set(
                stored, rendered.capture, fragment, chains, command, rendered.zoom
            )
        finally:
            self._replaced = None
        return replaced

    def is_going(self, identifier: bytes) -> bool:
        """Tell whether a page set is being replaced."""
        return identifier == self._replaced

    @staticmethod
    def _is_read_differently(known: Stored[PageSet], capture: Capture, before: list[PageSetSource]) -> bool:
        """Tell whether a page set has this source alone, and its bytes have another media type or text now."""
        content = known.content
        is_alone = len(content.sources) == 1 and [stored.reference for stored, _ in before] == [known.reference]
        now = capture.resource.content_type, capture.text_identifier
        return is_alone and not content.reads_as(*now)

    def alias(self, url: str, identifier: bytes, hops: Hops, position: int) -> None:
        """Add a redirect to a page that the run has stored (14.10.5.2).

        A redirect to a page that could not be fetched changes nothing: it may be as temporary as the error.
        """
        outcome = self.outcomes.find(url)
        if hops and outcome is not None and outcome.state is State.FAILED:
            self._note_failed(hops, outcome.reason, position)
            self.report.keep_page(outcome.reason, f"{hops[0]} -> {url}")
            self.report.skipped_pages.note_arrival(position, hops, url, outcome.reason)
            return
        known = self.database.page_set(identifier)
        text = identifier if known is None else _text(known.content)
        for hop in self._note_redirects(hops, url, position, text, identifier):
            self.report.note_moved(hop, url)
        known = self.database.page_set(identifier)
        if known is not None:
            self.outline_order.note(self.database.add_chain(known, url, hops) if hops else known, position)

    def skip(self, turn: Turn[Any], reason: str) -> None:
        """Report a URL that gave no page: it is gone, or its state is not known."""
        keys = (*turn.hops, turn.key)
        held = [entry for key in keys for entry in self._sources_of(key)]
        if is_gone(reason):
            for key in keys:
                self.outcomes.note(key, UrlOutcome(State.GONE, reason), turn.position)
            if reason.startswith(NOT_FOLLOWED):
                self._compare(turn.key, held, NOT_FOLLOWED.encode())
        else:
            self._note_failed(keys, reason, turn.position)
        if not held:
            self.report.skip_page(reason, described_urls(turn))
        elif not is_gone(reason):
            self.report.keep_page(reason, described_urls(turn))

    def _note_failed(self, keys: Iterable[str], reason: str, position: int, identifier: bytes | None = None) -> None:
        """Note URLs that could not be fetched, and restore alias chains that begin with them: these may still hold."""
        for key in keys:
            self.outcomes.note(key, UrlOutcome(State.FAILED, reason), position, identifier)
            for destination, chain in self.outcomes.removed_chains(key):
                for stored, _ in list(self._sources_of(destination)):
                    self.database.add_chain(stored, destination, chain)

    def _note_redirects(self, hops: Hops, url: str, position: int, text: bytes, identifier: bytes) -> list[str]:
        """Note URLs that redirect to `url`, and remove the alias chains that contradict this; return the moved pages.

        Sources of the same content, or of the same text, are removed: their page has moved. Sources of other content
        stay until the end of the run, like the pages that are gone.
        """
        moved_pages: list[str] = []
        for hop in hops:
            self.outcomes.note(hop, UrlOutcome(State.REDIRECT, url), position)
            sources = list(self._sources_of(hop))
            self._compare(hop, [entry for entry in sources if entry.source.gone is None], text)
            moved = [entry for entry in sources if _is_same(entry.stored.content, text, identifier)]
            for entry in moved:
                self.remove_source(entry)
            if any(entry.source.gone is None for entry in moved):
                moved_pages.append(hop)
        for passed in (*hops, url):
            self._remove_chains_to_others(passed, url)
        return moved_pages

    def _remove_chains_to_others(self, passed: str, url: str) -> None:
        """Remove the alias chains that contain the URL `passed` and lead to another URL than `url`."""
        for stored, source in self.database.sources_at(passed):
            if source.url not in (url, passed):
                current = self.current(stored.reference)
                self.database.keep_chains(current, source.url, lambda chain: passed not in chain)

    def _valid_chains(self, hops: Hops, before: Iterable[PageSetSource]) -> list[Chain]:
        """Return the alias chains of a URL: the one that led there now, and those whose first URL failed."""
        chains = [hops] if hops else []
        for _, source in before:
            for chain in source.chains:
                outcome = self.outcomes.find(chain[0])
                if outcome is not None and outcome.state is State.FAILED:
                    chains.append(chain)
                elif chain != hops:
                    self.outcomes.note_removed_chain(source.url, chain)
        return chains

    # Sources of page sets

    def _sources_of(self, key: str) -> Iterator[PageSetSource]:
        """Return the sources with a request key, with their page sets."""
        return (entry for entry in self.database.sources_at(url_of(key)) if self.key_of(entry.source) == key)

    def key_of(self, source: SourceInformation) -> str:
        """Return the request key of a source; it includes the posted data of a POST."""
        return self._keys.of(source)

    def _replaceable(self, before: list[PageSetSource]) -> Stored[PageSet] | None:
        """Return the page set that new content may replace: it has one source, and is not reserved."""
        if len(before) != 1:
            return None
        stored, _ = before[0]
        content = stored.content
        is_free = len(content.sources) == 1 and self._reserved[content.identifier] <= 0
        return stored if is_free and content.objects and self.database.has_pages(stored) else None

    def current(self, reference: Ref) -> Stored[PageSet]:
        """Return the present state of a page set."""
        current = self.database.page_set_at(reference)
        assert current is not None
        return current

    def remove_source(self, entry: PageSetSource) -> None:
        """Remove a source from its page set, which may get another one."""
        stored, source = entry
        renewed = self.database.remove_source(self.current(stored.reference), source)
        if not renewed.content.sources:
            self.candidates.add_content_set(stored.content.identifier)
        remove_date_of_single(self.database, renewed.content)
        tell_versions_apart(self.database, source.url)
        self.note_candidates()

    def note_candidates(self) -> None:
        """Note, for the end of the run, the removed PDF pages and the records that no page refers to any more."""
        for page, substitute in self.database.pop_removed_pages().items():
            self.candidates.add_page(page, substitute)
        for key in self.database.auxiliaries.pop_unreferenced():
            self.candidates.add_record(key)
        for identifier in self.database.images.pop_unshown():
            self.candidates.add_content_set(identifier)

    # The texts of pages, before and now (`wcspider.archive.refresh.settlement`)

    def _compare(self, key: str, before: list[PageSetSource], now: bytes) -> None:
        if before:
            self.comparisons.add(key, _text(before[0].stored.content), now)

    def _text_of(self, capture: Capture, fragment: Fragment | None) -> bytes:
        """Return the text identifier of a page, or its digital identifier if it has no text."""
        known = self.database.page_set(capture.identifier)
        if known is not None:
            return _text(known.content)
        return capture.text_identifier or (fragment and fragment.text_identifier) or capture.identifier


def _text(content: PageSet) -> bytes:
    return content.text_identifier or content.identifier


def _age(entry: PageSetSource) -> tuple[bool, datetime, Ref]:
    """Return a value that is the largest for the latest of several sources; gone pages come before the others."""
    return entry.source.gone is None, entry.source.updated or UNDATED, entry.stored.reference


def _is_same(content: PageSet, text: bytes, identifier: bytes) -> bool:
    """Tell whether a page set has an identifier, or a text."""
    return content.identifier == identifier or _text(content) == text


def is_gone(reason: str) -> bool:
    """Tell whether the reason for a skipped page shows that the page is gone."""
    return reason.startswith(_GONE)
