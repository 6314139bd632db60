"""The records of auxiliary resources in a file, and what they say of the sources of page sets and images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from wcspider.archive.database.catalog import decoded
from wcspider.archive.database.content_index import ContentIndex
from wcspider.archive.database.image_sets import ImageSets
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Ref, Stream
from wcspider.pdf.webcapture.auxiliaries import AuxiliaryRecord
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.web.resources import Auxiliary, AuxiliaryKind, Resource
from wcspider.webcapture.chains import Chain
from wcspider.webcapture.records import Capture

AUXILIARIES = "WCSP_Auxiliaries"
"""The name tree of our own that finds the latest record of each URL."""

KEPT = frozenset({AuxiliaryKind.STYLESHEET, AuxiliaryKind.FONT})
"""What is kept with its bytes: a page is laid out anew with it when another of its auxiliaries has changed."""

RECORDS_KEPT = 1024

Origin = tuple[bytes | None, str, Chain]
"""The identifier of an image, the URL that gave it, and the redirections that led there."""


@dataclass(frozen=True, slots=True)
class Attached:
    """What a source of a page set has."""

    records: tuple[Ref, ...] = ()
    images: Counter[Origin] = field(default_factory=Counter)
    """Where the images come from that the page set shows."""


NOTHING = Attached()


class AuxiliaryRecords:
    """The records of auxiliary resources, found by URL, counted by the sources of page sets that refer to them."""

    def __init__(self, index: ContentIndex, images: ImageSets) -> None:
        self.index = index
        self.images = images
        self._records: LruCache[Ref, AuxiliaryRecord] = LruCache(RECORDS_KEPT)
        self._unused: set[bytes] = set()

    def attach(self, capture: Capture, shown: Collection[bytes], before: Attached = NOTHING) -> tuple[Ref, ...]:
        """Let the source of a page set refer to a capture's auxiliaries; return their records.

        `shown` holds the identifiers of the images that the page set shows: they get sources. `before` is what the
        source had.
        """
        after = tuple(self._kept(auxiliary) for auxiliary in capture.auxiliaries)
        page = replace(capture.resource, hops=())  # what redirects to a page is told by its page set
        fetched = [page, *(entry.resource for entry in capture.auxiliaries if entry.resource is not None)]
        origins: dict[Origin, Resource] = {(entry.digest, entry.url, entry.hops): entry for entry in fetched}
        images = self._images(after, shown, page.digest, page.url)
        for origin in (images - before.images).elements():
            self.images.add_source(origins[origin])
        for reference in set(after) - set(before.records):
            self._count(reference, 1)
        self._leave(before, Attached(after, images))
        return after

    def attached(self, page_set: PageSet, source: SourceInformation, shown: Collection[bytes]) -> Attached:
        """Return what a source of a page set has, which shows these images."""
        images = self._images(source.auxiliaries, shown, page_set.source_digest, source.url)
        return Attached(source.auxiliaries, images)

    def detach(self, page_set: PageSet, source: SourceInformation) -> None:
        """Note that a page set has a source no longer."""
        self._leave(self.attached(page_set, source, self.images.shown_by(page_set)), NOTHING)

    def _images(
        self, records: Sequence[Ref], shown: Collection[bytes], digest: bytes | None, url: str
    ) -> Counter[Origin]:
        """Return where the images come from that a source of a page set shows, the page itself included."""
        found = [(record.digest, record.source.url, record.hops) for record in map(self.record, records)]
        return Counter(origin for origin in [*found, (digest, url, ())] if origin[0] in shown)

    def _leave(self, before: Attached, after: Attached) -> None:
        """Count what a source has no longer."""
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
            self._unused.add(key)
        elif record.uses <= 0 and record.digest is not None:
            self.images.remove_chains(record.digest, record.source)

    def take_unused(self) -> set[bytes]:
        """Return the keys of records that no page referred to any more at some time since this was asked last."""
        found, self._unused = self._unused, set()
        return found

    def drop_unused(self, key: bytes) -> None:
        """Forget a record, if no page refers to it."""
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

    def _kept(self, auxiliary: Auxiliary) -> Ref:
        """Return the record of what a URL gave: the one that there is, or a new one if it gave something else."""
        tree = self.index.catalog.tree_to_change(AUXILIARIES)
        key = _key(auxiliary.url, has_bytes=auxiliary.resource is not None)
        known = tree.get(key)
        if isinstance(known, Ref):
            record = self.record(known)
            if record.kind is auxiliary.kind and record.holds(auxiliary.resource):
                self._renew(known, record, auxiliary.resource)
                return known
        made = self._made(auxiliary)
        tree[key] = reference = self.index.file.add(made.as_pdf())
        self._records.put(reference, made)
        return reference

    def _renew(self, reference: Ref, record: AuxiliaryRecord, resource: Resource | None) -> None:
        """Keep the validators and the date of expiry that a server gave last."""
        source = record.source if resource is None else _source(resource)
        if source != record.source:
            self._put(reference, replace(record, source=source))

    def renew(self, capture: Capture) -> None:
        """Keep the validators and dates of expiry that came for the auxiliaries of a page that has not changed."""
        for entry in capture.auxiliaries:
            reference = self.find(entry.url)
            if reference is not None and entry.resource is not None:
                record = self.record(reference)
                if record.holds(entry.resource):
                    self._renew(reference, record, entry.resource)

    def _made(self, auxiliary: Auxiliary) -> AuxiliaryRecord:
        resource = auxiliary.resource
        if resource is None:
            return AuxiliaryRecord(auxiliary.url, auxiliary.kind)
        data = None
        if auxiliary.kind in KEPT:
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

    def find(self, url: str) -> Ref | None:
        """Return the latest record of what a URL gave."""
        tree = self.index.catalog.tree(AUXILIARIES)
        found = None if tree is None else tree.get(_key(url))
        return found if isinstance(found, Ref) else None

    def record(self, reference: Ref) -> AuxiliaryRecord:
        """Return a record."""
        known = self._records.get(reference)
        if known is None:
            file = self.index.file
            known = self._records.put(reference, AuxiliaryRecord.from_pdf(file.get(reference), file.resolve))
        return known

    def resource(self, record: AuxiliaryRecord) -> Resource | None:
        """Return what a record says, as if it had been fetched; the body is empty where the file has none."""
        if record.digest is None:
            return None
        data = None if record.data is None else self.index.file.get(record.data)
        return Resource(
            url=record.source.url,
            body=b"" if data is None else decoded(data),
            content_type=record.content_type,
            charset=record.charset or None,
            hops=record.hops,
            fetched=record.source.updated,
            expires=record.source.expires,
            etag=record.source.etag,
            last_modified=record.source.last_modified,
            held=record.digest,
            held_length=record.length,
        )


def _key(url: str, *, has_bytes: bool = True) -> bytes:
    """Return the key of a record: a page may be refused what another gets, so there may be one of nothing beside it."""
    return url.encode("ascii", "replace") + (b"" if has_bytes else b" ")


def _source(resource: Resource) -> SourceInformation:
    return SourceInformation(
        resource.url,
        (resource.hops,) if resource.hops else (),
        expires=resource.expires,
        etag=resource.etag,
        last_modified=resource.last_modified,
    )
