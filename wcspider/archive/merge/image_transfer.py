"""The image sets (ISO 32000-1, 14.10.4.3) of an input: unified with those of the merged file by identifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.merge.page_reading import Extract, graft_of
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Ref, Stream
from wcspider.pdf.webcapture.content_sets import ImageSet, PageSet
from wcspider.pdf.webcapture.sources import SourceInformation

CACHED_MEMBERS = 16384


class ImageTransfer:
    """Takes over the images that page sets show."""

    def __init__(
        self,
        database: ContentDatabase,
        source: ContentDatabase,
        extract: Callable[[Ref], Extract],
        canonical: Callable[[SourceInformation], SourceInformation],
    ) -> None:
        self.database = database
        self.source = source
        self._extract = extract
        self._canonical = canonical
        self._members: LruCache[Ref, Ref] = LruCache(CACHED_MEMBERS)
        """The members of image sets for the images of the input; reading an image means reading all of its bytes."""

        self.added = 0
        """The number of image sets that were added."""

    def place(self, page_set: PageSet) -> dict[Ref, Ref]:
        """Put the images that a page set shows into the file, and count its pages; return the image XObjects."""
        unnamed = self.source.images.members if page_set.source_digest is None else {}
        pages: dict[bytes, Counter[Ref]] = {}
        for page in dict.fromkeys(page_set.objects):
            for image, identifier in self.source.images.shown_on(page, unnamed):
                pages.setdefault(identifier, Counter())[image] += 1
        placed: dict[Ref, Ref] = {}
        for identifier, counts in pages.items():
            theirs = self.source.image_set(identifier)
            if theirs is not None:
                placed |= self._place(theirs.content, counts)
        return placed

    def _place(self, theirs: ImageSet, pages: Mapping[Ref, int]) -> dict[Ref, Ref]:
        """Put the images of a set into the file, and count the pages that show each."""
        stored = self._stored(theirs)
        placed: dict[Ref, Ref] = {}
        for image, count in pages.items():
            content = stored.content
            member = self._members.get(image) or self._members.put(image, self._member(content, theirs, image))
            placed[image] = member
            if member not in content.objects:
                content = replace(content, objects=(*content.objects, member), counts=(*content.counts, 0))
            stored = self.database.update(stored, content.counted(content.objects.index(member), count))
        return placed

    def _stored(self, theirs: ImageSet) -> Stored[ImageSet]:
        """Return the image set with the identifier of another one, which is added if there is none."""
        stored = self.database.image_set(theirs.identifier)
        if stored is None:
            copies = tuple(self._copied(image, theirs.identifier) for image in theirs.objects)
            stored = self.database.insert(replace(theirs, objects=copies, sources=(), counts=(0,) * len(copies)))
            self.added += 1
        content = stored.content
        for source in map(self._canonical, theirs.sources):
            if not source.uses and content.source(source.url) is None:  # nothing else adds this source
                content = content.with_source(source)
        return self.database.update(stored, content)

    def _member(self, mine: ImageSet, theirs: ImageSet, image: Ref) -> Ref:
        """Return the member of a set that is the same image as a member of the other set, or a copy of that one."""
        index = theirs.objects.index(image) if image in theirs.objects else 0
        if index < len(mine.objects):
            member = mine.objects[index]
            if _size(self.database.file, member) == _size(self.source.file, image):
                return self.database.images.named_member(member, theirs.identifier)
        return self._copied(image, theirs.identifier)

    def _copied(self, image: Ref, identifier: bytes) -> Ref:
        """Put a copy of an image XObject into the file as a member of the image set with an identifier (14.10.6)."""
        extract = self._extract(image)
        graft = graft_of(self.database, extract)
        if not isinstance(extract.fragment.objects[0], Stream):  # the file of another program has lost it
            return self.database.file.add(extract.fragment.objects[0])
        return graft.place_image(0, identifier)


def _size(file: RevisionFile, image: Ref) -> tuple[object, object] | None:
    """Return the width and height of an image XObject; None if it is not one."""
    content = file.get(image)
    if not isinstance(content, Stream):
        return None
    width, height = (file.resolve(content.dictionary.get(key)) for key in ("Width", "Height"))
    return width, height
