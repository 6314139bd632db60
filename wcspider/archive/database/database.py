"""The content database over a file (ISO 32000-1, 14.10.3): find content sets, change them, commit a revision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from wcspider.archive.database.auxiliary_records import NOTHING, Attached, AuxiliaryRecords
from wcspider.archive.database.content_index import Clock, ContentIndex, Stored
from wcspider.archive.database.form_fields import Forms
from wcspider.archive.database.graft import SHARED_LIMIT, Graft, remember_streams
from wcspider.archive.database.image_sets import ImageSets
from wcspider.archive.database.outline import Outline
from wcspider.archive.database.page_links import keep_links, read_links
from wcspider.archive.pages.fragments import Fragment
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Ref, Value
from wcspider.pdf.webcapture.commands import WebCaptureInfo, command_as_pdf, posted_data, read_command, settings_as_pdf
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.webcapture.chains import Chain
from wcspider.webcapture.records import Capture, Command, Outcome


class ContentDatabase(ContentIndex):
    """The content sets of a file, with the pages and images that they are made of."""

    def __init__(self, file: RevisionFile, clock: Clock) -> None:
        super().__init__(file, clock)
        self.images = ImageSets(self)
        self.auxiliaries = AuxiliaryRecords(self, self.images)
        self.outline = Outline(file, self.catalog)
        self.forms = Forms(file, self.catalog)
        self._shared: LruCache[bytes, Ref] = LruCache(SHARED_LIMIT)
        self._surplus: dict[Ref, Ref] = {}
        self._settings: dict[str, Ref] = {}

    @classmethod
    def open(cls, path: Path, clock: Clock) -> Self:
        """Open the database of a file; one that has none gets it with the first commit."""
        return cls(RevisionFile.open(path), clock)

    def close(self) -> None:
        """Close the file; what was not committed is forgotten."""
        self.file.close()

    # Commands

    def commands(self) -> list[tuple[Ref, Command]]:
        """Return the commands that built the file (14.10.2), in order."""
        info = self.catalog.web_capture
        references = () if info is None else info.commands
        return [
            (reference, read_command(self.file.resolve(reference) or {}, self.file.resolve)) for reference in references
        ]

    def add_commands(self, commands: Sequence[Command]) -> list[Ref]:
        """Add commands (14.10.5.3) to those that built the file."""
        info = self.catalog.web_capture or WebCaptureInfo()
        added = [self._add_command(command) for command in commands]
        self.catalog.web_capture = replace(info, commands=(*info.commands, *added))
        return added

    def _add_command(self, command: Command) -> Ref:
        posted = posted_data(command)
        entries = command_as_pdf(command, self._settings_of(command), None if posted is None else self.file.add(posted))
        return self.file.add(entries)

    def _settings_of(self, command: Command) -> Ref:
        """Return the settings dictionary of a command; commands of one run that use the same share it."""
        key = repr((command.engine, sorted(command.settings.items())))
        if key not in self._settings:
            self._settings[key] = self.file.add(settings_as_pdf(command))
        return self._settings[key]

    # Page sets

    def add_page_set(
        self, capture: Capture, fragment: Fragment, chains: Sequence[Chain], command: Ref | None, zoom: float | None
    ) -> Stored:
        """Add the pages of a capture, with the images that they show, at the end of the file.

        The file must hold no page set with the capture's identifier: that one gets a source instead. One whose pages
        were taken out of the file goes.
        """
        for stored in self.find_by_identifier(capture.identifier):
            if isinstance(stored.content, PageSet):
                self.remove_page_set(stored)
        self.catalog.number_on()
        graft = Graft(self.file, fragment, self._shared)
        shown = self.images.place(graft, capture)
        self.forms.place(graft, capture.identifier)
        node = self.file.allocate()
        pages = graft.place_pages([node] * len(graft.pages), capture.identifier, zoom, self._link)
        self.catalog.pages.append(node, pages)
        self.catalog.speak(fragment.language)
        stored = self.insert(self._page_set(capture, fragment, pages))
        return self._with_source(stored, capture, chains, command, shown)

    def replace_page_set(
        self,
        stored: Stored,
        capture: Capture,
        fragment: Fragment,
        chains: Sequence[Chain],
        command: Ref | None,
        zoom: float | None,
    ) -> Stored:
        """Let the pages of a capture stand in the place of those of a page set, which has one source.

        A page keeps its number, so that what leads to it does so still: outline entries, destinations, links.
        """
        old = stored.content
        assert isinstance(old, PageSet)
        if old.source_digest is not None:  # by names that somebody else gave, anything may lead there
            self.links.forget(old)
        [source] = old.sources
        before = self.auxiliaries.attached(old, source, self.images.shown_by(old))
        graft = Graft(self.file, fragment, self._shared, old.objects)
        shown = self.images.place(graft, capture)
        self.images.release(old)  # after what is shown still was counted
        self.forms.place(graft, capture.identifier, self.forms.take_away(old.objects))
        parents = self.catalog.pages.replace(old.objects, graft.pages)
        pages = graft.place_pages(parents, capture.identifier, zoom, self._link)
        for page in old.objects[len(pages) :]:
            self.file.put(page, None)
            self._surplus[page] = pages[-1]
        renewed = self.update(stored, replace(self._page_set(capture, fragment, pages), outline=old.outline))
        replaced = self._with_source(renewed, capture, chains, command, shown, before)
        self._lead_elsewhere([url for url in old.keys if url not in replaced.content.keys])
        return replaced

    def place_front_pages(
        self, fragment: Fragment, node: Ref, old: Sequence[Ref], link: Callable[[bytes], Value]
    ) -> list[Ref]:
        """Put pages that came from no source into the file, below a node, with the numbers and fonts of old ones."""
        for page in old:
            remember_streams(self.file, self._shared, self.file.get(page).get("Resources"))
        graft = Graft(self.file, fragment, self._shared, old)
        return graft.place_pages([node] * len(fragment.pages), None, None, link)

    def take_surplus(self) -> dict[Ref, Ref]:
        """Return the pages that went as others took less room, since this was asked last, and what stands for each."""
        found, self._surplus = self._surplus, {}
        return found

    def remove_page_set(self, stored: Stored) -> None:
        """Remove a page set with its pages; links to it lead to the web again."""
        content = stored.content
        assert isinstance(content, PageSet)
        self.links.forget(content)
        for source in content.sources:
            self.auxiliaries.detach(content, source)
        self.images.release(content)
        self.forms.take_away(content.objects)
        if content.outline is not None:
            self.outline.remove(content.outline)
        self.catalog.pages.remove(content.objects)
        for page in content.objects:
            self.file.put(page, None)
        self.remove(stored)
        self._lead_elsewhere(content.keys)

    def _page_set(self, capture: Capture, fragment: Fragment, pages: Sequence[Ref]) -> PageSet:
        return PageSet(
            identifier=capture.identifier,
            objects=tuple(pages),
            sources=(),
            content_type=capture.resource.content_type,
            created=self.clock(),
            title=capture.title or fragment.title,
            text_identifier=capture.text_identifier or fragment.text_identifier,
            source_digest=capture.resource.digest,
            anchors=self.links.keep_anchors(fragment.anchors),
        )

    def _link(self, uri: bytes) -> Ref:
        page = uri.partition(b"#")[0].decode("latin-1")
        return self.links.action(uri, lambda: self._page_set_at(page))

    def _page_set_at(self, url: str) -> PageSet | None:
        """Return the page set that a link to a URL leads to: the one that was found there last."""
        found = [stored.content for stored in self.find_by_url(url)]
        return next((content for content in reversed(found) if isinstance(content, PageSet)), None)

    def _lead_elsewhere(self, urls: Sequence[str]) -> None:
        """Let the links to URLs lead to the page sets that came from them still, or to the web."""
        for url in urls:
            self.links.turn(url, self._page_set_at(url))

    # Sources of page sets

    def add_source(self, stored: Stored, capture: Capture, chains: Sequence[Chain], command: Ref | None) -> Stored:
        """Note that a page set was found at a URL, for the first time or once more (14.10.5.1)."""
        content = stored.content
        assert isinstance(content, PageSet)
        if capture.outcome is not Outcome.FETCHED:
            return self._with_source(stored, capture, chains, command, frozenset())
        shown = self.images.shown_by(content)
        previous = content.source(capture.resource.url)
        before = NOTHING if previous is None else self.auxiliaries.attached(content, previous, shown)
        return self._with_source(stored, capture, chains, command, shown, before)

    def _with_source(
        self,
        stored: Stored,
        capture: Capture,
        chains: Sequence[Chain],
        command: Ref | None,
        shown: frozenset[bytes],
        before: Attached = NOTHING,
    ) -> Stored:
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
            auxiliaries = self.auxiliaries.attach(capture, shown, before)
            source = replace(source, links=self._keep_links(capture, previous), auxiliaries=auxiliaries)
        elif previous is not None:
            self.auxiliaries.renew(capture)
            source = replace(source, links=previous.links, auxiliaries=previous.auxiliaries)
        return self.update(stored, stored.content.with_source(source))

    def _keep_links(self, capture: Capture, previous: SourceInformation | None) -> Ref | None:
        if previous is not None and read_links(self.file, previous.links) == capture.links:
            return previous.links
        return keep_links(self.file, capture.links)

    def add_chain(self, stored: Stored, url: str, chain: Chain) -> Stored:
        """Note one more chain of redirections that leads to a source (14.10.5.2)."""
        return self._with_chains(stored, url, lambda chains: tuple(dict.fromkeys([*chains, chain])))

    def keep_chains(self, stored: Stored, url: str, holds: Callable[[Chain], bool]) -> Stored:
        """Drop the chains to a source that do not hold any more."""
        return self._with_chains(stored, url, lambda chains: tuple(filter(holds, chains)))

    def _with_chains(self, stored: Stored, url: str, change: Callable[[Sequence[Chain]], tuple[Chain, ...]]) -> Stored:
        sources = tuple(
            replace(source, chains=change(source.chains)) if source.url == url else source
            for source in stored.content.sources
        )
        renewed = self.update(stored, replace(stored.content, sources=sources))
        self._lead_elsewhere([key for key in stored.content.keys if key not in renewed.content.keys])
        return renewed

    def remove_source(self, stored: Stored, source: SourceInformation) -> Stored:
        """Note that a page set is found at a URL no longer; one that has no source is for the caller to remove."""
        content = stored.content
        assert isinstance(content, PageSet)
        self.auxiliaries.detach(content, source)
        kept = tuple(entry for entry in content.sources if entry.url != source.url)
        renewed = self.update(stored, replace(content, sources=kept))
        self._lead_elsewhere([key for key in source.keys if key not in renewed.content.keys])
        return renewed

    # Committing

    def commit(self) -> int:
        """Append what was added as one revision; return the bytes written."""
        self.forms.flush()
        self.catalog.complete()
        return self.file.commit()

    def finish(self, title: str = "") -> int:
        """Commit, with the title, dates and producer of the document brought up to date."""
        self.forms.settle()
        self.catalog.describe(self.clock(), title)
        return self.commit()
