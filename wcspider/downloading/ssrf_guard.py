"""The SSRF guard: pages from the web cannot make the crawler connect to addresses of the private network."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.url import add_http_if_no_scheme
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from wcspider.crawl.session import capturing_session_of
from wcspider.crawl.third_party import is_third_party
from wcspider.web.addresses import Address, AllowedHosts, host_address, is_public, plain_host
from wcspider.webcapture.records import Command

PRIVATE_ADDRESS = "a private address, which a page from the web may not reach (WEBCAPTURE_ALLOWED_HOSTS)"

_NETWORKED = ("http", "https", "ftp")


class SsrfGuard:
    """The hosts that a crawl may connect to: public hosts, the hosts of the user's URLs, and hosts from a setting."""

    def __init__(self, own: AllowedHosts, allowed: AllowedHosts) -> None:
        self.own = own
        """The hosts of the user's URLs."""

        self.allowed = allowed
        """The hosts of the setting WEBCAPTURE_ALLOWED_HOSTS."""

        self.proxies: set[str] = set()
        """The hosts of proxies."""

        self.refused: set[str] = set()
        """Hosts that only have addresses that may not be connected to."""

        self._public: set[str] = set()
        """Hosts of the user's URLs that had a public address."""

    def add_own(self, host: str) -> None:
        """Add a host to those of the user's URLs."""
        if not self.own.has_name(host):
            added = AllowedHosts.of([host])
            self.own = AllowedHosts(self.own.names | added.names, self.own.networks + added.networks)

    def permits(self, host: str, address: Address) -> bool:
        """Tell whether the crawl may connect to a host at an address, for a page or as a proxy."""
        return self._allows(host, address) or plain_host(host) in self.proxies

    def _allows(self, host: str, address: Address) -> bool:
        """Tell whether pages may reach a host at an address.

        A host of the user's URLs that had a public address may not change to a private one (DNS rebinding).
        """
        name = plain_host(host)
        if is_public(address):
            if self.own.has_name(name):
                self._public.add(name)
            return True
        if self.allowed.has_name(name) or self.allowed.has_address(address) or self.own.has_address(address):
            return True
        return self.own.has_name(name) and name not in self._public

    def refuses(self, request: Request) -> bool:
        """Tell whether the host in a URL is enough to refuse a request: it is a private address, or a proxy."""
        host = plain_host(urlparse_cached(request).hostname or "")
        address = host_address(host)
        if address is not None:
            return not self._allows(host, address)
        is_direct = not request.meta.get("proxy")
        return is_direct and host in self.proxies and not (self.own.has_name(host) or self.allowed.has_name(host))


