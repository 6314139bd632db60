"""Redirects that change before a refresh, and redirects to pages that could not be fetched."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.memory_sites import Answer, MemoryCrawl, Page, Redirect, capture_into, config_at, refresh_of
from tests.support.merging import described, url

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
        ({"/b": Redirect("/a")}, {"/": [], "/a": [["/b"], ["/x"]]}),
        ({"/a": Redirect("/b")}, {"/": [], "/b": [["/a"], ["/x", "/a"]]}),
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
