"""The content database of a file (ISO 32000-1, 14.10.3): find content sets, change them, commit a revision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Self

from wcspider.archive.database.auxiliary_records import NOTHING, Attached, AuxiliaryRecords
from wcspider.archive.database.content_index import Clock, ContentIndex, Stored, is_page_set
from wcspider.archive.database.form_fields import Forms
from wcspider.archive.database.graft import Graft, Linker
from wcspider.archive.database.image_sets import ImageSets
from wcspider.archive.database.outline import Outline
from wcspider.archive.database.page_links import read_links, store_links
from wcspider.archive.database.shared_objects import SharedObjects
from wcspider.archive.pages.fragments import Fragment
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.commands import (
    WebCaptureInfo,
    command_as_pdf,
    complete_syntax,
    posted_data,
    read_command,
    settings_as_pdf,
)
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.steps import Steps, completed
from wcspider.web.charset import UTF_8
from wcspider.webcapture.chains import Chain
from wcspider.webcapture.records import Capture, Command, Outcome


class ContentDatabase(ContentIndex):
    """The content sets of a file, with their PDF pages and images."""

    def __init__(self, file: RevisionFile, clock: Clock, *, is_new: bool | None = None) -> None:
        """Use the database of a file. `is_new` tells whether the run that is resumed has begun the file."""
        super().__init__(file, clock, is_new=is_new)
        self.images = ImageSets(self)
        self.auxiliaries = AuxiliaryRecords(self, self.images)
        self.outline = Outline(file, self.catalog)
        self.forms = Forms(file, self.catalog)
        self.shared = SharedObjects(file, self.catalog)
        self._removed_pages: dict[Ref, Ref] = {}
        self.removed_claims: tuple[str, ...] = ()
        """The standards to which the file does not claim conformance any more, since `finish`."""
        self._settings: dict[str, Ref] = {}
        self.kept_changes = 0
        """How many changes of a name tree may stay in memory after a commit, until `finish`.

        0 for a run that can be resumed. Other runs set more, so that a node is written once for many new keys.
        """

    @classmethod
    def open(cls, path: Path, clock: Clock, *, repair: bool = False) -> Self:
        """Open the database of a file; a file without a database gets one with the first commit.

        With `repair`, a damaged file is read as far as possible; nothing can be committed to it.
        """
        file = RevisionFile.open(path, repair=repair)
        try:
            return cls(file, clock)
        except BaseException:
            file.close()
            raise

    def close(self) -> None:
        """Close the file, and discard uncommitted changes."""
        self.file.close()

    # Commands

    def commands(self) -> list[tuple[Ref, Command]]:
        """Return the commands with which the file was built (14.10.2), in order."""
        info = self.catalog.web_capture
        references = () if info is None else info.commands
        return [
            (reference, read_command(self.file.dictionary(reference), self.file.resolve)) for reference in references
        ]

    def add_commands(self, commands: Sequence[Command]) -> list[Ref]:
        """Add commands (14.10.5.3) to those with which the file was built; return their references.

        A command that the file has already is not added again: like a command that a refresh repeats, it keeps its
        place among the others.
        """
        info = self.catalog.web_capture or WebCaptureInfo()
        known = {written: reference for reference, command in self.commands() if (written := complete_syntax(command))}
        found = [known.get(complete_syntax(command)) or self._add_command(command) for command in commands]
        present = set(info.commands)
        added = [reference for reference in dict.fromkeys(found) if reference not in present]
        if added or self.catalog.web_capture is None:
            self.catalog.web_capture = replace(info, commands=(*info.commands, *added))
        return found

    def _add_command(self, command: Command) -> Ref:
        posted = posted_data(command)
        entries = command_as_pdf(command, self._settings_of(command), None if posted is None else self.file.add(posted))
        return self.file.add(entries)

    def _settings_of(self, command: Command) -> Ref:
        """Return the settings dictionary of a command; commands of a run with the same settings share it."""
        key = repr((command.engine, sorted(command.settings.items())))
        if key not in self._settings:
            self._settings[key] = self.file.add(settings_as_pdf(command))
        return self._settings[key]

    # Page sets

    def add_page_set(
        self, capture: Capture, fragment: Fragment, chains: Sequence[Chain], command: Ref | None, zoom: float | None
    ) -> Steps[Stored[PageSet]]:
        """Add the pages of a capture, with their images, at the end of the file, in steps.

        The file must hold no page set with the capture's identifier, because such a page set gets a source instead.
        A page set with that identifier whose PDF pages are not in the file any more is removed.
        """
        graft = Graft(self.file, fragment, self.shared)
        shown = yield from self.images.place(graft, capture)
        stored = yield from self.add_grafted(self._page_set(capture, fragment, graft.pages), graft, zoom)
        return (yield from self._with_source(stored, capture, chains, command, shown))

    def add_grafted(self, content: PageSet, graft: Graft, zoom: float | None) -> Steps[Stored[PageSet]]:
        """Add a page set without its sources, and its pages at the end of the file, in steps.

        Its images are in the file.
        """
        for stored in filter(is_page_set, self.find_by_identifier(content.identifier)):
            self.remove_page_set(stored)
        self.catalog.label_added_pages()
        yield from self.forms.place(graft, content.identifier)
        node = self.file.allocate()
        pages = yield from graft.place_pages([node] * len(graft.pages), content.identifier, zoom, self._linker())
        self.catalog.pages.append(node, pages)
        self.catalog.set_language(graft.fragment.structure.language)
        return self.insert(content)

    def replace_page_set(
        self,
        stored: Stored[PageSet],
        capture: Capture,
        fragment: Fragment,
        chains: Sequence[Chain],
        command: Ref | None,
        zoom: float | None,
    ) -> Steps[Stored[PageSet]]:
        """Replace the pages of a page set, which has one source, with those of a capture, in steps.

        A page keeps its object number, so that outline items, destinations and links still lead to it.
        """
        old = stored.content
        [source] = old.sources
        before = self.auxiliaries.attached(old, source, self.images.shown_by(old))
        graft = Graft(self.file, fragment, self.shared, old.objects)
        shown = yield from self.images.place(graft, capture)
        self.images.release(old)  # after the images of the new pages were counted
        yield from self.forms.place(graft, capture.identifier, self.forms.remove(old.objects))
        parents = self.catalog.pages.replace(old.objects, graft.pages)
        pages = yield from graft.place_pages(parents, capture.identifier, zoom, self._linker())
        if old.source_digest is not None:  # anything may refer to the destinations of another program
            self.links.remove_destinations(old)  # after the links of the page to itself, which still find the old page
        for page in old.objects[len(pages) :]:
            self.file.put(page, None)
            self._removed_pages[page] = pages[-1]
        renewed = self.update(stored, replace(self._page_set(capture, fragment, pages), outline=old.outline))
        replaced = yield from self._with_source(renewed, capture, chains, command, shown, before)
        self._retarget_links([url for url in old.keys if url not in replaced.content.keys])
        return replaced

    def place_front_pages(self, fragment: Fragment, node: Ref, old: Sequence[Ref], link: Linker) -> list[Ref]:
        """Put pages without a source into the file, below a node. They reuse the numbers and fonts of the old pages."""
        for page in old:
            self.shared.adopt((self.file.get(page) or {}).get("Resources"))
        graft = Graft(self.file, fragment, self.shared, old)
        return completed(graft.place_pages([node] * len(fragment.pages), None, None, link))

    def pop_removed_pages(self) -> dict[Ref, Ref]:
        """Return the pages that were removed because the new content has fewer, each with its substitute.

        Only those since the last call.
        """
        found, self._removed_pages = self._removed_pages, {}
        return found

    def remove_page_set(self, stored: Stored[PageSet]) -> None:
        """Remove a page set with its pages; links to it lead to the web again."""
        content = stored.content
        self.links.remove_destinations(content)
        for source in content.sources:
            self.auxiliaries.detach(content, source)
        self.images.release(content)
        self.forms.remove(content.objects)
        if content.outline is not None:
            self.outline.remove(content.outline)
        self.catalog.pages.remove(content.objects)
        for page in content.objects:
            self.file.put(page, None)
        self.remove(stored)
        self._retarget_links(content.keys)

    def _page_set(self, capture: Capture, fragment: Fragment, pages: Sequence[Ref]) -> PageSet:
        return PageSet(
            identifier=capture.identifier,
            objects=tuple(pages),
            sources=(),
            content_type=capture.resource.content_type,
            created=self.clock(),
            title=capture.title or fragment.structure.title,
            text_identifier=capture.text_identifier or fragment.text_identifier,
            source_digest=capture.resource.digest,
            anchors=self.links.store_anchors(fragment.structure.anchors),
        )

    def _linker(self) -> Linker:
        """Return a function that returns the actions of all links to some targets: jumps if the file holds the page.

        The function is for the links of one page set, which often lead to many places in a few other pages.
        """
        page_set_at = cache(self._latest_page_set)
        return lambda targets: self.links.actions(targets, page_set_at)

    def _latest_page_set(self, url: str) -> PageSet | None:
        """Return the page set to which links to a canonical URL lead: the latest one with that URL."""
        found = [stored.content for stored in filter(is_page_set, reversed(self.find_by_key(url)))]
        return max(found, key=lambda content: content.updated_at(url), default=None)

    def _retarget_to_latest(self, urls: Sequence[str]) -> None:
        """Make the links to URLs that several page sets have lead to the latest of these page sets."""
        for url in urls:
            if len(self.find_page_sets(url)) > 1:
                self.links.retarget(url, self._latest_page_set(url))

    def _retarget_links(self, urls: Sequence[str]) -> None:
        """Make the links to URLs lead to the page sets that still have these URLs, or else to the web."""
        for url in urls:
            self.links.retarget(url, self._latest_page_set(url))

    # Sources of page sets

    def add_source(
        self,
        stored: Stored[PageSet],
        capture: Capture,
        chains: Sequence[Chain],
        command: Ref | None,
        records: tuple[Ref, ...] | None = None,
    ) -> Steps[Stored[PageSet]]:
        """Add a source to a page set, or update the source with that URL (14.10.5.1), in steps.

        `records` has the records of the capture's auxiliary resources if the file holds them already.
        """
        content = stored.content
        if capture.outcome is not Outcome.FETCHED:
            return (yield from self._with_source(stored, capture, chains, command, frozenset()))
        shown = self.images.shown_by(content)
        previous = content.source(capture.resource.url)
        before = NOTHING if previous is None else self.auxiliaries.attached(content, previous, shown)
        return (yield from self._with_source(stored, capture, chains, command, shown, before, records))

    def _with_source(
        self,
        stored: Stored[PageSet],
        capture: Capture,
        chains: Sequence[Chain],
        command: Ref | None,
        shown: frozenset[bytes],
        before: Attached = NOTHING,
        records: tuple[Ref, ...] | None = None,
    ) -> Steps[Stored[PageSet]]:
        resource = capture.resource
        previous = stored.content.source(resource.url)
        source = SourceInformation(
            url=resource.url,
            chains=tuple(chain for chain in chains if chain),
            updated=resource.fetched,
            expires=resource.expires,
            form=capture.form,
            command=command,
            etag=resource.etag,
            last_modified=resource.last_modified,
        )
        if capture.outcome is Outcome.FETCHED:
            auxiliaries = yield from self.auxiliaries.attach(capture, shown, before, records)
            links = self._store_links(capture, previous)
            yield
            encoding = "" if capture.encoding == UTF_8 else capture.encoding
            source = replace(source, links=links, auxiliaries=auxiliaries, notice=capture.notice, encoding=encoding)
        elif previous is not None:
            self.auxiliaries.update_dates(capture)
            kept = previous
            source = replace(
                source, links=kept.links, auxiliaries=kept.auxiliaries, notice=kept.notice, encoding=kept.encoding
            )
        content = stored.content.with_source(source)
        renewed = self.update(stored, content)
        self._retarget_to_latest([key for entry in content.sources if entry.url == source.url for key in entry.keys])
        return renewed

    def _store_links(self, capture: Capture, previous: SourceInformation | None) -> Ref | None:
        if previous is not None and read_links(self.file, previous.links) == capture.links:
            return previous.links
        return store_links(self.file, capture.links)

    def add_chain(self, stored: Stored[PageSet], url: str, chain: Chain) -> Stored[PageSet]:
        """Add an alias chain to a source (14.10.5.2)."""
        return self._with_chains(stored, url, lambda chains: tuple(dict.fromkeys([*chains, chain])))

    def keep_chains(self, stored: Stored[PageSet], url: str, holds: Callable[[Chain], bool]) -> Stored[PageSet]:
        """Keep only the alias chains of a source that hold."""
        return self._with_chains(stored, url, lambda chains: tuple(filter(holds, chains)))

    def _with_chains(
        self, stored: Stored[PageSet], url: str, change: Callable[[Sequence[Chain]], tuple[Chain, ...]]
    ) -> Stored[PageSet]:
        sources = tuple(
            replace(source, chains=change(source.chains)) if source.url == url else source
            for source in stored.content.sources
        )
        renewed = self.update(stored, replace(stored.content, sources=sources))
        before, after = dict.fromkeys(stored.content.keys), dict.fromkeys(renewed.content.keys)
        self._retarget_links([key for key in {**before, **after} if key not in before or key not in after])
        return renewed

    def remove_source(self, stored: Stored[PageSet], source: SourceInformation) -> Stored[PageSet]:
        """Remove a source from a page set. The caller has to remove a page set without any source."""
        content = stored.content
        self.auxiliaries.detach(content, source)
        kept = tuple(entry for entry in content.sources if entry.url != source.url)
        renewed = self.update(stored, replace(content, sources=kept))
        self._retarget_links([key for key in source.keys if key not in renewed.content.keys])
        return renewed

    # Committing

    @property
    def is_changed(self) -> bool:
        """True if anything was changed since the last commit."""
        return self.file.is_changed or self.catalog.is_changed

    def commit(self) -> int:
        """Append what was added as one revision; return the number of bytes written."""
        return completed(self.commit_steps())

    def commit_steps(self) -> Steps[int]:
        """Commit in steps, between which nothing may be added."""
        return self._commit_steps(self.kept_changes)

    def _commit_steps(self, kept_changes: int) -> Steps[int]:
        self.forms.flush()
        self.shared.flush()
        self.catalog.flush(kept_changes)
        yield
        return (yield from self.file.commit_steps())

    def finish(self, title: str = "") -> int:
        """Commit, with updated title, dates and producer of the document."""
        return completed(self.finish_steps(title))

    def finish_steps(self, title: str = "") -> Steps[int]:
        """Finish in steps, between which nothing may be added."""
        self.forms.finish()
        self.removed_claims = self.catalog.describe(self.clock(), title)
        yield
        return (yield from self._commit_steps(0))
