"""The bookmarks of versions of one page."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pikepdf
import pytest

from tests.archive.run.test_writer import new_writer
from tests.support.archive_samples import NOW, new_database, rendered
from wcspider.archive.database.database import ContentDatabase

DATES = ["2026-03-01 12:00", "2026-03-02 12:00", "2026-03-03 12:00"]


def titles(path):
    """The titles of the bookmarks of a file, read without our code."""
    with pikepdf.open(path) as pdf, pdf.open_outline() as outline:
        return [item.title for item in outline.root]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([["/a one"], ["/a one"]], ["Title of /a"]),
        ([["/a one"], ["/b one more"]], ["Title of /a", "Title of /b"]),
        ([["/a one", "/b"], ["/a two"]], [f"Title of /a ({DATES[0]})", "Title of /b", f"Title of /a ({DATES[1]})"]),
        ([["/a one"], ["/a two"], ["/a three"]], [f"Title of /a ({date})" for date in DATES]),
        ([["/a one"], ["/a two"], ["/a one"]], [f"Title of /a ({date})" for date in DATES[:2]]),
    ],
)
def test_versions_of_a_page_differ_by_date(tmp_path, runs, expected):
    path = tmp_path / "site.pdf"
    for day, pages in enumerate(runs):

        def clock(moment=NOW + timedelta(days=day)):
            return moment

        database = ContentDatabase.open(path, clock) if path.exists() else new_database(path)
        with closing(database):
            writer = new_writer(database)
            for page in pages:
                writer.add(rendered(page.partition(" ")[0], page))
            writer.finish()
            writer.close()
    assert titles(path) == expected


def test_a_title_that_is_a_url_keeps_its_date(tmp_path):
    path = tmp_path / "site.pdf"
    with closing(new_database(path)) as database:
        writer = new_writer(database)
        for body in ("one", "two"):
            writer.add(rendered("/a", body, title="http://example.com/a"))
        for stored in database.content_sets():
            database.outline.rename(stored.content.outline, stored.content)
        writer.finish()
        writer.close()
    assert titles(path) == [f"http://example.com/a ({DATES[0]})"] * 2
