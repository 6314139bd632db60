"""A refresh of pages that have not expired: they are not requested, and the report says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.http_server import Reply, Site, SiteServer, page, redirect
from tests.support.pictures import grey_png
from tests.system.refresh.crawling import Crawls

DAY: dict[str, object] = {"WEBCAPTURE_FIXED_TIME": "2030-03-02T12:00:00Z"}


def fresh(reply: Reply) -> Reply:
    """Return an answer that holds for a hundred years."""
    return replace(reply, headers={"Cache-Control": "max-age=3000000000"})


SITE: Site = {
    "/": fresh(page("<title>home</title><a href=/stale>stale</a>")),
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


IMAGE = Reply(grey_png(4, 4, 9), content_type="image/png")
NOTHING_NEW: dict[str, tuple[Site, list[str]]] = {
    "nothing to request": ({}, []),
    "robots.txt": ({"/robots.txt": Reply(b"User-agent: *\n", content_type="text/plain")}, ["/robots.txt"]),
    "a fresh image": ({"/": fresh(page("<img src=/image.png>")), "/image.png": fresh(IMAGE)}, []),
    "a fresh text": ({"/": fresh(Reply(b"text", content_type="text/plain"))}, []),
    "a broken link": ({"/": fresh(page("<a href=/lost>lost</a>"))}, ["/lost"]),
    "a redirect": ({"/": fresh(page("<a href=/r>a</a>")), "/r": redirect("/a"), "/a": fresh(page("<p>a"))}, ["/r"]),
}
"""Sites of which no page expires, and the paths that a refresh requests."""


@pytest.mark.parametrize("case", NOTHING_NEW)
def test_a_refresh_with_nothing_new_succeeds_without_a_revision(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path, case: str
) -> None:
    path = tmp_path / "site.pdf"
    changed, requested = NOTHING_NEW[case]
    site = server({"/": fresh(page("<title>home</title>")), **changed})
    settings = ROBOTS if case == "robots.txt" else {}
    before = _captured(crawls, site, path, 2)
    done = crawls.run("refresh", {**DAY, **settings}, pdf=path)
    assert (done.status, site.paths()) == (0, requested)
    assert f"{path}: not changed: no page has expired; to request all pages, add -a force=true" in done.summary
    assert (path.read_bytes(), [entry.name for entry in tmp_path.iterdir()]) == (before, [path.name])


NEWS: dict[str, tuple[Site, Site]] = {
    "a new time of an image": ({"/": fresh(page("<img src=/image.png>")), "/image.png": IMAGE}, {}),
    "a broken link with another reason": ({"/": fresh(page("<a href=/lost>lost</a>"))}, {"/lost": Reply(status=410)}),
    "a page that was removed": ({"/": fresh(page("<a href=/a>a</a>")), "/a": page("<p>a")}, {"/a": None}),
    "a redirect that leads elsewhere": (
        {"/": fresh(page("<a href=/r>a</a><a href=/a>a</a><a href=/b>b</a>")), "/r": redirect("/a")}
        | {"/a": fresh(page("<p>a")), "/b": fresh(page("<p>b"))},
        {"/r": redirect("/b")},
    ),
}


@pytest.mark.parametrize("case", NEWS)
def test_other_news_are_written_although_no_page_has_expired(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path, case: str
) -> None:
    path = tmp_path / "site.pdf"
    before, after = NEWS[case]
    site = server(before)
    captured = _captured(crawls, site, path, 2)
    site.update(after)
    done = crawls.run("refresh", DAY, pdf=path)
    assert done.status == 0, done.log
    assert path.read_bytes().startswith(captured)
    assert len(path.read_bytes()) > len(captured)


def test_a_page_that_fails_again_is_no_news(crawls: Crawls, site: SiteServer, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    _captured(crawls, site, path, 2)
    site.update({"/stale": Reply(status=500)})
    lengths = []
    for day in (DAY, {"WEBCAPTURE_FIXED_TIME": "2030-03-03T12:00:00Z"}):
        done = crawls.run("refresh", day, pdf=path)
        assert done.status == 0, done.log
        lengths.append(path.stat().st_size)
    assert lengths[0] == lengths[1]
    assert f"{path}: not changed: no page that could be fetched has expired" in done.log
