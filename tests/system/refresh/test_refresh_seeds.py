"""Captures that begin with sitemaps or a file of URLs, patterns of URLs, and refreshes that repeat them."""

from __future__ import annotations

import gzip
import json
import signal
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pikepdf
import pytest

from tests.support.crawls import FIXED_TIME, Archive, capture, captured, crawl_arguments, dying, tree, webcapture
from tests.support.http_server import Reply, Site, SiteServer, page, redirect
from tests.system.refresh.crawling import Crawls
from wcspider.archive.check.checker import check_file
from wcspider.report.status.status_page import collect_status
from wcspider.report.status.status_rows import State

NAMES = "abcdef"


def sitemap(*rows: str | tuple[str, str], root: str = "urlset", item: str = "url") -> Reply:
    """A sitemap of URLs, some with the date of their last change."""
    pairs = [(row, "") if isinstance(row, str) else row for row in rows]
    listed = "".join(
        f"<{item}><loc>{url}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}</{item}>" for url, date in pairs
    )
    return Reply(f"<{root}>{listed}</{root}>".encode(), content_type="application/xml")


def index(*rows: str | tuple[str, str]) -> Reply:
    return sitemap(*rows, root="sitemapindex", item="sitemap")


def text(words: str, **options: object) -> Reply:
    return Reply(words.encode(), content_type="text/plain", **options)  # type: ignore[arg-type]


PAGES: Site = {f"/{name}": page(f"<title>{name}</title><p>page {name}") for name in NAMES}
LINKED: Site = {
    "/start": page("<title>start</title><a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a> <a href=/to/d>d</a>"),
    "/to/d": redirect("/d"),
    "/e": page("<title>e</title><p>page e <a href=/f>f</a>"),
}


@pytest.fixture
def site() -> Iterator[SiteServer]:
    with SiteServer({**PAGES, **LINKED}) as running:
        yield running


def order(path: Path, site: SiteServer) -> list[str]:
    """The paths of the pages of a file, in order."""
    with Archive(path) as archive:
        return [path.removeprefix("/") for path in archive.order(site.url("/").removesuffix("/"))]


def listed(path: Path) -> list[str]:
    assert list(check_file(path)) == []
    with Archive(path) as archive:
        return [str(command.URL) for command in archive.commands]


def reasons(path: Path) -> dict[str, str]:
    """The reasons of the records in a file, by URL, read without our own code."""
    with Archive(path) as archive:
        root = archive.pdf.Root.Names.get("/WCSP_Omitted")
        return {} if root is None else {key.decode(): str(value.Reason) for key, value in tree(root)}


# What sitemaps lead to


SITEMAPS: dict[str, tuple[str, Callable[[Callable[[str], str]], Site], str]] = {
    "plain": ("/sitemap.xml", lambda url: {"/sitemap.xml": sitemap(url("/b"), url("/a"))}, "ba"),
    "compressed": (
        "/sitemap.xml.gz",
        lambda url: {
            "/sitemap.xml.gz": Reply(gzip.compress(sitemap(url("/c"), url("/a")).body), content_type="application/gzip")
        },
        "ca",
    ),
    "text": ("/urls.txt", lambda url: {"/urls.txt": text(f"{url('/c')}\n{url('/b')}\n")}, "cb"),
    "index": (
        "/index.xml",
        lambda url: {
            "/index.xml": index(url("/2.xml"), url("/1.xml"), url("/2.xml")),
            "/1.xml": sitemap(url("/a"), url("/b")),
            "/2.xml": index(url("/3.xml"), url("/index.xml")),
            "/3.xml": sitemap(url("/d"), url("/a")),
        },
        "dab",
    ),
    "robots": (
        "/robots.txt",
        lambda url: {
            "/robots.txt": text(f"User-agent: *\nDisallow: /robots.txt\nSitemap: {url('/1.xml')}\nSitemap: /2.txt\n"),
            "/1.xml": sitemap(url("/b")),
            "/2.txt": text(url("/a")),
        },
        "ba",
    ),
    "redirected": (
        "/sitemap.xml",
        lambda url: {"/sitemap.xml": redirect("/maps/1.xml"), "/maps/1.xml": sitemap(url("/a"))},
        "a",
    ),
    "broken": (
        "/sitemap.xml",
        lambda url: {"/sitemap.xml": Reply(sitemap(url("/b"), url("/a")).body[:-12], content_type="text/xml")},
        "ba",
    ),
}


