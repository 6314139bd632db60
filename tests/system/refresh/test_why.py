"""``scrapy webcapture why``: its answers for each URL of a site, and the records of skipped pages."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from tests.support import pdf_samples
from tests.support.crawls import FIXED_TIME, Archive, captured, run, tree, webcapture
from tests.support.http_server import Reply, Site, SiteServer, page, redirect
from tests.support.pictures import grey_png
from tests.system.refresh.crawling import Crawls
from wcspider.archive.check.checker import check_file
from wcspider.report.status.status_page import collect_status
from wcspider.report.status.status_rows import State

SITE: Site = {
    "/robots.txt": Reply(b"User-agent: *\nDisallow: /staff/", content_type="text/plain"),
    "/docs/": page(
        "<title>start</title><a href=a>a</a> <a href=gone>gone</a> <a href=archive.zip>zip</a> <a href=hop>hop</a>"
        "<a href=/staff/rota>staff</a> <a href=hidden rel=nofollow>hidden</a> <a href=/other/>other</a>"
        "<a href=http://127.0.0.2:9/>away</a> <a href=print/a>print</a> <a href=lost>lost</a> <a href=out>out</a>"
        "<a href=x/x/x/x/x/x>trap</a> <a href=empty-named>named</a>"
    ),
    "/docs/a": page("<title>a</title><a href=b>b</a> <img src=/red.png> page a"),
    "/docs/b": page("<title>b</title><a href=deep>deep</a> page b"),
    "/docs/hop": redirect("/docs/hop2"),
    "/docs/hop2": redirect("/docs/c"),
    "/docs/c": page("<title>c</title>page c"),
    "/docs/lost": redirect("/docs/lost2"),
    "/docs/out": redirect("/other/x"),
    "/docs/archive.zip": Reply(b"PK", content_type="application/zip"),
}
MOMENT = datetime(2026, 4, 1, tzinfo=UTC)
SETTINGS: dict[str, object] = {"ROBOTSTXT_OBEY": True, "WEBCAPTURE_FIXED_TIME": FIXED_TIME}
GIVEN = {"levels": "3", "same_path": "true", "deny": "/print/"}

HELD: dict[str, tuple[int, str | None]] = {
    "/docs/": (1, None),
    "/docs/a": (2, "/docs/"),
    "/docs/b": (3, "/docs/a"),
    "/docs/c": (2, "/docs/"),
    "/docs/hop": (2, "/docs/"),
    "/docs/hop2": (2, "/docs/"),
}
"""What is in the file: the level, and the page that leads there."""

LEFT_OUT: dict[str, tuple[str, str | None, list[str]]] = {
    "/docs/gone": ("HTTP 404", "/docs/", []),
    "/docs/archive.zip": ("not captured: application/zip", "/docs/", []),
    "/staff/rota": ("another path (same_path)", "/docs/", []),
    "/docs/hidden": ("its author asks robots not to follow the link (nofollow)", "/docs/", []),
    "/other/": ("another path (same_path)", "/docs/", []),
    "http://127.0.0.2:9/": ("another site (same_site)", "/docs/", []),
    "/docs/print/a": ("denied: it matches the pattern /print/ (deny)", "/docs/", []),
    "/docs/lost": ("HTTP 404", "/docs/", ["/docs/lost", "/docs/lost2"]),
    "/docs/lost2": ("HTTP 404", "/docs/", ["/docs/lost", "/docs/lost2"]),
    "/docs/out": ("redirected out of scope", "/docs/", ["/docs/out", "/other/x"]),
    "/docs/x/x/x/x/x/x": ("a path that repeats a segment more than 4 times", "/docs/", []),
    "/docs/deep": ("it is deeper than the levels of the command", "/docs/b", []),
    "/docs/never": ("no page in the file links to it", None, []),
    "/never": ("no page in the file links to it", None, []),
}
"""What is not: the reason, the page that leads there, and the redirections."""


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    with SiteServer(SITE) as running:
        yield running


@pytest.fixture(scope="module")
def pdf(site: SiteServer, crawls: Crawls, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("why") / "site.pdf"
    assert crawls.run("capture", SETTINGS, url=site.url("/docs/"), pdf=path, **GIVEN).status == 0
    assert list(check_file(path)) == []
    return path


@pytest.fixture(scope="module")
def answers(site: SiteServer, pdf: Path) -> dict[str, tuple[int, dict[str, Any]]]:
    """The exit status and the JSON for each path."""
    paths = [*HELD, *LEFT_OUT]
    urls = [path if "://" in path else site.url(path) for path in paths]
    runs = [webcapture("why", pdf, url, "--json") for url in urls]
    return {path: (run.status, json.loads(run.output)) for path, run in zip(paths, runs, strict=True)}


def full(site: SiteServer, path: str | None) -> str | None:
    return None if path is None else path if "://" in path else site.url(path)


@pytest.mark.parametrize("path", HELD)
def test_what_is_in_the_file(path: str, site: SiteServer, answers: dict[str, tuple[int, dict[str, Any]]]) -> None:
    status, said = answers[path]
    level, referrer = HELD[path]
    assert (status, said["in_file"], said["reason"]) == (0, True, None)
    assert (said["met"]["command"], said["met"]["level"]) == (0, level)
    assert said["met"]["linked_from"] == full(site, referrer)
    way = [site.url(f"/docs/{name}") for name in ("hop", "hop2", "c")]
    [found] = said["pages"]
    assert found["redirects"] == (way[way.index(said["url"]) :] if "hop" in path else [])


@pytest.mark.parametrize("path", LEFT_OUT)
def test_what_is_not(path: str, site: SiteServer, answers: dict[str, tuple[int, dict[str, Any]]]) -> None:
    status, said = answers[path]
    reason, referrer, way = LEFT_OUT[path]
    assert (status, said["in_file"], said["pages"], said["reason"]) == (1, False, [], reason)
    assert (said["met"] and said["met"]["linked_from"]) == full(site, referrer)
    assert said["redirects"] == [site.url(hop) for hop in way]
    refused = {"/docs/never": "would capture it if a page linked to it", "/never": "another path (same_path)"}
    assert said["commands"] == ([{"reason": refused[path], "commands": [0]}] if path in refused else [])


def test_in_words(site: SiteServer, pdf: Path) -> None:
    url = site.url
    command = f"command 0 ({url('/docs/')}, levels 3)"
    expected = {
        "/docs/hop": f"{url('/docs/c')} -> ",
        "/docs/gone": f"{url('/docs/gone')} is not in the file: HTTP 404\n"
        f"    {command}, level 2: {url('/docs/')} links to it\n",
        "/docs/lost": f"{url('/docs/lost')} is not in the file: HTTP 404\n"
        f"    it redirects: {url('/docs/lost')} -> {url('/docs/lost2')}\n"
        f"    {command}, level 2: {url('/docs/')} links to it\n",
        "/docs/": f"{url('/docs/')} is in the file, page 1, as of {FIXED_TIME}\n"
        f"    {command}, level 1: it is the URL of the command\n",
        "/never": f"{url('/never')} is not in the file: no page in the file links to it\n"
        "    command 0: another path (same_path)\n",
    }
    expected["/docs/hop"] = (
        f"{url('/docs/hop')} is in the file, page 3, as of {FIXED_TIME}\n"
        f"    it redirects: {url('/docs/hop')} -> {url('/docs/hop2')} -> {url('/docs/c')}\n"
        f"    {command}, level 2: {url('/docs/')} links to it\n"
    )
    runs = [webcapture("why", pdf, url(path)) for path in expected]
    assert [run.output for run in runs] == list(expected.values())


def records(path: Path) -> dict[str, str]:
    """The URLs and reasons of the records in a file, read without our own code."""
    with Archive(path) as archive:
        root = archive.pdf.Root.Names.get("/WCSP_Omitted")
        return {} if root is None else {key.decode(): str(value.Reason) for key, value in tree(root)}


def test_a_page_that_was_left_out_is_counted_once(crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    steps = {f"/steps/{number}": redirect(f"/steps/{number - 1}") for number in range(1, 31)}
    links = "".join(
        f"<a href={path}>x</a> " for path in ("/loop/1", "/steps/30", "/steps/28", "/lost", "/b", "/a", "/c")
    )
    replies = {
        "/": page(links),
        "/loop/1": redirect("/loop/2"),
        "/loop/2": redirect("/loop/1"),
        "/lost": redirect("/b"),
        "/c": page("page c"),
        **steps,
    }
    with SiteServer(replies) as site:
        done = crawls.run("capture", SETTINGS, url=site.url(), levels="2", pdf=path)
        left_out = [url.partition(" ")[0] for urls in done.left_out.values() for url in urls]
        assert sorted(records(path)) == sorted(left_out)
        assert sorted(left_out) == sorted(map(site.url, ("/loop/1", "/steps/30", "/steps/28", "/lost", "/a", "/b")))
        assert f"skipped: {len(left_out)} pages" in webcapture("list", path).output
        said = {url: json.loads(webcapture("why", path, site.url(url), "--json").output) for url in HOPS}
        assert {url: (found["reason"], found["redirects"][:2]) for url, found in said.items()} == {
            url: (reason, [site.url(hop) for hop in way]) for url, (reason, way) in HOPS.items()
        }
        site.update({"/steps/0": page("the last step")})
        crawls.run("capture", SETTINGS, url=site.url("/steps/3"), pdf=path)
        found = json.loads(webcapture("why", path, site.url("/steps/2"), "--json").output)
        assert (found["in_file"], found["reason"]) == (True, None)


HOPS: dict[str, tuple[str, list[str]]] = {
    "/loop/2": ("redirect loop", ["/loop/1", "/loop/2"]),
    "/steps/29": ("too many redirects", ["/steps/30", "/steps/29"]),
    "/b": ("HTTP 404", []),
    "/lost": ("HTTP 404", ["/lost", "/b"]),
}
"""Why URLs on the way of redirections are not in the file, and how that begins."""


def test_robots(site: SiteServer, crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    crawls.run("capture", SETTINGS, url=site.url("/docs/"), levels="2", pdf=path)
    assert records(path)[site.url("/staff/rota")] == "forbidden by robots.txt"
    assert "forbidden by robots.txt" in webcapture("why", path, site.url("/staff/rota")).output


def test_what_a_sitemap_lists(crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    with SiteServer({"/a": page("page a")}) as site:
        entries = [("/a", "2026"), ("/old", "2025"), ("/lost", "")]
        rows = [f"<url><loc>{path}</loc><lastmod>{date}</lastmod></url>" for path, date in entries]
        site.update({"/map.xml": Reply(f"<urlset>{''.join(rows)}</urlset>".encode(), content_type="text/xml")})
        crawls.run("capture", sitemap=site.url("/map.xml"), since="2026", pdf=path)
        paths = ("/a", "/old", "/lost", "/map.xml")
        runs = [webcapture("why", path, site.url(name), "--json") for name in paths]
        command = site.url("/map.xml")
    said = [json.loads(run.output) for run in runs]
    assert [found["reason"] for found in said] == [
        None,
        "in a sitemap: last changed before the date of since",
        "HTTP 404",
        "it is a sitemap, which lists pages but is not a page",
    ]
    assert [(found["met"]["level"], found["met"]["sitemap"], found["met"]["linked_from"]) for found in said] == [
        (2, True, command),
        (2, True, command),
        (2, True, command),
        (1, False, None),
    ]


@pytest.mark.parametrize("refreshed", [False, True], ids=["captured", "refreshed"])
def test_a_sitemap_that_another_leads_to(refreshed: bool, crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    with SiteServer({"/a": page("page a")}) as site:
        index = f"<sitemapindex><sitemap><loc>{site.url('/2.xml')}</loc></sitemap></sitemapindex>"
        pages = f"<urlset><url><loc>{site.url('/a')}</loc></url></urlset>"
        replies = {"/robots.txt": f"Sitemap: {site.url('/1.xml')}", "/1.xml": index, "/2.xml": pages}
        site.update({name: Reply(text.encode(), content_type="text/plain") for name, text in replies.items()})
        crawls.run("capture", sitemap=site.url("/robots.txt"), pdf=path)
        if refreshed:  # what cannot be read now is what it was
            site.update({"/1.xml": Reply(status=500)})
            crawls.run("refresh", pdf=path)
        names = (["/1.xml"] if not refreshed else []) + ["/2.xml", "/robots.txt", "/a", "/3.xml"]
        said = {name: json.loads(webcapture("why", path, site.url(name), "--json").output) for name in names}
        reasons = [found["reason"] for found in said.values()]
        assert reasons == [*[NO_PAGE] * (len(names) - 2), None, "no page in the file links to it"]
        assert said["/2.xml"]["met"]["linked_from"] == site.url("/robots.txt")
        assert said["/robots.txt"]["met"]["linked_from"] is None


NO_PAGE = "it is a sitemap, which lists pages but is not a page"


def test_nofollow_that_was_followed(crawls: Crawls, tmp_path: Path) -> None:
    with SiteServer(
        {"/": page("<a href=/a rel=nofollow>a</a>"), "/a": page("<a href=/b>b</a>"), "/b": page("b")}
    ) as site:
        path = tmp_path / "site.pdf"
        crawls.run("capture", {"WEBCAPTURE_FOLLOW_NOFOLLOW": True}, url=site.url(), levels="3", pdf=path)
        said = json.loads(webcapture("why", path, site.url("/b"), "--json").output)
        assert (said["met"]["level"], said["met"]["linked_from"]) == (3, site.url("/a"))


def test_images_without_an_image_set(tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    replies = {
        "/": page("<img src=/torn.png><img src=/drawn.svg>home"),
        "/torn.png": Reply(b"not a picture", content_type="image/png"),
        "/drawn.svg": Reply(b"<svg xmlns='http://www.w3.org/2000/svg'/>", content_type="image/svg+xml"),
    }
    with SiteServer(replies) as site:
        assert captured(site.url(), path).status == 0
        torn, drawn = (webcapture("why", path, site.url(name)) for name in ("/torn.png", "/drawn.svg"))
        use = f"an image of {site.url()} (page 1)"
        reason = f"is not in the file: it is {use} that is not shown: an image cannot be read"
        assert (torn.status, torn.output) == (1, f"{site.url('/torn.png')} {reason}\n")
        assert (drawn.status, drawn.output) == (0, f"{site.url('/drawn.svg')} is in the file as {use}\n")


@pytest.mark.parametrize(
    "marked",
    [
        page("<meta name=robots content=nofollow><a href=/a>a</a>"),
        page("<meta name=robots content=none><a href=/a>a</a>"),
        page("<a href=/a>a</a>", headers={"X-Robots-Tag": "nofollow"}),
    ],
    ids=["nofollow", "none", "header"],
)
def test_the_links_of_a_page_that_asks_not_to_follow_them(crawls: Crawls, tmp_path: Path, marked: Reply) -> None:
    path, followed = tmp_path / "site.pdf", tmp_path / "followed.pdf"
    with SiteServer({"/": marked, "/a": page("a")}) as site:
        for spider, arguments in (("capture", {"url": site.url(), "levels": 2}), ("refresh", {})):
            assert crawls.run(spider, pdf=path, **arguments).status == 0
            assert "/a" not in site.paths()
            said = webcapture("why", path, site.url("/a")).output
            assert "is not in the file: its author asks robots not to follow the link (nofollow)" in said
            assert f"{site.url()} links to it" in said
        settings = {"WEBCAPTURE_FOLLOW_NOFOLLOW": True}
        assert crawls.run("capture", settings, pdf=followed, url=site.url(), levels=2).status == 0
        assert "/a" in site.paths()


def test_a_dropped_page_is_in_an_earlier_revision(crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    with SiteServer({"/": page("<a href=/a>a</a>"), "/a": page("a")}) as site:
        assert crawls.run("capture", url=site.url(), pdf=path, levels=2).status == 0
        site.update({"/a": None})
        for gone in ("keep", "drop", "keep"):
            assert crawls.run("refresh", pdf=path, gone=gone, force="true").status == 0
        first, *rest = webcapture("why", path, site.url("/a")).output.splitlines()
        assert first == f"{site.url('/a')} is not in the file: HTTP 404"
        assert "    revisions 1 to 2 have the page; a refresh dropped it in revision 3" in rest
        found = json.loads(webcapture("why", path, site.url("/a"), "--json").output)
        assert found["earlier"] == {"revisions": [1, 2], "run": "refresh"}
        assert json.loads(webcapture("why", path, site.url("/b"), "--json").output)["earlier"] is None


def test_the_patterns_that_exclude_a_url(crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    with SiteServer({"/": page("<a href=/a>a</a>"), "/a": page("a")}) as site:
        assert crawls.run("capture", url=site.url(), pdf=path, levels=2, allow="/b|/c$", deny="/c").status == 0
        for name, reason in {
            "/a": "is not in the file: not allowed: it does not match the pattern /b|/c$ (allow)",
            "/c": "command 0: denied: it matches the pattern /c (deny)",
        }.items():
            assert reason in webcapture("why", path, site.url(name)).output


def test_what_is_captured_leaves_the_records(crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    with SiteServer({"/": page("<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>"), "/c": page("page c")}) as site:
        url = site.url
        crawls.run("capture", url=url(), levels="2", pdf=path)
        assert records(path) == {url("/a"): "HTTP 404", url("/b"): "HTTP 404"}
        assert "skipped: 2 pages" in webcapture("list", path).output
        site.update({"/a": page("page a"), "/b": Reply(b"", status=410), "/c": None})
        crawls.run("refresh", pdf=path)
        assert records(path) == {url("/b"): "HTTP 410", url("/c"): "HTTP 404"}
        said = webcapture("why", path, url("/c"))
        assert said.status == 0
        assert "and gone since" in said.output
        assert "it is gone from the site: HTTP 404" in said.output
        site.update({"/": page("<a href=/a>a</a>"), "/b": page("page b")})
        crawls.run("refresh", pdf=path, gone="drop")
        assert records(path) == {url("/c"): "no longer linked"}
        crawls.run("capture", url=url("/b"), pdf=path)
        crawls.run("capture", url=f"{url('/d')},{url('/a')}", pdf=path)
        assert records(path) == {url("/c"): "no longer linked", url("/d"): "HTTP 404"}


def test_records_are_bounded_and_do_not_depend_on_the_network(crawls: Crawls, tmp_path: Path) -> None:
    links = "".join(f"<a href=/{number}>x</a> <a href=/{number}/{'y/' * 6}>y</a>" for number in range(20))
    replies: Site = {
        "/": page(links),
        **{f"/{number}": page(f"<title>{number}</title>page {number} {links}") for number in range(0, 20, 3)},
        **{f"/{number}": redirect(f"/{number + 1}") for number in range(1, 20, 3)},
    }
    settings: dict[str, object] = {"WEBCAPTURE_FIXED_TIME": FIXED_TIME, "WEBCAPTURE_BATCH_PAGES": 2}
    files = []
    with SiteServer(replies) as site:
        for seed in (1, 2, 3):
            files.append(tmp_path / f"{seed}.pdf")
            delays = random.Random(seed)
            site.update({path: replace(reply, delay=delays.random() / 20) for path, reply in replies.items()})
            crawls.run("capture", settings, url=site.url(), levels="3", pdf=files[-1])
        bounded = tmp_path / "bounded.pdf"
        crawls.run("capture", {**settings, "WEBCAPTURE_MAX_OMITTED": 5}, url=site.url(), levels="3", pdf=bounded)
    assert len({path.read_bytes() for path in files}) == 1
    every = records(files[0])
    assert len(every) == 33
    kept = records(bounded)
    assert len(kept) == 5
    assert kept.items() <= every.items()
    with Archive(bounded) as archive:
        assert archive.pdf.Root.WCSP_History[0].Omitted == 33


def test_optimize_keeps_the_records(pdf: Path, tmp_path: Path) -> None:
    output = tmp_path / "small.pdf"
    assert webcapture("optimize", pdf, "-o", output).status == 0
    assert records(output) == records(pdf) != {}
    assert list(check_file(output)) == []


def test_a_file_that_is_optimized_or_merged_stays_incomplete(pdf: Path, tmp_path: Path) -> None:
    assert webcapture("optimize", pdf, "-o", tmp_path / "optimized.pdf").status == 0
    assert webcapture("merge", tmp_path / "merged.pdf", pdf).status == 0
    shown = f"{len(records(pdf))} pages were skipped"
    rows = collect_status(tmp_path, None, MOMENT).files
    assert [(row.state, row.problem) for row in rows] == [(State.INCOMPLETE, shown)] * 2


def test_resources_of_pages(crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    sheet = Reply(b"p { color: red }", content_type="text/css")
    lost = "<img src=/lost.png><link rel=stylesheet href=/lost.css>"
    replies = {
        "/": page(f"<link rel=stylesheet href=/x.css>{lost}<p>hello <a href=/a>a</a>"),
        "/a": page("<img src=/lost.png><img src=/red.png>page a"),
        "/x.css": sheet,
        "/red.png": Reply(grey_png(40, 40, 60), content_type="image/png"),
    }
    names = ("x.css", "red.png", "lost.png", "lost.css", "never.png")
    with SiteServer(replies) as site:
        crawls.run("capture", url=site.url(), levels="2", pdf=path)
        url = site.url
        said = {name: webcapture("why", path, url(f"/{name}")) for name in names}
        described = json.loads(webcapture("why", path, url("/lost.png"), "--json").output)
    assert {name: (run.status, run.output.splitlines()[0].removeprefix(url("/"))) for name, run in said.items()} == {
        "x.css": (0, f"x.css is in the file as a style sheet of {url()} (page 1)"),
        "red.png": (0, f"red.png is in the file as an image of {url('/a')} (page 2), shown on 1 page"),
        "lost.png": (
            1,
            f"lost.png is not in the file: it is an image of {url()} (page 1) and of 1 other page that could not be "
            "fetched: HTTP 404",
        ),
        "lost.css": (
            1,
            f"lost.css is not in the file: it is a style sheet of {url()} (page 1) that could not be fetched: HTTP 404",
        ),
        "never.png": (1, "never.png is not in the file: no page in the file links to it"),
    }
    assert described["resource"] == {
        "kind": "image",
        "pages": [{"page": 1, "url": url()}, {"page": 2, "url": url("/a")}],
    }


def test_a_login_is_no_part_of_what_is_asked(site: SiteServer, pdf: Path) -> None:
    asked = [site.url(path).replace("://", "://me:secret@") for path in ("/docs/", "/docs/gone")]
    said = [webcapture("why", pdf, url) for url in asked]
    assert [run.status for run in said] == [0, 1]
    assert "HTTP 404" in said[1].output
    assert not any("secret" in run.output for run in said)


def _no_links(root: pikepdf.Object) -> None:
    root.SpiderInfo.C[0].WCSP_Sitemap = True
    root.SpiderInfo.C[0].WCSP_Links = 5


DAMAGES: dict[str, Callable[[pikepdf.Object], None]] = {
    "no-links": _no_links,
    "no-pattern": lambda root: root.SpiderInfo.C[0].__setattr__("WCSP_Allow", pikepdf.String("(")),
    "no-records": lambda root: root.Names.__setattr__("WCSP_Omitted", pikepdf.Array([1])),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_with_entries_that_are_none(damage: str, site: SiteServer, pdf: Path, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    with pikepdf.open(pdf) as opened:
        DAMAGES[damage](opened.Root)
        opened.save(path)
    said = [webcapture("why", path, site.url(url)) for url in ("/docs/", "/docs/never")]
    assert [run.status for run in said] == [0, 1]


NO_ITEM = "the spider of another project captured the file and yielded no item for it (its log says why)"

ITEMS = """
from scrapy import Spider
from wcspider.items import CaptureItem


