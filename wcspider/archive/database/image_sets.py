"""Image sets (ISO 32000-1, 14.10.4.3): the images of page sets, shared between pages and counted."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from wcspider.archive.database.content_index import ContentIndex, Stored, is_image_set
from wcspider.archive.database.graft import Graft, image_urls
from wcspider.pdf.file.parents import with_parents
from wcspider.pdf.image_frames import orientation
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Ref, Stream, Value, references, write
from wcspider.pdf.values import type_of
from wcspider.pdf.webcapture.content_sets import ImageSet, PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.steps import Steps
from wcspider.web.resources import Resource
from wcspider.webcapture.records import Capture

NOT_DRAWN = frozenset({"Font", "FontDescriptor", "Page", "Pages", "Annot"})
"""The types of objects that refer to no image that a page shows."""

CACHED_IDENTIFIERS = 16384


class ImageSets:
    """The image sets of a content database. The R entry of each counts the pages that refer to its images."""

    def __init__(self, index: ContentIndex) -> None:
        self.index = index
        self._added = 0
        self._unshown: set[bytes] = set()
        self._identifiers: LruCache[Ref, bytes] = LruCache(CACHED_IDENTIFIERS)
        """The identifiers of image XObjects: reading an image XObject means reading all of its bytes."""

    def pop_added_count(self) -> int:
        """Return the number of image sets that were added since the last call."""
        count, self._added = self._added, 0
        return count

    def pop_unshown(self) -> set[bytes]:
        """Return the image sets that no page showed at some time since the last call."""
        found, self._unshown = self._unshown, set()
        return found

    def place(self, graft: Graft, capture: Capture) -> Steps[frozenset[bytes]]:
        """Put the images of a fragment into the file in steps, or find them there, and count their pages.

        Returns their identifiers.
        """
        resources = resources_of(capture)
        shown_at: dict[bytes, Resource] = {}
        for resource in resources.values():
            shown_at.setdefault(resource.digest, resource)
        drawn: dict[bytes, list[int]] = {}
        frames: dict[int, tuple[bytes, int]] = {}
        for index, url in image_urls(graft.fragment).items():
            if url in resources:
                digest = resources[url].digest
                drawn.setdefault(digest, []).append(index)
                of_image = (index, *graft.fragment.frames.get(index, ()))
                frames |= {frame: (digest, number) for number, frame in enumerate(of_image)}
        pages = Counter[tuple[bytes, int]]()
        for shown in graft.fragment.page_images:
            pages.update({frames[index] for index in shown if index in frames})
            yield
        for digest, indices in drawn.items():
            later = len(graft.fragment.frames.get(indices[0], ()))
            yield from self._place(graft, shown_at[digest], indices, [pages[digest, at] for at in range(1 + later)])
            yield
        return frozenset(drawn)

    def _place(self, graft: Graft, resource: Resource, indices: list[int], pages: Sequence[int]) -> Steps[None]:
        """Put an image into its image set, and count the pages that show each of its frames.

        Several XObjects of the fragment may be this image.
        """
        identifier = resource.digest
        known = self.index.image_set(identifier)
        if known is not None and known.content.objects:
            if any(pages[1:]):
                yield from self._place_frames(graft, known, indices[0], pages)
                return
            image = self.named_member(known.content.objects[0], identifier)
            self.index.update(known, known.content.counted(0, pages[0]))
        else:
            image = graft.place_image(indices[0], identifier)
            frames = graft.place_frames(indices[0], identifier)
            content = ImageSet(
                identifier=identifier,
                objects=(image, *frames),
                sources=(),
                content_type=resource.content_type,
                created=self.index.clock(),
                counts=tuple(pages),
            )
            if known is None:
                self.index.insert(content)
                self._added += 1
            else:  # an image set of another program, without an object
                self.index.update(known, replace(content, sources=known.content.sources))
        for index in indices:
            graft.use(index, image)

    def _place_frames(self, graft: Graft, known: Stored[ImageSet], index: int, pages: Sequence[int]) -> Steps[None]:
        """Find the frames of an image in its image set, or add them there, and count the pages that show each.

        The set may have fewer frames than the image: those that no page shows may be removed from it (14.10.4.3).
        """
        content = known.content
        places: dict[bytes, list[int]] = {}
        for place, member in enumerate(content.objects):
            places.setdefault(_fingerprint(self.index.file.get(member)), []).append(place)
            yield
        for frame, count in zip((index, *graft.fragment.frames[index]), pages, strict=True):
            equal = places.get(_fingerprint(graft.member(frame, content.identifier)))
            if equal:
                place = equal.pop(0)
                graft.use(frame, self.named_member(content.objects[place], content.identifier))
            else:
                place = len(content.objects)
                added = graft.place_image(frame, content.identifier)
                content = replace(content, objects=(*content.objects, added), counts=(*content.counts, 0))
            content = content.counted(place, count)
            yield
        self.index.update(known, content)

    def named_member(self, image: Ref, identifier: bytes) -> Ref:
        """Make sure that an image XObject names its image set (14.10.6); those of other programs may not."""
        content = self.index.file.get(image)
        if isinstance(content, Stream) and content.dictionary.get("ID") != identifier:
            self.index.file.put(image, Stream({**content.dictionary, "ID": identifier}, content.data))
        return image

    def add_source(self, resource: Resource) -> None:
        """Add a source to the image set of a resource; once for each source of a page set that shows it."""
        known = self.index.image_set(resource.digest)
        if known is not None:
            chains = (resource.hops,) if resource.hops else ()
            source = SourceInformation(resource.url, chains, resource.fetched, resource.expires, uses=1)
            self.index.update(known, known.content.with_source(source))

    def update_source(self, resource: Resource) -> None:
        """Set the dates of the source of an image that was fetched again, or answered with 304 (14.10.5.1)."""
        known = self.index.image_set(resource.digest)
        if known is not None and resource.fetched is not None:
            sources = [
                replace(entry, updated=resource.fetched, expires=resource.expires)
                if entry.url == resource.url
                else entry
                for entry in known.content.sources
            ]
            self.index.update(known, replace(known.content, sources=tuple(sources)))

    def remove_source(self, identifier: bytes, url: str) -> None:
        """Note that a source of a page set does not show an image from a URL any more. Uncounted sources stay."""
        known = self.index.image_set(identifier)
        if known is not None:
            sources = [
                replace(entry, uses=entry.uses - 1) if entry.url == url and entry.uses else entry
                for entry in known.content.sources
                if entry.url != url or entry.uses != 1
            ]
            self.index.update(known, replace(known.content, sources=tuple(sources)))

    def remove_chains(self, identifier: bytes, removed: SourceInformation) -> None:
        """Remove the alias chains of a source from the image set with an identifier."""
        known = self.index.image_set(identifier)
        if known is not None and removed.chains:
            sources = [
                replace(entry, chains=tuple(chain for chain in entry.chains if chain not in removed.chains))
                for entry in known.content.sources
            ]
            self.index.update(known, replace(known.content, sources=tuple(sources)))

    def size(self, identifier: bytes) -> tuple[int, int, int] | None:
        """Return width, height and Exif orientation of the first image of a set; None if there is none."""
        known = self.index.image_set(identifier)
        image = self.index.file.get(known.content.objects[0]) if known is not None and known.content.objects else None
        if not isinstance(image, Stream):
            return None
        width, height = (self.index.file.resolve(image.dictionary.get(key)) for key in ("Width", "Height"))
        return (width, height, orientation(image)) if isinstance(width, int) and isinstance(height, int) else None

    def release(self, page_set: PageSet) -> None:
        """Count down the images of pages that are about to be removed; an image that no page shows leaves its set.

        The last image stays until `remove_if_unshown`, because a page whose turn is still to come may need it
        (14.10.4.3).
        """
        unnamed = self.members if page_set.source_digest is None else {}
        for page in page_set.objects:
            members: dict[bytes, list[Ref]] = {}
            for image, identifier in self.shown_on(page, unnamed):
                members.setdefault(identifier, []).append(image)
            for identifier, images in members.items():
                known = self.index.image_set(identifier)
                if known is not None:
                    self._count_down(known, images)

    def _count_down(self, known: Stored[ImageSet], images: Sequence[Ref]) -> None:
        content = known.content
        rows = [(image, max(0, count - (image in images))) for image, count in _rows(content)]
        if any(count > 0 for _, count in rows):
            rows = [(image, count) for image, count in rows if count > 0 or image not in images]
        else:
            self._unshown.add(content.identifier)
        objects, counts = tuple(image for image, _ in rows), tuple(count for _, count in rows)
        self.index.update(known, replace(content, objects=objects, counts=counts))

    def remove_if_unshown(self, identifier: bytes) -> None:
        """Remove an image set if no page shows it."""
        known = self.index.image_set(identifier)
        if known is not None and not any(known.content.counts):
            self.index.remove(known)

    def shown_by(self, page_set: PageSet) -> frozenset[bytes]:
        """Return the identifiers of the image sets that the pages of a page set show."""
        return frozenset(identifier for page in page_set.objects for _, identifier in self.shown_on(page, {}))

    @cached_property
    def members(self) -> dict[Ref, bytes]:
        """The identifiers of all image XObjects: those of other programs may not name their image sets."""
        sets = filter(is_image_set, self.index.content_sets())
        return {image: stored.content.identifier for stored in sets for image in stored.content.objects}

    def shown_on(self, page: Ref, unnamed: Mapping[Ref, bytes]) -> Iterator[tuple[Ref, bytes]]:
        """Yield the image XObjects of a page, including those in form XObjects and patterns, each once.

        Each comes with the identifier of its image set, from `unnamed` if that has the image XObject.
        """
        seen: set[Ref] = set()
        stack = [*references(self._resources(page)), *self._appearances(page)]
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            identifier = self._identifiers.get(at)
            if identifier is not None:
                yield at, identifier
                continue
            content = self.index.file.get(at)
            dictionary = content.dictionary if isinstance(content, Stream) else content
            if isinstance(dictionary, dict) and dictionary.get("Subtype") == "Image":
                identifier = unnamed.get(at, dictionary.get("ID"))
                if isinstance(identifier, bytes):
                    yield at, self._identifiers.put(at, identifier)
            elif type_of(content) not in NOT_DRAWN:
                stack += references(content)

    def _appearances(self, page: Ref) -> Iterator[Ref]:
        """Yield the references of the appearances of the annotations on a page (12.5.5)."""
        file = self.index.file
        for entry in file.array(file.dictionary(page).get("Annots")):
            yield from references(file.dictionary(entry).get("AP"))

    def _resources(self, page: Ref) -> Value:
        """Return the resources of a page, which it may inherit from a node above it (7.7.3.4)."""
        found = (content["Resources"] for _, content in with_parents(self.index.file, page) if "Resources" in content)
        return next(found, None)


def _fingerprint(image: Value) -> bytes:
    """Return a digest of an image XObject that does not depend on its image set; "" for another object."""
    if not isinstance(image, Stream):
        return b""
    entries = {key: entry for key, entry in image.dictionary.items() if key not in ("ID", "Length")}
    return hashlib.md5(write(entries) + image.data, usedforsecurity=False).digest()


def _rows(content: ImageSet) -> Iterator[tuple[Ref, int]]:
    return zip(content.objects, content.counts, strict=True)


def resources_of(capture: Capture) -> dict[str, Resource]:
    """Return the page of a capture and its auxiliary resources, by the URL that was asked for."""
    fetched = {entry.url: entry.resource for entry in capture.auxiliaries if entry.resource is not None}
    return {**fetched, capture.resource.url: capture.resource}
