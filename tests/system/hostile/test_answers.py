"""Answers that are too large, endless, truncated or wrongly declared: each affects only its own page."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import brotli
import pytest

from tests.support.crawls import Archive, Run, capture
from tests.support.pictures import grey_png
from tests.system.hostile.hostile_server import (
    Answer,
    HostileServer,
    body,
    broken_off,
    ever_further,
    head,
    page,
    raw,
    redirect,
    silence,
    slowly,
    without_end,
)
from tests.system.hostile.measuring import MEGABYTE, measured
from wcspider.downloading.redirect import LOCAL_REDIRECT, LOGIN_REDIRECT, NO_DESTINATION, UNSUPPORTED_REDIRECT
from wcspider.web.codings import zstd

LIMIT = MEGABYTE
TEXT = b"<title>half</title><p>" + b"".join(b"line %d " % number for number in range(5000))
CODINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": partial(gzip.compress, compresslevel=1),
    "deflate": partial(zlib.compress, level=1),
    "br": partial(brotli.compress, quality=1),
    "zstd": zstd.compress,
}
BOMBS = {coding: pack(bytes(128 * MEGABYTE)) for coding, pack in CODINGS.items()}


def packed(data: bytes, coding: str, **headers: object) -> Answer:
    """An answer in a content coding."""
    return body(data, Content_Encoding=coding, **headers)


def chunk(data: bytes) -> bytes:
    """A piece of a body in the chunked transfer coding (RFC 9112, 7.1)."""
    return b"%x\r\n%s\r\n" % (len(data), data)


CHUNKED = head(Transfer_Encoding="chunked")
TOO_LARGE = "larger than DOWNLOAD_MAXSIZE"
BOMBED = "decompresses to more than DOWNLOAD_MAXSIZE"
CUT_SHORT = "the answer was cut short"
NOT_COMPRESSED = "not compressed as its Content-Encoding says"
UNKNOWN = "unknown Content-Encoding"
TIMED_OUT = "timed out"
BROKEN_OFF = "the connection broke off"
INVALID = "the answer is not valid HTTP"
TOO_MANY = "too many redirects"
REDIRECT_LOOP = "redirect loop"
TOO_LONG = "more than 262144 bytes of headers (WEBCAPTURE_MAX_HEADER_BYTES)"

HEADER = b"X-Header: %s\r\n" % (b"x" * 8000)

# name, answer, reason
BAD: list[tuple[str, Answer, str]] = [
    ("said-to-be-large", raw(head(Content_Length=LIMIT + 1) + b"x"), TOO_LARGE),
    ("endless", without_end(head(), bytes(65536)), TOO_LARGE),
    ("endless-chunks", without_end(CHUNKED, chunk(bytes(65536))), TOO_LARGE),
    *((f"bomb-{coding}", packed(bomb, coding), BOMBED) for coding, bomb in BOMBS.items()),
    ("bomb-in-a-bomb", packed(gzip.compress(BOMBS["gzip"]), "gzip, gzip"), BOMBED),
    ("trickle", slowly(head(), b"x", 0.2), TIMED_OUT),
    ("trickle-of-chunks", slowly(CHUNKED, chunk(b"x"), 0.2), TIMED_OUT),
    ("trickle-of-headers", slowly(b"HTTP/1.1 200 OK\r\n", b"X-Header: x\r\n", 0.2), TIMED_OUT),
    ("headers-without-end", without_end(b"HTTP/1.1 200 OK\r\n", HEADER), TOO_LONG),
    ("a-header-without-end", without_end(b"HTTP/1.1 200 OK\r\nX-Header: x\r\n", b" " + HEADER), TOO_LONG),
    ("ever-to-be-continued", without_end(b"", b"HTTP/1.1 100 Continue\r\n" + HEADER + b"\r\n"), TOO_LONG),
    ("silence", silence, TIMED_OUT),
    ("cut", raw(head(Content_Length=1000) + TEXT[:500]), CUT_SHORT),
    ("cut-chunk", raw(CHUNKED + chunk(TEXT)[:500]), CUT_SHORT),
    ("cut-between-chunks", raw(CHUNKED + chunk(TEXT)), CUT_SHORT),
    ("reset", broken_off(head(Content_Length=1000) + TEXT[:500]), CUT_SHORT),
    ("reset-without-a-length", broken_off(head() + TEXT[:500]), CUT_SHORT),
    *((f"cut-{coding}", packed(pack(TEXT)[:1000], coding), CUT_SHORT) for coding, pack in CODINGS.items()),
    ("cut-without-a-length", raw(head(Content_Encoding="gzip") + gzip.compress(TEXT)[:1000]), CUT_SHORT),
    *((f"plain-{coding}", packed(TEXT, coding), NOT_COMPRESSED) for coding in CODINGS),
    ("damaged", packed(gzip.compress(TEXT)[:-6] + b"damage", "gzip"), NOT_COMPRESSED),
    ("unknown", packed(TEXT, "snappy"), UNKNOWN),
    ("unknown-below", packed(gzip.compress(TEXT), "snappy, gzip"), UNKNOWN),
    ("packed-often", packed(TEXT, ", ".join(["gzip"] * 100)), UNKNOWN),
    ("nothing", raw(b""), BROKEN_OFF),
    ("another-protocol", raw(b"SSH-2.0-OpenSSH_9.2\r\n"), INVALID),
    ("no-status", raw(b"HTTP/1.1 yes OK\r\n\r\n"), INVALID),
    ("no-version", raw(b"ICY 200 OK\r\n\r\n"), INVALID),
    ("two-lengths", raw(head(Content_Length="5\r\nContent-Length: 6") + b"<p>123"), INVALID),
    ("a-length-of-words", raw(head(Content_Length="six") + b"<p>123"), INVALID),
    ("an-unknown-transfer", raw(head(Transfer_Encoding="gzip, chunked") + b"<p>123"), INVALID),
    ("redirect-to-nowhere", redirect("http://[nowhere/"), "a redirect to an invalid URL"),
    ("redirect-to-a-file", redirect("file:///etc/passwd"), LOCAL_REDIRECT),
    ("redirect-to-data", redirect("data:text/html,x"), UNSUPPORTED_REDIRECT),
    ("redirect-to-a-login", redirect("http://me:secret@127.0.0.1/"), LOGIN_REDIRECT),
    ("redirect-without-location", body(b"", status="302 Found"), f"HTTP 302, {NO_DESTINATION}"),
    ("no-content", raw(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"), "HTTP 204"),
    ("ever-further", ever_further, TOO_MANY),
    ("itself", redirect("itself"), REDIRECT_LOOP),
    ("not-found", packed(b"not compressed", "gzip", status="404 Not Found"), "HTTP 404"),
]

GOOD: Mapping[str, Answer] = {
    "/good": page("<title>good</title><p>good<img src=/good.png>"),
    "/packed": packed(CODINGS["br"](TEXT), "BR"),
    "/packed-twice": packed(CODINGS["zstd"](gzip.compress(b"<p>twice")), "gzip, zstd"),
    "/not-packed": packed(b"<p>text, and the header names its encoding", "utf-8"),
    "/empty": page(""),
    "/odd-headers": raw(
        b"HTTP/1.1 200 OK\r\n continued\r\nX Frame: deny\r\n continued\r\nno colon\r\n: no name\r\nX-\xff: 1\r\n"
        b"Content-Type : text/html\r\nX-A: 1\r\n\t2\r\nContent-Length: 20\r\n\r\n<title>odd</title><p>"
    ),
    "/two-types": body(b"<title>types</title><p>text", "text/plain, text/html; charset=utf-8"),
    "/no-type": body(b"<!doctype html><title>no type</title><p>text", "text/html\x00"),
    "/long-header": page("<title>long</title><p>long", X_Long="x" * 100_000),
    "/identity": raw(head(Transfer_Encoding="identity", Content_Length=19) + b"<title>identity</title>"[:19]),
    "/odd-charset": body(b"<title>charset</title><p>text", "text/html; charset=base64"),
    "/odd-base": page("<base href='http://[bad'><meta http-equiv=refresh content='0; url=javascript:go()'><p>base"),
    "/last": page("<title>last</title><p>last"),
}


@dataclass(frozen=True)
class Crawl:
    """A capture of a site with all of these answers, as pages and as images of one page."""

    server: HostileServer
    run: Run
    peak: float
    pdf: Path


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """One crawl for all tests; with limits that are soon reached."""
    links = [*list(GOOD)[:-1], *(f"/{name}" for name, _, _ in BAD), "/round", list(GOOD)[-1]]
    start = "".join(f'<a href="{path}">{path}</a> ' for path in links)
    images = "".join(f'<img src="/{name}?image">' for name, _, _ in BAD)
    site = {
        **GOOD,
        **{f"/{name}": answer for name, answer, _ in BAD},
        "/": page(f"<title>start</title>{start}{images}"),
        "/good.png": packed(gzip.compress(grey_png(6, 4, 50)), "gzip", content_type="image/png"),
        "/round": redirect("/round-again"),
        "/round-again": redirect("/round"),
    }
    settings = {
        "DOWNLOAD_MAXSIZE": LIMIT,
        "DOWNLOAD_TIMEOUT": 2,
        "RETRY_TIMES": 1,
        "WEBCAPTURE_REPORT_LIMIT": 100,
    }
    pdf = tmp_path_factory.mktemp("hostile") / "site.pdf"
    with HostileServer(site) as server:
        return Crawl(server, *measured(server.url(), pdf, settings, levels=2), pdf)


def expected(server: HostileServer, suffix: str = "") -> dict[str, list[str]]:
    """The reasons for which each of the bad answers is left out."""
    reasons: dict[str, list[str]] = {}
    for name, _, reason in BAD:
        reasons.setdefault(reason, []).append(server.url(f"/{name}{suffix}"))
    return {reason: sorted(urls) for reason, urls in reasons.items()}


def test_a_bad_page_is_left_out_for_what_is_wrong_with_it(crawl: Crawl) -> None:
    found = {reason: sorted(url.partition(" -> ")[0] for url in urls) for reason, urls in crawl.run.left_out.items()}
    bad = expected(crawl.server)
    assert found == {**bad, REDIRECT_LOOP: [*bad[REDIRECT_LOOP], crawl.server.url("/round")]}


def test_so_is_a_bad_image(crawl: Crawl) -> None:
    found = crawl.run.section("Resources skipped")
    assert {reason: sorted(urls) for reason, urls in found.items()} == expected(crawl.server, "?image")


def test_bad_answers_are_no_errors_of_the_program(crawl: Crawl) -> None:
    """The summary has them with their reasons, so Scrapy's messages about retries would only be noise."""
    assert crawl.run.messages("ERROR") == []


