"""The records of auxiliary resources in a file, and the sources of image sets that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from wcspider.archive.database.catalog import decoded
from wcspider.archive.database.content_index import ContentIndex
from wcspider.archive.database.image_sets import ImageSets
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Ref, Stream
from wcspider.pdf.values import read_reference
from wcspider.pdf.webcapture.auxiliaries import AuxiliaryRecord
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.steps import Steps, completed, portions
from wcspider.web.resources import Auxiliary, AuxiliaryKind, Resource
from wcspider.webcapture.chains import Chain
from wcspider.webcapture.records import Capture

AUXILIARIES = "WCSP_Auxiliaries"
"""The second-class name tree that finds the latest record of each URL."""

STORED_KINDS = frozenset({AuxiliaryKind.STYLESHEET, AuxiliaryKind.FONT})
"""The resources that are stored with their bytes, for the layout of a page after another resource has changed."""

CACHED_RECORDS = 1024


class ImageOrigin(NamedTuple):
    """Where an image came from."""

    digest: bytes | None
    url: str
    hops: Chain


@dataclass(frozen=True, slots=True)
class Attached:
    """The auxiliary records of a source of a page set, and the origins of the images that the page set shows."""

    records: tuple[Ref, ...] = ()
    images: Counter[ImageOrigin] = field(default_factory=Counter)


NOTHING = Attached()


class AuxiliaryRecords:
    """The records of auxiliary resources, by URL. Each counts the sources of page sets that refer to it."""

    def __init__(self, index: ContentIndex, images: ImageSets) -> None:
        self.index = index
        self.images = images
        self._records: LruCache[Ref, AuxiliaryRecord] = LruCache(CACHED_RECORDS)
        self._dated: LruCache[str, Resource] = LruCache(CACHED_RECORDS)
        """The resources whose dates were stored: in a crawl, each URL is fetched once."""

        self._unreferenced: set[bytes] = set()

    def attach(
        self,
        capture: Capture,
        shown: Collection[bytes],
        before: Attached = NOTHING,
        records: tuple[Ref, ...] | None = None,
    ) -> Steps[tuple[Ref, ...]]:
        """Make the source of a page set refer to a capture's auxiliary resources, in steps; return their records.

        `shown` holds the identifiers of the images that the page set shows: they get sources. `before` has the records
        and images that were attached to the source. `records` are those of the auxiliary resources, if the file holds
        them already.
        """
        after = (yield from self._records_for(capture.auxiliaries)) if records is None else records
        page = capture.resource
        fetched = [entry.resource for entry in capture.auxiliaries if entry.resource is not None]
        if page.digest in shown:
            fetched.insert(0, replace(page, hops=()))  # the page set has the redirects to its page
        origins = {ImageOrigin(entry.digest, entry.url, entry.hops): entry for entry in fetched}
        images = yield from self._images(after, shown, page.digest, page.url)
        for portion in portions((images - before.images).elements()):
            for origin in portion:
                self.images.add_source(origins[origin])
            yield
        for origin in images.keys() & before.images.keys():
            self.images.update_source(origins[origin])
        yield
        for added in portions(set(after) - set(before.records)):
            for reference in added:
                self._count(reference, 1)
            yield
        self._detach_missing(before, Attached(after, images))
        return after

    def _records_for(self, auxiliaries: Sequence[Auxiliary]) -> Steps[tuple[Ref, ...]]:
        """Return the records of auxiliary resources, and add those that the file does not hold."""
        found: list[Ref] = []
        for portion in portions(auxiliaries):
            found += map(self._record_for, portion)
            yield
        return tuple(found)

    def attached(self, page_set: PageSet, source: SourceInformation, shown: Collection[bytes]) -> Attached:
        """Return the records and images that are attached to a source of a page set that shows these images."""
        images = completed(self._images(source.auxiliaries, shown, page_set.source_digest, source.url))
        return Attached(source.auxiliaries, images)

    def detach(self, page_set: PageSet, source: SourceInformation) -> None:
        """Detach everything from a source that its page set loses."""
        self._detach_missing(self.attached(page_set, source, self.images.shown_by(page_set)), NOTHING)

    def _images(
        self, records: Sequence[Ref], shown: Collection[bytes], digest: bytes | None, url: str
    ) -> Steps[Counter[ImageOrigin]]:
        """Return the origins of the images that a source of a page set shows; the page itself may be one of them."""
        found: list[ImageOrigin] = []
        for portion in portions(records):
            read = map(self.record, portion)
            found += [ImageOrigin(record.digest, record.source.url, record.hops) for record in read]
            yield
        return Counter(origin for origin in [*found, ImageOrigin(digest, url, ())] if origin.digest in shown)

    def _detach_missing(self, before: Attached, after: Attached) -> None:
        """Count down the records and images that are no longer attached to a source."""
        for digest, url, _ in (before.images - after.images).elements():
            self.images.remove_source(digest or b"", url)
        for reference in set(before.records) - set(after.records):
            self._release(reference)

    def _count(self, reference: Ref, change: int) -> AuxiliaryRecord:
        record = self.record(reference)
        return self._put(reference, replace(record, uses=record.uses + change))

    def _release(self, reference: Ref) -> None:
        record = self._count(reference, -1)
        key = _key(record.url, has_bytes=record.digest is not None)
        if record.uses <= 0 and self.index.catalog.tree_to_change(AUXILIARIES).get(key) == reference:
            self._unreferenced.add(key)
        elif record.uses <= 0 and record.digest is not None:
            self.images.remove_chains(record.digest, record.source)

    def pop_unreferenced(self) -> set[bytes]:
        """Return the keys of records that have been without a reference at some time since the last call."""
        found, self._unreferenced = self._unreferenced, set()
        return found

    def remove_if_unreferenced(self, key: bytes) -> None:
        """Remove a record from the name tree if no page refers to it."""
        tree = self.index.catalog.tree_to_change(AUXILIARIES)
        reference = tree.get(key)
        record = self.record(reference) if isinstance(reference, Ref) else None
        if record is not None and record.uses <= 0:
            del tree[key]
            if record.digest is not None:
                self.images.remove_chains(record.digest, record.source)

    def _put(self, reference: Ref, record: AuxiliaryRecord) -> AuxiliaryRecord:
        self.index.file.put(reference, record.as_pdf())
        return self._records.put(reference, record)

    def _record_for(self, auxiliary: Auxiliary) -> Ref:
        """Return the record of an auxiliary resource: the latest record of its URL, or a new one after a change."""
        tree = self.index.catalog.tree_to_change(AUXILIARIES)
        key = _key(auxiliary.url, has_bytes=auxiliary.resource is not None)
        known = tree.get(key)
        if isinstance(known, Ref):
            record = self.record(known)
            if record.kind is auxiliary.kind and record.holds(auxiliary.resource):
                self._update_dates(known, record, auxiliary.resource)
                return known
        record = self._new_record(auxiliary)
        tree[key] = reference = self.index.file.add(record.as_pdf())
        self._records.put(reference, record)
        return reference

    def transfer(self, theirs: AuxiliaryRecord, data: Callable[[], Stream | None], *, is_latest: bool) -> Ref:
        """Return the record that is equal to a record of another file, or add it; `data` reads its bytes.

        `is_latest` tells whether it is the latest record of its URL in that file.
        """
        tree = self.index.catalog.tree_to_change(AUXILIARIES)
        key = _key(theirs.url, has_bytes=theirs.digest is not None)
        known = tree.get(key)
        latest = self.record(known) if isinstance(known, Ref) else None
        if isinstance(known, Ref) and latest is not None and latest.describes_same(theirs):
            if latest.source != theirs.source:
                self._put(known, replace(latest, source=theirs.source))
            return known
        stream = data()
        stored = None if stream is None else self.index.file.add(stream)
        record = replace(theirs, data=stored, uses=0)
        reference = self.index.file.add(record.as_pdf())
        self._records.put(reference, record)
        if latest is None or is_latest:
            tree[key] = reference
        return reference

    def _update_dates(self, reference: Ref, record: AuxiliaryRecord, resource: Resource | None) -> None:
        """Store the validators and the date of expiry of the last answer."""
        source = record.source if resource is None else _source(resource)
        if source != record.source:
            self._put(reference, replace(record, source=source))

    def update_dates(self, capture: Capture) -> None:
        """Store the dates and validators of the auxiliary resources of a page that has not changed."""
        self.images.update_source(capture.resource)  # the page may be an image
        for entry in capture.auxiliaries:
            if entry.resource is not None and self._dated.get(entry.url) != entry.resource:
                self._dated.put(entry.url, entry.resource)
                self._update_dates_of(entry.url, entry.resource)

    def _update_dates_of(self, url: str, resource: Resource) -> None:
        reference = self.find(url)
        record = None if reference is None else self.record(reference)
        if reference is not None and record is not None and record.holds(resource):
            self._update_dates(reference, record, resource)
            self.images.update_source(resource)

    def _new_record(self, auxiliary: Auxiliary) -> AuxiliaryRecord:
        resource = auxiliary.resource
        if resource is None:
            return AuxiliaryRecord(auxiliary.url, auxiliary.kind)
        data = None
        if auxiliary.kind in STORED_KINDS:
            data = self.index.file.add(Stream.deflated({}, resource.body))
        return AuxiliaryRecord(
            auxiliary.url,
            auxiliary.kind,
            resource.digest,
            _source(resource),
            resource.length,
            resource.content_type,
            resource.charset or "",
            data,
        )

    # Reading

    def find(self, url: str, *, has_bytes: bool = True) -> Ref | None:
        """Return the latest record of a URL, or that of pages that did not get the resource; None if it has none."""
        return read_reference(self.index.catalog.tree_value(AUXILIARIES, _key(url, has_bytes=has_bytes)))

    def record(self, reference: Ref) -> AuxiliaryRecord:
        """Return a record."""
        known = self._records.get(reference)
        if known is None:
            file = self.index.file
            known = self._records.put(reference, AuxiliaryRecord.from_pdf(file.dictionary(reference), file.resolve))
        return known

    def resource(self, record: AuxiliaryRecord) -> Resource | None:
        """Return the resource of a record, as if it had been fetched; without a body if the file does not hold it."""
        if record.digest is None:
            return None
        data = None if record.data is None else self.index.file.get(record.data)
        return replace(
            record.source.resource(record.content_type, record.digest),
            body=decoded(data, self.index.file.resolve) if isinstance(data, Stream) else b"",
            charset=record.charset or None,
            hops=record.hops,
            held_length=record.length,
        )


def _key(url: str, *, has_bytes: bool = True) -> bytes:
    """Return the key of a record. A URL has two records if one page got the resource, and another page did not."""
    return url.encode("ascii", "replace") + (b"" if has_bytes else b" ")


def _source(resource: Resource) -> SourceInformation:
    return SourceInformation(
        resource.url,
        (resource.hops,) if resource.hops else (),
        expires=resource.expires,
        etag=resource.etag,
        last_modified=resource.last_modified,
    )
