"""The summary of a run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from wcspider.archive.journal.journal import Journal
from wcspider.archive.run.run_report import Report
from wcspider.archive.run.summary import MAX_SHOWN_CHARACTERS, summary_lines


def test_a_url_without_end_does_not_fill_the_screen() -> None:
    report = Report(Journal(), {}, lambda: datetime(2026, 3, 1, tzinfo=UTC))
    long = "http://h/" + "x" * 1_000_000
    for url in ("http://h/short", long):
        report.skip_resource("HTTP 404", url)
    shown = [line for line in summary_lines(report, Path("site.pdf"), 1, 20) if "http:" in line]
    assert shown == ["    http://h/short", f"    {long[:MAX_SHOWN_CHARACTERS]}... (1000009 characters)"]


@pytest.mark.parametrize(("is_comparable", "finished"), [(True, True), (True, False), (False, True)])
def test_differences_are_pointed_to_if_the_file_has_both_states(is_comparable: bool, finished: bool) -> None:
    report = Report(Journal(), {}, lambda: datetime(2026, 3, 1, tzinfo=UTC))
    for number in range(3):
        report.note_changed(f"http://h/{number}")
    lines = list(
        summary_lines(report, Path("a b.pdf"), 1, 2, refreshed=True, finished=finished, keeps_states=is_comparable)
    )
    assert ("  differences      scrapy webcapture diff 'a b.pdf'" in lines) == (is_comparable and finished)
    assert lines[-4:] == ["Changed pages: 3", "    http://h/0", "    http://h/1", "    and 1 more; see the log"]
