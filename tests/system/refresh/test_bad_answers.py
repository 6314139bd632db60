"""Answers of a kind that made other programs lose pages in an update: here the page of the file stays.

One capture and one refresh with `gone=drop`. Each page of the site has another answer in the refresh.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.crawls import Archive, Run
from tests.system.hostile.hostile_server import Answer, HostileServer, body, head, in_turn, page, raw, redirect
from tests.system.refresh.crawling import Crawls

KEPT = "Pages that could not be fetched and are unchanged"
DATA = b"<p>another page"
REFRESH = b"<meta http-equiv=refresh content='3; url=/'><p>We are down for maintenance"
NOT_MODIFIED = "304 Not Modified"


def good(name: str) -> Answer:
    """The answer in the capture."""
    return page(f"<p>the good page {name}", ETag='"1"')


def coded(coding: str, data: bytes) -> Answer:
    """An answer that says that it is compressed."""
    return body(data, Content_Encoding=coding)


BAD: dict[str, tuple[Answer, str]] = {
    "closed": (raw(b""), "broke off"),
    "half-a-line": (raw(b"HTTP/1.1 20"), "broke off"),
    "gzip": (coded("gzip", b"\x1f\x8b\x08no gzip"), "compressed"),
    "deflate": (coded("deflate", zlib.compress(DATA)[:-6]), "cut short"),
    "br": (coded("br", b"\xff\xff\xff no brotli"), "compressed"),
    "zstd": (coded("zstd", b"\x28\xb5\x2f\xfdno zstd"), "compressed"),
    "unknown-coding": (coded("xyz", DATA), "unknown Content-Encoding"),
    "partial": (body(DATA, status="206 Partial Content", Content_Range="bytes 0-14/9999"), "206"),
    "short": (raw(head(Content_Length=9999) + DATA), "cut short"),
    "busy": (body(b"", status="503 Service Unavailable"), "503"),
    "empty": (body(b""), "empty answer"),
    "no-content": (raw(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"), "HTTP 204"),
    "to-a-file": (redirect("file:///etc/passwd"), "a redirect to a local file"),
    "to-data": (redirect("data:text/html,x"), "a redirect to a URL whose scheme is not supported"),
    "busy-with-refresh": (body(REFRESH, status="503 Service Unavailable"), "503"),
    "to-nothing": (redirect("/nothing"), "empty answer"),
    "to-challenge": (redirect("/challenge"), "challenge"),
    "to-error": (redirect("/error"), "error"),
    "to-nowhere": (body(b"", status="302 Found"), "a redirect without a destination"),
}
"""Answers by page, with a part of the reason that the summary states."""

SAME: dict[str, Answer] = {
    "other-type": body(b"", "application/json", NOT_MODIFIED, ETag='"1"'),
    "other-vary": body(b"", status=NOT_MODIFIED, Vary="Accept-Language", Content_Length=0),
    "without-validators": page("<p>the good page without-validators"),
}
"""Answers by which a page is unchanged."""

NAMES = [*BAD, *SAME]
SITE = {
    "/": page("<title>home</title>" + "".join(f"<a href=/{name}>{name}</a>" for name in NAMES)),
    **{f"/{name}": in_turn(good(name), answer) for name, (answer, _) in BAD.items()},
    **{f"/{name}": in_turn(good(name), answer) for name, answer in SAME.items()},
    "/nothing": body(b""),
    "/challenge": page("<title>Just a moment...</title><p>Checking your browser before accessing the site"),
    "/error": page("<title>404 Not Found</title><h1>Not Found</h1>"),
}


@dataclass(frozen=True)
class Refreshed:
    """The file before and after the refresh."""

    site: str
    run: Run
    before: dict[str, tuple[object, ...]]
    after: dict[str, tuple[object, ...]]


def held(path: Path) -> dict[str, tuple[object, ...]]:
    """Return the page sets of a file by URL: their type, digest and number of PDF pages."""
    with Archive(path) as archive:
        return {
            source.url: (found.content_type, found.identifier, len(found.pages))
            for found in archive.page_sets
            for source in found.sources
        }


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    """One refresh for all tests."""
    path = tmp_path_factory.mktemp("bad") / "site.pdf"
    with Crawls() as crawls, HostileServer(SITE) as server:
        captured = crawls.run("capture", pdf=path, url=server.url(), levels=2)
        assert captured.status == 0, captured.log
        before = held(path)
        done = crawls.run("refresh", pdf=path, gone="drop")
        assert done.status == 0, done.log
        return Refreshed(server.url(""), done, before, held(path))


def test_every_page_stays(refreshed: Refreshed) -> None:
    assert len(refreshed.before) == 1 + len(NAMES)
    assert refreshed.after == refreshed.before


def kept_pages(refreshed: Refreshed) -> dict[str, list[str]]:
    """Return the pages that the summary lists as kept, by reason, without the URLs to which they redirect."""
    kept = refreshed.run.section(KEPT)
    return {reason: [url.partition(" -> ")[0] for url in urls] for reason, urls in kept.items()}


@pytest.mark.parametrize("name", BAD)
def test_the_summary_says_why_a_page_was_not_fetched(refreshed: Refreshed, name: str) -> None:
    [reason] = [reason for reason, urls in kept_pages(refreshed).items() if f"{refreshed.site}/{name}" in urls]
    assert BAD[name][1] in reason


def test_the_other_pages_are_unchanged(refreshed: Refreshed) -> None:
    assert "  unchanged        4" in refreshed.run.summary  # the home page too
    kept = [url for urls in kept_pages(refreshed).values() for url in urls]
    assert sorted(kept) == sorted(f"{refreshed.site}/{name}" for name in BAD)


NEW_TYPE = "application/xhtml+xml"
KNOWN = b"<title>a</title><p>text</p>"
OTHER_TYPE = body(b"", NEW_TYPE, NOT_MODIFIED)


@pytest.mark.parametrize(
    ("whole", "counted", "kept"),
    [(body(KNOWN, NEW_TYPE), "changed          1", set()),
     (body(KNOWN, "text/html"), "changed          0", set()),
     (OTHER_TYPE, "changed          0", {"HTTP 304, to a request for the whole page"})],
    ids=["changed", "named by the 304 alone", "never sent"],
)  # fmt: skip
def test_a_304_with_another_type_leads_to_one_request_for_the_page(
    crawls: Crawls, tmp_path: Path, whole: Answer, counted: str, kept: set[str]
) -> None:
    """The type of a 304 is not taken over (RFC 9111, 3.2), but the page may have to be laid out again."""
    path = tmp_path / "site.pdf"
    answers = in_turn(body(KNOWN, "text/html", ETag='"1"'), OTHER_TYPE, whole)
    with HostileServer({"/": page("<a href=/a>a</a>"), "/a": answers}) as server:
        assert crawls.run("capture", pdf=path, url=server.url(), levels=2).status == 0
        done = crawls.run("refresh", pdf=path)
        visits = len(server.visits("/a"))
        [found] = [found for url, found in held(path).items() if url == server.url("/a")]
    assert f"  {counted}" in done.summary
    assert visits == 3
    assert found[0] == (NEW_TYPE if "1" in counted else "text/html")
    assert set(done.section(KEPT)) == kept


ACCENTED = "<title>caf\u00e9</title><p>caf\u00e9</p>".encode()
UTF_8, LATIN_1 = "text/html; charset=utf-8", "text/html; charset=iso-8859-1"


@pytest.mark.parametrize(
    ("named", "visits", "counted"),
    [(LATIN_1, 3, "changed          1"), (UTF_8, 2, "unchanged        2"), ("text/html", 2, "unchanged        2")],
    ids=["other", "same", "none"],
)
def test_a_304_with_another_charset_leads_to_a_request_for_the_page(
    crawls: Crawls, tmp_path: Path, named: str, visits: int, counted: str
) -> None:
    """The bytes are the same, but their text is another one now."""
    path = tmp_path / "site.pdf"
    answers = in_turn(body(ACCENTED, UTF_8, ETag='"1"'), body(b"", named, NOT_MODIFIED), body(ACCENTED, LATIN_1))
    with HostileServer({"/": page("<a href=/a>a</a>"), "/a": answers}) as server:
        assert crawls.run("capture", pdf=path, url=server.url(), levels=2).status == 0
        done = crawls.run("refresh", pdf=path)
        assert len(server.visits("/a")) == visits
    assert f"  {counted}" in done.summary
