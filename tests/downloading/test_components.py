"""The downloader middlewares, each with a real crawler of Scrapy and no network."""

from __future__ import annotations

import asyncio
import gzip
import re
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
from scrapy.http import HtmlResponse, Response
from twisted.internet.defer import Deferred
from twisted.web._newclient import BODY, HEADER

from tests.support.crawlers import OtherSpider, make_crawler
from wcspider.crawl.request_keys import POSITION, command_request
from wcspider.downloading.conditional import ASKED, NOT_MODIFIED, UNEXPIRED, WHOLE, ConditionalRequestMiddleware
from wcspider.downloading.decompress import ContentDecodingMiddleware
from wcspider.downloading.handlers.http_handler import HeadersTooLargeError, _Bound
from wcspider.downloading.headers import CommandHeadersMiddleware
from wcspider.downloading.redirect import (
    INVALID_REDIRECT,
    LOCAL_REDIRECT,
    LOGIN_REDIRECT,
    NO_DESTINATION,
    UNSUPPORTED_REDIRECT,
    AlreadyClaimedError,
    OutOfScopeError,
    ScopedMetaRefreshMiddleware,
    ScopedRedirectMiddleware,
)
from wcspider.downloading.retry import PatientRetryMiddleware
from wcspider.downloading.slots import StrictDownloader
from wcspider.downloading.ssrf_guard import PRIVATE_ADDRESS, SsrfGuardMiddleware
from wcspider.web.addresses import AllowedHosts
from wcspider.web.codings import CUT_SHORT, NOT_COMPRESSED, UNKNOWN
from wcspider.web.resources import Resource
from wcspider.webcapture.order import REDIRECT_LOOP
from wcspider.webcapture.records import Command

URL = "http://example.com/page"


class CommandSpider(OtherSpider):
    """A spider that executes commands, and decides on redirects."""

    scope = "http://example.com/"
    claimed: Sequence[str] = ()
    commands: Sequence[Command] = ()

    @property
    def executed(self) -> Sequence[int]:
        return range(len(self.commands))

    def in_scope(self, request: Request) -> bool:
        return request.url.startswith(self.scope)

    def claim(self, request: Request) -> bool:
        return request.url not in self.claimed


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


# ScopedRedirectMiddleware and ScopedMetaRefreshMiddleware


def redirected(
    target: str | bytes | None, status: int = 302, spider: type[OtherSpider] = CommandSpider, **options: Any
) -> Any:
    """Return the request that the middleware makes of a redirect."""
    crawler = make_crawler(spider, options.pop("spider_arguments", None))
    request = Request(URL, meta={POSITION: 0, **options.pop("meta", {})}, **options)
    response = Response(URL, status=status, headers={} if target is None else {"Location": target})
    return ScopedRedirectMiddleware.from_crawler(crawler).process_response(request, response)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_in_scope_is_followed(status: int) -> None:
    followed = redirected("/next", status)
    assert followed.url == "http://example.com/next"
    assert followed.meta["redirect_urls"] == [URL]


@pytest.mark.parametrize("target", ["/next", "mailto:me@example.com", None])
@pytest.mark.parametrize(
    "meta",
    [{"dont_redirect": True}, {"handle_httpstatus_list": [302]}, {"handle_httpstatus_all": True}],
    ids=lambda meta: next(iter(meta)),
)
def test_a_spider_gets_the_redirects_that_it_wants_as_they_are(meta: dict[str, Any], target: str | None) -> None:
    found = redirected(target, meta=meta)
    assert isinstance(found, Response)
    assert found.headers.get("Location") == (None if target is None else target.encode())


@pytest.mark.parametrize("target", ["http://other.com/", "https://example.com/", "http://example.com.other.com/"])
def test_a_redirect_out_of_scope_is_refused(target: str) -> None:
    with pytest.raises(OutOfScopeError):
        redirected(target)


