"""Collection of a report's values from a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from itertools import chain
from operator import attrgetter
from urllib.parse import urlsplit

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.query.history import Revision, counts_of, revisions
from wcspider.archive.run.summary import TITLES
from wcspider.pdf.objects import Ref, Stream, Value
from wcspider.pdf.values import UNDATED
from wcspider.pdf.webcapture.content_sets import ImageSet, PageSet
from wcspider.pdf.webcapture.run_records import Run
from wcspider.report.model import (
    GONE,
    CommandRow,
    ImageRow,
    NoteRow,
    PageRow,
    Report,
    Row,
    Rows,
    RunRow,
    SkippedRow,
    TreeNode,
    VersionsRow,
)
from wcspider.report.signing import signature_rows
from wcspider.webcapture.records import ALL_LEVELS, Command

Progress = Callable[[int], None]
"""Receives the number of content sets that have been read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The size of a report. Everything beyond is counted."""

    pages: int = 5_000
    """Pages in the tree."""

    rows: int = 500
    """Rows of every other table, and of each reason for skipped URLs."""

    largest: int = 20
    """Rows of the tables of the largest pages and images."""


def collect(database: ContentDatabase, made: datetime, limits: Limits, progress: Progress) -> Report:
    """Return the report of an open file."""
    reader = _Reader(database)
    pages, images = reader.content_sets(progress)
    pages.sort(key=lambda row: (row.first_page or 1 << 40, row.url))
    records = SkippedRecords(database)
    skipped = _by_reason(records, limits.rows)
    found = revisions(database.file.path, repair=True)
    runs = [_run(revision, reader.command_index) for revision in found[-limits.rows :]]
    return Report(
        file_name=database.file.path.name,
        length=database.file.length,
        title=database.catalog.title,
        made=made,
        totals=_totals(pages, images),
        tree=_tree(pages[: limits.pages]),
        pages=_first(pages, limits.pages),
        largest_pages=nlargest(limits.largest, _distinct(pages), key=attrgetter("size")),
        images=Rows(nlargest(limits.largest, images, key=attrgetter("size")), len(images)),
        skipped=skipped,
        skipped_total=sum(rows.total for rows in skipped.values()),
        kept_total=sum(1 for _ in records.kept()),
        runs=Rows(runs, len(found)),
        commands=[_command(command) for _, command in database.commands()],
        versions=_versions(pages, limits.rows),
        incomplete=_incomplete(pages, limits.rows),
        signatures=signature_rows(database.file, found),
        damage=database.file.damage,
    )


def _first(rows: Sequence[Row], limit: int) -> Rows[Row]:
    return Rows(rows[:limit], len(rows))


def _distinct(pages: Iterable[PageRow]) -> Iterator[PageRow]:
    """Yield one row for each page set."""
    seen: set[bytes] = set()
    for row in pages:
        if row.identifier not in seen:
            seen.add(row.identifier)
            yield row


MAX_REDIRECTS = 50
"""The number of URLs that the row of a page names among those that redirect to it."""


class _Reader:
    """Reads the content sets of a file, one at a time."""

    def __init__(self, database: ContentDatabase) -> None:
        self.database = database
        self._resolve = database.file.resolve
        self.command_index = {reference: index for index, (reference, _) in enumerate(database.commands())}

    def content_sets(self, progress: Progress) -> tuple[list[PageRow], list[ImageRow]]:
        """Return a row for each URL of a page set, and for each image set."""
        pages: list[PageRow] = []
        images: list[ImageRow] = []
        first_pages = self._first_pages()
        for count, stored in enumerate(self.database.content_sets(), 1):
            if isinstance(stored.content, PageSet):
                pages += self._page_rows(stored.content, first_pages)
            elif isinstance(stored.content, ImageSet):
                images += self._image_rows(stored.content)
            progress(count)
        return pages, images

    def _first_pages(self) -> dict[Ref, int]:
        """Return the page numbers of the first pages of all page sets, in one walk over the page tree."""
        firsts = {stored.content.objects[0] for stored in self.database.page_sets() if stored.content.objects}
        return self.database.catalog.pages.page_numbers(firsts)

    def _page_rows(self, content: PageSet, first_pages: dict[Ref, int]) -> Iterator[PageRow]:
        size = sum(self._content_length(page) for page in content.objects)
        for source in content.sources:
            yield PageRow(
                url=source.url,
                title=content.title,
                content_type=content.content_type,
                first_page=first_pages.get(content.objects[0]) if content.objects else None,
                pages=len(content.objects),
                size=size,
                updated=source.updated,
                gone=source.gone,
                identifier=content.identifier,
                notice=source.notice,
                redirects=_first(list(dict.fromkeys(chain.from_iterable(source.chains))), MAX_REDIRECTS),
                command=self.command_index.get(source.command) if isinstance(source.command, Ref) else None,
            )

    def _content_length(self, page: Ref) -> int:
        """Return the length of the content streams of a page, in bytes as stored."""
        dictionary = self.database.file.get(page)
        contents = self._resolve(dictionary.get("Contents")) if isinstance(dictionary, dict) else None
        streams = [self._resolve(entry) for entry in contents] if isinstance(contents, list) else [contents]
        return sum(self._stream_length(stream) for stream in streams)

    def _stream_length(self, stream: Value) -> int:
        return len(stream.data) if isinstance(stream, Stream) else 0

    def _image_rows(self, content: ImageSet) -> Iterator[ImageRow]:
        """Yield the row of an image set, unless it has no source or no image."""
        images = [image for image in map(self.database.file.get, content.objects) if isinstance(image, Stream)]
        if not images or not content.sources:
            return
        largest = max(images, key=self._stream_length)
        yield ImageRow(
            url=content.sources[0].url,
            content_type=content.content_type,
            width=self._number(largest.dictionary.get("Width")),
            height=self._number(largest.dictionary.get("Height")),
            size=self._stream_length(largest),
            references=max(content.counts, default=0),
        )

    def _number(self, value: Value) -> int:
        resolved = self._resolve(value)
        return resolved if type(resolved) is int else 0


def _totals(pages: Sequence[PageRow], images: Sequence[ImageRow]) -> dict[str, int]:
    distinct = list(_distinct(pages))
    return {
        "pages": len(distinct),
        "URLs": len({row.url for row in pages}),
        "PDF pages": sum(row.pages for row in distinct),
        "images": len(images),
        GONE: sum(row.gone is not None for row in pages),
    }


def _tree(pages: Iterable[PageRow]) -> TreeNode:
    """Return the folders of the sites that the URLs belong to."""
    root = TreeNode("")
    for row in pages:
        parts = urlsplit(row.url)
        segments = [f"{parts.scheme}://{parts.netloc}", *parts.path.split("/")[1:-1]]
        node = root
        node.count += 1
        for segment in segments:
            node = node.folders.setdefault(segment, TreeNode(segment))
            node.count += 1
        node.pages.append(row)
    return root


def _by_reason(records: SkippedRecords, limit: int) -> dict[str, Rows[SkippedRow]]:
    """Return the skipped URLs by reason, the most frequent reason first."""
    shown: dict[str, list[SkippedRow]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for url, record in records.missing():
        counts[record.reason] += 1
        if len(shown[record.reason]) < limit:
            shown[record.reason].append(
                SkippedRow(url, record.reason, record.referrer, record.redirects, record.moment)
            )
    return {
        reason: Rows(shown[reason], count)
        for reason, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    }


def _incomplete(pages: Iterable[PageRow], limit: int) -> dict[str, Rows[PageRow]]:
    """Return the pages whose content may be incomplete, by reason, the most frequent reason first."""
    found: dict[str, list[PageRow]] = defaultdict(list)
    for row in pages:
        if row.notice:
            found[row.notice].append(row)
    return {reason: _first(rows, limit) for reason, rows in sorted(found.items(), key=lambda item: -len(item[1]))}


def _notes(run: Run) -> Iterator[NoteRow]:
    """Yield the notes of a run of the kinds that this version of wcspider knows."""
    for note in run.notes:
        if note.kind in TITLES:
            yield NoteRow(TITLES[note.kind], note.reason, Rows(note.urls, note.count))


def _run(revision: Revision, command_index: dict[Ref, int]) -> RunRow:
    run = revision.run
    if run is None:
        return RunRow(revision.number, "before the first recorded run", revision.moment, revision.length)
    return RunRow(
        number=revision.number,
        kind=run.kind,
        ended=revision.moment,
        length=revision.length,
        counts=counts_of(run),
        skipped=run.skipped,
        commands=tuple(command_index[reference] for reference in run.commands if reference in command_index),
        notes=tuple(_notes(run)),
    )


def _command(command: Command) -> CommandRow:
    scope = [name for name, is_set in (("same site", command.same_site), ("same path", command.same_path)) if is_set]
    scope += [f"{name} {value}" for name, value in (("allow", command.allow), ("deny", command.deny)) if value]
    return CommandRow(
        url=command.url,
        levels="all" if command.levels >= ALL_LEVELS else str(command.levels),
        scope=", ".join(scope) or "any site",
        withheld=tuple(command.withheld_names),
        settings={"engine": command.engine, **{key: str(value) for key, value in command.settings.items()}},
    )


def _versions(pages: Iterable[PageRow], limit: int) -> Rows[VersionsRow]:
    """Return the URLs with several page sets."""
    by_url: dict[str, list[PageRow]] = defaultdict(list)
    for row in pages:
        by_url[row.url].append(row)
    found = [
        VersionsRow(url, tuple(sorted(rows, key=lambda row: row.updated or UNDATED)))
        for url, rows in by_url.items()
        if len(rows) > 1
    ]
    return _first(found, limit)
