"""The redirect middlewares: redirects of HTTP and refreshes of pages, which stay in scope."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response

from tests.support.crawlers import OtherSpider, make_crawler
from wcspider.crawl.request_keys import POSITION
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
from wcspider.webcapture.order import REDIRECT_LOOP

URL = "http://example.com/page"


class ScopedSpider(OtherSpider):
    """A spider that decides on redirects."""

    scope = "http://example.com/"
    claimed: Sequence[str] = ()

    def in_scope(self, request: Request) -> bool:
        return request.url.startswith(self.scope)

    def claim(self, request: Request) -> bool:
        return request.url not in self.claimed


def redirected(
    target: str | bytes | None, status: int = 302, spider: type[OtherSpider] = ScopedSpider, **options: Any
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


def refreshed(content: str, padding: int = 0, **spider_arguments: Any) -> Any:
    """Return the result of the middleware for a META refresh, and the response."""
    body = f"<meta http-equiv=refresh content='{content}'>{'x' * padding}".encode()
    response = HtmlResponse(URL, body=body, encoding="utf-8")
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(ScopedSpider, spider_arguments))
    return middleware.process_response(Request(URL, meta={POSITION: 0}), response), response


@pytest.mark.parametrize("padding", [0, 1_000_000])
def test_a_meta_refresh_is_a_redirect(padding: int) -> None:
    assert refreshed("0; url=/next", padding)[0].url == "http://example.com/next"
    for content in (
        "5",
        "0; url=/page",
        "0; url=/page#x",
        "5; url=/next",
        "1000; url=/next",
        "0; url=ftp://example.com/",
        "0; url=http://me:secret@example.com/",
    ):
        found, response = refreshed(content, padding)
        assert found is response
        assert response._cached_ubody is None or not padding  # a large page is not decoded for it


@pytest.mark.parametrize("status", [204, 205, 206, 404, 429, 500, 503])
def test_the_refresh_of_an_answer_without_the_page_is_not_followed(status: int) -> None:
    response = HtmlResponse(URL, status, headers={"Refresh": "0; url=/next"}, body=b"<p>an error")
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(ScopedSpider))
    assert middleware.process_response(Request(URL, meta={POSITION: 0}), response) is response


def test_a_page_that_readers_see_is_kept_if_its_refresh_cannot_be_followed() -> None:
    found, response = refreshed("3; url=http://elsewhere.example/")
    assert found is response
    with pytest.raises(OutOfScopeError):
        refreshed("0; url=http://elsewhere.example/")
    with pytest.raises(AlreadyClaimedError):
        refreshed("3; url=/next", claimed=["http://example.com/next"])


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
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(ScopedSpider))
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
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(ScopedSpider))
    assert middleware.process_response(Request(URL), response).url == destination


def test_a_refresh_in_the_header_comes_before_that_of_the_page() -> None:
    body = b"<meta http-equiv=refresh content='0; url=/meta'>"
    response = HtmlResponse(URL, headers={"Refresh": "0; url=/header"}, body=body)
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(ScopedSpider))
    assert middleware.process_response(Request(URL), response).url == "http://example.com/header"


@pytest.mark.parametrize("label", ["base64", "rot13", "zip", "idna", "undefined", "hex", "utf-16"])
def test_a_label_that_is_no_charset_of_the_page_does_not_hide_a_refresh(label: str) -> None:
    body = b"<meta http-equiv=REFRESH content='0; url=/next'>"
    response = HtmlResponse(URL, headers={"Content-Type": f"text/html; charset={label}"}, body=body)
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(ScopedSpider))
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
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(ScopedSpider))
    assert middleware.process_response(Request(URL, meta={POSITION: 0}), response) is response


def test_a_refresh_is_found_in_utf_16() -> None:
    response = HtmlResponse(URL, body="<meta http-equiv=refresh content='0; url=/next'>".encode("utf-16"))
    middleware = ScopedMetaRefreshMiddleware.from_crawler(make_crawler(ScopedSpider))
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