def test_the_good_pages_are_in_the_file_once(crawl: Crawl) -> None:
    assert crawl.run.status == 0
    site = crawl.server.url("")
    with Archive(crawl.pdf) as archive:
        assert archive.order(site) == ["/", *GOOD]
        assert [found.urls for found in archive.image_sets] == [[f"{site}/good.png"]]
        assert len(archive.urls) == len(["/", *GOOD, "/good.png"])


def test_none_of_it_is_held_in_memory(crawl: Crawl) -> None:
    """A process without captures needs about 120 MB; a decompressed bomb would add 128 MB."""
    assert crawl.peak < 220


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(raw(head(Content_Length=1000) + TEXT[:500]), CUT_SHORT), (packed(BOMBS["gzip"], "gzip"), BOMBED)],
    ids=["cut short", "bomb"],
)
def test_where_there_is_nothing_good_there_is_no_file(answer: Answer, reason: str, tmp_path: Path) -> None:
    with HostileServer({"/": answer}) as server:
        settings = {"DOWNLOAD_MAXSIZE": LIMIT, "RETRY_TIMES": 0}
        done = capture(server.url(), tmp_path / "site.pdf", settings)
        assert done.left_out == {reason: [server.url()]}
        assert done.messages("ERROR")[-1].startswith(f"{tmp_path / 'site.pdf'}: not written: no page was captured")
        assert done.status == 1
        assert list(tmp_path.iterdir()) == []
