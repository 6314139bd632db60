"""The effects of the arguments and settings of ``scrapy crawl capture``, from the command line to the file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.crawls import (
    FIXED_TIME,
    ROOT,
    Archive,
    Run,
    capture,
    captured,
    crawl_arguments,
    drawn_images,
    plain,
    run,
    tool,
    webcapture,
)
from tests.support.http_server import Reply, SiteServer, page, redirect
from tests.support.pictures import grey_png
from wcspider.exceptions import SettingError

NAMED = "<title>{0}</title><p>text of {0} "


def _page(name: str, html: str = "") -> Reply:
    return page(NAMED.format(name) + html)


@pytest.fixture(scope="module")
def other() -> Iterator[SiteServer]:
    """Another site."""
    with SiteServer({"/": _page("other"), "/logo.png": Reply(grey_png(2, 2, 9), content_type="image/png")}) as server:
        yield server


@pytest.fixture(scope="module")
def running(other: SiteServer) -> Iterator[SiteServer]:
    """A site for all tests of this file."""
    away = other.url().replace("127.0.0.1", "localhost")
    site = {
        "/": _page("start", "<img src=/logo.png> <a href=/one>1</a>"),
        "/one": _page("one", "<a href=/two>2</a>"),
        "/two": _page("two", "<a href=/three>3</a>"),
        "/three": _page("three"),
        "/logo.png": Reply(grey_png(6, 4, 50), content_type="image/png"),
        "/away.png": redirect(f"{away}logo.png"),
        "/ask": page(NAMED.format("asked"), headers={"Cache-Control": "no-store"}),
        "POST /ask": _page("answer", "<a href=/three>3</a>"),
        "/docs/a/start": _page("docs", f"<a href=inner>inner</a> <a href=/docs/b>b</a> <a href={away}>away</a> "
                                       "<a href=/leaves>leaves</a> <img src=/away.png>"),
        "/docs/a/inner": _page("inner"),
        "/docs/b": _page("b"),
        "/leaves": redirect(away),
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /closed\n", content_type="text/plain"),
        "/marked": _page("marked", "<a href=/closed/page>closed</a> <a rel='nofollow x' href=/advert>advert</a>"),
        "/closed/page": _page("closed"),
        "/advert": _page("advert", "<meta name=robots content='NOINDEX, NoFollow'><a href=/behind>behind</a>"),
        "/behind": _page("behind"),
        "/dates": _page("dates", "".join(f"<a href=/{name}>x</a>" for name in DATES)),
        **{f"/{name}": page(NAMED.format(name), headers=headers) for name, (headers, _) in DATES.items()},
        "/look": _page("look", "<link rel=stylesheet media=screen href=/screen.css><div class=s>only on screens</div>"
                               "<style>@media print { .s { display: none } }</style><img src=/logo.png>"),
        "/screen.css": Reply(b"p { color: red }", content_type="text/css"),
        "/hangs": _page("hangs", "<style>p { color: red }</style><p>hang with styles, but not without"),
        "/crashes": _page("crashes", "<p>crash, whatever is tried"),
        "/faults": _page("faults", "<a href=/hangs>1</a> <a href=/crashes>2</a> <a href=/one>3</a>"),
    }  # fmt: skip
    with SiteServer(site) as server:
        yield server


@pytest.fixture
def site(running: SiteServer) -> SiteServer:
    """The site, with no requests so far."""
    running.forget()
    return running


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """A file that is not there yet."""
    return tmp_path / "site.pdf"


DATES: dict[str, tuple[dict[str, str], str | None]] = {
    "max-age": ({"Cache-Control": "public, max-age=60"}, "D:20260301120100Z"),
    "both": ({"Cache-Control": "max-age=60", "Expires": "Tue, 01 Jan 2036 00:00:00 GMT"}, "D:20260301120100Z"),
    "expires": ({"Expires": "Tue, 01 Jan 2036 00:00:00 GMT"}, "D:20360101000000Z"),
    "aged": ({"Cache-Control": "max-age=60", "Age": "20"}, "D:20260301120040Z"),
    "zero": ({"Expires": "0"}, None),  # no date, so it says nothing
    "modified": ({"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, None),  # nothing is guessed
    "no-store": ({"Cache-Control": "no-store"}, None),
    "silent": ({}, None),
}
"""Headers of an answer fetched at `FIXED_TIME`, and the E entry that they give."""


# Which pages


@pytest.mark.parametrize(("levels", "pages"), [(None, ["/"]), (3, ["/", "/one", "/two"])])
def test_levels(site: SiteServer, pdf: Path, levels: int | None, pages: list[str]) -> None:
    captured(site.url(), pdf, levels=levels)
    with Archive(pdf) as archive:
        assert archive.order(site.url("")) == pages
        assert (levels or 1) == archive.commands[0].L


def test_several_urls_are_commands_of_one_run(site: SiteServer, other: SiteServer, pdf: Path) -> None:
    """A page belongs to the command that reached it first in reading order."""
    urls = [site.url("/one"), other.url(), site.url(), site.url("/leaves")]
    run = captured(",".join([*urls, site.url("/one#twice")]), pdf, levels=2)
    [reason] = run.left_out
    assert reason.endswith(" out of scope (capture that URL, or add same_site=false)")
    away = other.url().replace("127.0.0.1", "localhost")
    assert run.left_out == {reason: [f"{site.url('/leaves')} -> {away}"]}
    with Archive(pdf) as archive:
        assert [str(command.URL) for command in archive.commands] == urls
        assert {found.urls[0]: found.sources[0].command for found in archive.page_sets} == {
            site.url("/one"): 0,
            other.url(): 1,
            site.url(): 2,
            site.url("/two"): 0,
        }
        assert len({command.S.objgen for command in archive.commands}) == 1
    assert site.paths().count("/one") == 1


def test_same_site_unless_told_otherwise(site: SiteServer, other: SiteServer, pdf: Path) -> None:
    run = captured(site.url("/docs/a/start"), pdf, levels=2)
    with Archive(pdf) as archive:
        assert archive.order(site.url("")) == ["/docs/a/start", "/docs/a/inner", "/docs/b"]
        assert archive.commands[0].F == 1
    away = other.url().replace("127.0.0.1", "localhost")
    assert run.left_out == {"redirected out of scope": [f"{site.url('/leaves')} -> {away}"]}
    # What a page shows may come from anywhere.
    assert run.section("Resources skipped") == {}


def test_a_page_in_the_file_is_not_explained_by_a_redirect_to_it(
    site: SiteServer, other: SiteServer, pdf: Path
) -> None:
    away = other.url().replace("127.0.0.1", "localhost")
    captured(away, pdf, {"WEBCAPTURE_FIXED_TIME": "2026-03-01"})
    captured(site.url("/docs/a/start"), pdf, {"WEBCAPTURE_FIXED_TIME": "2026-03-02"}, levels=2)
    explained = webcapture("why", pdf, away)
    assert explained.status == 0
    assert "out of scope" not in explained.output
    left_out = webcapture("why", pdf, site.url("/leaves"))
    assert f"{site.url('/leaves')} -> {away}" in left_out.output


def test_same_path(site: SiteServer, pdf: Path) -> None:
    captured(site.url("/docs/a/start"), pdf, levels=2, same_path="true")
    with Archive(pdf) as archive:
        assert archive.order(site.url("")) == ["/docs/a/start", "/docs/a/inner"]
        assert archive.commands[0].F == 3


def test_any_site(site: SiteServer, other: SiteServer, pdf: Path) -> None:
    headers = json.dumps({"X-Token": "for this host"})
    run = captured(site.url("/docs/a/start"), pdf, levels=2, same_site="false", headers=headers)
    away = other.url().replace("127.0.0.1", "localhost")
    with Archive(pdf) as archive:
        assert archive.order("") == [*(site.url(f"/docs/{path}") for path in ("a/start", "a/inner", "b")), away]
        assert archive.page_set(away).sources[0].chains == ((site.url("/leaves"),),)
        assert "/F" not in archive.commands[0] or archive.commands[0].F == 0
    assert run.left_out == {}
    # Headers are for the host of the command, not for those that links and redirections lead to.
    assert {request.headers.get("x-token") for request in site.requests} == {"for this host"}
    assert not any("x-token" in request.headers for request in other.requests)


def test_a_feed_of_the_captured_pages(site: SiteServer, pdf: Path, tmp_path: Path) -> None:
    feed = tmp_path / "pages.csv"
    done = run(*crawl_arguments(site.url(), pdf, levels=2), "-O", feed)
    assert (done.status, done.messages("ERROR")) == (0, [])
    with feed.open(encoding="utf-8", newline="") as file:
        pages = list(csv.DictReader(file))
    assert sorted((page["url"], page["title"]) for page in pages) == [(site.url(), "start"), (site.url("/one"), "one")]


def test_robots_and_nofollow_by_settings(site: SiteServer, pdf: Path) -> None:
    # That both are obeyed otherwise is tested by the example site.
    captured(site.url("/marked"), pdf, {"ROBOTSTXT_OBEY": False, "WEBCAPTURE_FOLLOW_NOFOLLOW": True}, levels="all")
    with Archive(pdf) as archive:
        assert archive.order(site.url("")) == ["/marked", "/closed/page", "/advert", "/behind"]


# What is asked for


def test_posted_data(site: SiteServer, pdf: Path) -> None:
    captured(site.url("/ask"), pdf, levels=2, data="q=secret-of-form&n=1")
    posted, linked = (request for request in site.requests if request.path != "/robots.txt")
    assert (posted.method, posted.path, posted.body) == ("POST", "/ask", b"q=secret-of-form&n=1")
    assert posted.headers["content-type"] == "application/x-www-form-urlencoded"
    assert (linked.method, linked.path, linked.body) == ("GET", "/three", b"")
    assert "content-type" not in linked.headers
    with Archive(pdf) as archive:
        answer = archive.page_set(site.url("/ask"))
        assert (answer.title, answer.sources[0].form, answer.sources[0].command) == ("answer", 2, 0)
        assert archive.page_set(site.url("/three")).sources[0].form == 0
        assert "/P" not in archive.commands[0]
        assert "/CT" not in archive.commands[0]
    assert b"secret-of-form" not in plain(pdf)


def test_posted_file_that_may_be_kept(site: SiteServer, pdf: Path, tmp_path: Path) -> None:
    body = b'{"q": "' + b"x" * 5000 + b'"}\xff'
    (tmp_path / "body.json").write_bytes(body)
    data, kind = f"@{tmp_path / 'body.json'}", "application/json"
    captured(site.url("/ask"), pdf, data=data, content_type=kind, keep_data="true")
    [posted] = [request for request in site.requests if request.method == "POST"]
    assert (posted.body, posted.headers["content-type"]) == (body, kind)
    with Archive(pdf) as archive:
        assert archive.commands[0].P.read_bytes() == body  # so much is a stream
        assert str(archive.commands[0].CT) == kind


def test_form_sent_by_get(site: SiteServer, pdf: Path) -> None:
    captured(site.url("/ask?q=1"), pdf, submit="true", title="Asked for")
    with Archive(pdf) as archive:
        assert (archive.page_set(site.url("/ask?q=1")).sources[0].form, archive.commands[0].F) == (1, 5)
        assert str(archive.pdf.docinfo.Title) == "Asked for"
        assert archive.page_set(site.url("/ask?q=1")).title == "asked"


def test_headers_are_sent_and_secrets_not_kept(site: SiteServer, pdf: Path) -> None:
    headers = {
        "Authorization": "Bearer secret-token",
        "Cookie": "session=secret-cookie; theme=dark",
        "X-Withheld": "secret-header",
        "From": "archive@example.com",
        "Accept-Language": "nb",
    }
    marked = "from,authorization,Cookie,Accept-Language"
    captured(site.url(), pdf, levels=2, headers=json.dumps(headers), keep_headers=marked)
    requests = {request.path: request.headers for request in site.requests}
    # A picture of a page that needs a log-in needs it as well.
    for path in ("/", "/logo.png", "/one"):
        for name, value in headers.items():
            assert requests[path].get(name.lower()) == value, (path, name)
    with Archive(pdf) as archive:
        assert bytes(archive.commands[0].H) == b"From: archive@example.com\r\nAccept-Language: nb\r\n"
    assert b"secret-" not in plain(pdf)


def test_expiry_by_what_is_said_only(site: SiteServer, pdf: Path) -> None:
    captured(site.url("/dates"), pdf, {"WEBCAPTURE_FIXED_TIME": FIXED_TIME}, levels=2)
    with Archive(pdf) as archive:
        found = {name: archive.page_set(site.url(f"/{name}")).sources[0].expires for name in DATES}
    assert found == {name: expires for name, (_, expires) in DATES.items()}


# How it looks


def test_look_by_settings(site: SiteServer, pdf: Path) -> None:
    captured(site.url("/look"), pdf)
    assert "only on screens" not in tool("pdftotext", pdf, "-")
    with Archive(pdf) as archive:
        assert list(map(float, archive.pdf.pages[0].mediabox)) == pytest.approx([0, 0, 595.28, 841.89], abs=0.01)
        assert float(archive.pdf.pages[0].PZ) == pytest.approx(4 / 3, abs=1e-3)
        image = _drawn_width(pdf)
        printed = archive.page_set(site.url("/look")).identifier
    pdf.unlink()
    look = {"PAGE_SIZE": "10cm x 20cm", "ORIENTATION": "landscape", "MARGINS": "1cm 2cm", "MEDIA": "screen", "SCALE": 2}
    captured(site.url("/look"), pdf, {f"WEBCAPTURE_{name}": value for name, value in look.items()})
    text = tool("pdftotext", "-bbox", pdf, "-")
    assert "only on screens" in tool("pdftotext", pdf, "-")
    assert min(float(part.split('"')[1]) for part in text.split() if part.startswith("xMin")) >= 2 / 2.54 * 72 - 0.1
    with Archive(pdf) as archive:
        assert list(map(float, archive.pdf.pages[0].mediabox)) == pytest.approx([0, 0, 566.93, 283.46], abs=0.01)
        assert float(archive.pdf.pages[0].PZ) == pytest.approx(2 / 3, abs=1e-3)
        assert _drawn_width(pdf) == pytest.approx(2 * image)
        assert archive.settings() == {
            "PageSize": "10cm x 20cm",
            "Orientation": "landscape",
            "Margins": "1cm 2cm",
            "Media": "screen",
            "Scale": 2.0,
            "Stamp": "none",
        }
        # The style sheet for screens is now one of its files.
        assert archive.page_set(site.url("/look")).identifier != printed
        [engine] = archive.commands[0].S.C
        assert engine.startswith("/WCSP:plutobook:")
        assert engine.endswith(":HTML")


def _drawn_width(pdf: Path) -> float:
    [(left, _, right, _)] = drawn_images(pdf, 0)
    return right - left


# Faults


def test_pages_that_hang_or_crash_cost_their_design_only(site: SiteServer, pdf: Path) -> None:
    """The engine is a real one that also fails on request (tests/faults); its processes really hang and die."""
    environment = {"PYTHONPATH": str(ROOT / "tests" / "support" / "faults")}
    settings = {"WEBCAPTURE_RENDER_TIMEOUT": 3, "WEBCAPTURE_WORKERS": 2}
    done = capture(site.url("/faults"), pdf, settings, levels=2, engine="faulty", environment=environment)
    assert done.status == 0, done.log
    assert done.left_out == {}
    assert done.section("Pages with a simpler layout") == {
        "kept as text only": [site.url("/crashes")],
        "laid out without the author's styles": [site.url("/hangs")],
    }
    with Archive(pdf) as archive:
        assert archive.order(site.url("")) == ["/faults", "/hangs", "/crashes", "/one"]
    text = tool("pdftotext", pdf, "-")
    for found in ("hang with styles, but not without", "crash, whatever is tried", "text of one"):
        assert found in text


# Mistakes

URL = "http://127.0.0.1:9/"

WRONG: list[tuple[dict[str, object], dict[str, object], str]] = [
    ({"url": None}, {}, "the argument url is missing; add -a url=URL, -a urls=FILE or -a sitemap=URL"),
    ({"pdf": None}, {}, "the argument pdf is missing; add -a pdf=FILE"),
    ({"url": "www.example.com"}, {}, "'www.example.com' .*; did you mean https://www.example.com?"),
    ({"url": "gopher://example.com/"}, {}, "'gopher://example.com/' .*; give an absolute http, https, ftp or file URL"),
    ({"level": 2}, {}, "unknown argument level of the capture spider; did you mean levels?"),
    ({"levels": 0}, {}, "levels is '0'; give a whole number from 1 up, or all"),
    ({"levels": "²"}, {}, "levels is '²'; give a whole number from 1 up, or all"),
    ({"levels": "two"}, {}, "levels is 'two'; give a whole number from 1 up, or all"),
    ({"same_site": "maybe"}, {}, "same_site is 'maybe'; give true or false"),
    ({"headers": "From: me"}, {},
     "headers is not valid JSON (Expecting value); give an object such as {\"From\": \"me\"}"),
    ({"headers": '["From"]'}, {}, "headers is not a JSON object of strings; give one such as {\"From\": \"me\"}"),
    ({"headers": '{"A": "b\\r\\nC: d"}'}, {}, "headers: the value of 'A' is not valid; "
     "remove line breaks and control characters"),
    ({"headers": '{"A B": "c"}'}, {}, "headers: 'A B' is not the name of a header; use letters, digits and hyphens"),
    ({"headers": '{"": "c"}'}, {}, "headers: '' is not the name of a header; use letters, digits and hyphens"),
    ({"keep_headers": "from"}, {}, "keep_headers names from, which is missing in headers"),
    ({"data": "@/nowhere/body"}, {}, "data: /nowhere/body: No such file or directory; name a readable file"),
    ({"content_type": "text/xml"}, {},
     "content_type is the type of posted data, but data is missing; add -a data=TEXT"),
    ({"data": "a=1", "submit": "true"}, {},
     "data means POST and submit means GET; give one of them"),
    ({"allow": "("}, {},
     "allow is not a valid regular expression: missing ), unterminated subpattern at position 0 in '('; "
     "give a Python regular expression such as /guide/|/news/"),
    ({"deny": "[a,b"}, {},
     "deny is not a valid regular expression: unterminated character set at position 0 in '[a,b'; "
     "give a Python regular expression such as /guide/|/news/"),
    ({"since": "2026"}, {}, "since and until need a sitemap, whose dates they compare; add -a sitemap=URL"),
    ({"sitemap": URL, "since": "March"}, {}, "since is 'March', which is not a date; give a date such as 2026-01-31, "
     "a month, a year, or a time such as 2026-01-31T12:00:00Z"),
    ({"sitemap": URL, "data": "a=1"}, {},
     "a sitemap cannot be requested with data or submit; remove data and submit, or sitemap"),
    ({"sitemap": "sitemap.xml"}, {}, "'sitemap.xml' .*; give an absolute http, https, ftp or file URL"),
    ({"urls": "/nowhere/urls"}, {},
     "urls: /nowhere/urls: No such file or directory; name a text file with one URL per line"),
    ({"engine": "chrome"}, {}, "unknown engine 'chrome'; the engines are: auto, plutobook, xhtml2pdf"),
    ({}, {"WEBCAPTURE_MARGIN": "1cm"},
     "unknown setting WEBCAPTURE_MARGIN; did you mean WEBCAPTURE_MARGINS?"),
    ({}, {"WEBCAPTURE_WORKERS": "many"},
     f"WEBCAPTURE_WORKERS is 'many', not a whole number; {SettingError.advice}"),
    ({}, {"WEBCAPTURE_MEDIA": "tv"}, f"WEBCAPTURE_MEDIA is 'tv', not print or screen; {SettingError.advice}"),
    ({}, {"WEBCAPTURE_MARGINS": "12cm"},
     f"WEBCAPTURE_MARGINS '12cm' leave less than 1 inch of the width of the page; {SettingError.advice}"),
]  # fmt: skip
"""Arguments and settings beside good ones, and what is said; ``.*`` stands for any text."""


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Run, Path]]:
    """The outcomes of `WRONG`, each in a folder of its own."""
    folders = [tmp_path_factory.mktemp("wrong") for _ in WRONG]
    commands = [
        crawl_arguments(**{"url": URL, "pdf": folder / "x.pdf", **given}, settings=settings)
        for (given, settings, _), folder in zip(WRONG, folders, strict=True)
    ]
    return list(zip([run(*command) for command in commands], folders, strict=True))


@pytest.mark.parametrize("index", range(len(WRONG)), ids=[case[2].partition(";")[0] for case in WRONG])
def test_mistakes_are_refused_in_one_line(refusals: list[tuple[Run, Path]], index: int) -> None:
    done, folder = refusals[index]
    start, _, end = WRONG[index][2].partition(".*")
    problem = done.problem
    assert (problem == start) if not end else (problem.startswith(start) and problem.endswith(end))
    assert done.status == 2
    assert list(folder.iterdir()) == []


def test_a_mistake_in_a_process_of_its_own(pdf: Path) -> None:
    done = capture(URL, pdf, levels="none")
    assert (done.status, done.output) == (2, "")
    assert done.problem == "levels is 'none'; give a whole number from 1 up, or all"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["crawl", "captur"], "unknown spider captur; did you mean capture?"),
        (["crawl", "somebody"], "unknown spider somebody; use one of: capture, refresh"),
        (["crawl", "capture", f"url={URL}"], f"url={URL}: -a is missing before an argument; write -a url={URL}"),
    ],
)
def test_commands_that_are_none_are_refused_in_one_line(command: list[str], said: str) -> None:
    done = run(*command)
    assert (done.status, done.problem) == (2, said)


def test_a_server_that_is_not_there_costs_a_few_lines(tmp_path: Path) -> None:
    with SiteServer({}) as server:
        url = server.url()
    done = capture(url, tmp_path / "site.pdf")
    assert done.status == 1
    assert done.summary[:2] == ["Captured no page", "Pages skipped: 1"]
    assert "ERROR: Error downloading" not in done.log
    assert "ScrapyDeprecationWarning" not in done.log
    assert done.left_out == {"connection refused": [url]}
    assert "Traceback" not in done.log


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:1", "no-such-host.invalid:8080"])
def test_a_proxy_that_cannot_be_reached_is_named_as_the_cause(proxy: str, tmp_path: Path) -> None:
    url = "http://site.test/"
    done = capture(url, tmp_path / "site.pdf", {"RETRY_TIMES": 0}, environment={"http_proxy": proxy})
    assert done.left_out == {"the proxy cannot be reached (http_proxy, https_proxy)": [url]}


def test_local_files_are_what_their_names_say(tmp_path: Path) -> None:
    """There is no server that could say it, and a page need not begin as most do."""
    start, text, xhtml, missing = (tmp_path / name for name in ("start.html", "a.txt", "b.xhtml", "no"))
    start.write_text("<title>Start</title><a href=a.txt>a</a> <a href=b.xhtml>b</a> <a href=no>no</a>")
    text.write_text("A text")
    xhtml.write_text('<html xmlns="http://www.w3.org/1999/xhtml"><head><title>B</title></head></html>')
    done = captured(start.as_uri(), tmp_path / "site.pdf", levels=2)
    assert done.left_out == {"no such file": [missing.as_uri()]}
    with Archive(tmp_path / "site.pdf") as archive:
        types = [found.content_type for found in archive.page_sets]
    assert types == ["text/html", "text/plain", "application/xhtml+xml"]