def test_a_redirect_to_a_page_that_is_fetched_is_an_alias() -> None:
    with pytest.raises(AlreadyClaimedError) as refused:
        redirected("/next", spider_arguments={"claimed": ["http://example.com/next"]})
    assert refused.value.redirected.url == "http://example.com/next"


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_to_another_host_takes_no_secrets_along(status: int) -> None:
    """The method and the data stay (RFC 9110, 15.4.8), the login does not."""
    crawler = make_crawler()
    request = Request(URL, method="POST", body=b"data", headers={"Authorization": "Basic x", "Cookie": "a=1"})
    response = Response(URL, status=status, headers={"Location": "http://other.com/"})
    followed = ScopedRedirectMiddleware.from_crawler(crawler).process_response(request, response)
    assert (followed.method, followed.body) == ("POST", b"data")
    assert not {b"Authorization", b"Cookie"} & set(followed.headers)


@pytest.mark.parametrize(
    ("passed", "target", "reason"),
    [
        ([], "/page", REDIRECT_LOOP),
        (["http://example.com/a"], "/a", REDIRECT_LOOP),
        (["http://example.com/a"], "/b", "max redirections reached"),
    ],
)
def test_the_last_redirect_is_a_loop_or_one_too_many(passed: Sequence[str], target: str, reason: str) -> None:
    meta = {"redirect_times": 20, "redirect_urls": passed}
    with pytest.raises(IgnoreRequest, match=reason):
        redirected(target, meta=meta)


def refreshed(content: str, padding: int = 0) -> Any:
    """Return the result of the middleware for a META refresh, and the response."""
    body = f"<meta http-equiv=refresh content='{content}'>{'x' * padding}".encode()
    response = HtmlResponse(URL, body=body, encoding="utf-8")
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(CommandSpider))
    return middleware.process_response(Request(URL, meta={POSITION: 0}), response), response


@pytest.mark.parametrize("padding", [0, 1_000_000])
def test_a_meta_refresh_is_a_redirect(padding: int) -> None:
    assert refreshed("0; url=/next", padding)[0].url == "http://example.com/next"
    for content in (
        "5",
        "0; url=/page",
        "0; url=/page#x",
        "1000; url=/next",
        "0; url=ftp://example.com/",
        "0; url=http://me:secret@example.com/",
    ):
        found, response = refreshed(content, padding)
        assert found is response
        assert response._cached_ubody is None or not padding  # a large page is not decoded for it


@pytest.mark.parametrize(
    ("head", "content_type"),
    [
        ("<meta http-equiv=refresh content='0; url=http://[x/'>", "text/html"),
        ("<meta http-equiv=refresh content='0; url=javascript:go()'>", "text/html"),
        ("<meta http-equiv=refresh content='0; url=http://example.com:99999/'>", "text/html"),
        ("<base href='http://[bad'><p>refresh", "text/html"),
    ],
)
def test_a_page_with_an_invalid_url_in_its_head_is_kept(head: str, content_type: str) -> None:
    response = HtmlResponse(URL, headers={"Content-Type": content_type}, body=head.encode())
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(CommandSpider))
    assert middleware.process_response(Request(URL, meta={POSITION: 0}), response) is response


@pytest.mark.parametrize(
    ("html", "destination"),
    [
        ("<base href=/sub/><meta http-equiv=refresh content='0; url=next'>", "http://example.com/sub/next"),
        ("<base href='http://[bad'><meta http-equiv=refresh content='0; url=next'>", "http://example.com/next"),
        (
            "<meta http-equiv=refresh content=soon><meta http-equiv=refresh content='0; next'>",
            "http://example.com/next",
        ),
        ("<meta charset=shift_jis><meta http-equiv=refresh content='0; ?\x83A'>", "http://example.com/page?%83A"),
        ("<META CONTENT='0; url=/?a=1&amp;b=2' HTTP-EQUIV=Refresh>", "http://example.com/?a=1&b=2"),
    ],
)
def test_the_url_of_a_refresh_is_read_like_a_link_of_the_page(html: str, destination: str) -> None:
    response = HtmlResponse(URL, body=html.encode("latin-1"), encoding="utf-8")
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(CommandSpider))
    assert middleware.process_response(Request(URL), response).url == destination


