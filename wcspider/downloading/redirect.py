"""Redirects that stay in scope."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response

from wcspider.crawl.reading.parsing import header_charset
from wcspider.crawl.request_keys import POSITION
from wcspider.exceptions import InvalidURLError
from wcspider.web.charset import decide
from wcspider.web.documents.html_parsing import parse
from wcspider.web.documents.page_refresh import parse_refresh
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

WITH_REFRESH = frozenset(range(200, 300)) - {204, 205, 206}
"""The statuses of pages whose refresh is followed: those of success, with the whole page."""

REFRESH_BYTES = 32 * 1024
"""How many bytes at the beginning of a page are searched for a META refresh."""

_ASCII = bytes(range(0x80))

_REFRESH_RE = re.compile(rb"r\0?e\0?f\0?r\0?e\0?s\0?h", re.IGNORECASE)
"""The word without which there is no META refresh, also in UTF-16."""


class RefusedRedirectError(IgnoreRequest):
    """An error for a redirect that leads to a URL that is never fetched from there; the message is the reason."""


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
    ``claim(request)`` decide. Resources of pages, and pages of other spiders, may be redirected anywhere that
    `_destination` permits.
    """

    crawler: Any

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        """Return the request for the destination of a redirect; raise IgnoreRequest if it may not be followed."""
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


def _destination(request: Request, reference: str, base: str, encoding: str = "utf-8") -> str:
    """Return the absolute URL that a redirect leads to; raise `RefusedRedirectError` if it may not lead there."""
    try:
        destination = resolve(base, reference, encoding)
    except InvalidURLError as error:
        raise RefusedRedirectError(INVALID_REDIRECT) from error
    if not is_capturable(destination):
        raise RefusedRedirectError(UNSUPPORTED_REDIRECT)
    if not may_pull(request.url, destination):
        raise RefusedRedirectError(LOCAL_REDIRECT)
    if has_login(canonical_url(destination)):
        raise RefusedRedirectError(LOGIN_REDIRECT)
    return destination


class ScopedRedirectMiddleware(_Scoped, RedirectMiddleware):
    """A downloader middleware that follows HTTP redirects (301, 302, 303, 307, 308) that stay in scope."""

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        r"""Return the request for the destination of a redirect; any other response is returned as it is.

        Location is resolved like a link, because Scrapy reads ``\next`` and ``//host`` differently from browsers. Bytes
        outside ASCII stay as they are, because the header does not name their encoding. Raises IgnoreRequest if the
        redirect cannot be followed.
        """
        if response.status not in REDIRECTS or self._is_for_the_spider(request, response.status):
            return response
        location = response.headers.get("Location")
        if location is None:
            raise RefusedRedirectError(f"HTTP {response.status}, {NO_DESTINATION}")
        headers = response.headers.copy()
        headers["Location"] = _destination(request, quote(location, safe=_ASCII), request.url)
        return super().process_response(request, response.replace(headers=headers))

    def _is_for_the_spider(self, request: Request, status: int) -> bool:
        """Tell whether the spider gets a redirect as it is, as in Scrapy's middleware."""
        of_spider = getattr(self.crawler.spider, "handle_httpstatus_list", ())
        is_handled = status in of_spider or status in request.meta.get("handle_httpstatus_list", ())
        return bool(is_handled or request.meta.get("dont_redirect") or request.meta.get("handle_httpstatus_all"))


class ScopedMetaRefreshMiddleware(_Scoped, MetaRefreshMiddleware):
    """A downloader middleware that follows refreshes of pages that stay in scope, as browsers read them.

    A page is kept if it reloads itself, if its refresh leads to a URL that is never fetched from there, or if readers
    see it for METAREFRESH_MAXDELAY seconds or longer. The refresh of an error page is not followed, because the
    status of the answer is the reason why there is no page.
    """

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        """Return the request for the destination of a refresh, or the response if there is no refresh to follow.

        Raises IgnoreRequest if the destination of a refresh without delay is out of scope, or the refresh is one too
        many, and for any delay if another request fetches the destination.
        """
        if not isinstance(response, HtmlResponse) or request.method == "HEAD" or request.meta.get("dont_redirect"):
            return response
        if response.status not in WITH_REFRESH:
            return response
        try:
            destination, seconds = self._refreshed(request, response)
        except RefusedRedirectError:
            return response
        if canonical_url(destination) == canonical_url(request.url):
            return response
        redirected = self._redirect_request_using_get(request, response, destination)
        try:
            return self._redirect(redirected, request, "meta refresh")
        except IgnoreRequest as error:
            if seconds and not isinstance(error, AlreadyClaimedError):
                return response
            raise

    def _refreshed(self, request: Request, response: Response) -> tuple[str, int]:
        """Return the destination of the refresh of a page, and its delay in seconds.

        If there is no refresh to follow, the destination is the URL of the page. Raises `RefusedRedirectError` like
        `_destination`.
        """
        named = (response.headers.get("Refresh") or b"").decode("latin-1")
        refresh, base, encoding = parse_refresh(named), response.url, "utf-8"
        if refresh is None:
            beginning = response.body[:REFRESH_BYTES]
            if not _REFRESH_RE.search(beginning):
                return request.url, 0
            document = parse(beginning, decide(beginning, header_charset(response)).encoding)
            refresh, base, encoding = document.refresh, document.base_url(response.url), document.encoding
        if refresh is None or not refresh.reference or refresh.seconds >= self._maxdelay:
            return request.url, 0
        return _destination(request, refresh.reference, base, encoding), refresh.seconds
