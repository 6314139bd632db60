"""Redirects that change before a refresh, and redirects to pages that could not be fetched."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.memory_sites import Answer, MemoryCrawl, Page, Redirect, capture_into, config_at, refresh_of
from tests.support.merging import described, url
from wcspider.archive.query.listing import iso

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 3, 2, 12, tzinfo=UTC)
SITE = {"/": Page("Home", links=("/a", "/b")), "/a": Page("A"), "/b": Page("B")}


@pytest.mark.parametrize("failure", ["HTTP 500", Redirect("/")], ids=["error", "loop"])
def test_a_page_that_redirects_to_a_page_that_failed_is_kept(tmp_path: Path, failure: Answer) -> None:
    path = tmp_path / "site.pdf"
    assert MemoryCrawl(capture_into(path, "/", "all"), SITE, config_at(MOMENT)).run()
    failing = {**SITE, "/": failure, "/b": Redirect("/")}
    assert MemoryCrawl(refresh_of(path, "drop"), failing, config_at(LATER)).run()
    sources = [source for entry in described(path)["content_sets"].values() for source in entry["sources"]]
    assert [(source["url"], source["chains"], source["gone"]) for source in sources] == [
        (url("/"), [], None),
        (url("/a"), [], None),
        (url("/b"), [], None),
    ]


@pytest.mark.parametrize("links", [("/a", "/b", "/x"), ("/x", "/a", "/b"), ("/b", "/x", "/a")])
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"/": [], "/a": [["/x"]], "/b": []}),
        ({"/x": Redirect("/b")}, {"/": [], "/a": [], "/b": [["/x"]]}),
        ({"/": Page("Home", links=("/x",)), "/x": Redirect("/b")}, {"/": [], "/a": [], "/b": [["/x"]]}),
        ({"/x": "HTTP 404"}, {"/": [], "/a": [], "/b": []}),
        ({"/x": "HTTP 500"}, {"/": [], "/a": [["/x"]], "/b": []}),  # it may still redirect
        ({"/x": Page("X")}, {"/": [], "/a": [], "/b": [], "/x": []}),
        ({"/x": Page("X"), "/a": "HTTP 500"}, {"/": [], "/a": [], "/b": [], "/x": []}),
        ({"/x": Page("X"), "/a": "HTTP 404"}, {"/": [], "/a": [], "/b": [], "/x": []}),
        ({"/b": Redirect("/a")}, {"/": [], "/a": [["/b"], ["/x"]], "/b": []}),
        ({"/a": Redirect("/b")}, {"/": [], "/a": [], "/b": [["/a"], ["/x", "/a"]]}),
        ({"/a": "HTTP 500"}, {"/": [], "/a": [["/x"]], "/b": []}),
    ],
)
def test_redirects_lead_where_the_last_answer_says(
    tmp_path: Path, links: tuple[str, ...], changes: dict[str, Answer], expected: dict[str, list[list[str]]]
) -> None:
    path = tmp_path / "site.pdf"
    site = {"/": Page("Home", links=links), "/a": Page("A"), "/b": Page("B"), "/x": Redirect("/a")}
    assert MemoryCrawl(capture_into(path, "/", "all"), site, config_at(MOMENT)).run()
    assert MemoryCrawl(refresh_of(path, "keep"), {**site, **changes}, config_at(LATER)).run()
    sources = [source for entry in described(path)["content_sets"].values() for source in entry["sources"]]
    chains = {source["url"]: sorted(source["chains"]) for source in sources}
    assert chains == {url(at): [[url(hop) for hop in chain] for chain in expected[at]] for at in expected}


@pytest.mark.parametrize("gone", ["keep", "drop"])
def test_a_page_that_redirects_to_other_content_is_gone(tmp_path: Path, gone: str) -> None:
    path = tmp_path / "site.pdf"
    assert MemoryCrawl(capture_into(path, "/", "all"), SITE, config_at(MOMENT)).run()
    crawl = MemoryCrawl(refresh_of(path, gone), {**SITE, "/b": Redirect("/")}, config_at(LATER))
    assert crawl.run()
    assert gone_at(path) == {"/": None, "/a": None} | ({"/b": iso(LATER)} if gone == "keep" else {})
    assert (crawl.job.report.changed, crawl.job.report.dropped) == (0, gone == "drop")


def test_a_page_that_has_moved_is_kept_at_its_new_url(tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    assert MemoryCrawl(capture_into(path, "/", "all"), SITE, config_at(MOMENT)).run()
    crawl = MemoryCrawl(refresh_of(path, "keep"), {**SITE, "/b": Redirect("/c"), "/c": SITE["/b"]}, config_at(LATER))
    assert crawl.run()
    assert gone_at(path) == {"/": None, "/a": None, "/c": None}
    assert (crawl.job.report.changed, crawl.job.report.dropped) == (1, 0)


def test_a_page_that_redirects_to_other_content_stays_gone_until_it_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    assert MemoryCrawl(capture_into(path, "/", "all"), SITE, config_at(MOMENT)).run()
    for day in (2, 3):
        moment = MOMENT.replace(day=day)
        assert MemoryCrawl(refresh_of(path, "keep"), {**SITE, "/b": Redirect("/")}, config_at(moment)).run()
        assert gone_at(path)["/b"] == iso(LATER)
    assert MemoryCrawl(refresh_of(path, "keep"), SITE, config_at(MOMENT.replace(day=4))).run()
    assert gone_at(path) == {"/": None, "/a": None, "/b": None}


def gone_at(path: Path) -> dict[str, str | None]:
    """Return since when the pages of a file are gone, by the paths of their URLs."""
    sources = [source for entry in described(path)["content_sets"].values() for source in entry["sources"]]
    return {source["url"].removeprefix(url("")): source["gone"] for source in sources}
