"""What a refresh does with the pages that it meets: it brings the file up to date, one URL at a time.

What cannot be fetched changes nothing. What a server says for certain moves sources from one page set to another
(ISO 32000-1, 14.10.5.1): page sets are replaced, split and joined by that. What was not met at all, or is gone for
certain, is dealt with at the end (`wcspider.archive.refresh.settlement`), when nothing can take it up again.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Journal
from wcspider.archive.journal.url_outcomes import State, UrlOutcome, UrlOutcomes
from wcspider.archive.pages.packed import Rendered
from wcspider.archive.run.capture_sink import Hops, count_page_set, way
from wcspider.archive.run.outline_order import OutlineOrder
from wcspider.archive.run.run_report import Report
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.content_sets import ContentSet, PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.webcapture.chains import Chain
from wcspider.webcapture.keys import key_of, url_of
from wcspider.webcapture.order import Turn
from wcspider.webcapture.records import Capture, FormCode, Outcome

logger = logging.getLogger(__name__)

_LEFT = "redirected "
"""How the reasons begin by which a page has left what its command asks for."""

_GONE = ("HTTP 404", "HTTP 410", "not captured: ", _LEFT)
"""How the reasons begin by which a page is gone for certain."""

Place = tuple[Stored, SourceInformation]


class RefreshSink:
    """Brings the page sets of a file up to date."""

    def __init__(self, database: ContentDatabase, journal: Journal, report: Report) -> None:
        self.database = database
        self.report = report
        self.met = UrlOutcomes(journal)
        self.outline_order = OutlineOrder(database, journal)
        self._relied_on: Counter[bytes] = Counter()
        self._posted = {reference: command.data for reference, command in database.commands()}

    # What a refresh meets

    def rely_on(self, identifier: bytes) -> None:
        """Take that a page is not rendered because the file holds its page set: that one is to stay until its turn."""
        self._relied_on[identifier] += 1

    def page(self, rendered: Rendered, hops: Hops, command: Ref | None, position: int) -> None:
        """Take what a URL gave."""
        capture = rendered.capture
        url, identifier = capture.resource.url, capture.identifier
        if rendered.fragment is None:
            self._relied_on[identifier] -= 1
        if capture.outcome is Outcome.FAILED:
            self._keep_failed([*hops, url], capture.problem, position, identifier)
            self.report.keep_page(capture.problem, url)
            if (kept := self.database.page_set(identifier)) is not None:
                self.outline_order.meet(kept, position)
            return
        key = self._key(url, capture.form, command)
        said = self._said(rendered)
        self._compare(key, list(self._places(key)), said)
        self._leave(hops[1:] if capture.form is FormCode.POST else hops, url, position, said, identifier)
        before = list(self._places(key))
        chains = self._chains(hops, before)
        self.met.keep(key, UrlOutcome(State.CONTENT), position, identifier)
        is_new = self._bring(rendered, before, chains, command, position)
        others = [place for place in before if self._is_other(place, identifier)]
        for place in others:
            self.take_away(place)
        if before and (is_new or others):
            self.report.changed += 1
        elif capture.outcome is Outcome.NOT_REQUESTED:
            self.report.not_requested += 1
        elif not is_new:
            self.report.known += 1

    def _is_other(self, place: Place, identifier: bytes) -> bool:
        """Tell whether a place is in another page set; one whose pages were taken out of the file may be gone."""
        current = self.database.at(place[0].reference)
        return current is not None and current.content.identifier != identifier

    def _bring(
        self, rendered: Rendered, before: list[Place], chains: list[Chain], command: Ref | None, position: int
    ) -> bool:
        """Bring what a URL gave into the file; True if the file did not hold it."""
        capture, fragment = rendered.capture, rendered.fragment
        known = self.database.page_set(capture.identifier)
        if known is not None and (fragment is None or not self._is_read_otherwise(known, capture, before)):
            renewed = self.database.add_source(known, capture, chains, command)
            self.outline_order.meet(
                self.database.keep_chains(renewed, capture.resource.url, lambda chain: chain in chains), position
            )
            return False
        assert fragment is not None
        replaceable = known or self._replaceable(before)
        if replaceable is not None:
            replaced = self.database.replace_page_set(replaceable, capture, fragment, chains, command, rendered.zoom)
            self.keep_leavings()
            self.outline_order.change(replaced, fragment.headings, position)
            return True
        added = self.database.add_page_set(capture, fragment, chains, command, rendered.zoom)
        self.outline_order.add(added, fragment.headings, position)
        if not before:
            count_page_set(self.report, self.database, added)
        return True

    @staticmethod
    def _is_read_otherwise(known: Stored, capture: Capture, before: list[Place]) -> bool:
        """Tell whether a URL alone gives a page set, and its bytes are taken for something else now."""
        content = known.content
        is_alone = len(content.sources) == 1 and [stored.reference for stored, _ in before] == [known.reference]
        said = capture.resource.content_type, capture.text_identifier
        return is_alone and isinstance(content, PageSet) and not content.reads_as(*said)

    def alias(self, url: str, identifier: bytes, hops: Hops, position: int) -> None:
        """Take one more way to a page that was met before in the run (14.10.5.2)."""
        known = self.database.page_set(identifier)
        self._leave(hops, url, position, identifier if known is None else _text(known.content), identifier)
        known = self.database.page_set(identifier)
        if known is not None:
            self.outline_order.meet(self.database.add_chain(known, url, hops) if hops else known, position)

    def nothing(self, turn: Turn[Any], reason: str) -> None:
        """Take that a URL gave nothing: the page is gone for certain, or it is not known what became of it."""
        keys = (*turn.hops, turn.key)
        held = [place for key in keys for place in self._places(key)]
        if is_gone(reason):
            for key in keys:
                self.met.keep(key, UrlOutcome(State.GONE, reason), turn.position)
            if reason.startswith(_LEFT):
                self._compare(turn.key, held, _LEFT.encode())
        else:
            self._keep_failed(keys, reason, turn.position)
        if held and not is_gone(reason):
            self.report.keep_page(reason, way(turn))
        else:
            self.report.skip_page(reason, way(turn))

    def _keep_failed(self, keys: Iterable[str], reason: str, position: int, identifier: bytes | None = None) -> None:
        """Note that URLs could not be asked; the chains that begin with them may hold still."""
        for key in keys:
            self.met.keep(key, UrlOutcome(State.FAILED, reason), position, identifier)
            for destination, chain in self.met.dropped(key):
                for stored, _ in list(self._places(destination)):
                    self.database.add_chain(stored, destination, chain)

    def _leave(self, hops: Hops, url: str, position: int, said: bytes, identifier: bytes) -> None:
        """Note that URLs redirect: they give nothing of their own, and lead nowhere but to what says `said`."""
        for hop in hops:
            self.met.keep(hop, UrlOutcome(State.REDIRECT), position)
            left = list(self._places(hop))
            self._compare(hop, left, said)
            for place in left:
                self.take_away(place)
            if any(stored.content.identifier != identifier for stored, _ in left):
                self.report.changed += 1
                logger.info("Changed: %s redirects to %s now", hop, url)
        for passed in (*hops, url):
            self._leave_chains(passed, url)

    def _leave_chains(self, passed: str, url: str) -> None:
        """Drop the chains by way of a URL to anywhere but `url`."""
        for stored in self.database.find_by_url(passed):
            for source in stored.content.sources if isinstance(stored.content, PageSet) else ():
                if source.url not in (url, passed) and any(passed in chain for chain in source.chains):
                    current = self.current(stored.reference)
                    self.database.keep_chains(current, source.url, lambda chain: passed not in chain)

    def _chains(self, hops: Hops, before: Iterable[Place]) -> list[Chain]:
        """Return the chains to a URL that hold: the one that was met, and those whose beginning could not be asked."""
        chains = [hops] if hops else []
        for _, source in before:
            for chain in source.chains:
                met = self.met.recall(chain[0])
                if met is not None and met.state is State.FAILED:
                    chains.append(chain)
                elif chain != hops:
                    self.met.drop_chain(source.url, chain)
        return chains

    def _places(self, key: str) -> Iterator[Place]:
        """Yield the page sets that came from a URL itself, by the same request, with the source that says so."""
        for stored in self.database.find_by_url(url_of(key)):
            for source in stored.content.sources if isinstance(stored.content, PageSet) else ():
                if self.key_of(source) == key:
                    yield stored, source

    def key_of(self, source: SourceInformation) -> str:
        """Return what the request for a source claims: what is posted to a URL is not what the URL gives."""
        return self._key(source.url, source.form, source.command)

    def _key(self, url: str, form: FormCode, command: Ref | None) -> str:
        posted = self._posted.get(command) if form is FormCode.POST and command is not None else None
        return key_of(url, "POST", posted or b"") if form is FormCode.POST else url

    def _replaceable(self, before: list[Place]) -> Stored | None:
        """Return the page set in whose place a new one may stand: it has the one source, and nobody waits for it."""
        if len(before) != 1:
            return None
        stored, _ = before[0]
        content = stored.content
        is_free = len(content.sources) == 1 and self._relied_on[content.identifier] <= 0
        return stored if is_free and content.objects and self.database.is_standing(stored) else None

    def current(self, reference: Ref) -> Stored:
        """Return a page set as it stands now."""
        current = self.database.at(reference)
        assert current is not None
        return current

    def take_away(self, place: Place) -> None:
        """Take a source from its page set, which may get another one."""
        stored, source = place
        if not self.database.remove_source(self.current(stored.reference), source).content.sources:
            self.met.keep_emptied(stored.content.identifier)
        self.keep_leavings()

    def keep_leavings(self) -> None:
        """Note what no page shows or refers to any more, for one whose turn has not come may; and pages that went."""
        for page, by in self.database.take_surplus().items():
            self.met.keep_surplus(page, by)
        for key in self.database.auxiliaries.take_unused():
            self.met.keep_unused(key)
        for identifier in self.database.images.take_unshown():
            self.met.keep_emptied(identifier)

    def _compare(self, key: str, before: list[Place], said: bytes) -> None:
        """Keep what a page said and says (`wcspider.archive.refresh.settlement.Settlement.check_alike`)."""
        if before:
            self.met.compare(key, _text(before[0][0].content), said)

    def _said(self, rendered: Rendered) -> bytes:
        """Return by what the text of a page is known, or the page itself where it has none."""
        capture, fragment = rendered.capture, rendered.fragment
        known = self.database.page_set(capture.identifier)
        if known is not None:
            return _text(known.content)
        return capture.text_identifier or (fragment and fragment.text_identifier) or capture.identifier


def _text(content: ContentSet) -> bytes:
    return (content.text_identifier if isinstance(content, PageSet) else None) or content.identifier


def is_gone(reason: str) -> bool:
    """Tell whether a reason for which a page came to nothing says that there is none any more."""
    return reason.startswith(_GONE)
