"""The bookmarks of versions of one page."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pikepdf
import pytest

from tests.archive.run.test_writer import new_writer
from tests.support.archive_samples import NOW, new_database, rendered
from tests.support.memory_sites import MemoryCrawl, Page, capture_into, config_at, refresh_of
from tests.support.merging import merged
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


X, OTHER = Page("X"), Page("X", version=1)
DATED = [f"X ({date})" for date in DATES]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([(capture_into, X, X), (refresh_of, X, OTHER)], ["X", "X"]),  # each URL has one page, as before
        ([(capture_into, X, None), (capture_into, OTHER, None)], DATED[:2]),
        ([(capture_into, X, X), (capture_into, X, OTHER)], DATED[:2]),  # the first page is a version of /y
        ([(capture_into, X, OTHER), (capture_into, OTHER, OTHER)], DATED[:1] * 2),  # no page is new
        ([(capture_into, X, None), (capture_into, OTHER, None), (refresh_of, X, None)], ["X"]),
        ([(capture_into, X, None), (capture_into, OTHER, None), (refresh_of, Page("X", 2), None)], ["X"]),
        ([(capture_into, X, None), (capture_into, OTHER, None), (refresh_of, "HTTP 404", None)], DATED[:2]),
    ],
)
def test_the_date_goes_with_the_other_versions(tmp_path, runs, expected):
    path = tmp_path / "site.pdf"
    for day, (start, x, y) in enumerate(runs):
        site = {"/": Page("Home", links=("/x", "/y")), "/x": x, "/y": y or "HTTP 404"}
        arguments = start(path, *(("/", "all") if start is capture_into else ("keep",)))
        assert MemoryCrawl(arguments, site, config_at(NOW + timedelta(days=day))).run()
    with pikepdf.open(path) as pdf, pdf.open_outline() as outline:
        [home] = outline.root
        assert sorted(item.title for item in home.children if item.title.startswith("X")) == expected


def test_merged_versions_of_a_page_differ_by_date(tmp_path):
    for day, body in enumerate(("one", "two")):
        with closing(new_database(tmp_path / f"{body}.pdf")) as database:
            database.clock = lambda day=day: NOW + timedelta(days=day)
            writer = new_writer(database)
            writer.add(rendered("/a", body))
            writer.add(rendered("/b"))
            writer.finish()
            writer.close()
    merged(tmp_path / "out.pdf", tmp_path / "one.pdf", tmp_path / "two.pdf")
    assert titles(tmp_path / "out.pdf") == [
        f"Title of /a ({DATES[0]})",
        "Title of /b",
        f"Title of /a ({DATES[1]})",
    ]


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
