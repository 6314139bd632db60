"""Redirects that stay in scope."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response, TextResponse

from wcspider.crawl.reading.parsing import header_charset
from wcspider.crawl.request_keys import POSITION
from wcspider.exceptions import InvalidURLError
from wcspider.web.charset import decide
from wcspider.web.urls import canonical_url, has_login, is_capturable, resolve
from wcspider.webcapture.order import REDIRECT_LOOP
from wcspider.webcapture.scope import may_pull

LOGIN_REDIRECT = "a redirect to a URL with a login, which is not sent"
"""The reason of a page whose redirect contains a user name or a password."""

INVALID_REDIRECT = "a redirect to an invalid URL"
"""The reason of a page whose redirect contains a URL that cannot be parsed."""

UNSUPPORTED_REDIRECT = "a redirect to a URL whose scheme is not supported"
"""The reason of a page whose redirect leads to a ``mailto:`` or ``data:`` URL, for example."""

LOCAL_REDIRECT = "a redirect to a local file or an FTP server, which a page from the web may not reach"
"""The reason of a page from the web whose redirect leads to a ``file:`` or ``ftp:`` URL."""

NO_DESTINATION = "a redirect without a destination"
"""The reason of a page whose redirect has no Location header; the status is written before it."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""The statuses of redirects (RFC 9110, 15.4) that are followed."""

REFRESH_BYTES = 32 * 1024
"""How many bytes of a page are searched for a META refresh. Scrapy looks at 4,096 characters, but decodes the page."""

_ASCII = bytes(range(0x80))

_REFRESH_RE = re.compile(rb"r\0?e\0?f\0?r\0?e\0?s\0?h", re.IGNORECASE)
"""The word without which there is no META refresh, also in UTF-16."""


class OutOfScopeError(IgnoreRequest):
    """An error for a redirect that leads out of the scope of the command."""

    def __init__(self, url: str) -> None:
        super().__init__(f"redirected to {url}")
        self.url = url


class AlreadyClaimedError(IgnoreRequest):
    """An error for a redirect to a URL that another request fetches; the redirect becomes an alias of that page."""

    def __init__(self, redirected: Request) -> None:
        super().__init__(f"redirected to {redirected.url}, which another request fetches")
        self.redirected = redirected


class _Scoped:
    """A mixin for Scrapy's redirect middlewares that refuses redirects out of scope.

    For pages of a capture spider (`wcspider.spiders.capture`), the spider's ``in_scope(request)`` and
    ``claim(request)`` decide. Resources of pages, and pages of other spiders, may be redirected anywhere but to
    local files and FTP servers.
    """

    crawler: Any

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        """Return the request for the destination of a redirect; raise IgnoreRequest if it may not be followed."""
        if is_capturable(redirected.url) and has_login(canonical_url(redirected.url)):
            raise IgnoreRequest(LOGIN_REDIRECT)
        if not is_capturable(redirected.url) or not may_pull(request.url, redirected.url):
            raise OutOfScopeError(redirected.url)
        followed = self._counted(redirected, request, reason)
        if POSITION in request.meta:
            spider = self.crawler.spider
            if not spider.in_scope(followed):
                raise OutOfScopeError(followed.url)
            if not spider.claim(followed):
                raise AlreadyClaimedError(followed)
        return followed

    def _counted(self, redirected: Request, request: Request, reason: Any) -> Request:
        """Count a redirect. Raise IgnoreRequest after REDIRECT_MAX_TIMES redirects, in a loop or not."""
        try:
            followed: Request = super()._redirect(redirected, request, reason)  # type: ignore[misc]
        except IgnoreRequest as error:
            passed = {canonical_url(url) for url in (*request.meta.get("redirect_urls", ()), request.url)}
            if canonical_url(redirected.url) in passed:
                raise IgnoreRequest(REDIRECT_LOOP) from error
            raise
        return followed


class ScopedRedirectMiddleware(_Scoped, RedirectMiddleware):
    """A downloader middleware that follows HTTP redirects (301, 302, 303, 307, 308) that stay in scope."""

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        """Return the request for the destination of a redirect; any other response is returned as it is.

        Raises IgnoreRequest if the redirect cannot be followed.
        """
        if response.status not in REDIRECTS:
            return response
        headers = response.headers.copy()
        headers["Location"] = _destination(request, response)
        return super().process_response(request, response.replace(headers=headers))


def _destination(request: Request, response: Response) -> str:
    r"""Return the absolute URL that a redirect leads to; raise IgnoreRequest if it leads nowhere.

    The URL is resolved like a link, because Scrapy reads ``\next`` and ``//host`` differently from browsers. Bytes
    outside ASCII stay as they are, because the header does not name their encoding.
    """
    location = response.headers.get("Location")
    if location is None:
        raise IgnoreRequest(f"HTTP {response.status}, {NO_DESTINATION}")
    try:
        destination = resolve(request.url, quote(location, safe=_ASCII))
    except InvalidURLError as error:
        raise IgnoreRequest(INVALID_REDIRECT) from error
    if not is_capturable(destination):
        raise IgnoreRequest(UNSUPPORTED_REDIRECT)
    if not may_pull(request.url, destination):
        raise IgnoreRequest(LOCAL_REDIRECT)
    return destination


class ScopedMetaRefreshMiddleware(_Scoped, MetaRefreshMiddleware):
    """A downloader middleware that follows META refreshes that stay in scope. A page that reloads itself is kept."""

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        """Return the request for the destination of a refresh; raise `_ReloadsItself` if it is the page itself."""
        if canonical_url(redirected.url) == canonical_url(request.url):
            raise _ReloadsItself
        return super()._redirect(redirected, request, reason)

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        """Return the request for the destination of a refresh, or the response if there is no refresh to follow."""
        beginning = response.body[:REFRESH_BYTES]
        if not _REFRESH_RE.search(beginning):
            return response
        found: Request | Response
        try:
            found = super().process_response(request, _excerpt(response, beginning))
        except (_ReloadsItself, ValueError):  # like browsers, ignore an invalid URL in META or BASE
            return response
        return found if isinstance(found, Request) else response


def _excerpt(response: Response, body: bytes) -> Response:
    """Return a response with another body, in the encoding in which the page is read.

    A new response is made, because `Response.replace` would search the whole body for its encoding. The encoding is
    passed on, because Scrapy fails on labels that are not charsets, such as ``base64``.
    """
    if not isinstance(response, TextResponse):
        return response
    encoding = decide(body, header_charset(response)).encoding
    return type(response)(
        response.url,
        status=response.status,
        headers=response.headers,
        body=body,
        request=response.request,
        encoding=encoding,
    )


class _ReloadsItself(Exception):  # noqa: N818
    """An error that ends the handling of a refresh that leads to its own page."""
