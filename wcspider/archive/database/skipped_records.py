"""The records of skipped pages in a file: one for each URL, in a second-class name tree.

A record has the URL that the crawl requested, and the URLs of its redirects. These have records of their own only if
the crawl requested them directly, too.

The records are updated once, at the end of a run, and a setting limits their number, so that their cost does not depend
on the size of the site.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.skipped_pages import SkippedPage, SkippedPages
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.skipped import SKIPPED, SkippedRecord

NOT_FOLLOWED = "redirected "
"""The beginning of the reasons of redirects that were not followed, because they leave the scope of the command."""


class SkippedRecords:
    """The records of skipped pages of a file."""

    def __init__(self, database: ContentDatabase) -> None:
        self.database = database

    def find(self, url: str) -> SkippedRecord | None:
        """Return the record of a canonical URL; None if there is none."""
        return SkippedRecord.from_pdf(self.database.catalog.tree_value(SKIPPED, _key(url)), self.database.file.resolve)

    def find_by_redirect(self, url: str) -> SkippedRecord | None:
        """Return the first record with a redirect to a canonical URL that was not captured since."""
        found = (record for _, record in self.items() if url in record.redirects)
        return next((record for record in found if self._holds(url, record)), None)

    def items(self) -> Iterator[tuple[str, SkippedRecord]]:
        """Yield the URLs with their records, in the order of the tree."""
        for key, value in self.database.catalog.tree_items(SKIPPED):
            found = SkippedRecord.from_pdf(value, self.database.file.resolve)
            if found is not None:
                yield key.decode("latin-1"), found

    def missing(self) -> Iterator[tuple[str, SkippedRecord]]:
        """Yield the URLs of skipped pages, with their records."""
        return ((url, record) for url, record in self._counted() if not self._has_pages(url))

    def kept(self) -> Iterator[tuple[str, SkippedRecord]]:
        """Yield the URLs of pages that could not be fetched and that the file keeps as they were."""
        return ((url, record) for url, record in self._counted() if self._has_pages(url))

    def _counted(self) -> Iterator[tuple[str, SkippedRecord]]:
        """Yield the URLs and records of pages that the user asked for and that are not gone."""
        return ((url, record) for url, record in self.items() if not record.gone and not record.excluded)

    def count(self) -> int:
        """Return the number of the records of skipped pages."""
        return sum(1 for _ in self.missing())

    def _has_pages(self, url: str) -> bool:
        """Return whether the file has pages of a URL, even if they are gone from the site."""
        return any(self.database.sources_at(url))

    def update(
        self,
        skipped: SkippedPages,
        commands: Sequence[Ref],
        limit: int,
        *,
        failed: Collection[str] = (),
        gone: Collection[str] = (),
        settled: Collection[Ref] = (),
        keeps_times: bool = False,
    ) -> None:
        """Add the pages that a run of commands has skipped, up to `limit` URLs, and remove those that it has captured.

        URLs that were requested, and those in `failed`, have records even if the file has pages of them: these were
        captured before and stay as they were. A URL that a rule of its command excludes has a record only if the file
        has no page of it. The records of URLs in `gone`, and of redirects to them, say that their pages are gone, not
        skipped. Records of earlier runs are removed if their commands are in `settled`: these were repeated to their
        end. With `keeps_times`, a record stays as it is if only its time would change.
        """
        new = {
            page.url: _record(page, commands, is_gone=not {page.url, *page.redirects}.isdisjoint(gone))
            for page in skipped.first(limit)
            if (not page.is_excluded and (page.url in failed or page.was_requested)) or not self._is_captured(page.url)
        }
        kept = [
            (url, old)
            for url, old in self.items()
            if url not in new and old.command not in settled and self._holds(url, old)
        ]
        self._write({**new, **dict(kept[: max(0, limit - len(new))])}, keeps_times=keeps_times)

    def take_over(self, records: Iterable[tuple[str, SkippedRecord]], limit: int) -> int:
        """Add records of another file, up to `limit` in all; return the number of records beyond that limit.

        The file's own records come first. URLs that were captured after the time of their record have none.
        """
        wanted = {url: record for url, record in self.items() if self._holds(url, record)}
        beyond = 0
        for url, record in records:
            if url in wanted or not self._holds(url, record):
                continue
            if len(wanted) < limit:
                wanted[url] = record
            else:
                beyond += 1
        self._write(wanted)
        return beyond

    def _write(self, wanted: dict[str, SkippedRecord], *, keeps_times: bool = False) -> None:
        before = dict(self.items())
        if not before and not wanted:
            return
        tree = self.database.catalog.tree_to_change(SKIPPED)
        for url in before.keys() - wanted.keys():
            del tree[_key(url)]
        for url, record in wanted.items():
            old = before.get(url)
            if old != (replace(record, moment=old.moment) if old is not None and keeps_times else record):
                tree[_key(url)] = record.as_pdf()

    def _is_captured(self, url: str) -> bool:
        """Tell whether the file has pages of a URL that are still on the site."""
        return any(source.gone is None for _, source in self.database.sources_at(url))

    def _holds(self, url: str, record: SkippedRecord) -> bool:
        """Tell whether no page of a URL was captured at the time of its record or later.

        The destination of a redirect that was not followed was not requested then, so an older page of it counts too.
        """
        moments = [source.updated for _, source in self.database.sources_at(url) if source.gone is None]
        if record.moment is None or (record.reason.startswith(NOT_FOLLOWED) and record.redirects[-1:] == (url,)):
            return not moments
        return not any(moment is None or moment >= record.moment for moment in moments)


def _record(page: SkippedPage, commands: Sequence[Ref], *, is_gone: bool) -> SkippedRecord:
    command = commands[page.command] if page.command is not None and page.command < len(commands) else None
    return SkippedRecord(
        page.reason, command, page.level, page.referrer, page.redirects, page.moment, is_gone, page.is_excluded
    )


def _key(url: str) -> bytes:
    return url.encode("ascii", "replace")
