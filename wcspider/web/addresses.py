"""Which addresses are public, and which address a host stands for in any notation."""

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

# https://www.iana.org/assignments/ipv6-address-space: all that is global unicast lies in one block
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
# https://www.iana.org/assignments/iana-ipv6-special-registry, within that block
_NOT_PUBLIC_6: Final = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))

_NAT64: Final = IPv6Network("64:ff9b::/96")
"""IPv4 addresses behind a translator (RFC 6052, 2.1)."""

_NUMBER: Final = re.compile(r"0x(?P<hex>[0-9a-f]*)|(?P<octal>0[0-7]*)|(?P<decimal>[1-9][0-9]*)", re.ASCII)
_NAME: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?", re.ASCII)


def is_public(address: Address) -> bool:
    """Whether an address is one of the Internet's: not of this machine, its network or no network at all.

    An IPv6 address that stands for an IPv4 address is what that is.
    """
    address = carried(address)
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    return address in _GLOBAL_UNICAST and not any(address in network for network in _NOT_PUBLIC_6)


def carried(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address stands for (mapped, 6to4 or NAT64), or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def host_address(host: str) -> Address | None:
    """Return the address that the host of a URL is, in whatever notation; None for a name that has to be looked up.

    IPv4 addresses have one to four parts, decimal, octal or hexadecimal, the last of which fills what is left
    (https://url.spec.whatwg.org/#concept-ipv4-parser, and inet_aton). Names in ``localhost`` are the loopback
    address (RFC 6761, 6.3).

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
    """Return a host in lower case, without brackets and without the dot that ends a whole name."""
    return host.lower().removeprefix("[").removesuffix("]").removesuffix(".")


def _ipv4(parts: list[str]) -> IPv4Address | None:
    numbers = [_number(part) for part in parts]
    if len(numbers) > 4:
        return None
    *first, last = numbers
    room = 256 ** (4 - len(first))
    if last is None or last >= room:
        return None
    value = last
    for place, number in enumerate(first):
        if number is None or number > 255:
            return None
        value += number << (24 - 8 * place)
    return IPv4Address(value)


def _number(part: str) -> int | None:
    match = _NUMBER.fullmatch(part)
    if match is None or len(part) > 64:
        return None
    if match["hex"] is not None:
        return int(match["hex"] or "0", 16)
    return int(match["octal"], 8) if match["octal"] else int(match["decimal"])


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """Hosts that may be reached though their addresses are not public."""

    names: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    everything: bool = False

    @classmethod
    def parse(cls, text: str) -> AllowedHosts:
        """Read names, addresses and networks with commas between them, or ``*``; raises ValueError."""
        entries = [entry.strip() for entry in text.split(",") if entry.strip()]
        networks = [ip_network(entry) for entry in entries if "/" in entry]
        hosts = [plain_host(entry) for entry in entries if "/" not in entry and entry != "*"]
        for host in hosts:
            if host_address(host) is None and not _NAME.fullmatch(host):
                raise ValueError(f"{host!r} is no host")
        found = cls.of(hosts)
        return cls(found.names, (*found.networks, *networks), "*" in entries)

    @classmethod
    def of(cls, hosts: Iterable[str]) -> AllowedHosts:
        """Allow hosts, each by its name; one that is an address by every name that leads to it."""
        plain = [plain_host(host) for host in hosts]
        addresses = [address for address in map(host_address, plain) if address is not None]
        return cls(frozenset(plain), tuple(ip_network(carried(address)) for address in addresses))

    def has_name(self, host: str) -> bool:
        """Whether a host is allowed whatever its address is."""
        return self.everything or plain_host(host) in self.names

    def has_address(self, address: Address) -> bool:
        """Whether an address is allowed whatever host it is found by."""
        found = carried(address)
        return self.everything or any(found in network or address in network for network in self.networks)
