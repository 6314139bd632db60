"""How far a crawl reaches: not into the network that it runs in, but where the user's own URLs and settings say so."""

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
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from wcspider.crawl.session import capturing_session_of
from wcspider.crawl.third_party import is_third_party
from wcspider.web.addresses import Address, AllowedHosts, host_address, is_public, plain_host

PRIVATE_ADDRESS = "an address inside the network, which a page from the web may not reach (WEBCAPTURE_ALLOWED_HOSTS)"

_NETWORKED = ("http", "https", "ftp")


class SsrfGuard:
    """Which hosts a crawl may connect to: public ones, those of the user's own URLs, and those that a setting opens."""

    def __init__(self, own: AllowedHosts, opened: AllowedHosts) -> None:
        self.own = own
        self.opened = opened
        self.proxies: set[str] = set()
        """Hosts that are connected to on behalf of others."""

        self.refused: set[str] = set()
        """Hosts with no address that could be connected to."""

        self._public: set[str] = set()
        """Hosts of the user's own URLs that were met at public addresses."""

    def open(self, host: str) -> None:
        """Take a host as one of the user's own."""
        if not self.own.has_name(host):
            opened = AllowedHosts.of([host])
            self.own = AllowedHosts(self.own.names | opened.names, self.own.networks + opened.networks)

    def permits(self, host: str, address: Address) -> bool:
        """Tell whether a host may be connected to at an address, for itself or as a proxy."""
        return self._allows(host, address) or plain_host(host) in self.proxies

    def _allows(self, host: str, address: Address) -> bool:
        """Tell whether pages may reach a host at an address.

        A host of the user's own URLs that was met at a public address does not change to one inside.
        """
        name = plain_host(host)
        if is_public(address):
            if self.own.has_name(name):
                self._public.add(name)
            return True
        if self.opened.has_name(name) or self.opened.has_address(address) or self.own.has_address(address):
            return True
        return self.own.has_name(name) and name not in self._public

    def refuses(self, request: Request) -> bool:
        """Tell whether a request is refused by its URL alone: its host is an address, or a proxy's."""
        host = plain_host(urlparse_cached(request).hostname or "")
        address = host_address(host)
        if address is not None:
            return not self._allows(host, address)
        is_direct = not request.meta.get("proxy")
        return is_direct and host in self.proxies and not (self.own.has_name(host) or self.opened.has_name(host))


@implementer(IHostnameResolver)
class GuardedResolver:
    """A resolver that gives no address which may not be connected to.

    Every connection by name asks the reactor's resolver and connects to what that gives, so nothing is looked up a
    second time. The crawls of a process have it together: what one may reach by name, the others may too.
    """

    def __init__(self, resolver: Any) -> None:
        self._resolver = resolver
        self._guards: list[SsrfGuard] = []

    @classmethod
    def install(cls, reach: SsrfGuard) -> GuardedResolver:
        """Put the reactor's resolver under guard, whichever it is at the moment."""
        from twisted.internet import reactor

        shared: Any = reactor
        resolver = shared.nameResolver
        if not isinstance(resolver, cls):
            resolver = cls(resolver)
            shared.installNameResolver(resolver)
        if reach not in resolver._guards:
            resolver._guards.append(reach)
        return resolver

    def release(self, reach: SsrfGuard) -> None:
        """Forget a crawl that has ended."""
        self._guards.remove(reach)

    def permits(self, host: str, address: Address) -> bool:
        """Tell whether one of the crawls may connect to a host at an address."""
        permitted = [reach.permits(host, address) for reach in self._guards]
        return not permitted or any(permitted)

    def note(self, host: str, is_refused: bool) -> None:
        """Remember what became of a host, for the reason that its requests are left out with."""
        for reach in self._guards:
            (reach.refused.add if is_refused else reach.refused.discard)(plain_host(host))

    def resolveHostName(  # noqa: N802 - the interface's name, and its arguments'
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[Any]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Look a host up, and hand on those of its addresses that may be connected to."""
        receiver = _GuardedReceiver(self, resolutionReceiver, hostName)
        return self._resolver.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)


@implementer(IResolutionReceiver)
class _GuardedReceiver:
    def __init__(self, guard: GuardedResolver, receiver: Any, host: str) -> None:
        self._guard = guard
        self._receiver = receiver
        self._host = host
        self._refused = False
        self._given = False

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        if self._guard.permits(self._host, ip_address(address.host)):
            self._given = True
            self._receiver.addressResolved(address)
        else:
            self._refused = True

    def resolutionComplete(self) -> None:  # noqa: N802
        self._guard.note(self._host, self._refused and not self._given)
        self._receiver.resolutionComplete()


class SsrfGuardMiddleware:
    """Refuses requests into the network, by the address in their URL or by what their host turned out to be.

    It comes behind Scrapy's middleware for proxies: a proxy looks names up itself, so then only addresses are refused.
    """

    def __init__(self, crawler: Crawler, opened: AllowedHosts) -> None:
        self.crawler = crawler
        self._opened = opened
        self._reach: SsrfGuard | None = None
        self._guard: GuardedResolver | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        middleware = cls(crawler, capturing_session_of(crawler).config.allowed)
        crawler.signals.connect(middleware.request_scheduled, signals.request_scheduled)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    @property
    def reach(self) -> SsrfGuard:
        """How far the crawl reaches; known when its spider has its commands."""
        if self._reach is None:
            commands = getattr(self.crawler.spider, "commands", ())
            self._reach = SsrfGuard(AllowedHosts.of(_host(command.url) for command in commands), self._opened)
        return self._reach

    def request_scheduled(self, request: Request) -> None:
        """Take what another project's spider asks for as the user's own, but not what that is redirected to.

        What pages show is not scheduled by Scrapy: it is fetched at once.
        """
        if is_third_party(self.crawler.spider) and not request.meta.get("redirect_times"):
            self.reach.open(_host(request.url))

    def process_request(self, request: Request, spider: Any = None) -> None:
        """Refuse a request to an address inside; put the lookup of a name under guard."""
        if urlparse_cached(request).scheme not in _NETWORKED:
            return
        reach = self.reach
        if proxy := request.meta.get("proxy"):
            reach.proxies.add(_host(add_http_if_no_scheme(proxy)))
        if reach.refuses(request):
            raise IgnoreRequest(PRIVATE_ADDRESS)
        self._guard = GuardedResolver.install(reach)

    def process_exception(self, request: Request, exception: Exception, spider: Any = None) -> None:
        """Say why a host was not found, where its addresses are known and inside."""
        is_unknown = isinstance(exception, CannotResolveHostError | DNSLookupError)
        if is_unknown and plain_host(urlparse_cached(request).hostname or "") in self.reach.refused:
            raise IgnoreRequest(PRIVATE_ADDRESS) from exception

    def spider_closed(self) -> None:
        """Leave the resolver to the other crawls of the process."""
        if self._guard is not None:
            self._guard.release(self.reach)


def _host(url: str) -> str:
    return plain_host(urlsplit(url).hostname or "")
