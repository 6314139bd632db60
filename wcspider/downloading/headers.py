"""What requests carry, and where they may be redirected to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.http.cookies import CookieJar
from scrapy.utils.httpobj import urlparse_cached

from wcspider.config import CaptureConfig
from wcspider.exceptions import WebCaptureError
from wcspider.web.urls import is_capturable, location
from wcspider.webcapture.records import Command

SENT_OTHERWISE = frozenset({"cookie", "content-type"})
"""Headers of a command that are no matter of every request: cookies are Scrapy's, a type is that of posted data."""


class CommandHeadersMiddleware:
    """Sends the headers of a command with every request to its host, and with none to another.

    So the pictures of a site that asks for a log-in are fetched as its pages are, and a redirection to another site
    takes nothing along. A spider takes part if it has ``commands`` (`wcspider.webcapture.records.Command`), of which it
    executes those whose index is in ``executed``. It comes before Scrapy's own middlewares for headers, which give
    those that are not there.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request, spider: Any = None) -> None:
        """Put on the headers of the commands to the request's host, take off those of others."""
        current: Any = self.crawler.spider
        commands = [command for command in getattr(current, "commands", ()) if command.headers]
        if not commands:
            return
        host = location(request.url).host if is_capturable(request.url) else None
        for command in commands:
            for name in _sent_with_all(command):
                request.headers.pop(name, None)
        for command in (current.commands[index] for index in current.executed):
            if location(command.url).host == host:
                request.headers.update(_sent_with_all(command))


def _sent_with_all(command: Command) -> dict[str, str]:
    return {name: value for name, value in command.headers if name.lower() not in SENT_OTHERWISE}


class NetrcMiddleware:
    """Logs in (RFC 7617) at the hosts of the user's netrc file, and sends their logins to no other.

    By https, and by http where the user's own URL of the host has it: a page or a redirection cannot have a password
    sent where others can read it.
    """

    def __init__(self, crawler: Crawler, logins: Mapping[str, str]) -> None:
        """Take the Authorization header of each host."""
        self.crawler = crawler
        self._logins = logins
        self._headers = {header.encode() for header in logins.values()}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        try:
            logins = CaptureConfig.from_settings(crawler.settings).logins
        except WebCaptureError as error:
            raise NotConfigured(str(error)) from error
        if not logins:
            raise NotConfigured
        return cls(crawler, logins)

    def process_request(self, request: Request, spider: Any = None) -> None:
        """Put on the login of the request's host, take off that of another, which redirected here."""
        if request.headers.get("Authorization") in self._headers:
            del request.headers["Authorization"]
        host = urlparse_cached(request).hostname or ""
        if host in self._logins and self._is_safe(request, host):
            request.headers.setdefault("Authorization", self._logins[host])

    def _is_safe(self, request: Request, host: str) -> bool:
        commands = getattr(self.crawler.spider, "commands", ())
        asked = {urlsplit(command.url).hostname for command in commands if command.url.startswith("http:")}
        scheme = urlparse_cached(request).scheme
        return scheme == "https" or (scheme == "http" and host in asked)


class CookieFileMiddleware(CookiesMiddleware):
    """Scrapy's cookies, with those of the user's cookie file (`wcspider.crawl.arguments`) from the start.

    A cookie that names no domain goes to its own host only (RFC 6265, 5.4), as in browsers.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self.jars = defaultdict(_jar)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        middleware = super().from_crawler(crawler)
        crawler.signals.connect(middleware.spider_opened, signals.spider_opened)
        return middleware

    def spider_opened(self, spider: Any) -> None:
        """Put the cookies of the file into the jar that all requests share."""
        for cookie in getattr(getattr(spider, "arguments", None), "cookies", ()):
            self.jars[None].set_cookie(cookie)


def _jar() -> CookieJar:
    return CookieJar(DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain))
