"""The summary of a run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from wcspider.archive.journal.journal import Journal
from wcspider.archive.run.run_report import MAX_SHOWN_CHARACTERS, Report


def test_a_url_without_end_does_not_fill_the_screen() -> None:
    report = Report(Journal(), {}, lambda: datetime(2026, 3, 1, tzinfo=UTC))
    long = "http://h/" + "x" * 1_000_000
    for url in ("http://h/short", long):
        report.skip_resource("HTTP 404", url)
    shown = [line for line in report.lines(Path("site.pdf"), 1, 20) if "http:" in line]
    assert shown == ["    http://h/short", f"    {long[:MAX_SHOWN_CHARACTERS]}... (1000009 characters)"]
