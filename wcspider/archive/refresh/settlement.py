"""The end of a refresh: gone pages are marked or dropped, and the page sets are put in reading order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wcspider.archive.database.content_index import PageSetSource, Stored, is_page_set
from wcspider.archive.database.page_links import read_links
from wcspider.archive.journal.url_outcomes import State, UrlOutcome
from wcspider.archive.refresh.refresh_sink import RefreshSink
from wcspider.archive.refresh.retargeting import Retargeting
from wcspider.archive.run.run_report import REDIRECTED
from wcspider.exceptions import PagesCollapsedError
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.webcapture.records import Command
from wcspider.webcapture.scope import Scope

UNLINKED = "no longer linked"
FEWEST_LOST = 3
"""The smallest number of pages with the same text, without a link, or with a redirect that may mean that a login page
or an error page stands in the place of the site."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """The commands that a refresh has repeated."""

    commands: Collection[Ref]
    others: Sequence[Command] = ()
    """The other commands of the file. The refresh did not request their pages, so these are not gone."""

    def covers(self, source: SourceInformation) -> bool:
        """Tell whether the refresh would have reached a source if the site still had it."""
        if source.command not in self.commands:
            return False
        return not any(
            source.url == other.url or (other.levels > 1 and Scope.of(other).allows(source.url))
            for other in self.others
        )


class Settlement:
    """Makes the decisions that a refresh has left open until its end."""

    def __init__(self, sink: RefreshSink, path: Path, *, force: bool) -> None:
        """Make a settlement; `force` accepts any result."""
        self.sink = sink
        self.path = path
        self.force = force
        self.database = sink.database
        self.outcomes = sink.outcomes
        self.report = sink.report
        self.gone: set[str] = set()
        """The URLs of the pages that were found gone."""

        self._found: set[str] = set()
        """The request keys of the pages that are marked now, or dropped. Each may have several versions in the file."""

        self._known: set[str] = set()
        """The request keys of pages with versions that an earlier refresh has marked."""

    def settle(self, repeated: Repeated, *, drop: bool, is_complete: bool) -> None:
        """Mark or drop gone pages, remove unused content sets, and put the rest in reading order.

        Unless the refresh `is_complete`, a page that it did not reach is not gone. Raises `PagesCollapsedError`
        if most pages now have the same text, or if few pages remain.
        """
        self._check_alike()
        spared = self._only_linked_by_failed_pages()
        repeated = repeated if is_complete else Repeated(())
        lost: set[str] = set()
        for stored in self.database.page_sets():
            for entry, outcome in self._gone(stored, repeated, spared):
                self._report(entry.source, outcome, drop=drop)
                self._mark_or_drop(entry, drop=drop)
                is_led_away = outcome.state is State.REDIRECT or outcome.reason == UNLINKED
                if is_led_away and entry.source.gone is None:
                    lost.add(self.sink.key_of(entry.source))
        self._check_lost(len(lost))
        self._count(drop=drop)
        self._remove_unused()
        if removed_pages := self.sink.candidates.pages():
            Retargeting(self.database.file, self.database.catalog, removed_pages).run()
        self._arrange()

    def _check_alike(self) -> None:
        """Refuse the result if most pages have the same text now, and had different texts before."""
        compared = self.sink.comparisons.count()
        alike, different_before = self.sink.comparisons.largest_group()
        if alike >= FEWEST_LOST and alike * 2 > compared and different_before * 2 > alike:
            self._refuse(f"{alike} of {compared} pages now have the same text")

    def _check_lost(self, lost: int) -> None:
        """Refuse the result if few pages remain, such as a login page to which the first page now redirects.

        A page of news may link to other pages every day, so new pages count as well. A site may lose half of its pages,
        so twice as many pages have to be `lost` as were found.
        """
        found = self.outcomes.found()
        if lost >= FEWEST_LOST and lost > 2 * found:
            self._refuse(f"{lost} of {lost + found} pages are no longer linked, or redirect to other pages")

    def _refuse(self, finding: str) -> None:
        if not self.force:
            raise PagesCollapsedError(f"{self.path}: not written: {finding}")

    def _gone(
        self, stored: Stored[PageSet], repeated: Repeated, spared: Collection[str]
    ) -> Iterator[tuple[PageSetSource, UrlOutcome]]:
        """Yield the sources of a page set whose pages are gone: the URLs give no page, or redirect to another one."""
        for source in stored.content.sources:
            outcome = self.outcomes.find(self.sink.key_of(source))
            if outcome is None and source.url not in spared and repeated.covers(source):
                outcome = UrlOutcome(State.GONE, UNLINKED)
            if outcome is not None and outcome.state in (State.GONE, State.REDIRECT):
                yield PageSetSource(self.sink.current(stored.reference), source), outcome

    def _only_linked_by_failed_pages(self) -> frozenset[str]:
        """Return the URLs that the refresh did not reach because the pages that link to them failed."""
        spared: set[str] = set()
        stack = self.outcomes.failed()
        while stack:
            for _, source in self.database.sources_at(stack.pop()):
                links = [link.url for link in read_links(self.database.file, source.links)]
                found = {url for url in links if self.outcomes.find(url) is None}
                if self.outcomes.find(self.sink.key_of(source)) is None:
                    found.add(source.url)
                stack += found - spared
                spared |= found
        return frozenset(spared)

    def _report(self, source: SourceInformation, outcome: UrlOutcome, *, drop: bool) -> None:
        """Report a gone page, unless an earlier refresh has found this and the page stays."""
        self.gone.add(source.url)
        is_known = source.gone is not None and not drop
        (self._known if is_known else self._found).add(self.sink.key_of(source))
        is_redirect = outcome.state is State.REDIRECT
        self.report.skipped_pages.note(source.url, REDIRECTED if is_redirect else outcome.reason)
        if not is_known:
            reason, shown = (REDIRECTED, f" -> {outcome.reason}") if is_redirect else (outcome.reason, "")
            self.report.note_gone(reason, f"{source.url}{shown}")

    def _count(self, *, drop: bool) -> None:
        """Count the gone pages, each once. A page with a version that is marked now was not gone before."""
        self.report.gone_before += len(self._known - self._found)
        if drop:
            self.report.dropped += len(self._found)
        else:
            self.report.gone += len(self._found)

    def _mark_or_drop(self, entry: PageSetSource, *, drop: bool) -> None:
        stored, source = entry
        if drop:
            self.sink.remove_source(entry)
        elif source.gone is None:
            marked = replace(source, gone=self.database.clock(), expires=None)  # the next refresh requests the URL
            sources = tuple(marked if other == source else other for other in stored.content.sources)
            self.database.update(stored, replace(stored.content, sources=sources))

    def _remove_unused(self) -> None:
        """Remove page sets without a source, then image sets and auxiliary records that no page needs."""
        for identifier in self.sink.candidates.content_sets():
            for stored in filter(is_page_set, self.database.find_by_identifier(identifier)):
                if not stored.content.sources:
                    self.database.remove_page_set(stored)
        self.sink.note_candidates()
        for key in self.sink.candidates.records():
            self.database.auxiliaries.remove_if_unreferenced(key)
        for identifier in self.sink.candidates.content_sets():
            self.database.images.remove_if_unshown(identifier)

    def _arrange(self) -> None:
        """Put the page sets in the present reading order, and sibling outline items in the order of their pages."""
        pages_of: dict[bytes, tuple[Ref, ...]] = {}
        first_pages: dict[Ref, Ref] = {}
        for stored in self.database.page_sets():
            content = stored.content
            if content.objects:
                pages_of.setdefault(content.identifier, content.objects)
                if content.outline is not None:
                    first_pages[content.outline] = content.objects[0]
                    if not content.title and content.sources:
                        self.database.outline.rename(content.outline, content)
        order = self.outcomes.page_sets_in_order()
        tree = self.database.catalog.pages
        tree.arrange([pages_of[identifier] for identifier in order if identifier in pages_of])
        numbers = tree.page_numbers(set(first_pages.values()))
        ranks = {item: numbers[page] for item, page in first_pages.items() if page in numbers}
        self.database.outline.arrange(ranks)
