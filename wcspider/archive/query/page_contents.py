"""The contents of page sets in one state of a file, as a comparison needs them."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from wcspider.archive.database.content_index import is_image_set
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.page_links import read_links
from wcspider.archive.query.field_values import field_values
from wcspider.archive.query.text_changes import MAX_LINES, Line
from wcspider.archive.run.memory import release_memory
from wcspider.exceptions import SourceUnreadableError
from wcspider.pdf.objects import Ref
from wcspider.pdf.text.extraction import PdfText
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.web.resources import AuxiliaryKind

PAGES_AT_ONCE = 600
"""The number of PDF pages that PDFium gets at once. More take more memory; to open a large file again takes time."""

PAGES_BEFORE_REOPENING = 300
"""The number of PDF pages whose text is read before the file is opened again: PDFium keeps all objects."""


class Part(NamedTuple):
    """The content of an image, style sheet or font."""

    kind: AuxiliaryKind
    digest: bytes | None
    """Its MD5; None if it could not be fetched."""


@dataclass(frozen=True, slots=True)
class PageContents:
    """The contents of a page set in one state of a file."""

    title: str = ""
    pages: tuple[int, ...] = ()
    """The numbers of its PDF pages, from 1."""

    lines: tuple[Line, ...] = ()
    """The lines of its text. There may be one more than a comparison takes."""

    parts: Mapping[str, Part] = field(default_factory=dict)
    """Its images, style sheets and fonts, by URL."""

    links: frozenset[str] = frozenset()
    """The URLs that it links to."""

    fields: Mapping[str, str] = field(default_factory=dict)
    """The values of its form fields, by name."""


NO_CONTENTS = PageContents()


class ContentsReader:
    """A reader of the contents of page sets in one state of a file."""

    def __init__(self, database: ContentDatabase) -> None:
        self.database = database
        self._text: PdfText | None = None
        self._open_pages = range(0)
        """The numbers of the PDF pages that are open for their text."""

        self._read = 0
        """The number of pages whose text was read since then."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_text()
        self.database.close()

    def page_set(self, reference: Ref | None) -> PageSet | None:
        """Return the page set of an object; None if there is none."""
        stored = None if reference is None else self.database.page_set_at(reference)
        return None if stored is None else stored.content

    def title(self, reference: Ref | None) -> str | None:
        """Return the title of the page set of an object; None if there is none."""
        content = self.page_set(reference)
        return None if content is None else content.title

    def read(self, reference: Ref | None, url: str) -> PageContents:
        """Return the contents of a page set that came from a URL."""
        content = self.page_set(reference)
        if content is None:
            return NO_CONTENTS
        source = content.source(url)
        numbers = self.database.catalog.pages.numbers_of_siblings(content.objects)
        pages = tuple(numbers[page] for page in content.objects if page in numbers)
        return PageContents(
            content.title,
            pages,
            tuple(self._lines(pages)),
            dict(self._parts(content, source)),
            frozenset() if source is None else self._links(source),
            field_values(self.database.file, content.objects),
        )

    def _lines(self, pages: tuple[int, ...]) -> Iterator[Line]:
        count = 0
        for page in pages:
            for text in self._text_of(page).splitlines():
                yield Line(page, text)
                count += 1
                if count > MAX_LINES:
                    return

    def _text_of(self, page: int) -> str:
        """Return the text of a PDF page; empty if it cannot be read."""
        try:
            return self._opened(page).page(page - 1)
        except SourceUnreadableError:
            return ""

    def _opened(self, page: int) -> PdfText:
        """Return the texts of a stretch of pages that begins with a page or contains it."""
        if self._text is None or page not in self._open_pages or self._read >= PAGES_BEFORE_REOPENING:
            self._close_text()
            self._read = 0
            end = min(page + PAGES_AT_ONCE, self.database.catalog.pages.count + 1)
            self._open_pages = range(page, end)
            file = self.database.file
            self._text = PdfText(file.path, page - 1, len(self._open_pages), file.length)
        self._read += 1
        return self._text

    def _close_text(self) -> None:
        if self._text is not None:
            self._text.close()
            self._text = None
            gc.collect()  # the objects that were read refer to each other in cycles
            release_memory()

    def _parts(self, content: PageSet, source: SourceInformation | None) -> Iterator[tuple[str, Part]]:
        """Yield the images, style sheets and fonts of a page set; without records of them, the images that it shows."""
        if source is None or content.content_type.startswith("image/"):
            yield from ((url, Part(AuxiliaryKind.IMAGE, content.source_digest)) for url in content.keys)
        elif source.auxiliaries:
            for reference in source.auxiliaries:
                record = self.database.auxiliaries.record(reference)
                yield record.url, Part(record.kind, record.digest)
        else:
            yield from self._shown_images(content)

    def _shown_images(self, content: PageSet) -> Iterator[tuple[str, Part]]:
        for identifier in self.database.images.shown_by(content):
            for stored in filter(is_image_set, self.database.find_by_identifier(identifier)):
                if stored.content.sources:
                    yield stored.content.sources[0].url, Part(AuxiliaryKind.IMAGE, identifier)

    def _links(self, source: SourceInformation) -> frozenset[str]:
        return frozenset(link.url for link in read_links(self.database.file, source.links))
