"""What a file keeps of the pages that are not in it: a record for each, by URL, in a name tree of our own.

A page is what was asked for. What that redirected to is in its record, and has one of its own if it was asked for too.

The records are brought up to date once, at the end of a run, and there are no more than a setting allows: so they
cost the same whatever the size of the site.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.skipped_pages import SkippedPage, SkippedPages
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.skipped import OMITTED, SkippedRecord


class SkippedRecords:
    """The records of a file."""

    def __init__(self, database: ContentDatabase) -> None:
        self.database = database

    def find(self, url: str) -> SkippedRecord | None:
        """Return the record of a canonical URL; None if there is none."""
        tree = self.database.catalog.tree(OMITTED)
        return None if tree is None else SkippedRecord.from_pdf(tree.get(_key(url)), self.database.file.resolve)

    def find_on_way(self, url: str) -> SkippedRecord | None:
        """Return the first record of what redirected to a canonical URL that the file has no pages of."""
        if self._is_captured(url):
            return None
        return next((record for _, record in self.items() if url in record.way), None)

    def items(self) -> Iterator[tuple[str, SkippedRecord]]:
        """Yield the URLs with their records, in the order of the tree."""
        tree = self.database.catalog.tree(OMITTED)
        for key, value in tree.items() if tree is not None else ():
            found = SkippedRecord.from_pdf(value, self.database.file.resolve)
            if found is not None:
                yield key.decode("latin-1"), found

    def update(
        self, noted: SkippedPages, commands: Sequence[Ref], limit: int, *, settled: Collection[Ref] = ()
    ) -> None:
        """Keep what a run of commands has left out, up to `limit` URLs in reading order; drop what it has captured.

        Of what earlier runs left out, the records of `settled` commands go: these were repeated to their end.
        """
        new = {left.url: _record(left, commands) for left in noted.first(limit) if not self._is_captured(left.url)}
        kept = [
            (url, old)
            for url, old in self.items()
            if url not in new and old.command not in settled and not self._is_captured(url)
        ]
        self._write({**new, **dict(kept[: max(0, limit - len(new))])})

    def _write(self, wanted: dict[str, SkippedRecord]) -> None:
        before = dict(self.items())
        if not before and not wanted:
            return
        tree = self.database.catalog.tree_to_change(OMITTED)
        for url in before.keys() - wanted.keys():
            del tree[_key(url)]
        for url, record in wanted.items():
            if before.get(url) != record:
                tree[_key(url)] = record.as_pdf()

    def _is_captured(self, url: str) -> bool:
        """Tell whether the file has pages of a URL that are not gone."""
        return any(
            url in source.keys and source.gone is None
            for stored in self.database.find_by_url(url)
            if isinstance(stored.content, PageSet)
            for source in stored.content.sources
        )


def _record(left: SkippedPage, commands: Sequence[Ref]) -> SkippedRecord:
    command = commands[left.command] if left.command is not None and left.command < len(commands) else None
    return SkippedRecord(left.reason, command, left.level, left.referrer, left.way)


def _key(url: str) -> bytes:
    return url.encode("ascii", "replace")
