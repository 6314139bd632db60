"""The headers, logins and cookies of requests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from http.cookiejar import Cookie, DefaultCookiePolicy
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.http.cookies import CookieJar
from scrapy.utils.httpobj import urlparse_cached
from tldextract import TLDExtract

from wcspider.config import CaptureConfig
from wcspider.exceptions import WebCaptureError
from wcspider.web.urls import is_capturable, location
from wcspider.webcapture.records import Command

SENT_OTHERWISE = frozenset({"cookie", "content-type"})
"""Headers of a command that are not added to every request: Scrapy sends cookies, and a type belongs to posted data."""

_PUBLIC_SUFFIXES = TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
"""The list of public suffixes that comes with tldextract; without URLs, it is never downloaded."""

MOST_COOKIES = 180
"""How many cookies of one host and path are kept, as in browsers; more would make the headers of requests too large."""

LONGEST_COOKIE = 4096
"""How long the name and the value of a cookie may be, in characters (RFC 6265, 6.1); browsers ignore longer ones."""


class CommandHeadersMiddleware:
    """A downloader middleware that sends the headers of a command with every request to its site, and to no other site.

    So the images of a site with a login are fetched like its pages, and a redirect to another site takes no headers
    along. The site is the host and the port, as for SameSite (14.10.5.3). The headers of a command for an https URL are
    not sent by http, where others could read them. It applies to spiders that have ``commands``
    (`wcspider.webcapture.records.Command`) and in ``executed`` the indices of those that are executed. It comes before
    Scrapy's middlewares for headers, which only add missing headers.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._executed: Sequence[int] = ()
        self._names: frozenset[str] = frozenset()
        """The names of the headers of all commands."""

        self._by_site: Mapping[tuple[str, str, str], Mapping[str, str]] = {}
        """The headers of the executed commands, by the scheme, the host and the port to which they are sent."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Add the headers of the commands for the site of a request, and remove those for other sites."""
        spider: Any = self.crawler.spider
        executed = getattr(spider, "executed", ())
        if executed is not self._executed:
            self._read(spider.commands, executed)
        if self._names:
            for name in self._names:
                request.headers.pop(name, None)
            if is_capturable(request.url):
                request.headers.update(self._by_site.get(_site(request.url), {}))

    def _read(self, commands: Sequence[Command], executed: Sequence[int]) -> None:
        """Read the headers of the commands, of which there may be thousands."""
        by_site: dict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
        for command in map(commands.__getitem__, executed):
            if sent := _sent_with_all(command):
                scheme, host, port = _site(command.url)
                for safe in {scheme, "https" if scheme == "http" else scheme}:
                    by_site[safe, host, port].update(sent)
        self._names = frozenset(name for command in commands for name in _sent_with_all(command))
        self._by_site, self._executed = dict(by_site), executed


def _site(url: str) -> tuple[str, str, str]:
    """Return the scheme, the host and the port of a URL; the port is empty if it is the one of the scheme."""
    found = location(url)
    return found.scheme, found.host, found.port


def _sent_with_all(command: Command) -> dict[str, str]:
    """Return the headers of a command that are sent with every request to its site."""
    return {name: value for name, value in command.headers if name.lower() not in SENT_OTHERWISE}


class NetrcMiddleware:
    """A downloader middleware that logs in (RFC 7617) at the hosts of the user's netrc file, and at no other hosts.

    Logins are sent by https, and by http only if the user's own URL of the host has that scheme. So neither a page
    nor a redirect can cause a password to be sent unencrypted.
    """

    def __init__(self, crawler: Crawler, logins: Mapping[str, str]) -> None:
        """Set the Authorization header for each host."""
        self.crawler = crawler
        self._logins = logins
        self._headers = {header.encode() for header in logins.values()}
        self._commands: Sequence[Command] = ()
        self._by_http: frozenset[str | None] = frozenset()
        """The hosts of the commands for http URLs."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware of a crawl."""
        try:
            logins = CaptureConfig.from_settings(crawler.settings).logins
        except WebCaptureError as error:
            raise NotConfigured(str(error)) from error
        if not logins:
            raise NotConfigured
        return cls(crawler, logins)

    def process_request(self, request: Request) -> None:
        """Add the login for the host of a request, and remove the login of a host that redirected to it."""
        if request.headers.get("Authorization") in self._headers:
            del request.headers["Authorization"]
        host = urlparse_cached(request).hostname or ""
        if host in self._logins and self._is_safe(request, host):
            request.headers.setdefault("Authorization", self._logins[host])

    def _is_safe(self, request: Request, host: str) -> bool:
        """Tell whether a login may be sent with a request."""
        commands = getattr(self.crawler.spider, "commands", ())
        if commands is not self._commands:
            by_http = (command.url for command in commands if command.url.startswith("http:"))
            self._commands, self._by_http = commands, frozenset(urlsplit(url).hostname for url in by_http)
        scheme = urlparse_cached(request).scheme
        return scheme == "https" or (scheme == "http" and host in self._by_http)


class CookieFileMiddleware(CookiesMiddleware):
    """Scrapy's cookie middleware, with the cookies of the user's cookie file (`wcspider.crawl.arguments`).

    A cookie without a domain is sent to its own host only (RFC 6265, 5.4), as in browsers. A cookie for a public
    suffix such as ``co.uk`` is rejected (5.3, step 5). The list of public suffixes is the one that comes with
    tldextract: Scrapy's middleware downloads the current list, which blocks the crawl and bypasses its SSRF guard.
    Of too many cookies, the oldest are removed (5.3).
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self.jars = defaultdict(_jar)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware of a crawl."""
        middleware = super().from_crawler(crawler)
        crawler.signals.connect(middleware.spider_opened, signals.spider_opened)
        return middleware

    def _process_cookies(self, cookies: Iterable[Cookie], *, jar: CookieJar, request: Request) -> None:
        """Add cookies to a jar, without those for public suffixes; for the suffix itself, to its own host only."""
        host = (urlparse_cached(request).hostname or "").lower()
        for cookie in cookies:
            if len(cookie.name) + len(cookie.value or "") > LONGEST_COOKIE:
                continue
            domain = cookie.domain.removeprefix(".")
            if domain and not _PUBLIC_SUFFIXES(domain).domain:
                if domain != host:
                    continue
                cookie.domain, cookie.domain_specified = host, False
            jar.set_cookie_if_ok(cookie, request)
            kept = jar._cookies.get(cookie.domain, {}).get(cookie.path, {})
            for name in list(kept)[:-MOST_COOKIES]:
                del kept[name]

    def spider_opened(self, spider: Any) -> None:
        """Add the cookies of the file to the jar that all requests share."""
        for cookie in getattr(getattr(spider, "arguments", None), "cookies", ()):
            self.jars[None].set_cookie(cookie)


def _jar() -> CookieJar:
    """Return an empty jar for cookies."""
    return CookieJar(DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain))
