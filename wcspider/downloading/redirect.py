"""Where requests may be redirected to."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from wcspider.crawl.request_keys import POSITION
from wcspider.web.urls import canonical_url, is_capturable
from wcspider.webcapture.scope import may_pull


class OutOfScopeError(IgnoreRequest):
    """A redirection led out of what the command asks for."""

    def __init__(self, url: str) -> None:
        super().__init__(f"redirected to {url}")
        self.url = url


class AlreadyClaimedError(IgnoreRequest):
    """A redirection led to a URL that another request fetches: it is to be one more way there."""

    def __init__(self, redirected: Request) -> None:
        super().__init__(f"redirected to {redirected.url}, which another request fetches")
        self.redirected = redirected


class _Scoped:
    """Refuses a redirection that leads out of scope. Mixed into one of Scrapy's redirect middlewares.

    A spider that reads in order (`wcspider.spiders.capture`) is asked by ``in_scope(request)`` and
    ``claim(request)``; resources of pages, and other spiders, are held back from local files only.
    """

    crawler: Any

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        if not is_capturable(redirected.url) or not may_pull(request.url, redirected.url):
            raise OutOfScopeError(redirected.url)
        followed: Request = super()._redirect(redirected, request, reason)  # type: ignore[misc]
        if POSITION in request.meta:
            spider = self.crawler.spider
            if not spider.in_scope(followed):
                raise OutOfScopeError(followed.url)
            if not spider.claim(followed):
                raise AlreadyClaimedError(followed)
        return followed


class ScopedRedirectMiddleware(_Scoped, RedirectMiddleware):
    """Follows HTTP redirections (301, 302, 303, 307, 308) that stay in scope."""


class ScopedMetaRefreshMiddleware(_Scoped, MetaRefreshMiddleware):
    """Follows META refreshes that stay in scope; a page that only reloads itself is kept."""

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        if canonical_url(redirected.url) == canonical_url(request.url):
            raise _ReloadsItself
        return super()._redirect(redirected, request, reason)

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        """Return the request for what a page refreshes to, or its response if it is to be kept."""
        try:
            return super().process_response(request, response)
        except _ReloadsItself:
            return response


class _ReloadsItself(Exception):  # noqa: N818
    """Ends the handling of a refresh that leads to its own page."""
