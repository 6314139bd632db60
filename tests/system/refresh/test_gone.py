"""Removed pages are marked or dropped; pages that could not be requested are kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from tests.support.crawls import Archive, Run, captured, run, webcapture
from tests.support.http_server import Reply, Site, SiteServer, page, redirect
from tests.system.refresh.crawling import Crawls
from tests.system.refresh.state import dangling, state_of
from wcspider.archive.check.checker import check_file
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.run.run_report import REDIRECTED
from wcspider.report.collecting import Limits, collect
from wcspider.report.status.status_page import collect_status

KEPT = "Pages that could not be fetched and are unchanged"
GONE = "Pages gone from the site"
CHANGED = "Changed pages"
DAYS = [{"WEBCAPTURE_FIXED_TIME": f"2026-03-0{day}T12:00:00Z"} for day in range(1, 5)]
SITE: Site = {
    "/": page("<title>home</title>" + "".join(f"<a href=/{name}>{name}</a> " for name in "abcd")),
    "/a": page("<title>a</title><p>a <a href=/a/below>below</a>"),
    "/a/below": page("<title>below</title><p>below"),
    "/b": page("<title>b</title><p>b"),
    "/c": page("<title>c</title><p>c"),
    "/d": page("<title>d</title><p>d"),
}
LINKS_TO_LESS = page("<title>home</title>" + "".join(f"<a href=/{name}>{name}</a> " for name in "ad"))
ALL = ["", "a", "b", "c", "d", "a/below"]


@pytest.fixture
def site(server: Callable[..., SiteServer]) -> SiteServer:
    return server(SITE)


@pytest.fixture
def path(crawls: Crawls, site: SiteServer, tmp_path: Path) -> Path:
    """The site, captured on the first day."""
    path = tmp_path / "site.pdf"
    done = crawls.run("capture", DAYS[0], pdf=path, url=site.url(), levels=3)
    assert done.status == 0, done.log
    return path


def refreshed(crawls: Crawls, path: Path, day: int = 1, **arguments: object) -> Run:
    done = crawls.run("refresh", DAYS[day], pdf=path, **arguments)
    assert done.status == 0, done.log
    assert list(check_file(path)) == []
    return done


def pages(path: Path, site: SiteServer) -> list[str]:
    """The paths of the pages in the file, in order, without their first slash."""
    with Archive(path) as archive:
        return archive.order(site.url())


def gone(path: Path, site: SiteServer) -> dict[str, str]:
    """Since when pages are gone, by their paths."""
    found: dict[str, Any] = json.loads(webcapture("list", path, "--json").output)
    sources = [source for content in found["content_sets"] for source in content["sources"]]
    return {source["url"].removeprefix(site.url()): source["gone"] for source in sources if source["gone"]}


def test_pages_that_are_gone_are_marked_and_stay_where_they_are(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/": LINKS_TO_LESS, "/d": Reply(status=410)})
    done = refreshed(crawls, path)
    moment = "2026-03-02T12:00:00Z"
    assert pages(path, site) == ALL
    assert gone(path, site) == {"b": moment, "c": moment, "d": moment}
    assert done.section(GONE) == {
        "HTTP 410": [site.url("/d")],
        "no longer linked": [site.url("/b"), site.url("/c")],
    }
    assert done.left_out == {}  # the pages are still in the file
    assert json.loads(webcapture("list", path, "--json").output)["omitted"] == 0
    assert webcapture("omitted", path).output == "the file records no skipped page\n"
    assert f"{site.url('/b')}  (as of 2026-03-01T12:00:00Z, gone since {moment})" in webcapture("list", path).output


def test_every_count_of_skipped_pages_leaves_out_gone_pages(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/b": None, "/": page(SITE["/"].body.decode() + "<a href=/never>never</a>")})
    for day, drop in ((1, {}), (2, {}), (3, {"gone": "drop"})):
        done = refreshed(crawls, path, day, **drop)
        assert done.left_out == {"HTTP 404": [site.url("/never")]}
        assert json.loads(webcapture("list", path, "--json").output)["omitted"] == 1
        assert webcapture("omitted", path).output.startswith(f"HTTP 404: 1\n    {site.url('/never')}  ")
        assert collect_status(path.parent, None, datetime.now(UTC)).files[0].problem == "1 page was skipped"
        with closing(ContentDatabase.open(path, lambda: datetime.now(UTC))) as database:
            report = collect(database, datetime.now(UTC), Limits(), lambda _: None)
        assert (report.skipped_total, report.runs.shown[-1].skipped) == (1, 1)


def test_a_page_that_comes_back_loses_the_mark(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/": LINKS_TO_LESS, "/d": None})
    refreshed(crawls, path)
    site.update({"/": SITE["/"], "/d": page("<title>d</title><p>new")})
    done = refreshed(crawls, path, 2)
    assert {"  unchanged        2", "  changed          1", "  returned         3 (gone before)"} <= set(done.summary)
    returned = [site.url(name) for name in ("/b", "/c", "/d")]
    assert (done.section(CHANGED), done.section("Pages that returned to the site")) == (
        {"": [site.url()]},
        {"": returned},
    )
    assert kinds(path, site) == {"": "changed", **dict.fromkeys("bcd", "returned")}
    assert "1 changed, 3 returned, 0 gone" in webcapture("history", path).output
    assert gone(path, site) == {}
    assert pages(path, site) == ALL


def test_the_mark_says_since_when(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/d": None})
    for day in (1, 2):
        refreshed(crawls, path, day)
    assert gone(path, site) == {"d": "2026-03-02T12:00:00Z"}


@pytest.mark.parametrize("drop", [False, True])
def test_a_gone_page_with_several_versions_is_counted_once(
    crawls: Crawls, site: SiteServer, path: Path, drop: bool
) -> None:
    for day in (2, 3):
        site.update({"/d": page(f"<title>d</title><p>version {day}")})
        assert crawls.run("capture", DAYS[day - 1], pdf=path, url=site.url(), levels=3).status == 0
    site.update({"/d": None})
    done = refreshed(crawls, path, 3, **({"gone": "drop"} if drop else {}))
    assert "  dropped          1" in done.summary if drop else "  gone             1" in done.summary
    assert done.section(GONE) == {"HTTP 404": [site.url("/d")]}
    assert kinds(path, site) == {"d": "gone"}
    done = refreshed(crawls, path, 3, gone="drop")
    assert f"  dropped          {int(not drop)}" in done.summary


def test_pages_that_are_gone_are_dropped_on_request(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/": LINKS_TO_LESS, "/d": None})
    refreshed(crawls, path)
    done = refreshed(crawls, path, 2, gone="drop")
    assert pages(path, site) == ["", "a", "a/below"]
    assert "  dropped          3" in done.summary
    assert webcapture("omitted", path).output == "the file records no skipped page\n"
    with Archive(path) as archive:
        assert archive.links(site.url()) == {site.url("/a"): "GoTo", site.url("/d"): "URI"}


def held(path: Path, site: SiteServer) -> tuple[object, bytes]:
    """The file's state of one of the pages."""
    with Archive(path) as archive:
        found = archive.page_set(site.url("/a"))
        return found, archive.pdf.pages[found.pages[0]].Contents.read_bytes()


