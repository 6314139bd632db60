"""A page that has not changed costs a conditional request or none, and a date in the file."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pikepdf
import pytest

from tests.conftest import EXAMPLE_SETTINGS, ExampleCapture
from tests.crawl import Archive, Run, captured, tool
from tests.pictures import grey_png
from tests.refresh.crawling import refreshed
from tests.refresh.state import state_of
from tests.server import Reply, Request, Site, SiteServer, page
from wcspider.store.check import check_file

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
    assert [line for line in unchanged.done.summary if line.startswith("  ")][:4] == [
        f"  unchanged        {PAGES + 1}",
        "  changed          0",
        "  new              0",
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
