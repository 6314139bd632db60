"""What requests carry, and where they may be redirected to."""

from __future__ import annotations

from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from wcspider.capture.records import Command
from wcspider.capture.scope import may_pull
from wcspider.capture.urls import canonical_url, is_capturable, location
from wcspider.frontier import POSITION

SENT_OTHERWISE = frozenset({"cookie", "content-type"})
"""Headers of a command that are no matter of every request: cookies are Scrapy's, a type is that of posted data."""


class CommandHeadersMiddleware:
    """Sends the headers of a command with every request to its host, and with none to another.

    So the pictures of a site that asks for a log-in are fetched as its pages are, and a redirection to another site
    takes nothing along. A spider takes part if it has ``commands`` (`wcspider.capture.records.Command`). It comes
    before Scrapy's own middlewares for headers, which give those that are not there.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request, spider: Any = None) -> None:
        """Put on the headers of the commands to the request's host, take off those of others."""
        commands = [command for command in getattr(self.crawler.spider, "commands", ()) if command.headers]
        if not commands:
            return
        host = location(request.url).host if is_capturable(request.url) else None
        for command in commands:
            for name in _sent_with_all(command):
                request.headers.pop(name, None)
        for command in commands:
            if location(command.url).host == host:
                request.headers.update(_sent_with_all(command))


def _sent_with_all(command: Command) -> dict[str, str]:
    return {name: value for name, value in command.headers if name.lower() not in SENT_OTHERWISE}


class OutOfScopeError(IgnoreRequest):
    """A redirection led out of what the command asks for."""


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
            raise OutOfScopeError(f"redirected to {redirected.url}")
        followed: Request = super()._redirect(redirected, request, reason)  # type: ignore[misc]
        if POSITION in request.meta:
            spider = self.crawler.spider
            if not spider.in_scope(followed):
                raise OutOfScopeError(f"redirected to {followed.url}")
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
