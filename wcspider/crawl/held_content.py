"""The contents of the file that a refresh needs: the pages and resources that it holds for a URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.page_links import read_links
from wcspider.pdf.values import UNDATED
from wcspider.pdf.webcapture.auxiliaries import AuxiliaryRecord
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.web.resources import Link, Resource
from wcspider.webcapture.records import Capture, FormCode, Outcome


@dataclass(frozen=True, slots=True)
class HeldPage:
    """A page set of the file, and the source that came from a URL."""

    stored: Stored[PageSet]
    source: SourceInformation

    @property
    def is_foreign(self) -> bool:
        """True if another program made the page set, so that its links and auxiliary resources are unknown."""
        return self.stored.content.source_digest is None


class HeldContent:
    """The pages and auxiliary resources that the file holds, by URL."""

    def __init__(self, database: ContentDatabase) -> None:
        self._database = database

    def page(self, url: str) -> HeldPage | None:
        """Return the page set that came from a URL by GET; if there are several, the one updated last.

        Page sets whose PDF pages were removed from the file do not count.
        """
        return _latest(held for held in self._at(url) if held.source.url == url)

    def _at(self, url: str) -> Iterator[HeldPage]:
        """Yield the page sets that came from a URL by GET, or to which the URL redirected."""
        for stored, source in self._database.sources_at(url):
            if source.form is not FormCode.POST and self._database.has_pages(stored):
                yield HeldPage(stored, source)

    def links(self, url: str) -> tuple[Link, ...]:
        """Return the links of the page that came from a URL; empty if the file holds no such page."""
        held = self.page(url)
        return () if held is None else read_links(self._database.file, held.source.links)

    def requested(self, key: str) -> HeldPage | None:
        """Return the page with a request key.

        Return None for posted data: the server may have acted on it, so the answer cannot be assumed to be the same.
        """
        return None if "#" in key else self.page(key)

    def reached(self, key: str) -> HeldPage | None:
        """Return the page that a request with a request key gave, perhaps after redirects; None for posted data."""
        return None if "#" in key else _latest(self._at(key))

    def capture(self, held: HeldPage) -> Capture:
        """Return a page as an unchanged capture, without its body."""
        content, source = held.stored.content, held.source
        return Capture(
            source.resource(content.content_type, content.source_digest),
            encoding=source.encoding,
            identifier=content.identifier,
            links=read_links(self._database.file, source.links),
            outcome=Outcome.UNCHANGED,
        )

    def auxiliaries(self, held: HeldPage) -> list[AuxiliaryRecord]:
        """Return the records of the auxiliary resources of a page."""
        return [self._database.auxiliaries.record(reference) for reference in held.source.auxiliaries]

    def resource(self, url: str) -> Resource | None:
        """Return the auxiliary resource that came from a URL."""
        records = self._database.auxiliaries
        reference = records.find(url)
        return None if reference is None else records.resource(records.record(reference))

    def image_size(self, digest: bytes) -> tuple[int, int, int] | None:
        """Return width, height and Exif orientation of the image with an MD5; None if the file does not hold it."""
        return self._database.images.size(digest)

    def has_pages_of(self, capture: Capture, *, is_refresh: bool) -> bool:
        """Tell whether the file holds the PDF pages of a capture, so that it need not be laid out.

        A refresh lays out a page again if the bytes are the same but their media type or encoding has changed.
        """
        known = self._database.page_set(capture.identifier)
        if known is None or not is_refresh or capture.outcome is not Outcome.FETCHED:
            return known is not None
        content = known.content
        return len(content.sources) != 1 or content.reads_as(capture.resource.content_type, capture.text_identifier)


def _latest(found: Iterable[HeldPage]) -> HeldPage | None:
    """Return the page that was updated last."""
    return max(found, key=lambda held: held.source.updated or UNDATED, default=None)


def without_body(resource: Resource) -> Resource:
    """Return a resource without its bytes, but with their MD5 and length."""
    return replace(resource, body=b"", held=resource.digest, held_length=resource.length)
