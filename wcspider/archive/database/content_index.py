"""The content sets of a file and their index (ISO 32000-1, 14.10.3.1): find, insert, update, remove."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, NamedTuple, TypeGuard, TypeVar

from wcspider.archive.database.catalog import Catalog
from wcspider.archive.database.link_actions import Links, url_key
from wcspider.exceptions import InvalidURLError
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Ref, Value
from wcspider.pdf.webcapture.content_sets import ContentSet, ImageSet, PageSet, read_content_set
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.web.urls import canonical_url

URLS, IDS = "URLS", "IDS"
"""The name trees of the content database (14.10.3.1)."""

STORED_KEPT = 512
"""The number of content sets that stay in memory as they were read."""

Clock = Callable[[], datetime]


Content = TypeVar("Content", bound=ContentSet)
AnyContent = TypeVar("AnyContent", bound=ContentSet, covariant=True)
"""A kind of content sets: page sets, image sets, or both."""


@dataclass(frozen=True, slots=True)
class Stored(Generic[AnyContent]):
    """A content set with its object in the file."""

    reference: Ref
    content: AnyContent


class PageSetSource(NamedTuple):
    """A page set, and one of its sources."""

    stored: Stored[PageSet]
    source: SourceInformation


def is_page_set(stored: Stored[ContentSet]) -> TypeGuard[Stored[PageSet]]:
    """Tell whether a content set is a page set."""
    return isinstance(stored.content, PageSet)


def is_image_set(stored: Stored[ContentSet]) -> TypeGuard[Stored[ImageSet]]:
    """Tell whether a content set is an image set."""
    return isinstance(stored.content, ImageSet)


class ContentIndex:
    """The content sets of a file, found by URL or by digital identifier."""

    def __init__(self, file: RevisionFile, clock: Clock, *, is_new: bool | None = None) -> None:
        self.file = file
        self.clock = clock
        self.catalog = Catalog(file, is_new=is_new)
        self.links = Links(file, self.catalog)
        self._stored: LruCache[Ref, tuple[Value, Stored[ContentSet]]] = LruCache(STORED_KEPT)
        """Content sets, each with the value from which it was read."""

        self._is_complete = False
        """All content sets are in the URLS tree."""

        self._is_filled = False
        """The URLS tree is known to have entries; False if that is unknown."""

    # Finding

    def find_by_url(self, url: str) -> list[Stored[ContentSet]]:
        """Return the content sets with a source at a URL, or with an alias chain that contains the URL."""
        try:
            key = canonical_url(url)
        except InvalidURLError:
            key = url
        return self.find_by_key(key)

    def find_by_key(self, key: str) -> list[Stored[ContentSet]]:
        """Return the content sets that `find_by_url` finds for a URL that is in canonical form, or has none."""
        found = self._lookup(URLS, url_key(key))
        if found or self._has_urls:
            return found
        return [stored for stored in self.content_sets() if key in stored.content.keys]

    def find_page_sets(self, url: str) -> list[Stored[PageSet]]:
        """Return the page sets with a source at a URL, or with an alias chain that contains the URL."""
        return list(filter(is_page_set, self.find_by_url(url)))

    def sources_at(self, url: str) -> Iterator[PageSetSource]:
        """Return the sources of page sets at a URL, or with an alias chain that contains the URL."""
        return sources_among(self.find_by_url(url), url)

    @property
    def _has_urls(self) -> bool:
        """Tell whether the file has a URLS tree with entries: it is optional, and Acrobat may leave it empty."""
        self._is_filled = self._is_filled or any(True for _ in self.catalog.tree_items(URLS))
        return self._is_filled

    def find_by_identifier(self, identifier: bytes) -> list[Stored[ContentSet]]:
        """Return the content sets with a digital identifier (14.10.3.3)."""
        return self._lookup(IDS, identifier)

    def page_set(self, identifier: bytes) -> Stored[PageSet] | None:
        """Return the page set with a digital identifier; None also if its PDF pages are not in the file."""
        found = next(filter(is_page_set, self.find_by_identifier(identifier)), None)
        return found if found is not None and self.has_pages(found) else None

    def has_pages(self, stored: Stored[ContentSet]) -> bool:
        """Tell whether the PDF pages of a page set are in the file: other programs may have removed them."""
        return self.catalog.pages.holds(stored.content.objects)

    def image_set(self, identifier: bytes) -> Stored[ImageSet] | None:
        """Return the image set with a digital identifier."""
        return next(filter(is_image_set, self.find_by_identifier(identifier)), None)

    def page_sets(self) -> Iterator[Stored[PageSet]]:
        """Yield every page set, once, in the order of the object numbers."""
        return filter(is_page_set, self.content_sets())

    def content_sets(self) -> Iterator[Stored[ContentSet]]:
        """Yield every content set that IDS or URLS leads to, once, in the order of the object numbers.

        Objects that follow each other in the file are read together, so this order reads each of them once.
        """
        seen: set[Ref] = set()
        for reference in sorted(self._tree_references()):
            for stored in self._read(reference):
                if stored.reference not in seen:
                    seen.add(stored.reference)
                    yield stored

    def _tree_references(self) -> set[Ref]:
        """Return the references in IDS and URLS, each to a content set or to an array of them (14.10.3.1)."""
        values = (value for name in (IDS, URLS) for _, value in self.catalog.tree_items(name))
        entries = (entry for value in values for entry in (value if isinstance(value, list) else [value]))
        return {entry for entry in entries if isinstance(entry, Ref)}

    def at(self, reference: Ref) -> Stored[ContentSet] | None:
        """Return the content set of an object; None if the object is not a content set."""
        return next(self._read(reference), None)

    def page_set_at(self, reference: Ref) -> Stored[PageSet] | None:
        """Return the page set of an object; None if the object is not a page set."""
        return next(filter(is_page_set, self._read(reference)), None)

    def _lookup(self, tree_name: str, key: bytes) -> list[Stored[ContentSet]]:
        value = self.catalog.tree_value(tree_name, key)
        return [] if value is None else list(self._read(value))

    def _read(self, value: Value) -> Iterator[Stored[ContentSet]]:
        """Yield the content sets of a name tree's value: one content set, or an array of them (14.10.3.1)."""
        single = value if isinstance(value, Ref) else None
        content = self.file.resolve(value)
        for entry in content if isinstance(content, list) else [single or value]:
            if isinstance(entry, Ref) and (stored := self._read_one(entry)) is not None:
                yield stored

    def _read_one(self, reference: Ref) -> Stored[ContentSet] | None:
        """Return the content set of an object. It is read again when the object has another value."""
        value = self.file.resolve(reference)
        known = self._stored.get(reference)
        if known is not None and known[0] is value:
            return known[1]
        found = read_content_set(value, self.file.resolve)
        return None if found is None else self._stored.put(reference, (value, Stored(reference, found)))[1]

    # Changing

    def insert(self, content: Content) -> Stored[Content]:
        """Add a content set, with its keys in the name trees."""
        stored = Stored(self.file.add(content.as_pdf()), content)
        self._index(IDS, content.identifier, stored.reference)
        self._index_urls(stored, content.keys)
        return stored

    def update(self, stored: Stored[Content], content: Content) -> Stored[Content]:
        """Replace a content set, and update its keys in the name trees. Entries of other programs stay."""
        if content == stored.content:
            return stored
        have = self.file.get(stored.reference)
        entries = content.as_pdf(_written_sources(stored.content, have))
        if dropped := have.keys() - entries.keys():
            dropped &= stored.content.as_pdf().keys()
        value = {**{key: entry for key, entry in have.items() if key not in dropped}, **entries}
        self.file.put(stored.reference, value)
        renewed = Stored(stored.reference, content)
        self._stored.put(stored.reference, (value, renewed))
        if content.identifier != stored.content.identifier:
            self._unindex(IDS, stored.content.identifier, stored.reference)
            self._index(IDS, content.identifier, stored.reference)
        before, after = dict.fromkeys(stored.content.keys), dict.fromkeys(content.keys)
        for url in before.keys() - after.keys():
            self._unindex(URLS, url_key(url), stored.reference)
        is_other = content.objects != stored.content.objects or content.identifier != stored.content.identifier
        self._index_urls(renewed, after if is_other else [url for url in after if url not in before])
        return renewed

    def remove(self, stored: Stored[ContentSet]) -> None:
        """Remove a content set, with its keys in the name trees."""
        self._unindex(IDS, stored.content.identifier, stored.reference)
        for url in stored.content.keys:
            self._unindex(URLS, url_key(url), stored.reference)
        self.file.put(stored.reference, None)

    def _index_urls(self, stored: Stored[ContentSet], urls: Iterable[str]) -> None:
        if not self._is_complete:
            self._is_complete = True
            self._complete()
        for url in urls:
            self._index(URLS, url_key(url), stored.reference)
            if isinstance(stored.content, PageSet):
                self.links.retarget(url, stored.content)

    def _complete(self) -> None:
        """Fill the URLS tree of a file that has none: with a single entry in it, all others would not be found."""
        for stored in [] if self._has_urls else list(self.content_sets()):
            for url in stored.content.keys:
                self._index(URLS, url_key(url), stored.reference)

    def _index(self, tree_name: str, key: bytes, reference: Ref) -> None:
        """Add a content set to the value of a key; a key with several content sets has an array."""
        known = self._references(tree_name, key)
        if reference not in known:
            self._set_references(tree_name, key, [*known, reference])

    def _unindex(self, tree_name: str, key: bytes, reference: Ref) -> None:
        """Remove a content set from the value of a key."""
        known = self._references(tree_name, key)
        if reference in known:
            self._set_references(tree_name, key, [entry for entry in known if entry != reference])

    def _references(self, tree_name: str, key: bytes) -> Sequence[Ref]:
        value = self.catalog.tree_value(tree_name, key)
        content = self.file.resolve(value)
        found = content if isinstance(content, list) else [value]
        return [entry for entry in found if isinstance(entry, Ref)]

    def _set_references(self, tree_name: str, key: bytes, references: list[Ref]) -> None:
        tree = self.catalog.tree_to_change(tree_name)
        if references:
            tree[key] = references[0] if len(references) == 1 else references
        else:
            del tree[key]
            self._is_filled = False


def _written_sources(content: ContentSet, value: dict[str, Value]) -> Mapping[int, Value]:
    """Return the dictionaries of the sources of a content set by the identity of the source.

    A tracking pixel, or a page for people who are not logged in, has a source for each of many thousands of URLs. They
    are not made again for each new one.
    """
    written = value.get("SI")
    if not isinstance(written, list) or len(written) != len(content.sources):
        return {}
    return {id(source): entry for source, entry in zip(content.sources, written, strict=True)}


def sources_among(found: Iterable[Stored[ContentSet]], url: str) -> Iterator[PageSetSource]:
    """Yield the sources of page sets among content sets, at a URL or with an alias chain that contains the URL."""
    for stored in filter(is_page_set, found):
        for source in stored.content.sources:
            if url in source.keys:
                yield PageSetSource(stored, source)
