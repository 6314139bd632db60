"""A refresh of pages that have not expired: they are not requested, and the report says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.http_server import Reply, Site, SiteServer, page
from tests.system.refresh.crawling import Crawls

FRESH = {"Cache-Control": "max-age=1000000"}
SITE: Site = {
    "/": replace(page("<title>home</title><a href=/stale>stale</a>"), headers=FRESH),
    "/stale": page("<title>stale</title><p>stale"),
}
ROBOTS = {"ROBOTSTXT_OBEY": True}


@pytest.fixture
def site() -> Iterator[SiteServer]:
    with SiteServer(SITE) as server:
        yield server


def _captured(crawls: Crawls, site: SiteServer, path: Path, levels: int) -> bytes:
    done = crawls.run("capture", pdf=path, url=site.url(), levels=levels)
    assert done.status == 0, done.log
    site.forget()
    return path.read_bytes()


@pytest.mark.parametrize("levels", [1, 2])
def test_a_refresh_that_reaches_no_server_fails_and_changes_nothing(
    crawls: Crawls, site: SiteServer, tmp_path: Path, levels: int
) -> None:
    path = tmp_path / "site.pdf"
    before = _captured(crawls, site, path, levels)
    site.kill()
    done = crawls.run("refresh", ROBOTS, pdf=path)
    assert done.status == 1
    [problem] = done.messages("ERROR", "wcspider.crawl.session")
    assert problem.startswith(f"{path}: not changed: no server could be reached;")
    assert "  unchanged        0" in done.summary
    unreachable = done.section("Pages that could not be fetched and are unchanged")
    assert unreachable == {"connection refused": [site.url(), site.url("/stale")][:levels]}
    assert (path.read_bytes(), [entry.name for entry in tmp_path.iterdir()]) == (before, [path.name])


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_does_not_deliver_robots_txt_forbids_its_pages(
    crawls: Crawls, site: SiteServer, tmp_path: Path, status: int
) -> None:
    path = tmp_path / "site.pdf"
    before = _captured(crawls, site, path, 2)
    site.update({"/robots.txt": Reply(status=status)})
    done = crawls.run("refresh", ROBOTS | {"RETRY_TIMES": 1}, pdf=path)
    assert (done.status, site.paths()) == (1, ["/robots.txt"] * 2)
    reason = f"robots.txt cannot be fetched: HTTP {status}"
    kept = done.section("Pages that could not be fetched and are unchanged")
    assert kept == {reason: [site.url(), site.url("/stale")]}
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (before, [path])
    done = crawls.run("capture", ROBOTS | {"RETRY_TIMES": 0}, pdf=tmp_path / "other.pdf", url=site.url())
    assert (done.status, done.left_out) == (1, {reason: [site.url()]})


def test_pages_that_are_not_requested_are_counted_apart(crawls: Crawls, site: SiteServer, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    before = _captured(crawls, site, path, 2)
    done = crawls.run("refresh", pdf=path)
    assert (done.status, site.paths()) == (0, ["/stale"])
    assert [line for line in done.summary if "requested" in line or "unchanged" in line] == [
        "  unchanged        1",
        "  not requested    1 (not expired)",
    ]
    assert path.read_bytes().startswith(before)


def test_a_refresh_with_nothing_to_request_succeeds_without_a_revision(
    crawls: Crawls, site: SiteServer, tmp_path: Path
) -> None:
    path = tmp_path / "site.pdf"
    before = _captured(crawls, site, path, 1)
    done = crawls.run("refresh", pdf=path)
    assert (done.status, site.paths()) == (0, [])
    assert f"{path}: not changed: no page has expired; to request all pages, add -a force=true" in done.summary
    assert (path.read_bytes(), [entry.name for entry in tmp_path.iterdir()]) == (before, [path.name])