class ItemsSpider(Spider):
    name = "items"

    def parse(self, response):
        yield CaptureItem.from_response(response)
        if response.url.endswith("/"):
            yield response.follow("/broken.pdf")
"""


def test_a_file_of_another_projects_spider(tmp_path: Path) -> None:
    path, spider = tmp_path / "site.pdf", tmp_path / "own.py"
    broken = Reply(b"%PDF-1.7 and no more", content_type="application/pdf")
    with SiteServer({"/": page("<a href=/a>a</a> <a href=/broken.pdf>b</a>"), "/broken.pdf": broken}) as site:
        spider.write_text(f"{ITEMS}\n    start_urls = [{site.url()!r}]\n")
        settings = ("-s", f"WEBCAPTURE_PDF={path}", "-s", "WEBCAPTURE_WORKERS=1", "-s", "ROBOTSTXT_OBEY=False")
        done = run("runspider", spider, *settings)
        assert done.status == 0, done.log
        [[reason, left_out]] = done.left_out.items()
        assert left_out == [site.url("/broken.pdf")]
        assert records(path) == {site.url("/broken.pdf"): reason}
        said = [webcapture("why", path, site.url(name)).output for name in ("/a", "/never", "/broken.pdf")]
        assert said == [
            f"{site.url('/a')} is not in the file: {NO_ITEM}\n    {site.url()} links to it\n",
            f"{site.url('/never')} is not in the file: no page in the file links to it\n",
            f"{site.url('/broken.pdf')} is not in the file: {reason}\n",
        ]
        found = json.loads(webcapture("why", path, site.url("/a"), "--json").output)
        assert (found["met"]["command"], found["met"]["linked_from"]) == (None, site.url())


def test_a_file_of_another_program_does_not_know_its_links(tmp_path: Path) -> None:
    path = pdf_samples.acrobat_pdf(tmp_path / "acrobat.pdf")
    said = webcapture("why", path, "http://example.com/never")
    assert said.output.startswith(
        "http://example.com/never is not in the file: the links of the pages are not recorded in the file\n"
    )


def test_what_is_no_url(pdf: Path) -> None:
    said = webcapture("why", pdf, "mailto:me")
    assert said.status == 2
    assert "give an absolute http, https, ftp or file URL" in said.log


@pytest.mark.parametrize("spider", ["refresh", "capture"])
def test_a_page_of_the_file_that_cannot_be_fetched_again_is_recorded(
    crawls: Crawls, server: Any, tmp_path: Path, spider: str
) -> None:
    path = tmp_path / "site.pdf"
    home = page("<title>home</title><a href=/a>a</a> <a href=/hop>hop</a>")
    site = server({"/": home, "/a": page("<p>a"), "/hop": redirect("/b"), "/b": page("<p>b")})
    days = [{"WEBCAPTURE_FIXED_TIME": f"2026-03-0{day}T12:00:00Z"} for day in range(1, 5)]
    assert crawls.run("capture", days[0], url=site.url(), pdf=path, levels=2).status == 0
    site.update({"/a": Reply(status=500), "/b": Reply(status=503)})
    again = {} if spider == "refresh" else {"url": site.url(), "levels": 2}
    assert crawls.run(spider, days[1], pdf=path, **again).status == 0
    assert list(check_file(path)) == []
    rows = {row["url"]: row for row in json.loads(webcapture("omitted", path, "--json").output)["omitted"]}
    assert {url: (row["reason"], row["time"], row["redirects"]) for url, row in rows.items()} == {
        site.url("/a"): ("HTTP 500", "2026-03-02T12:00:00Z", []),
        site.url("/hop"): ("HTTP 503", "2026-03-02T12:00:00Z", [site.url("/hop"), site.url("/b")]),
    }
    told = webcapture("why", path, site.url("/a")).output.splitlines()
    assert told[0].startswith(f"{site.url('/a')} is in the file, page 2, as of 2026-03-01")
    assert told[1] == "    the last attempt to fetch it failed: HTTP 500"
    assert "    the last attempt to fetch it failed: HTTP 503" in webcapture("why", path, site.url("/b")).output
    [row] = collect_status(tmp_path, None, MOMENT).files
    assert (row.state, row.problem) == (State.INCOMPLETE, "2 pages could not be fetched at the last attempt")
    site.update({"/a": page("<p>a"), "/b": page("<p>b")})
    assert crawls.run("capture", days[2], url=site.url("/a"), pdf=path).status == 0
    assert set(omitted(path)) == {site.url("/hop")}
    assert crawls.run("refresh", days[3], pdf=path).status == 0
    assert omitted(path) == []
    [row] = collect_status(tmp_path, None, MOMENT).files
    assert (row.state, row.problem) == (State.GOOD, "")


def omitted(path: Path) -> list[str]:
    """Return the URLs of the skipped pages that a file records."""
    return [row["url"] for row in json.loads(webcapture("omitted", path, "--json").output)["omitted"]]