@implementer(IHostnameResolver)
class GuardedResolver:
    """A resolver that only returns addresses that may be connected to.

    Every connection by name uses the reactor's resolver and the addresses that it returns, so no name is looked up
    twice. All crawls of a process share the resolver: a name that one of them may reach, the others may reach too.
    """

    def __init__(self, resolver: Any) -> None:
        self._resolver = resolver
        self._guards: list[SsrfGuard] = []

    @classmethod
    def install(cls, guard: SsrfGuard) -> GuardedResolver:
        """Wrap the present resolver of the reactor, unless that was done before, and add the guard of a crawl."""
        from twisted.internet import reactor

        shared: Any = reactor
        resolver = shared.nameResolver
        if not isinstance(resolver, cls):
            resolver = cls(resolver)
            shared.installNameResolver(resolver)
        if guard not in resolver._guards:
            resolver._guards.append(guard)
        return resolver

    def release(self, guard: SsrfGuard) -> None:
        """Remove the guard of a crawl that has ended."""
        self._guards.remove(guard)

    def permits(self, host: str, address: Address) -> bool:
        """Tell whether one of the crawls may connect to a host at an address."""
        permitted = [guard.permits(host, address) for guard in self._guards]
        return not permitted or any(permitted)

    def note(self, host: str, is_refused: bool) -> None:
        """Record whether a host was refused, so that its requests fail with the right reason."""
        for guard in self._guards:
            (guard.refused.add if is_refused else guard.refused.discard)(plain_host(host))

    def resolveHostName(  # noqa: N802 - the interface's name, and its arguments'
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[Any]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Look a host up, and pass on those of its addresses that may be connected to."""
        receiver = _GuardedReceiver(self, resolutionReceiver, hostName)
        try:
            hostName.encode("idna")
        except UnicodeError:  # for a name such as a..b, the system's look-up fails and Twisted's never ends
            resolution = _EndedResolution(hostName)
            receiver.resolutionBegan(resolution)
            receiver.resolutionComplete()
            return resolution
        return self._resolver.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)


@implementer(IHostResolution)
class _EndedResolution:
    """A look-up that has ended."""

    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        """Do nothing."""


@implementer(IResolutionReceiver)
class _GuardedReceiver:
    """A receiver of addresses that passes on only those that may be connected to."""

    def __init__(self, resolver: GuardedResolver, receiver: Any, host: str) -> None:
        self._resolver = resolver
        self._receiver = receiver
        self._host = host
        self._has_refused = False
        self._has_permitted = False

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802
        """Pass on the start of a look-up."""
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        """Pass on an address if it may be connected to."""
        if self._resolver.permits(self._host, ip_address(address.host)):
            self._has_permitted = True
            self._receiver.addressResolved(address)
        else:
            self._has_refused = True

    def resolutionComplete(self) -> None:  # noqa: N802
        """Pass on the end of a look-up."""
        self._resolver.note(self._host, self._has_refused and not self._has_permitted)
        self._receiver.resolutionComplete()


class SsrfGuardMiddleware:
    """A downloader middleware that refuses requests to private addresses, in a URL or as the address of a host name.

    It comes after Scrapy's middleware for proxies. A proxy looks names up itself, so only addresses in URLs are
    refused then.
    """

    def __init__(self, crawler: Crawler, allowed: AllowedHosts) -> None:
        self.crawler = crawler
        self._allowed = allowed
        self._guard: SsrfGuard | None = None
        self._resolver: GuardedResolver | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware of a crawl."""
        middleware = cls(crawler, capturing_session_of(crawler).config.allowed)
        crawler.signals.connect(middleware.request_scheduled, signals.request_scheduled)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    @property
    def guard(self) -> SsrfGuard:
        """The guard of the crawl; only valid when the spider has its commands."""
        if self._guard is None:
            found = getattr(self.crawler.spider, "commands", ())  # of another project, this may be anything
            commands = found if isinstance(found, Sequence) else ()
            urls = (command.url for command in commands if isinstance(command, Command))
            self._guard = SsrfGuard(AllowedHosts.of(map(_host, urls)), self._allowed)
        return self._guard

    def request_scheduled(self, request: Request) -> None:
        """Treat the requests of another project's spider as the user's URLs, but not their redirect destinations.

        Resources of pages do not get here, because they are fetched without Scrapy's scheduler.
        """
        if is_third_party(self.crawler.spider) and not request.meta.get("redirect_times"):
            self.guard.add_own(_host(request.url))

    def process_request(self, request: Request) -> None:
        """Refuse a request to a private address, and guard the look-up of its host name."""
        if urlparse_cached(request).scheme not in _NETWORKED:
            return
        guard = self.guard
        if proxy := request.meta.get("proxy"):
            guard.proxies.add(_host(add_http_if_no_scheme(proxy)))
        if guard.refuses(request):
            raise IgnoreRequest(PRIVATE_ADDRESS)
        self._resolver = GuardedResolver.install(guard)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Raise IgnoreRequest if a host was not found because all its addresses are private."""
        is_unknown = isinstance(exception, CannotResolveHostError | DNSLookupError)
        if is_unknown and plain_host(urlparse_cached(request).hostname or "") in self.guard.refused:
            raise IgnoreRequest(PRIVATE_ADDRESS) from exception

    def spider_closed(self) -> None:
        """Remove the guard of this crawl from the resolver; other crawls of the process keep theirs."""
        if self._resolver is not None:
            self._resolver.release(self.guard)


def _host(url: str) -> str:
    """Return the host of a URL in lower case."""
    return plain_host(urlsplit(url).hostname or "")