def test_a_refresh_in_the_header_comes_before_that_of_the_page() -> None:
    body = b"<meta http-equiv=refresh content='0; url=/meta'>"
    response = HtmlResponse(URL, headers={"Refresh": "0; url=/header"}, body=body)
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(CommandSpider))
    assert middleware.process_response(Request(URL), response).url == "http://example.com/header"


@pytest.mark.parametrize("label", ["base64", "rot13", "zip", "idna", "undefined", "hex", "utf-16"])
def test_a_label_that_is_no_charset_of_the_page_does_not_hide_a_refresh(label: str) -> None:
    body = b"<meta http-equiv=REFRESH content='0; url=/next'>"
    response = HtmlResponse(URL, headers={"Content-Type": f"text/html; charset={label}"}, body=body)
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(CommandSpider))
    found = middleware.process_response(Request(URL, meta={POSITION: 0}), response)
    assert found.url == "http://example.com/next"


@pytest.mark.parametrize(
    "html",
    [
        "<script>document.write('{}')</script>",
        "<noscript>{}</noscript>",
        "<style>/* {} */</style>",
        "<textarea rows=3>{}</textarea>",
        "<template>{}</template>",
        "<title>How to write {}</title>",
        "<!-- {} -->",
    ],
)
def test_a_refresh_that_is_no_element_is_not_followed(html: str) -> None:
    body = html.replace("{}", '<meta http-equiv="refresh" content="0; url=/next">').encode()
    response = HtmlResponse(URL, body=body, encoding="utf-8")
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(CommandSpider))
    assert middleware.process_response(Request(URL, meta={POSITION: 0}), response) is response


def test_a_refresh_is_found_in_utf_16() -> None:
    response = HtmlResponse(URL, body="<meta http-equiv=refresh content='0; url=/next'>".encode("utf-16"))
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(CommandSpider))
    found = middleware.process_response(Request(URL, meta={POSITION: 0}), response)
    assert found.url == "http://example.com/next"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("http://[bad/", INVALID_REDIRECT),
        ("http://example.com:99999/", INVALID_REDIRECT),
        ("http:///", INVALID_REDIRECT),
        ("javascript:go()", UNSUPPORTED_REDIRECT),
        ("mailto:x", UNSUPPORTED_REDIRECT),
        ("data:text/html,x", UNSUPPORTED_REDIRECT),
        ("file:///etc/passwd", LOCAL_REDIRECT),
        ("FILE:/etc/passwd", LOCAL_REDIRECT),
        ("ftp://example.com/", LOCAL_REDIRECT),
        ("http://me:secret@example.com/", LOGIN_REDIRECT),
        (None, f"HTTP 302, {NO_DESTINATION}"),
    ],
)
def test_a_redirect_that_leads_nowhere_has_a_reason(target: str | None, reason: str) -> None:
    with pytest.raises(IgnoreRequest, match=f"^{re.escape(reason)}$"):
        redirected(target)


@pytest.mark.parametrize(
    ("target", "url"),
    [
        (r"\next", "http://example.com/next"),  # browsers read a backslash as a slash
        (r"\\example.com\next", "http://example.com/next"),
        ("//example.com//next", "http://example.com//next"),
        (" /next\t", "http://example.com/next"),
        ("/a b", "http://example.com/a%20b"),
        ("/a%2Fb?c=%20", "http://example.com/a%2Fb?c=%20"),
        ("/n\N{LATIN SMALL LETTER E WITH ACUTE}".encode(), "http://example.com/n%C3%A9"),
        (b"/n\xe9", "http://example.com/n%E9"),
        ("?q=1", "http://example.com/page?q=1"),
        ("/next#part", "http://example.com/next#part"),
    ],
)
def test_a_redirect_leads_where_it_leads_in_browsers(target: str | bytes, url: str) -> None:
    assert redirected(target).url == url


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
