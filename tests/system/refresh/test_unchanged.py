"""An unchanged page costs at most one conditional request, and a new date in the file."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pikepdf
import pytest

from tests.conftest import EXAMPLE_SETTINGS, ExampleCapture
from tests.support.crawls import Archive, Run, captured, tool, tree, webcapture
from tests.support.http_server import Reply, Request, Site, SiteServer, page
from tests.support.pictures import grey_png
from tests.system.refresh.crawling import Crawls, refreshed
from tests.system.refresh.state import state_of
from wcspider.archive.check.checker import check_file

PAGES = 20
LARGEST_GROWTH = 0.02
DESCRIPTION = 2500
"""Bytes of what describes the document and the run, in each revision: in a small file that is more than the dates."""

DAY = {"WEBCAPTURE_FIXED_TIME": "2026-03-02T12:00:00Z"}
NO_TIME_TO_RENDER = {"WEBCAPTURE_RENDER_TIMEOUT": 0.001}
"""A page that went to a worker would be lost."""

_STATUS = re.compile(r"'downloader/response_status_count/(\d+)': (\d+)")
_DATES = re.compile(rb"/(?:TS|E) \(D:\d{14}Z\)")


def words(number: int) -> str:
    """A text of some size, another for each page."""
    dice = random.Random(number)
    paragraphs = ("".join(dice.choices("abcdefghij     ", k=2000)) for _ in range(4))
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)


def site_of(pages: int) -> Site:
    """A site whose server gives a validator for each path, or says until when it holds."""
    links = "".join(f"<a href=/{number}>{number}</a> " for number in range(pages))
    head = '<link rel=stylesheet href="/style.css">'
    found: dict[str, Reply] = {
        "/": page(f"<title>home</title>{head}{links}", etag='"home"'),
        "/style.css": Reply(b"p { color: navy }", content_type="text/css", last_modified=f"{DATE} 12:00:00 GMT"),
        "/picture.png": Reply(grey_png(40, 30, 90), content_type="image/png", etag='"picture"'),
    }
    for number in range(pages):
        text = page(f"<title>{number}</title>{head}<img src=/picture.png>{words(number)}")
        known = replace(text, etag=f'"{number}"') if number % 2 else replace(text, last_modified=f"{DATE} 11:00:00 GMT")
        found[f"/{number}"] = known
    found["/0"] = replace(found["/0"], headers={"Cache-Control": "max-age=1000000"})
    return found


DATE = "Sat, 28 Feb 2026"


@dataclass(frozen=True)
class Unchanged:
    """A file before and after a refresh of a site that has not changed."""

    before: Path
    after: Path
    done: Run
    requests: list[Request]
    forced: list[Request]
    """The requests of another refresh, which asked for everything."""


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Unchanged:
    folder = tmp_path_factory.mktemp("unchanged")
    before, after = folder / "before.pdf", folder / "after.pdf"
    with SiteServer(site_of(PAGES)) as server:
        captured(server.url(), before, EXAMPLE_SETTINGS, levels=2)
        after.write_bytes(before.read_bytes())
        server.forget()
        done = refreshed(after, {**DAY, **NO_TIME_TO_RENDER})
        requests = server.requests
        server.forget()
        again = folder / "again.pdf"
        again.write_bytes(after.read_bytes())
        refreshed(again, {**DAY, **NO_TIME_TO_RENDER}, force="true")
        return Unchanged(before, after, done, requests, server.requests)


def test_each_request_is_conditional_and_nothing_is_downloaded(unchanged: Unchanged) -> None:
    requests = [request for request in unchanged.requests if request.path != "/robots.txt"]
    assert {"if-none-match", "if-modified-since"} >= {
        name for request in requests for name in request.headers if name.startswith("if-")
    }
    assert all("if-none-match" in entry.headers or "if-modified-since" in entry.headers for entry in requests)
    paths = [request.path for request in requests]  # "/0" holds still
    assert sorted(paths) == sorted(path for path in site_of(PAGES) if path != "/0")
    assert dict(_STATUS.findall(unchanged.done.log)) == {"304": str(len(paths) + 1), "404": "1"}  # Scrapy counts "/0"


def test_nothing_is_rendered(unchanged: Unchanged) -> None:
    assert [line for line in unchanged.done.summary if line.startswith("  ")][:6] == [
        f"  unchanged        {PAGES}",
        "  not requested    1 (not expired)",
        "  changed          0",
        "  new              0",
        "  gone             0",
        "  dropped          0",
    ]
    assert state_of(unchanged.after) == state_of(unchanged.before)


def test_the_file_grows_by_little(unchanged: Unchanged) -> None:
    before, after = unchanged.before.read_bytes(), unchanged.after.read_bytes()
    assert after.startswith(before)
    assert len(after) <= LARGEST_GROWTH * len(before) + len(before) + DESCRIPTION
    tool("qpdf", "--check", unchanged.after)
    assert list(check_file(unchanged.after)) == []


def test_only_dates_change(unchanged: Unchanged) -> None:
    with pikepdf.open(unchanged.before) as before, pikepdf.open(unchanged.after) as after:
        describing = {before.Root.objgen, before.Root.Metadata.objgen, before.trailer.Info.objgen}
        changed = [
            (old.unparse(resolved=True), new.unparse(resolved=True))
            for old, new in zip(before.objects, after.objects, strict=False)
            if isinstance(old, pikepdf.Dictionary) and old.objgen not in describing
        ]
    differing = [(_DATES.sub(b"", old), _DATES.sub(b"", new)) for old, new in changed if old != new]
    assert len(differing) >= PAGES
    assert all(old == new for old, new in differing)


def test_the_source_of_an_image_has_the_time_of_the_last_answer(unchanged: Unchanged) -> None:
    """14.10.5.1: TS is the most recent time at which the contents were known to be up to date."""
    for path, day in ((unchanged.before, b"D:20260301"), (unchanged.after, b"D:20260302")):
        with pikepdf.open(path) as pdf:
            images = [found for _, found in tree(pdf.Root.Names.IDS) if found.S == pikepdf.Name.SIS]
            assert [bytes(found.SI.TS)[:10] for found in images] == [day]


def test_what_has_not_expired_is_asked_for_on_request(unchanged: Unchanged) -> None:
    [request] = [request for request in unchanged.forced if request.path == "/0"]
    assert "if-modified-since" in request.headers


@pytest.mark.parametrize("force", ["false", "true"])
def test_the_example_site_is_what_it_was(example: ExampleCapture, tmp_path: Path, force: str) -> None:
    path = tmp_path / "example.pdf"
    path.write_bytes(example.pdf.read_bytes())
    done = refreshed(path, {**DAY, **EXAMPLE_SETTINGS, **NO_TIME_TO_RENDER}, force=force)
    assert "  changed          0" in done.summary
    assert state_of(path) == state_of(example.pdf)
    with Archive(path) as archive:
        assert len(archive.commands) == 1
    assert list(check_file(path)) == []


# The same bytes, of which the server says something else


UMLAUTS = "<title>Größe</title><p>Größe für <img src=/picture.png>".encode("latin-1")
CORRECTIONS = [
    ("text/html; charset=koi8-r", "text/html; charset=iso-8859-1"),
    ("text/plain; charset=koi8-r", "text/plain; charset=iso-8859-1"),
    ("text/html; charset=iso-8859-1", "application/xhtml+xml; charset=iso-8859-1"),
    ("text/html; charset=iso-8859-1", "text/plain; charset=iso-8859-1"),
]


def site_that_says(kind: str, *paths: str) -> Site:
    links = "".join(f"<a href={path}>link</a>" for path in paths)
    pages = {path: Reply(UMLAUTS, content_type=kind) for path in paths}
    return {"/": page(links), "/picture.png": Reply(grey_png(4, 3, 9), content_type="image/png", etag='"p"'), **pages}


@pytest.mark.parametrize(("before", "after"), CORRECTIONS)
def test_a_page_of_which_the_server_says_something_else_is_laid_out_anew(
    crawls: Crawls, tmp_path: Path, before: str, after: str
) -> None:
    path, fresh = tmp_path / "site.pdf", tmp_path / "fresh.pdf"
    with SiteServer(site_that_says(before, "/a")) as server:
        assert crawls.run("capture", pdf=path, url=server.url(), levels=2).status == 0
        server.update(site_that_says(after, "/a"))
        done = [crawls.run("refresh", pdf=path) for _ in range(2)]
        assert crawls.run("capture", pdf=fresh, url=server.url(), levels=2).status == 0
    assert ["  changed          1" in done[0].summary, "  changed          0" in done[1].summary] == [True, True]
    assert state_of(path) == state_of(fresh)
    assert list(check_file(path)) == []


@pytest.mark.parametrize(("before", "after"), CORRECTIONS)
def test_a_correction_of_the_headers_alone_is_a_change(crawls: Crawls, tmp_path: Path, before: str, after: str) -> None:
    """Without validators: the answer has status 200 and the same bytes. `diff` lists the change as well."""
    path = tmp_path / "site.pdf"
    with SiteServer(site_that_says(before, "/a")) as server:
        assert crawls.run("capture", pdf=path, url=server.url(), levels=2).status == 0
        server.update(site_that_says(after, "/a"))
        assert "  changed          1" in crawls.run("refresh", pdf=path).summary
        [change] = json.loads(webcapture("diff", path, "--json").output)["changes"]
        assert (change["change"], change["url"]) == ("changed", server.url("/a"))


@pytest.mark.parametrize("paths", [("/a",), ("/a", "/b")], ids=["of another program", "of two URLs"])
def test_a_page_set_that_cannot_be_told_to_be_wrong_stays(crawls: Crawls, tmp_path: Path, paths: list[str]) -> None:
    path = tmp_path / "site.pdf"
    before, after = CORRECTIONS[0]
    with SiteServer(site_that_says(before, *paths)) as server:
        assert crawls.run("capture", pdf=path, url=server.url(), levels=2).status == 0
        if len(paths) == 1:
            with pikepdf.open(path, allow_overwriting_input=True) as pdf:
                for _, found in tree(pdf.Root.Names.IDS):
                    if "/TID" in found:
                        del found.TID
                pdf.save(path)
        server.update({"/a": Reply(UMLAUTS, content_type=after)})
        assert "  changed          0" in crawls.run("refresh", pdf=path).summary
