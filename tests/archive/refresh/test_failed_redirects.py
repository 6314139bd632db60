"""Redirects to pages that could not be fetched."""

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
