"""The content database over a file (ISO 32000-1, 14.10.3): find content sets, add to them, commit a revision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Self

from wcspider.capture.records import Capture, Command, Resource
from wcspider.capture.redirects import Chain
from wcspider.capture.urls import canonical_url
from wcspider.exceptions import InvalidURLError
from wcspider.pdf.commands import (
    WebCaptureInfo,
    command_as_pdf,
    posted_data,
    read_command,
    settings_as_pdf,
)
from wcspider.pdf.contentsets import ContentSet, ImageSet, PageSet, read_content_set
from wcspider.pdf.objects import Ref, Value
from wcspider.pdf.recent import Recent
from wcspider.pdf.revision import RevisionFile
from wcspider.pdf.sources import SourceInformation
from wcspider.store.catalogue import Catalogue
from wcspider.store.fragments import Fragment
from wcspider.store.graft import SHARED_LIMIT, Graft, image_urls
from wcspider.store.links import Links

URLS, IDS = "URLS", "IDS"
"""The name trees of the content database (14.10.3.1)."""

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Stored:
    """A content set and the object that it is."""

    reference: Ref
    content: PageSet | ImageSet


class ContentDatabase:
    """The content sets of a file, found by URL or by digital identifier."""

    def __init__(self, file: RevisionFile, clock: Clock) -> None:
        self.file = file
        self.clock = clock
        self.catalogue = Catalogue(file)
        self.links = Links(file, self.catalogue)
        self._shared: Recent[bytes, Ref] = Recent(SHARED_LIMIT)
        self._settings: dict[str, Ref] = {}
        self._new_image_sets = 0

    @classmethod
    def open(cls, path: Path, clock: Clock) -> Self:
        """Open the database of a file; one that has none gets it with the first commit."""
        return cls(RevisionFile.open(path), clock)

    def close(self) -> None:
        """Close the file; what was not committed is forgotten."""
        self.file.close()

    def take_new_image_sets(self) -> int:
        """Return how many image sets were added since this was asked last."""
        count, self._new_image_sets = self._new_image_sets, 0
        return count

    # Finding

    def find_by_url(self, url: str) -> list[Stored]:
        """Return the content sets that came from a URL, or by way of it through a redirection."""
        try:
            key = canonical_url(url)
        except InvalidURLError:
            key = url
        found = self._lookup(URLS, key.encode("ascii", "replace"))
        return (
            found
            if found or self._has_urls
            else [stored for stored in self.content_sets() if key in stored.content.keys]
        )

    @property
    def _has_urls(self) -> bool:
        """Tell whether the file maps URLs at all: both mappings are optional, and Acrobat may leave this one empty."""
        tree = self.catalogue.tree(URLS)
        return tree is not None and any(True for _ in tree.items())

    def find_by_identifier(self, identifier: bytes) -> list[Stored]:
        """Return the content sets that bear a digital identifier (14.10.3.3)."""
        return self._lookup(IDS, identifier)

    def page_set(self, identifier: bytes) -> Stored | None:
        """Return the page set that bears a digital identifier."""
        return self._of_kind(self.find_by_identifier(identifier), PageSet)

    def image_set(self, identifier: bytes) -> Stored | None:
        """Return the image set that bears a digital identifier."""
        return self._of_kind(self.find_by_identifier(identifier), ImageSet)

    def content_sets(self) -> Iterator[Stored]:
        """Yield every content set that the IDS tree, or else the URLS tree, leads to, each once."""
        seen: set[Ref] = set()
        for name in (IDS, URLS):
            tree = self.catalogue.tree(name)
            for _, value in tree.items() if tree is not None else ():
                for stored in self._read(value):
                    if stored.reference not in seen:
                        seen.add(stored.reference)
                        yield stored

    def _lookup(self, tree_name: str, key: bytes) -> list[Stored]:
        tree = self.catalogue.tree(tree_name)
        value = None if tree is None else tree.get(key)
        return [] if value is None else list(self._read(value))

    def _read(self, value: Value) -> Iterator[Stored]:
        """Yield the content sets of a tree's value, which is one of them or an array (14.10.3.1)."""
        single = value if isinstance(value, Ref) else None
        content = self.file.resolve(value)
        for entry in content if isinstance(content, list) else [single or value]:
            found = read_content_set(self.file.resolve(entry), self.file.resolve)
            if found is not None and isinstance(entry, Ref):
                yield Stored(entry, found)

    @staticmethod
    def _of_kind(found: list[Stored], kind: type[ContentSet]) -> Stored | None:
        return next((stored for stored in found if isinstance(stored.content, kind)), None)

    # Commands

    def commands(self) -> list[tuple[Ref, Command]]:
        """Return the commands that built the file (14.10.2), in order."""
        info = self.catalogue.web_capture
        references = () if info is None else info.commands
        return [
            (reference, read_command(self.file.resolve(reference) or {}, self.file.resolve)) for reference in references
        ]

    def add_command(self, command: Command) -> Ref:
        """Add a command (14.10.5.3) to those that built the file."""
        info = self.catalogue.web_capture or WebCaptureInfo()
        posted = posted_data(command)
        entries = command_as_pdf(command, self._settings_of(command), None if posted is None else self.file.add(posted))
        reference = self.file.add(entries)
        self.catalogue.web_capture = replace(info, commands=(*info.commands, reference))
        return reference

    def _settings_of(self, command: Command) -> Ref:
        """Return the settings dictionary of a command; commands of one run that use the same share it."""
        key = repr((command.engine, sorted(command.settings.items())))
        if key not in self._settings:
            self._settings[key] = self.file.add(settings_as_pdf(command))
        return self._settings[key]

    # Adding

    def add_source(self, stored: Stored, source: SourceInformation) -> Stored:
        """Note that a content set was found at a URL, for the first time or once more (14.10.5.1)."""
        return self._update(stored, stored.content.with_source(source))

    def add_chain(self, stored: Stored, source: SourceInformation, chain: Chain) -> Stored:
        """Note one more chain of redirections that leads to a source (14.10.5.2)."""
        return self.add_source(stored, replace(source, chains=(chain,)))

    def add_page_set(
        self, capture: Capture, fragment: Fragment, chains: Sequence[Chain], command: Ref | None, zoom: float | None
    ) -> Stored:
        """Add the pages of a capture, with the images that they show, at the end of the file.

        The file must hold no page set with the capture's identifier: that one gets a source instead.
        """
        graft = Graft(self.file, fragment, self._shared)
        self._place_images(graft, capture)
        node = self.file.allocate()
        pages = graft.place_pages(node, capture.identifier, zoom, self._link)
        self.catalogue.pages.append(node, pages)
        page_set = PageSet(
            identifier=capture.identifier,
            objects=tuple(pages),
            sources=(source_of(capture, chains, command),),
            content_type=capture.resource.content_type,
            created=self.clock(),
            title=capture.title or fragment.title,
            text_identifier=capture.text_identifier or fragment.text_identifier,
            source_digest=capture.resource.digest,
            anchors=self.links.keep_anchors(fragment.anchors),
        )
        return self._insert(page_set)

    def _link(self, uri: bytes) -> Ref:
        page = uri.partition(b"#")[0].decode("latin-1")
        return self.links.action(uri, lambda: self._page_set_at(page))

    def _page_set_at(self, url: str) -> PageSet | None:
        """Return the page set that a link to a URL leads to: the one that was found there last."""
        found = [stored.content for stored in self.find_by_url(url)]
        return next((content for content in reversed(found) if isinstance(content, PageSet)), None)

    def _place_images(self, graft: Graft, capture: Capture) -> None:
        """Put the images that the fragment shows into the file, or find them there, and count their pages."""
        resources = _resources(capture)
        drawn: dict[bytes, list[int]] = {}
        for index, url in image_urls(graft.fragment).items():
            if url in resources:
                drawn.setdefault(resources[url].digest, []).append(index)
        for digest, indices in drawn.items():
            found_at = [resource for resource in resources.values() if resource.digest == digest]
            self._place_image(graft, digest, indices, found_at)

    def _place_image(self, graft: Graft, identifier: bytes, indices: list[int], found_at: list[Resource]) -> None:
        """Let an image set hold an image that several XObjects of the fragment may show, and count its pages."""
        pages = sum(not shown.isdisjoint(indices) for shown in graft.fragment.page_images)
        known = self.image_set(identifier)
        if known is not None and isinstance(known.content, ImageSet) and known.content.objects:
            image, content = known.content.objects[0], known.content
        else:
            image = graft.place_image(indices[0], identifier)
            frames = graft.place_frames(indices[0], identifier)
            content = ImageSet(
                identifier=identifier,
                objects=(image, *frames),
                sources=(),
                content_type=found_at[0].content_type,
                created=self.clock(),
                counts=(0, *(0 for _ in frames)),
            )
        for index in indices:
            graft.use_image(index, image)
        for resource in found_at:
            content = content.with_source(_image_source(resource))
        content = content.counted(0, pages)
        if known is None:
            self._insert(content)
            self._new_image_sets += 1
        else:
            self._update(known, content)

    def _insert(self, content: PageSet | ImageSet) -> Stored:
        stored = Stored(self.file.add(content.as_pdf()), content)
        self._index(IDS, content.identifier, stored.reference)
        self._index_urls(stored, content.keys)
        return stored

    def _update(self, stored: Stored, content: PageSet | ImageSet) -> Stored:
        """Write a content set anew, keeping what somebody else put into it."""
        if content == stored.content:
            return stored
        have = self.file.get(stored.reference)
        self.file.put(stored.reference, {**have, **content.as_pdf()})
        known = set(stored.content.keys)
        self._index_urls(stored, [url for url in content.keys if url not in known])
        return Stored(stored.reference, content)

    def _index_urls(self, stored: Stored, urls: Sequence[str]) -> None:
        for url in urls:
            self._index(URLS, url.encode("ascii", "replace"), stored.reference)
            if isinstance(stored.content, PageSet):
                self.links.turn(url, stored.content)

    def _index(self, tree_name: str, key: bytes, reference: Ref) -> None:
        """Let a key lead to a content set: alone, or in an array with those that it leads to already."""
        tree = self.catalogue.tree_to_change(tree_name)
        value = tree.get(key)
        content = self.file.resolve(value)
        if value is None:
            tree[key] = reference
        elif isinstance(content, list):
            if reference not in content:
                tree[key] = [*content, reference]
        elif value != reference:
            tree[key] = [value, reference]

    # Committing

    def commit(self) -> int:
        """Append what was added as one revision; return the bytes written."""
        self.catalogue.complete()
        return self.file.commit()

    def finish(self, title: str = "") -> int:
        """Commit, with the title, dates and producer of the document brought up to date."""
        self.catalogue.describe(self.clock(), title)
        return self.commit()


def source_of(capture: Capture, chains: Sequence[Chain], command: Ref | None) -> SourceInformation:
    """Return the source information of a page set's capture (14.10.5.1)."""
    resource = capture.resource
    return SourceInformation(
        url=resource.url,
        chains=tuple(chain for chain in chains if chain),
        updated=resource.fetched,
        expires=resource.expires,
        form=capture.form,
        command=command,
        etag=resource.etag,
        last_modified=resource.last_modified,
    )


def _resources(capture: Capture) -> dict[str, Resource]:
    """Return what a capture's page may show, by the URL that it was asked for."""
    fetched = {entry.url: entry.resource for entry in capture.auxiliaries if entry.resource is not None}
    return {**fetched, capture.resource.url: capture.resource}


def _image_source(resource: Resource) -> SourceInformation:
    chains = (resource.hops,) if resource.hops else ()
    return SourceInformation(resource.url, chains, updated=resource.fetched, expires=resource.expires)
