"""Public and private IP addresses, the address that a host name denotes in any notation, and hosts without a scheme."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_network,
)
from typing import Final

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

LOOPBACK: Final = IPv4Address("127.0.0.1")

# https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast (RFC 5771)
_NOT_PUBLIC_4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)

# https://www.iana.org/assignments/ipv6-address-space: all global unicast addresses lie in this block
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
# https://www.iana.org/assignments/iana-ipv6-special-registry, within that block
_NOT_PUBLIC_6: Final = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))

_NAT64: Final = IPv6Network("64:ff9b::/96")
"""IPv4 addresses behind a translator (RFC 6052, 2.1)."""

_NUMBER: Final = re.compile(r"0x(?P<hex>[0-9a-f]*)|(?P<octal>0[0-7]*)|(?P<decimal>[1-9][0-9]*)", re.ASCII)
_NAME: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?", re.ASCII)


def is_public(address: Address) -> bool:
    """Tell whether an address belongs to the Internet, not to this machine, a private network or a reserved block.

    An IPv6 address with an IPv4 address in it is as public as the IPv4 address.
    """
    address = embedded_ipv4(address)
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    return address in _GLOBAL_UNICAST and not any(address in network for network in _NOT_PUBLIC_6)


def embedded_ipv4(address: Address) -> Address:
    """Return the IPv4 address in an IPv6 address (mapped, 6to4 or NAT64), or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def host_address(host: str) -> Address | None:
    """Return the IP address that the host of a URL denotes, in any notation; None for a name that needs a look-up.

    IPv4 addresses have one to four parts, each decimal, octal or hexadecimal. The last part fills the remaining
    bytes (https://url.spec.whatwg.org/#concept-ipv4-parser, and inet_aton). ``localhost`` and the names below it
    are the loopback address (RFC 6761, 6.3).

    >>> host_address("0x7f.1")
    IPv4Address('127.0.0.1')
    """
    host = plain_host(host)
    if host == "localhost" or host.endswith(".localhost"):
        return LOOPBACK
    if ":" in host:
        try:
            return IPv6Address(host.partition("%")[0])
        except AddressValueError:
            return None
    return _ipv4(host.split("."))


def plain_host(host: str) -> str:
    """Return a host in lower case, without brackets and without the trailing dot of a fully qualified name."""
    return host.lower().removeprefix("[").removesuffix("]").removesuffix(".")


def _ipv4(parts: list[str]) -> IPv4Address | None:
    """Return the IPv4 address with these parts; None if they are not one."""
    numbers = [_number(part) for part in parts]
    if len(numbers) > 4:
        return None
    *first, last = numbers
    if last is None or last >= 256 ** (4 - len(first)):
        return None
    value = last
    for index, number in enumerate(first):
        if number is None or number > 255:
            return None
        value += number << (24 - 8 * index)
    return IPv4Address(value)


def _number(part: str) -> int | None:
    """Return one part of an IPv4 address as a number; None if it is not a number."""
    match = _NUMBER.fullmatch(part)
    if match is None or len(part) > 64:
        return None
    if match["hex"] is not None:
        return int(match["hex"] or "0", 16)
    return int(match["octal"], 8) if match["octal"] else int(match["decimal"])


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """Hosts that may be reached although their addresses are not public."""

    names: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    everything: bool = False

    @classmethod
    def parse(cls, text: str) -> AllowedHosts:
        """Parse names, addresses and networks separated by commas, or ``*``. Raises ValueError."""
        entries = [entry.strip() for entry in text.split(",") if entry.strip()]
        networks = [ip_network(entry) for entry in entries if "/" in entry]
        hosts = [plain_host(entry) for entry in entries if "/" not in entry and entry != "*"]
        for host in hosts:
            if host_address(host) is None and not _NAME.fullmatch(host):
                raise ValueError(f"{host!r} is not a host name, an address or a network")
        found = cls.of(hosts)
        return cls(found.names, (*found.networks, *networks), "*" in entries)

    @classmethod
    def of(cls, hosts: Iterable[str]) -> AllowedHosts:
        """Return the given hosts, allowed by name. A host that is an address is allowed under every name."""
        plain = [plain_host(host) for host in hosts]
        addresses = [address for address in map(host_address, plain) if address is not None]
        return cls(frozenset(plain), tuple(ip_network(embedded_ipv4(address)) for address in addresses))

    def has_name(self, host: str) -> bool:
        """Tell whether a host is allowed, whatever its address is."""
        return self.everything or plain_host(host) in self.names

    def has_address(self, address: Address) -> bool:
        """Tell whether an address is allowed, whatever name it was found by."""
        found = embedded_ipv4(address)
        return self.everything or any(found in network or address in network for network in self.networks)


_TYPED_HOST: Final = re.compile(
    r"(?P<name>localhost|\[[0-9A-Fa-f:.]+\]|[^\s/?#@:]+\.[^\s/?#@:.]+)\.?(?P<port>:\d+)?(?=[/?#]|$)", re.IGNORECASE
)
"""A name with a dot, localhost or an IPv6 address, with or without a port."""

_LOCAL_HOSTS: Final = ("localhost", "127.", "[::1]")
"""The beginnings of hosts that usually have no certificate, so that http is the better guess."""

_FILE_NAMES: Final = (".gz", ".htm", ".html", ".json", ".pdf", ".txt", ".xml")
"""The ends of file names that look like host names."""

_LONGEST_TYPED: Final = 200


def question_with_scheme(url: str) -> str | None:
    """Return the question whether a URL with a scheme was meant; None if the text does not begin with a host."""
    text = url.strip().removeprefix("//")
    host = _TYPED_HOST.match(text)
    if host is None or len(text) > _LONGEST_TYPED or host["name"].lower().endswith(_FILE_NAMES):
        return None
    scheme = "http" if host["name"].lower().startswith(_LOCAL_HOSTS) else "https"
    return f"did you mean {scheme}://{text}?"
