"""The skipped pages of a run: each URL once, with the note that comes first in the reading order."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from wcspider.archive.journal.journal import Checkpoint, Journal
from wcspider.archive.journal.skipped_pages import SkippedPages

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def noted(journal: Journal) -> SkippedPages:
    """Return pages that were excluded, two of which have other notes."""
    pages = SkippedPages(journal, lambda: NOON)
    for name in ("a", "b", "c"):
        pages.note_excluded(f"http://h/{name}", "excluded", 0, 2)
    pages.note("http://h/b", "HTTP 404", 7)
    pages.note("http://h/c", "no longer linked")
    pages.note("http://h/d", "HTTP 500", 3)
    pages.note("http://h/e", "not reached")
    return pages


def told(pages: SkippedPages, limit: int = 10) -> list[tuple[str, str, bool]]:
    return [(page.url[-1], page.reason, page.is_excluded) for page in pages.first(limit)]


def test_excluded_pages_come_behind_others_and_are_excluded_unless_they_were_reached(tmp_path: Path) -> None:
    pages = noted(Journal(tmp_path / "db"))
    assert told(pages) == [
        ("d", "HTTP 500", False),
        ("b", "HTTP 404", False),
        ("a", "excluded", True),
        ("c", "excluded", True),
        ("e", "not reached", False),
    ]
    assert told(pages, 2) == [("d", "HTTP 500", False), ("b", "HTTP 404", False)]


def test_excluded_pages_stay_when_an_unfinished_crawl_goes_on(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "db")
    noted(journal)
    journal.commit(Checkpoint(100, 5))
    journal.rewind()
    assert [row[:2] for row in told(SkippedPages(journal, lambda: NOON))] == [
        ("d", "HTTP 500"),
        ("a", "excluded"),
        ("b", "excluded"),
        ("c", "excluded"),
    ]
