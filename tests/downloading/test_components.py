"""The downloader middlewares, each with a real crawler of Scrapy and no network."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import brotli
import pytest
from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from twisted.internet.defer import Deferred
from twisted.web._newclient import BODY, HEADER

from tests.support.crawlers import OtherSpider, make_crawler
from wcspider.crawl.request_keys import command_request
from wcspider.downloading.conditional import ASKED, NOT_MODIFIED, UNEXPIRED, WHOLE, ConditionalRequestMiddleware
from wcspider.downloading.decompress import ContentDecodingMiddleware
from wcspider.downloading.handlers.http_handler import HeadersTooLargeError, _Bound
from wcspider.downloading.headers import CommandHeadersMiddleware
from wcspider.downloading.retry import PatientRetryMiddleware
from wcspider.downloading.slots import StrictDownloader
from wcspider.downloading.ssrf_guard import PRIVATE_ADDRESS, SsrfGuardMiddleware
from wcspider.web.addresses import AllowedHosts
from wcspider.web.codings import CUT_SHORT, NOT_COMPRESSED, UNKNOWN
from wcspider.web.resources import Resource
from wcspider.webcapture.records import Command

URL = "http://example.com/page"


class CommandSpider(OtherSpider):
    """A spider that executes commands."""

    commands: Sequence[Command] = ()

    @property
    def executed(self) -> Sequence[int]:
        return range(len(self.commands))


# CommandHeadersMiddleware

TOKEN = Command("http://example.com/", headers=(("X-Token", "s3cret"), ("Cookie", "a=1"), ("Content-Type", "text/x")))


@pytest.mark.parametrize(
    ("command", "url", "before", "after"),
    [
        ("http://example.com/", "http://example.com/a", {}, {b"X-Token": [b"s3cret"]}),
        ("http://example.com/", "https://example.com/a", {}, {b"X-Token": [b"s3cret"]}),
        ("https://example.com/", "https://EXAMPLE.com:443/a", {}, {b"X-Token": [b"s3cret"]}),
        ("https://example.com/", "http://example.com/a", {"X-Token": "s3cret"}, {}),  # others could read it
        ("http://example.com/", "https://example.com:8443/a", {}, {}),
        ("http://example.com:8080/", "http://example.com:8080/a", {}, {b"X-Token": [b"s3cret"]}),
        ("http://example.com:8080/", "http://example.com/a", {}, {}),
        ("http://example.com/", "http://other.com/", {}, {}),
        # A redirect came from there.
        ("http://example.com/", "http://other.com/", {"X-Token": "s3cret", "X-Own": "1"}, {b"X-Own": [b"1"]}),
        ("http://example.com/", "http://example.com.other.com/", {"X-Token": "s3cret"}, {}),
        ("http://example.com/", "file:///etc/hosts", {"X-Token": "s3cret"}, {}),
    ],
)
def test_headers_go_to_the_site_of_their_command(
    command: str, url: str, before: Mapping[str, str], after: object
) -> None:
    crawler = make_crawler(CommandSpider, {"commands": [replace(TOKEN, url=command)]})
    request = Request(url, headers=before)
    CommandHeadersMiddleware.from_crawler(crawler).process_request(request)
    assert dict(request.headers) == after


def test_headers_are_those_of_the_commands_that_are_executed() -> None:
    """A refresh executes the commands of one run after the other."""
    crawler = make_crawler()
    spider: Any = crawler.spider
    spider.commands = [TOKEN, replace(TOKEN, headers=(("X-Token", "other"), ("X-Own", "1")))]
    middleware = CommandHeadersMiddleware.from_crawler(crawler)
    request = Request(URL)
    for spider.executed, token in ([0], "s3cret"), ([1], "other"):
        middleware.process_request(request)
        assert request.headers["X-Token"] == token.encode()
        assert ("X-Own" in request.headers) == (token == "other")


@pytest.mark.parametrize(("scheme", "is_secure"), [("http", False), ("https", True)])
def test_cookies_of_a_command_for_https_are_not_sent_by_http(scheme: str, is_secure: bool) -> None:
    [cookie] = command_request(replace(TOKEN, url=f"{scheme}://example.com/")).cookies
    assert cookie == {"name": "a", "value": "1", "path": "/", "secure": is_secure}


# ContentDecodingMiddleware

TEXT = b"<p>text of the page"

GZIPPED = gzip.compress(TEXT, mtime=0)  # a constant: the names of the tests contain it


@pytest.mark.parametrize("status", [200, 404])
@pytest.mark.parametrize(
    ("coding", "body", "expected"),
    [
        ("gzip", GZIPPED, TEXT),
        ("br", brotli.compress(TEXT), TEXT),
        ("gzip, br", brotli.compress(GZIPPED), TEXT),
        ("utf-8", TEXT, TEXT),
        ("gzip", b"", b""),
        ("gzip", GZIPPED[:-9], CUT_SHORT),
        ("br", TEXT, NOT_COMPRESSED),
        ("lzw", TEXT, UNKNOWN),
        ("br", brotli.compress(bytes(2_000_000)), "decompresses to more than DOWNLOAD_MAXSIZE"),
    ],
)
def test_a_body_is_decompressed_whole_or_not_at_all(
    coding: str, body: bytes, expected: bytes | str, status: int
) -> None:
    middleware = ContentDecodingMiddleware.from_crawler(make_crawler(DOWNLOAD_MAXSIZE=1_000_000))
    response = Response(URL, status=status, body=body, headers={"Content-Encoding": coding})
    answer = middleware.process_response(Request(URL), response)
    if isinstance(expected, str) and status == 200:
        with pytest.raises(IgnoreRequest, match=expected):
            asyncio.run(answer)
        return
    found = asyncio.run(answer)
    assert found.body == (expected if isinstance(expected, bytes) else b"")
    assert ("Content-Encoding" in found.headers) is (coding == "utf-8")


@pytest.mark.parametrize(
    ("kind", "coding", "body", "expected"),
    [
        ("text/html; charset=utf-8", None, GZIPPED, TEXT),
        ("text/css", None, GZIPPED, TEXT),
        ("text/html", "gzip", gzip.compress(GZIPPED, mtime=0), TEXT),
        ("text/html", "br", brotli.compress(GZIPPED), TEXT),
        ("text/html", None, GZIPPED[:-9], CUT_SHORT),
        ("text/html", None, gzip.compress(bytes(2_000_000), mtime=0), "decompresses to more than DOWNLOAD_MAXSIZE"),
        ("application/gzip", None, GZIPPED, GZIPPED),
        ("image/svg+xml", "gzip", gzip.compress(GZIPPED, mtime=0), GZIPPED),
    ],
)
def test_text_is_decompressed_even_if_no_header_says_so(
    kind: str, coding: str | None, body: bytes, expected: bytes | str
) -> None:
    middleware = ContentDecodingMiddleware.from_crawler(make_crawler(DOWNLOAD_MAXSIZE=1_000_000))
    headers = {"Content-Type": kind, **({"Content-Encoding": coding} if coding else {})}
    answer = middleware.process_response(Request(URL), Response(URL, body=body, headers=headers))
    if isinstance(expected, str):
        with pytest.raises(IgnoreRequest, match=expected):
            asyncio.run(answer)
    else:
        assert asyncio.run(answer).body == expected


# PatientRetryMiddleware


@pytest.mark.parametrize(
    ("status", "retry_after", "outcome"),
    [
        (503, None, "again"),
        (429, "1", "again"),
        (429, "100000", "HTTP 429, the server asks to wait more than 300 seconds"),
        (404, "100000", "answer"),
        (200, None, "answer"),
    ],
)
def test_a_busy_server_is_asked_again(status: int, retry_after: str | None, outcome: str) -> None:
    crawler = make_crawler()
    crawler.engine = None
    middleware = PatientRetryMiddleware(crawler, 300)
    headers = {"Retry-After": retry_after} if retry_after else {}
    request, response = Request(URL), Response(URL, status=status, headers=headers)
    if outcome.startswith("HTTP"):
        with pytest.raises(IgnoreRequest, match=outcome):
            middleware.process_response(request, response)
        return
    found = middleware.process_response(request, response)
    assert (found is response) is (outcome == "answer")
    assert isinstance(found, Response) or (found.url, found.meta["retry_times"]) == (URL, 1)


# ConditionalRequestMiddleware

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def conditional(held: Resource | None, request: Request, *, is_forced: bool = False) -> Response | None:
    """Return the result of the middleware for a request during a refresh; the file holds a resource or None."""
    session = SimpleNamespace(
        is_refresh=True,
        is_forced=is_forced,
        config=SimpleNamespace(clock=lambda: NOW),
        job=SimpleNamespace(held=SimpleNamespace(resource=lambda url: held, page=lambda url: None)),
    )
    return ConditionalRequestMiddleware(session).process_request(request)


def resource(**options: Any) -> Resource:
    """A resource of the file."""
    return Resource(URL, b"", "image/png", etag='"1"', last_modified="Sun, 01 Mar 2026 00:00:00 GMT", **options)


def test_a_refresh_asks_with_the_validators_of_the_file() -> None:
    request = Request(URL, meta={ASKED: URL})
    assert conditional(resource(), request) is None
    assert request.headers["If-None-Match"] == b'"1"'
    assert request.headers["If-Modified-Since"] == b"Sun, 01 Mar 2026 00:00:00 GMT"


def test_a_validator_has_the_bytes_that_the_server_sent() -> None:
    """They are read as Latin-1, like all headers."""
    request = Request(URL, meta={ASKED: URL})
    conditional(replace(resource(), etag='"caf\xe9"'), request)
    assert request.headers["If-None-Match"] == b'"caf\xe9"'


@pytest.mark.parametrize(
    "request_",
    [
        Request(URL, meta={ASKED: URL, WHOLE: True}),
        Request(URL, meta={ASKED: URL}, method="POST"),
        Request("http://example.com/other", meta={ASKED: URL}),  # a redirect led there
    ],
)
def test_other_requests_are_not_conditional(request_: Request) -> None:
    request_.headers["If-None-Match"] = '"of another URL"'
    assert conditional(resource(), request_) is None
    assert not {b"If-None-Match", b"If-Modified-Since"} & set(request_.headers)


def test_what_has_not_expired_is_not_requested() -> None:
    later, request = resource(expires=NOW + timedelta(hours=1)), Request(URL, meta={ASKED: URL})
    answer = conditional(later, request)
    assert answer is not None
    assert (answer.status, answer.flags) == (NOT_MODIFIED, [UNEXPIRED])
    assert conditional(later, request, is_forced=True) is None
    assert conditional(resource(expires=NOW - timedelta(hours=1)), request) is None


# SsrfGuardMiddleware


@pytest.mark.parametrize(
    ("url", "is_refused"),
    [
        ("http://127.0.0.1/", True),
        ("http://169.254.169.254/latest/meta-data/", True),
        ("http://[::ffff:10.0.0.1]/", True),
        ("http://93.184.215.14/", False),
        ("http://10.9.9.9/", False),  # the user's own URL
        ("file:///etc/hosts", False),  # others decide on these
    ],
)
def test_addresses_of_the_private_network_are_refused(url: str, is_refused: bool) -> None:
    crawler = make_crawler(CommandSpider, {"commands": [Command("http://10.9.9.9/")]}, WEBCAPTURE_PDF="x.pdf")
    middleware = SsrfGuardMiddleware(crawler, AllowedHosts())
    if is_refused:
        with pytest.raises(IgnoreRequest) as refused:
            middleware.process_request(Request(url))
        assert str(refused.value) == PRIVATE_ADDRESS
    else:
        middleware.process_request(Request(url))
    middleware.spider_closed()


# BoundedHeadersHandler


class Connection:
    """A connection of Twisted's HTTP client, as far as the limit on headers looks at it."""

    def __init__(self, state: str) -> None:
        self._parser = SimpleNamespace(state=state, lineReceived=None)
        self.received = b""
        self.failure: Any = None

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        self.received += data

    def _giveUp(self, failure: Any) -> None:  # noqa: N802
        self.failure = failure


@pytest.mark.parametrize(
    ("state", "size", "is_closed"), [(HEADER, 100, False), (HEADER, 101, True), (BODY, 999, False)]
)
def test_headers_end_a_connection_when_they_are_too_large(state: str, size: int, is_closed: bool) -> None:
    connection = Connection(state)
    bound = _Bound(connection, 100)
    for _ in range(size):
        bound(b"x")
    assert len(connection.received) == size
    assert (connection.failure is not None) is is_closed
    assert not is_closed or connection.failure.check(HeadersTooLargeError)


# StrictDownloader


def test_a_request_counts_from_the_moment_when_it_leaves_the_queue() -> None:
    crawler = make_crawler()
    downloader = StrictDownloader(crawler)
    slot, request = Slot(concurrency=1, delay=0, jitter=0), Request(URL)
    waiting = downloader._wait_for_download(slot, request, Deferred())
    assert slot.transferring == {request}
    waiting.close()
