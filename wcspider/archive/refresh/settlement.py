"""The end of a refresh: what is gone is marked or dropped, and the rest put in reading order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.page_links import read_links
from wcspider.archive.journal.url_outcomes import State
from wcspider.archive.refresh.refresh_sink import RefreshSink
from wcspider.archive.refresh.retargeting import Retargeting
from wcspider.exceptions import PagesCollapsedError
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.webcapture.records import Command
from wcspider.webcapture.scope import Scope

UNLINKED = "no longer linked"
FEWEST_ALIKE = 3
"""Less pages that come to be alike are no sign of a site that answers everything with one page."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """The commands that a refresh has repeated."""

    commands: Collection[Ref]
    others: Sequence[Command] = ()
    """The other commands of the file: what these ask for is not gone because it was not met."""

    def is_all_that_asks_for(self, source: SourceInformation) -> bool:
        """Tell whether a source would have been met if it were still there."""
        if source.command not in self.commands:
            return False
        return not any(
            source.url == other.url or (other.levels > 1 and Scope.of(other).allows(source.url))
            for other in self.others
        )


class Settlement:
    """Settles what a renewal has left open, when nothing can take it up again."""

    def __init__(self, renewal: RefreshSink) -> None:
        self.renewal = renewal
        self.database = renewal.database
        self.met = renewal.met
        self.report = renewal.report

    def check_alike(self, path: Path) -> None:
        """Raise `PagesCollapsedError` if most pages say the same now that said different things before."""
        compared = self.met.compared()
        alike, different_before = self.met.most_alike()
        if alike >= FEWEST_ALIKE and alike * 2 > compared and different_before * 2 > alike:
            raise PagesCollapsedError(f"{path}: not written, for {alike} of {compared} pages say one and the same now")

    def settle(self, repeated: Repeated, *, drop: bool, is_complete: bool) -> None:
        """Mark or drop what is gone, remove content sets that nothing leads to, and put the rest in reading order.

        Unless the refresh `is_complete`, nothing is gone because it was not met.
        """
        spared = self._spared()
        for reference in [stored.reference for stored in self.database.content_sets()]:
            for stored, source, reason in self._gone(reference, repeated if is_complete else Repeated(()), spared):
                self.report.note_removed(reason, source.url)
                self._mark_gone(stored, source, drop=drop)
        self._remove_emptied()
        if surplus := self.met.surplus():
            Retargeting(self.database.file, self.database.catalog, surplus).run()
        self._arrange()

    def _gone(
        self, reference: Ref, repeated: Repeated, spared: Collection[str]
    ) -> Iterator[tuple[Stored, SourceInformation, str]]:
        """Yield the sources of a page set that are gone, and why."""
        stored = self.database.at(reference)
        for source in stored.content.sources if stored is not None and isinstance(stored.content, PageSet) else ():
            met = self.met.recall(self.renewal.key_of(source))
            if met is None and source.url not in spared and repeated.is_all_that_asks_for(source):
                yield self.renewal.current(reference), source, UNLINKED
            elif met is not None and met.state is State.GONE:
                yield self.renewal.current(reference), source, met.reason

    def _spared(self) -> frozenset[str]:
        """Return the URLs that were not met, to which only pages lead that could not be asked for."""
        spared: set[str] = set()
        stack = self.met.failed()
        while stack:
            for source in self._sources_at(stack.pop()):
                links = [link.url for link in read_links(self.database.file, source.links)]
                found = {url for url in links if self.met.recall(url) is None}
                if self.met.recall(self.renewal.key_of(source)) is None:
                    found.add(source.url)
                stack += found - spared
                spared |= found
        return frozenset(spared)

    def _sources_at(self, url: str) -> Iterator[SourceInformation]:
        """Yield the sources of page sets that a URL is, or redirects to."""
        for stored in self.database.find_by_url(url):
            if isinstance(stored.content, PageSet):
                yield from (source for source in stored.content.sources if url in source.keys)

    def _mark_gone(self, stored: Stored, source: SourceInformation, *, drop: bool) -> None:
        if drop:
            self.renewal.take_away((stored, source))
            self.report.removed += 1
        elif source.gone is None:
            marked = replace(source, gone=self.database.clock())
            sources = tuple(marked if entry == source else entry for entry in stored.content.sources)
            self.database.update(stored, replace(stored.content, sources=sources))

    def _remove_emptied(self) -> None:
        """Remove page sets that have no source, then image sets and auxiliaries that no page needs."""
        for identifier in self.met.emptied():
            for stored in self.database.find_by_identifier(identifier):
                if isinstance(stored.content, PageSet) and not stored.content.sources:
                    self.database.remove_page_set(stored)
        self.renewal.keep_leavings()
        for key in self.met.unused():
            self.database.auxiliaries.drop_unused(key)
        for identifier in self.met.emptied():
            self.database.images.drop_unshown(identifier)

    def _arrange(self) -> None:
        """Put the page sets in the order in which a reader meets them now."""
        pages = self.database.catalog.pages
        nodes = []
        for identifier in self.met.order():
            stored = self.database.page_set(identifier)
            if stored is None or not stored.content.objects:
                continue
            node = pages.node_of(stored.content.objects[0])
            if node is not None and pages.kids(node) == list(stored.content.objects):
                nodes.append(node)
        pages.arrange(nodes)
        self._arrange_outline()

    def _arrange_outline(self) -> None:
        """Put the outline items that stand side by side in the order of their pages, as the contents pages are."""
        first_pages: dict[Ref, Ref] = {}
        for content in [stored.content for stored in self.database.content_sets()]:
            if isinstance(content, PageSet) and content.objects and content.outline is not None:
                first_pages[content.outline] = content.objects[0]
                if not content.title and content.sources:
                    self.database.outline.rename(content.outline, content)
        numbers = self.database.catalog.pages.page_numbers(set(first_pages.values()))
        ranks = {item: numbers[page] for item, page in first_pages.items() if page in numbers}
        self.database.outline.arrange(ranks)
