"""The transfer of one file into the merged file: its commands, page sets, outline and records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.link_actions import LINKS
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.merge.command_transfer import add_commands
from wcspider.archive.merge.comment_reading import count_other_comments
from wcspider.archive.merge.field_reading import values_filled_in
from wcspider.archive.merge.label_transfer import LabelTransfer
from wcspider.archive.merge.merge_report import MergeReport
from wcspider.archive.merge.outline_transfer import OutlineTransfer
from wcspider.archive.merge.page_set_transfer import PageSetTransfer
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.content_sets import ContentSet, ImageSet, PageSet
from wcspider.pdf.webcapture.run_records import Run
from wcspider.pdf.webcapture.skipped import SkippedRecord

NO_SET = "pages that belong to no page set"
NO_PAGES = "page sets whose pages were removed from the file"
SHARED_PAGES = "page sets with pages of other page sets"
NO_IDENTIFIER = "page sets without a digital identifier"
NOT_SHOWN = "image sets that no page shows"
LOST_LINKS = "links to pages that were not taken over"
COMMENTS = "comments on pages that the merged file has already"
FILLED_IN = "values filled into fields of pages that the merged file has already"
BEYOND = "records of skipped pages beyond the limit of WEBCAPTURE_MAX_OMITTED"
DOCUMENT = "parts of the document outside its pages"

PARTS = {
    "StructTreeRoot": "structure tree (tags)",
    "OCProperties": "layers",
    "OpenAction": "action on opening",
    "AA": "actions of the document",
    "Threads": "article threads",
    "AF": "associated files",
    "Collection": "collection of files",
}
"""Entries of the catalog that are not taken over."""

NAMED_PARTS = {"EmbeddedFiles": "attached files", "JavaScript": "scripts"}
"""Name trees (7.7.4) that are not taken over."""


class FileTransfer:
    """Takes over the content of one file. `note` is called after each page set; after the last one at the end."""

    def __init__(
        self, database: ContentDatabase, source: ContentDatabase, report: MergeReport, note: Callable[[int, int], None]
    ) -> None:
        self.database = database
        self.source = source
        self.report = report
        self._note = note
        self._name = source.file.path.name
        self.commands: dict[Ref, Ref] = {}
        """The commands of the merged file for the commands of the input."""

        self._pages: dict[Ref, Ref] = {}
        """The pages of the merged file for the pages of the input."""

        self._items: dict[Ref, Ref] = {}
        self._added: dict[Ref, bytes] = {}
        self.external: set[bytes] = set()
        """The URIs of the links of a file of another program, in which nothing finds links by URL."""

    def run(self, max_skipped: int) -> tuple[Run, ...]:
        """Take over the content; return the history of the file with the commands of the merged file."""
        labels = LabelTransfer(self.database, self.source)
        transfer = PageSetTransfer(self.database, self.source, self.commands, self._pages)
        with closing(transfer):
            self.commands |= add_commands(self.database, self.source, transfer.reader.object)
            ordered = self._ordered()
            for done, reference in enumerate(ordered, 1):
                self._take(transfer, reference)
                if done < len(ordered):
                    self._note(done, len(ordered))
            self.report.image_sets += transfer.images.added
        labels.run(self._added)
        OutlineTransfer(self.database, self.source, self._pages).run(self._items, self._added)
        self._take_records(max_skipped)
        self._note_left()
        if ordered:
            self._note(len(ordered), len(ordered))
        return tuple(run.with_commands(self.commands.get) for run in self.source.catalog.history)

    # Page sets

    def _ordered(self) -> list[Ref]:
        """Return the page sets to take over in page order, and give their pages numbers in the merged file."""
        first_pages: dict[Ref, Ref] = {}
        identifiers: dict[bytes, tuple[Ref, ...]] = {}
        for stored in self.source.content_sets():
            content = stored.content
            if isinstance(content, ImageSet):
                if not any(content.counts):
                    self.report.leave(NOT_SHOWN, self._place(stored))
            elif len(content.identifier) != 16:
                self.report.leave(NO_IDENTIFIER, self._place(stored))
            elif not content.objects or not self.source.has_pages(stored):
                self.report.leave(NO_PAGES, self._place(stored))
            else:
                first_pages[stored.reference] = content.objects[0]
        numbers = self.source.catalog.pages.page_numbers(set(first_pages.values()))
        ordered = sorted(first_pages, key=lambda reference: (numbers.get(first_pages[reference], 0), reference))
        return [reference for reference in ordered if self._number_pages(reference, identifiers)]

    def _number_pages(self, reference: Ref, identifiers: dict[bytes, tuple[Ref, ...]]) -> bool:
        """Give the pages of a page set numbers in the merged file, or find the pages that it has for them.

        Return False, with a report, if another page set has one of the pages.
        """
        content = self._page_set(reference)
        if content.identifier not in identifiers and any(page in self._pages for page in content.objects):
            self.report.leave(SHARED_PAGES, self._url(content))
            return False
        if content.outline is not None:
            self._items[content.outline] = reference
        mine = self.database.page_set(content.identifier)
        present = identifiers.get(content.identifier) if mine is None else mine.content.objects
        pages = list(dict.fromkeys(content.objects))
        numbers = present or tuple(self.database.file.allocate() for _ in pages)
        identifiers[content.identifier] = numbers
        for index, page in enumerate(pages):
            self._pages[page] = numbers[min(index, len(numbers) - 1)]
        return True

    def _page_set(self, reference: Ref) -> PageSet:
        stored = self.source.page_set_at(reference)
        assert stored is not None
        return stored.content

    def _take(self, transfer: PageSetTransfer, reference: Ref) -> None:
        """Add a page set, or its sources if the merged file has it."""
        content = self._page_set(reference)
        mine = self.database.page_set(content.identifier)
        if mine is not None:
            self._note_additions(transfer, content, mine.content.objects)
            transfer.add_sources(mine, content)
            self.report.unified += 1
            return
        extract = transfer.add(content)
        if extract.lost_links:
            self.report.leave(LOST_LINKS, self._url(content), extract.lost_links)
        if content.source_digest is None:
            self.external |= extract.external
        self._added |= dict.fromkeys(content.objects, content.identifier)
        self.report.added += 1
        self.report.pages += len(extract.fragment.pages)

    def _note_additions(self, transfer: PageSetTransfer, content: PageSet, pages: Sequence[Ref]) -> None:
        """Report the additions of users to a page set whose pages the merged file has already."""
        filled_in = values_filled_in(transfer.reader.fields, content.objects)
        if filled_in:
            self.report.leave(FILLED_IN, self._url(content), filled_in)
        comments = count_other_comments(self.source.file, content.objects, self.database.file, pages)
        if comments:
            self.report.leave(COMMENTS, self._url(content), comments)

    def _url(self, content: PageSet) -> str:
        return f"{self._name}: {content.sources[0].url if content.sources else content.identifier.hex()}"

    # The rest

    def _take_records(self, limit: int) -> None:
        """Take over the records of skipped pages."""
        beyond = SkippedRecords(self.database).take_over(self._records(), limit)
        if beyond:
            self.report.leave(BEYOND, self._name, beyond)

    def _records(self) -> Iterator[tuple[str, SkippedRecord]]:
        for url, record in SkippedRecords(self.source).items():
            command = None if record.command is None else self.commands.get(record.command)
            yield url, replace(record, command=command)

    def _note_left(self) -> None:
        """Report the pages without a page set, and the parts of the document that are not taken over."""
        contents = self.source.catalog.contents
        drawn = 0 if contents is None else len(self.source.catalog.pages.kids(contents))
        others = self.source.catalog.pages.count - drawn - len(self._pages)
        if others > 0:
            self.report.leave(NO_SET, self._name, others)
        entries = [text for key, text in PARTS.items() if self.source.catalog.entry(key) is not None]
        trees = self.source.file.dictionary(self.source.catalog.entry("Names"))
        entries += [text for key, text in NAMED_PARTS.items() if key in trees]
        if "XFA" in self.source.file.dictionary(self.source.catalog.form):
            entries.append("XFA form")
        for text in entries:
            self.report.leave(DOCUMENT, f"{self._name}: {text}")

    def _place(self, stored: Stored[ContentSet]) -> str:
        urls = [source.url for source in stored.content.sources]
        return f"{self._name}: {urls[0] if urls else f'object {stored.reference.number}'}"


def external_targets(source: ContentDatabase) -> Iterator[bytes]:
    """Yield the targets of the links of a file that are URLs: the keys of the actions that are not jumps."""
    for key, action in source.catalog.tree_items(LINKS):
        if source.file.dictionary(action).get("S") == "URI":
            yield key