TROUBLES: dict[str, tuple[Reply, str]] = {
    "server error": (Reply(b"sorry", status=500), "HTTP 500"),
    "forbidden": (Reply(b"who are you", status=403), "HTTP 403"),
    "cut short": (Reply(b"<p>half", declared_length=100), "the answer was cut short"),
    "empty": (Reply(b""), "empty answer"),
    "no answer": (Reply(b"late", gate="never"), "timed out"),
    "into a fault": (redirect("/fault"), "HTTP 500"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_what_could_not_be_fetched_is_kept_with_what_it_leads_to(
    crawls: Crawls, site: SiteServer, path: Path, trouble: str
) -> None:
    reply, reason = TROUBLES[trouble]
    site.update({"/a": reply, "/fault": Reply(b"sorry", status=500), "/a/below": page("<title>below</title>changed")})
    before = held(path, site)
    settings = {**DAYS[1], "DOWNLOAD_TIMEOUT": 1}
    done = crawls.run("refresh", settings, pdf=path, gone="drop")
    assert done.status == 0, done.log
    [url] = done.section(KEPT)[reason]
    assert url.startswith(site.url("/a"))
    assert pages(path, site) == ALL
    assert held(path, site) == before
    site.update({"/a": page("<title>a</title><p>new")})
    refreshed(crawls, path, 2, gone="drop")
    assert pages(path, site) == ALL[:-1]


def test_a_redirection_that_leads_into_a_fault_keeps_the_page_behind_it(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    path = tmp_path / "site.pdf"
    site = server({**SITE, "/": page("<a href=/old>old</a>"), "/old": redirect("/a")})
    assert crawls.run("capture", DAYS[0], pdf=path, url=site.url(), levels=3).status == 0
    before = state_of(path)
    site.update({"/a": Reply(b"sorry", status=500)})
    refreshed(crawls, path, gone="drop")
    assert state_of(path) == before
    site.update({"/a": SITE["/a"], "/old": Reply(b"sorry", status=500)})
    refreshed(crawls, path, 2, gone="drop")
    assert state_of(path) == before


def test_pages_that_redirect_to_others_now_are_counted(crawls: Crawls, site: SiteServer, path: Path) -> None:
    moved = page("<title>d</title><p>d")
    site.update({"/b": redirect("/c"), "/c": redirect("/new"), "/new": page("<title>new</title>")})
    site.update({"/d": redirect("/moved"), "/moved": moved, "/a/below": redirect("/a")})
    done = refreshed(crawls, path)
    assert sorted(pages(path, site)) == ["", "a", "a/below", "b", "c", "moved", "new"]
    assert "  changed          1" in done.summary
    assert done.section(CHANGED) == {"": [f"{site.url('/d')} -> {site.url('/moved')}"]}
    assert gone(path, site).keys() == {"a/below", "b", "c"}
    to = {"/a/below": "/a", "/b": "/new", "/c": "/new"}
    told = [f"{site.url(old)} -> {site.url(new)}" for old, new in to.items()]
    assert {reason: sorted(urls) for reason, urls in done.section(GONE).items()} == {REDIRECTED: told}
    assert f"{GONE}: 3" in done.summary
    assert f"    it is gone from the site: {REDIRECTED}" in webcapture("why", path, site.url("/b")).output.splitlines()
    assert kinds(path, site) == {**dict.fromkeys(["a/below", "b", "c"], "gone"), "d": "moved", "new": "new"}
    dropped = refreshed(crawls, path, 2, gone="drop")
    assert {reason: sorted(urls) for reason, urls in dropped.section(GONE).items()} == {REDIRECTED: told}
    assert pages(path, site) == ["", "a", "new", "moved"]


def kinds(path: Path, site: SiteServer) -> dict[str, str]:
    """Return the kinds of the changes that `diff` shows, by path."""
    changes = json.loads(webcapture("diff", path, "--json").output)["changes"]
    return {row["url"].removeprefix(site.url()): row["change"] for row in changes}


@pytest.mark.parametrize("body", [b"<title>d</title><p>d", b"<title>d</title><p>d "], ids=["same", "same text"])
@pytest.mark.parametrize("links", ["/d", "/d /new", "/new /d"])
def test_a_page_that_has_moved_is_counted_once(
    crawls: Crawls, site: SiteServer, path: Path, body: bytes, links: str
) -> None:
    home = SITE["/"].body.decode() + "".join(f"<a href={link}>{link}</a>" for link in links.split())
    site.update({"/": page(home)})
    refreshed(crawls, path)  # the links are new, the pages are not yet
    site.update({"/d": redirect("/new"), "/new": page(body.decode())})
    done = refreshed(crawls, path, 2)
    assert done.section(CHANGED) == {"": [f"{site.url('/d')} -> {site.url('/new')}"]}
    assert done.section("New pages") == {}
    counts = {"  unchanged        5", "  changed          1", "  new              0", "  gone             0"}
    assert counts <= set(done.summary)
    assert kinds(path, site) == {"d": "moved"}


def test_a_page_of_which_the_file_has_two_versions_is_unchanged(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/d": page("<title>d</title><p>other")})
    assert crawls.run("capture", DAYS[1], pdf=path, url=site.url("/d")).status == 0
    done = refreshed(crawls, path, 2)
    assert {"  unchanged        6", "  changed          0"} <= set(done.summary)
    assert "d" not in kinds(path, site)
    with Archive(path) as archive:
        archive.page_set(site.url("/d"))  # the only one


@pytest.mark.parametrize("answer", [Reply(status=404), redirect("/")], ids=["removed", "redirected"])
def test_a_page_that_is_gone_is_requested_even_if_it_has_not_expired(
    crawls: Crawls, site: SiteServer, tmp_path: Path, answer: Reply
) -> None:
    path = tmp_path / "site.pdf"
    site.update({"/d": replace(page("<title>d</title><p>d"), headers={"Cache-Control": "max-age=1000000"})})
    assert crawls.run("capture", DAYS[0], pdf=path, url=site.url(), levels=3).status == 0
    site.update({"/d": answer})
    refreshed(crawls, path, force="true")
    site.forget()
    refreshed(crawls, path, 2)
    assert "/d" in site.paths()
    assert gone(path, site) == {"d": "2026-03-02T12:00:00Z"}


def test_a_page_that_becomes_something_else_is_gone(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/d": Reply(b"PK", content_type="application/zip")})
    assert refreshed(crawls, path, gone="drop").section(GONE) == {"not captured: application/zip": [site.url("/d")]}
    assert pages(path, site) == [name for name in ALL if name != "d"]


def test_a_robots_file_that_forbids_now_removes_nothing(site: SiteServer, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    captured(site.url(), path, levels=3)
    site.update({"/robots.txt": Reply(b"User-agent: *\nDisallow: /b\n", content_type="text/plain")})
    site.forget()
    done = run("crawl", "refresh", "-a", f"pdf={path}", "-a", "gone=drop")
    assert done.status == 0, done.log
    assert done.section(KEPT) == {"forbidden by robots.txt": [site.url("/b")]}
    assert "/b" not in site.paths()
    assert pages(path, site) == ALL


def test_a_crawl_that_ends_early_marks_nothing_as_gone(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/": page("<title>home</title><a href=/new>new</a>"), "/new": page("<a href=/newer>newer</a>")})
    settings = {**DAYS[1], "CLOSESPIDER_PAGECOUNT": 2, "CONCURRENT_REQUESTS": 1}
    done = crawls.run("refresh", settings, pdf=path, gone="drop", partial="true")
    assert done.status == 0, done.log
    assert set(pages(path, site)) >= {*ALL, "new"}
    assert done.section(GONE) == {}


def test_a_limit_on_new_pages_does_not_remove_old_ones(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/": page(f"{SITE['/'].body.decode()}<a href=/new>new</a>"), "/new": page("<p>new")})
    done = crawls.run("refresh", {**DAYS[1], "WEBCAPTURE_MAX_PAGES": 2}, pdf=path, gone="drop")
    assert done.status == 0, done.log
    assert pages(path, site) == ALL


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_site_that_is_not_there_leaves_the_file_as_it_is(
    crawls: Crawls, site: SiteServer, path: Path, status: int
) -> None:
    before = path.read_bytes()
    site.update(dict.fromkeys(SITE, Reply(b"sorry", status=status)))
    done = crawls.run("refresh", DAYS[1], pdf=path, gone="drop")
    assert done.status == 1
    [told] = done.messages("ERROR", "wcspider.crawl.session")
    assert told == f"{path}: not changed: no page could be fetched; the summary lists the pages with their reasons"
    assert (path.read_bytes(), [entry.name for entry in path.parent.iterdir()]) == (before, [path.name])


# Pages that another program took out of the file


def without_page(pdf: pikepdf.Pdf) -> None:
    del pdf.pages[1]


def without_object(pdf: pikepdf.Pdf) -> None:
    gone = pdf.pages[1].obj.objgen
    del pdf.pages[1]
    pdf._replace_object(gone, pikepdf.Dictionary())


def turned_round(pdf: pikepdf.Pdf) -> None:
    pdf.pages.reverse()  # pikepdf puts copies of the pages into the tree


LONGER = page(f"<title>a</title><p>{'word ' * 30} <a href=/a/below>below</a>")


@pytest.mark.parametrize(
    ("take_out", "now"),
    [(without_page, SITE["/a"]), (without_page, LONGER), (without_object, SITE["/a"]), (turned_round, LONGER)],
)
def test_a_page_that_was_taken_out_of_the_file_is_put_into_it_again(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path, take_out: Callable[[Any], None], now: Reply
) -> None:
    path = tmp_path / "site.pdf"
    etag = '"a"'
    site = server({**SITE, "/a": replace(SITE["/a"], etag=etag)})
    assert crawls.run("capture", DAYS[0], pdf=path, url=site.url(), levels=3).status == 0
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        take_out(pdf)
        pdf.save(path)
    site.update({"/a": replace(now, etag=etag if now == SITE["/a"] else None)})
    for day in (1, 2):  # the second one finds nothing to do
        done = crawls.run("refresh", DAYS[day], pdf=path)
        assert done.status == 0, done.log
        assert not done.messages("ERROR", "wcspider.archive.run.run_report"), done.log
    assert "  changed          0" in done.summary
    with Archive(path) as archive:
        assert sorted(archive.order(site.url())) == sorted(ALL)
        assert len(archive.page_set(site.url("/a")).pages) == (3 if now is LONGER else 1)
    assert dangling(path) == []


def test_a_page_that_was_taken_out_of_the_file_is_captured_again(crawls: Crawls, site: SiteServer, path: Path) -> None:
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        without_page(pdf)
        pdf.save(path)
    done = crawls.run("capture", DAYS[1], pdf=path, url=site.url("/a"))
    assert done.status == 0, done.log
    assert list(check_file(path)) == []
    with Archive(path) as archive:
        assert archive.page_set(site.url("/a")).pages == (len(ALL) - 1,)


def test_a_capture_counts_the_pages_that_came_back(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/b": None})
    refreshed(crawls, path)
    site.update({"/b": SITE["/b"]})
    done = crawls.run("capture", url=site.url("/b"), pdf=path)
    assert {"  already there    0", "  returned         1 (gone before)"} <= set(done.summary)
    assert done.section("Pages that returned to the site") == {"": [site.url("/b")]}
    assert kinds(path, site) == {"b": "returned"}
    assert "0 changed, 1 returned, 0 gone" in webcapture("history", path).output
    assert gone(path, site) == {}