@pytest.mark.parametrize("kind", SITEMAPS)
def test_pages_of_a_sitemap_in_its_order(kind: str, site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    path, replies, expected = SITEMAPS[kind]
    site.update(replies(site.url))
    pdf = tmp_path / "site.pdf"
    done = crawls.run("capture", {"ROBOTSTXT_OBEY": kind == "robots"}, sitemap=site.url(path), pdf=pdf)
    assert done.status == 0, done.log
    assert "".join(order(pdf, site)) == expected
    assert listed(pdf) == [site.url(path)]
    with Archive(pdf) as archive:
        [command] = archive.commands
        assert (int(command.L), int(command.F)) == (2, 1)
        assert {source.command for found in archive.page_sets for source in found.sources} == {0}
    broken = {"sitemap: a broken sitemap; its readable entries are used": [site.url(path)]}
    assert done.left_out == (broken if kind == "broken" else {})


FAILING: dict[str, tuple[Reply, str]] = {
    "missing": (text("not here", status=404), "sitemap: HTTP 404"),
    "page": (page("<p>sorry"), "sitemap: the file is not a sitemap"),
    "empty": (sitemap(), "sitemap: empty"),
    "bomb": (
        Reply(gzip.compress(b"<urlset>" + b" " * 3_000_000), content_type="application/gzip"),
        "sitemap: decompresses to more than DOWNLOAD_MAXSIZE",
    ),
    "large": (Reply(b"<urlset>" + b" " * 1_100_000), "sitemap: larger than DOWNLOAD_MAXSIZE"),
    "cut": (Reply(b"<urlset>", declared_length=100), "sitemap: the answer was cut short"),
}


@pytest.mark.parametrize("kind", FAILING)
def test_a_sitemap_that_cannot_be_had(kind: str, site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    reply, reason = FAILING[kind]
    site.update({"/sitemap.xml": reply})
    pdf = tmp_path / "site.pdf"
    settings: dict[str, object] = {"DOWNLOAD_MAXSIZE": 1_000_000}
    done = crawls.run("capture", settings, sitemap=site.url("/sitemap.xml"), pdf=pdf)
    assert (done.status, pdf.exists()) == (1, False)
    assert done.left_out == {reason: [site.url("/sitemap.xml")]}
    done = crawls.run("capture", settings, sitemap=site.url("/sitemap.xml"), url=site.url("/a"), pdf=pdf)
    assert (done.status, order(pdf, site)) == (0, ["a"])


def test_an_index_that_only_leads_back_to_itself(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    first, second = site.url("/1.xml"), site.url("/2.xml")
    site.update({"/1.xml": index(first, second), "/2.xml": index(first)})
    done = crawls.run("capture", sitemap=first, pdf=tmp_path / "site.pdf")
    assert (done.status, done.left_out) == (1, {"sitemap: it leads to no page": [first]})


def test_bounds_of_sitemaps(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    url = site.url
    site.update({"/1.xml": index(*(url(f"/{number}.xml") for number in range(2, 6))), "/2.xml": sitemap(url("/a")),
                 "/3.xml": sitemap(url("/b"), url("/c"), url("/d"))})  # fmt: skip
    settings: dict[str, object] = {"WEBCAPTURE_MAX_SITEMAPS": 3, "WEBCAPTURE_MAX_SITEMAP_URLS": 2}
    done = crawls.run("capture", settings, sitemap=url("/1.xml"), pdf=tmp_path / "site.pdf")
    assert order(tmp_path / "site.pdf", site) == ["a", "b"]
    assert done.left_out == {
        "behind the first 2 URLs of a sitemap (WEBCAPTURE_MAX_SITEMAP_URLS)": [url("/c"), url("/d")],
        "behind the first 3 sitemaps (WEBCAPTURE_MAX_SITEMAPS)": [url("/4.xml"), url("/5.xml")],
    }


def test_what_sitemap_entries_are_left_out(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    url = site.url
    site.update(
        {
            "/index.xml": index((url("/old.xml"), "2025"), (url("/maps/new.xml"), "2026-05"), "file:///x.xml"),
            "/old.xml": sitemap(url("/a")),
            "/maps/new.xml": sitemap(
                (url("/a"), "2025-12-31"), (url("/b"), "2026-01-01"), (url("/c"), "2026-03"), (url("/d"), "2026-04-01"),
                url("/e"), "http://127.0.0.2:9/f", "file:///etc/passwd", url("/deny"), url("/start"),
            ),
        }
    )  # fmt: skip
    pdf = tmp_path / "site.pdf"
    given = {"since": "2026-01-01", "until": "2026-03", "allow": "/[a-e]$|/deny", "deny": "deny"}
    done = crawls.run("capture", sitemap=url("/index.xml"), pdf=pdf, **given)
    assert order(pdf, site) == ["b", "c", "e"]
    assert site.paths().count("/old.xml") == 0
    assert done.left_out == {
        "a sitemap: a local file or an FTP server": ["file:///x.xml"],
    }
    assert reasons(pdf) == {
        "file:///x.xml": "a sitemap: a local file or an FTP server",
        url("/old.xml"): "a sitemap last changed before the date of since",
        "http://127.0.0.2:9/f": "in a sitemap: another site (same_site)",
        "file:///etc/passwd": "in a sitemap: another site (same_site)",
        url("/d"): "in a sitemap: last changed after the date of until",
        url("/a"): "in a sitemap: last changed before the date of since",
        url("/deny"): "in a sitemap: denied",
        url("/start"): "in a sitemap: not allowed",
    }
    with Archive(pdf) as archive:
        [command] = archive.commands
        kept = {key: str(command[key]) for key in ("/WCSP_Allow", "/WCSP_Deny", "/WCSP_Since", "/WCSP_Until")}
        assert tuple(kept.values()) == (given["allow"], given["deny"], given["since"], given["until"])
        assert command.WCSP_Sitemap == pikepdf.Object.parse(b"true")


def test_excluded_entries_are_not_skipped_pages(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    """Some are captured all the same, because captured pages link to them. One of these has a link that is broken."""
    url, pdf = site.url, tmp_path / "site.pdf"
    later = [(url(path), "2026") for path in ("/a", "/b", "/c", "/to/d", "/f")]
    site.update({"/sitemap.xml": sitemap((url("/start"), "1999"), *later), "/c": Reply(b"", status=404)})
    for command in ("capture", "refresh", "refresh"):
        given = {"sitemap": url("/sitemap.xml"), "until": "2000", "levels": "2"} if command == "capture" else {}
        done = crawls.run(command, {"WEBCAPTURE_CONTENTS": True}, pdf=pdf, **given)
        assert done.left_out == {"HTTP 404": [url("/c")]}
        assert reasons(pdf) == {
            url("/c"): "HTTP 404",
            url("/f"): "in a sitemap: last changed after the date of until",
        }
    assert webcapture("omitted", pdf).output.splitlines()[0] == "HTTP 404: 1"
    assert "skipped: 1 page " in webcapture("list", pdf).output
    assert "last changed" not in webcapture("text", pdf).output  # the contents pages
    captured_too = webcapture("why", pdf, url("/a")).output
    assert "is in the file" in captured_too
    assert "until" not in captured_too
    excluded = webcapture("why", pdf, url("/f"))
    assert (excluded.status, excluded.output.splitlines()) == (
        1,
        [
            f"{url('/f')} is not in the file: in a sitemap: last changed after the date of until",
            f"    command 0 ({url('/sitemap.xml')}, levels 3), level 2: its sitemap lists it",
        ],
    )
    [row] = collect_status(tmp_path, None, datetime.now(UTC)).files
    assert (row.state, row.problem) == (State.INCOMPLETE, "1 page was skipped")


def test_an_excluded_page_that_another_command_captures(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    url, pdf = site.url, tmp_path / "site.pdf"
    site.update({"/sitemap.xml": sitemap((url("/a"), "2026"), (url("/b"), "1999"))})
    crawls.run("capture", sitemap=url("/sitemap.xml"), until="2000", pdf=pdf)
    assert set(reasons(pdf)) == {url("/a")}
    crawls.run("capture", url=url("/a"), pdf=pdf)
    assert reasons(pdf) == {}
    crawls.run("refresh", pdf=pdf)
    assert reasons(pdf) == {}
    assert json.loads(webcapture("why", pdf, url("/a"), "--json").output)["reason"] is None
    [row] = collect_status(tmp_path, None, datetime.now(UTC)).files
    assert row.state is State.GOOD


@pytest.mark.parametrize("is_index", [False, True])
def test_a_sitemap_whose_pages_are_all_excluded(
    site: SiteServer, crawls: Crawls, tmp_path: Path, is_index: bool
) -> None:
    url = site.url
    rows = ((url("/a"), "1999"), (url("/b"), "1999"))
    site.update({"/sitemap.xml": index(*rows) if is_index else sitemap(*rows)})
    done = crawls.run("capture", sitemap=url("/sitemap.xml"), since="2026", pdf=tmp_path / "site.pdf")
    reason = "sitemap: it leads to excluded pages only: last changed before the date of since"
    assert (done.status, done.left_out) == (1, {reason: [url("/sitemap.xml")]})


def test_levels_count_from_the_pages_of_a_sitemap(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    site.update({"/sitemap.xml": sitemap(site.url("/e"), site.url("/a"))})
    for levels, expected in (("1", "ea"), ("2", "eaf"), ("all", "eaf")):
        pdf = tmp_path / f"{levels}.pdf"
        crawls.run("capture", sitemap=site.url("/sitemap.xml"), levels=levels, pdf=pdf)
        assert "".join(order(pdf, site)) == expected


# Several seeds


def test_seeds_stand_in_the_order_of_the_arguments(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    site.update({"/sitemap.xml": sitemap(site.url("/b"), site.url("/c"), site.url("/a"))})
    file = tmp_path / "urls.txt"
    file.write_text(
        f"\ufeff# pages\n{site.url('/f')}\n\n  {site.url('/c')}\n#{site.url('/d')}\n{site.url('/e')}\n", "utf-8"
    )
    pdf = tmp_path / "site.pdf"
    done = crawls.run("capture", url=site.url("/e"), urls=file, sitemap=site.url("/sitemap.xml"), pdf=pdf)
    assert (done.status, done.left_out) == (0, {})
    assert order(pdf, site) == ["e", "f", "c", "b", "a"]
    assert listed(pdf) == [site.url(path) for path in ("/e", "/f", "/c", "/sitemap.xml")]


def test_many_urls_are_as_many_commands(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    count = 300
    site.update({f"/{number}": page(f"<title>{number}</title><p>{number} <a href=/a>a</a>") for number in range(count)})
    file = tmp_path / "urls.txt"
    file.write_text("\n".join(site.url(f"/{number}") for number in range(count)))
    pdf = tmp_path / "site.pdf"
    crawls.run("capture", urls=file, levels="2", pdf=pdf)
    assert order(pdf, site) == [*map(str, range(count)), "a"]
    assert len(listed(pdf)) == count


# Patterns

PATTERNS = [
    ({}, ["start", "a", "b", "c", "d"]),
    ({"allow": "/[ab]$"}, ["start", "a", "b"]),
    ({"deny": "/[ab]$"}, ["start", "c", "d"]),
    ({"allow": "/[abc]$", "deny": "/b"}, ["start", "a", "c"]),
    ({"allow": "/to/"}, ["start"]),  # what it redirects to is not allowed
    ({"deny": r"/start|\d/d$"}, ["start", "a", "b", "c"]),  # the user's own URL is taken
]


@pytest.mark.parametrize(("given", "expected"), PATTERNS)
def test_patterns(given: dict[str, str], expected: list[str], site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    pdf = tmp_path / "site.pdf"
    done = crawls.run("capture", url=site.url("/start"), levels="2", pdf=pdf, **given)
    assert done.status == 0, done.log
    assert order(pdf, site) == expected
    redirected = {
        r"redirected to a URL that is denied: it matches the pattern /start|\d/d$ (deny)",
        "redirected to a URL that is not allowed: it does not match the pattern /to/ (allow)",
    }
    assert bool(done.left_out.keys() & redirected) == (given in (PATTERNS[4][0], PATTERNS[5][0]))


def test_patterns_are_no_matter_of_what_pages_show(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    sheet = Reply(b"p { color: red }", content_type="text/css")
    site = server({"/": page("<link rel=stylesheet href=/x.css><p>hello"), "/x.css": sheet})
    captured(site.url(), tmp_path / "site.pdf", deny="css", levels=2)
    assert "/x.css" in site.paths()


# Refreshes


def test_a_refresh_repeats_a_sitemap(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    url, pdf = site.url, tmp_path / "site.pdf"
    given = {"since": "2026", "deny": "/d$", "allow": "/[a-e]$"}
    site.update({"/sitemap.xml": sitemap(url("/a"), (url("/b"), "2026-01-01"), url("/d"))})
    crawls.run("capture", sitemap=url("/sitemap.xml"), pdf=pdf, **given)
    assert order(pdf, site) == ["a", "b"]
    site.update({"/sitemap.xml": sitemap(url("/c"), (url("/e"), "2025"), url("/b"), url("/d"), url("/f"))})
    crawls.run("refresh", pdf=pdf)
    assert order(pdf, site) == ["a", "c", "b"]  # what is gone stays where it was
    assert [word for word in webcapture("list", pdf).output.splitlines() if "gone since" in word] != []
    done = crawls.run("refresh", pdf=pdf, gone="drop")
    assert done.section("Pages gone from the site") == {"no longer linked": [url("/a")]}
    assert order(pdf, site) == ["c", "b"]
    assert listed(pdf) == [url("/sitemap.xml")]


@pytest.mark.parametrize("reply", [text("busy", status=500), page("<p>log in")], ids=["failed", "page"])
def test_a_sitemap_that_fails_costs_no_page(reply: Reply, site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    url, pdf = site.url, tmp_path / "site.pdf"
    site.update({"/index.xml": index(url("/1.xml"), url("/2.xml")), "/1.xml": sitemap(url("/a")),
                 "/2.xml": sitemap(url("/b"), url("/c"))})  # fmt: skip
    crawls.run("capture", sitemap=url("/index.xml"), pdf=pdf)
    site.update({"/1.xml": sitemap(url("/d")), "/2.xml": reply})
    crawls.run("refresh", pdf=pdf, gone="drop")
    assert order(pdf, site) == ["d", "a", "b", "c"]
    site.update({"/index.xml": reply})
    done = crawls.run("refresh", pdf=pdf, gone="drop")
    assert (done.status, order(pdf, site)) == (0, ["d", "a", "b", "c"])


# Unfinished work


@pytest.mark.crash
def test_a_capture_of_a_sitemap_that_is_killed_goes_on(site: SiteServer, tmp_path: Path) -> None:
    site.update({"/sitemap.xml": sitemap(*(site.url(f"/{name}") for name in ("b", "missing", *NAMES)))})
    settings = {"WEBCAPTURE_BATCH_PAGES": 2, "WEBCAPTURE_FIXED_TIME": FIXED_TIME}
    given = {"sitemap": site.url("/sitemap.xml"), "deny": "/f$"}
    whole, path = tmp_path / "whole.pdf", tmp_path / "site.pdf"
    assert capture(None, whole, settings, **given).status == 0
    command = crawl_arguments(None, path, settings, **given)
    assert dying("after a checkpoint", 2, *command).status == -signal.SIGKILL
    assert not path.exists()
    other = capture(None, path, settings, **{**given, "deny": "/e$"})
    assert "holds the unfinished work of another command" in other.problem
    site.update({"/sitemap.xml": None})  # it was read, and is not asked for again
    assert capture(None, path, settings, **given).status == 0
    for asked in (["list"], ["why", site.url("/missing")], ["why", site.url("/f")]):
        subcommand, *url = asked
        assert (
            webcapture(subcommand, path, *url, "--json").output == webcapture(subcommand, whole, *url, "--json").output
        )
