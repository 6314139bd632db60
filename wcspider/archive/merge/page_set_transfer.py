"""The page sets (ISO 32000-1, 14.10.4.2) of an input: unified by identifier, or added with their pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

from wcspider.archive.database.auxiliary_records import CACHED_RECORDS
from wcspider.archive.database.content_index import PageSetSource, Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.page_links import read_links
from wcspider.archive.merge.image_transfer import ImageTransfer
from wcspider.archive.merge.page_reading import Extract, PageReader, graft_of
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Ref, Stream
from wcspider.pdf.values import UNDATED, read_number
from wcspider.pdf.webcapture.auxiliaries import AuxiliaryRecord
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.source_keys import SourceKeys
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.steps import completed
from wcspider.web.resources import Auxiliary
from wcspider.web.urls import canonical_url, is_capturable
from wcspider.webcapture.records import Capture, Outcome

SHARED_OBJECTS = 16384
"""The number of objects, such as fonts, that are not read again for each page set that refers to them."""


class PageSetTransfer:
    """Takes over page sets. The commands and the pages of the input have objects of the merged file already."""

    def __init__(
        self,
        database: ContentDatabase,
        source: ContentDatabase,
        commands: Mapping[Ref, Ref],
        pages: Mapping[Ref, Ref],
    ) -> None:
        self.database = database
        self.source = source
        self.reader = PageReader(source, self._known)
        self.images = ImageTransfer(database, source, self.reader.object, canonical)
        self._keys = SourceKeys(database.file)
        self._commands = commands
        self._pages = pages
        self._has_form = False
        self._shown: dict[Ref, Ref] = {}
        self._shared: LruCache[Ref, Ref] = LruCache(SHARED_OBJECTS)
        self._records: dict[Ref, Ref] = {}
        self._auxiliaries: LruCache[Ref, Auxiliary] = LruCache(CACHED_RECORDS)

    def close(self) -> None:
        """Remove the temporary files."""
        self.reader.close()

    def _known(self, reference: Ref) -> Ref | None:
        """Return the object of the merged file for an object of the input; None if it has to be copied."""
        return self._pages.get(reference) or self._shown.get(reference) or self._shared.get(reference)

    def add(self, content: PageSet) -> Extract:
        """Add a page set with its pages, which have the identifier of no page set of the file."""
        database = self.database
        self._shown = self.images.place(content)
        extract = self.reader.pages(content)
        fragment = extract.fragment
        graft = graft_of(database, extract, [self._pages[page] for page in dict.fromkeys(content.objects)])
        anchors = database.links.store_anchors(fragment.structure.anchors)
        bare = replace(content, objects=tuple(graft.pages), sources=(), outline=None, anchors=anchors)
        stored = completed(database.add_grafted(bare, graft, self._zoom(content)))
        for index, origin in extract.origins.items():
            placed = graft.placed(index)
            if placed is not None:
                self._shared.put(origin, placed)
        if fragment.fields:
            self._add_form_properties()
        self.add_sources(stored, content)
        return extract

    def _add_form_properties(self) -> None:
        """Add the fonts of the form, and tell viewers to draw the values if the form tells them."""
        forms = self.database.forms
        if self.reader.fields.needs_appearances:
            forms.require_appearances()
        for name, font in () if self._has_form else self.reader.fields.fonts.items():
            forms.add_font(name, graft_of(self.database, self.reader.object(font)).local(Ref(0)))
        self._has_form = True

    def _zoom(self, content: PageSet) -> float | None:
        zoom = self.source.file.resolve(self.source.file.dictionary(content.objects[0]).get("PZ"))
        return read_number(zoom) or None

    # Sources

    def add_sources(self, stored: Stored[PageSet], theirs: PageSet) -> None:
        """Add the sources of a page set of the input to the page set of the file with the same identifier."""
        for source in theirs.sources:
            stored = self._add_source(stored, theirs, canonical(source))

    def _add_source(self, stored: Stored[PageSet], theirs: PageSet, source: SourceInformation) -> Stored[PageSet]:
        """Add a source; of two with the same URL the later one counts, and the alias chains of both."""
        database = self.database
        command = None if source.command is None else self._commands.get(source.command)
        key = self._keys.key(source.url, source.form, command)
        versions = (source, *(version for _, version in self._sources_of(source.url, key)))
        marks = [version.gone for version in versions if version.gone is not None]
        mine = stored.content.source(source.url)
        if mine is not None and (mine.updated or UNDATED) >= (source.updated or UNDATED):
            for chain in source.chains:
                stored = database.add_chain(stored, source.url, chain)
        else:
            capture = self._capture(theirs, source)
            records = tuple(self._record(reference) for reference in source.auxiliaries)
            stored = completed(database.add_source(stored, capture, source.chains, command, records))
        if marks:
            for version, found in self._sources_of(source.url, key):
                database.update(version, _marked(version.content, found, marks))
        return database.page_set_at(stored.reference) or stored

    def _sources_of(self, url: str, key: str) -> list[PageSetSource]:
        """Return the sources at a URL with a request key: the versions of one page."""
        found = [(stored, stored.content.source(url)) for stored in self.database.find_page_sets(url)]
        return [
            PageSetSource(stored, source)
            for stored, source in found
            if source is not None and self._keys.of(source) == key
        ]

    def _capture(self, content: PageSet, source: SourceInformation) -> Capture:
        """Return a source of a page set as the capture that it was, without the bytes."""
        is_known = content.source_digest is not None  # the links and resources of pages of other programs are unknown
        return Capture(
            source.resource(content.content_type, content.source_digest),
            encoding=source.encoding,
            identifier=content.identifier,
            auxiliaries=tuple(map(self._auxiliary, source.auxiliaries)),
            links=read_links(self.source.file, source.links),
            outcome=Outcome.FETCHED if is_known else Outcome.UNCHANGED,
            notice=source.notice,
            form=source.form,
        )

    def _auxiliary(self, reference: Ref) -> Auxiliary:
        known = self._auxiliaries.get(reference)
        return self._auxiliaries.put(reference, self._read_auxiliary(reference)) if known is None else known

    def _read_auxiliary(self, reference: Ref) -> Auxiliary:
        """Return an auxiliary resource without its bytes; the image set of an image has the dates."""
        record = replace(self.source.auxiliaries.record(reference), data=None)
        resource = self.source.auxiliaries.resource(record)
        shown = None if resource is None else self.source.image_set(resource.digest)
        source = None if shown is None or resource is None else shown.content.source(resource.url)
        if source is not None and resource is not None:
            resource = replace(resource, fetched=source.updated, expires=source.expires)
        return Auxiliary(record.url, record.kind, resource)

    def _record(self, reference: Ref) -> Ref:
        """Return the record of an auxiliary resource in the merged file."""
        if reference not in self._records:
            theirs = self.source.auxiliaries
            record = theirs.record(reference)
            self._records[reference] = self.database.auxiliaries.transfer(
                record, lambda: self._bytes_of(record), is_latest=theirs.find(record.url) == reference
            )
        return self._records[reference]

    def _bytes_of(self, record: AuxiliaryRecord) -> Stream | None:
        data = None if record.data is None else self.source.file.get(record.data)
        if not isinstance(data, Stream):
            return None
        return Stream({key: entry for key, entry in data.dictionary.items() if key != "Length"}, data.data)


def _marked(content: PageSet, source: SourceInformation, marks: Collection[datetime]) -> PageSet:
    """Return a page set with the first date on which a source of it was found gone after its last update.

    `marks` are the dates on which the page was found gone, in all files. An update after them all shows that the page
    came back. A page that was found gone once is not marked again, so the first date counts.
    """
    since = min((mark for mark in marks if mark >= (source.updated or UNDATED)), default=source.gone)
    if since == source.gone:
        return content
    marked = replace(source, gone=since, expires=None)  # the next refresh requests the URL
    return replace(content, sources=tuple(marked if entry == source else entry for entry in content.sources))


def canonical(source: SourceInformation) -> SourceInformation:
    """Return a source with URLs in canonical form (14.10.3.2): other programs may have written another one."""

    def form(url: str) -> str:
        return canonical_url(url) if is_capturable(url) else url

    chains = tuple(tuple(map(form, chain)) for chain in source.chains)
    return replace(source, url=form(source.url), chains=chains)
