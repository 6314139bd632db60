"""The addresses that the guard around a resolver lets through."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

import pytest
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer
from zope.interface.verify import verifyObject

from wcspider.downloading.ssrf_guard import GuardedResolver, SsrfGuard
from wcspider.web.addresses import AllowedHosts

PUBLIC, PUBLIC_6 = "93.184.215.14", "2606:2800:21f::1"


@implementer(IHostnameResolver)
class Answering:
    """A resolver with fixed answers. A real one would need a name server with addresses of both families."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers

    def resolveHostName(self, receiver: Any, name: str, port: int, *arguments: object) -> None:  # noqa: N802
        receiver.resolutionBegan(self)
        for answer in self.answers:
            kind = IPv6Address if ":" in answer else IPv4Address
            receiver.addressResolved(kind("TCP", answer, port))
        receiver.resolutionComplete()


@implementer(IResolutionReceiver)
class Given:
    """A receiver that records the addresses that it gets."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.is_complete = False

    def resolutionBegan(self, resolution: object) -> None:  # noqa: N802
        pass

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        self.addresses.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        self.is_complete = True


def given_through(reach: SsrfGuard, host: str, *answers: str) -> list[str]:
    """Return the addresses of a host to which connections are made."""
    guard = GuardedResolver(Answering(*answers))
    guard._guards.append(reach)
    verifyObject(IHostnameResolver, guard)
    receiver = Given()
    guard.resolveHostName(receiver, host, 80)
    assert receiver.is_complete
    return receiver.addresses


CASES: list[tuple[str, list[str], list[str]]] = [
    ("h.test", [PUBLIC, PUBLIC_6], [PUBLIC, PUBLIC_6]),
    ("h.test", [PUBLIC, "127.0.0.1", "10.0.0.1"], [PUBLIC]),
    ("h.test", ["::1", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1"], []),
    ("h.test", [], []),
    ("h..test", [PUBLIC], []),  # no name in the DNS: it is not even looked up
    ("h" * 64 + ".test", [PUBLIC], []),
    ("h.test.", [PUBLIC], [PUBLIC]),
    ("xn--h.test", [PUBLIC], [PUBLIC]),
    ("h_h.test", [PUBLIC], [PUBLIC]),
    ("own.test", ["10.0.0.1", "fd00::1"], ["10.0.0.1", "fd00::1"]),
    ("Own.Test.", ["10.0.0.1"], ["10.0.0.1"]),
    ("own.test", [PUBLIC, "10.0.0.1"], [PUBLIC]),  # what is public does not turn inside
    ("below.own.test", ["10.0.0.1"], []),
    ("any.test", ["10.9.9.9"], ["10.9.9.9"]),  # an address that the user gave, under another name
    ("opened.test", [PUBLIC, "10.0.0.1"], [PUBLIC, "10.0.0.1"]),
    ("any.test", ["192.168.1.1", "192.168.2.1"], ["192.168.1.1"]),
]


@pytest.mark.parametrize(("host", "answers", "given"), CASES)
def test_guard(host: str, answers: list[str], given: list[str]) -> None:
    reach = SsrfGuard(AllowedHosts.of(["own.test", "10.9.9.9"]), AllowedHosts.parse("opened.test, 192.168.1.0/24"))
    assert given_through(reach, host, *answers) == given
    is_refused = answers and not given and PUBLIC not in answers
    assert reach.refused == ({host} if is_refused else set())


def test_a_host_of_the_users_does_not_turn_inside_later() -> None:
    reach = SsrfGuard(AllowedHosts.of(["own.test"]), AllowedHosts())
    assert given_through(reach, "own.test", PUBLIC) == [PUBLIC]
    assert given_through(reach, "OWN.test.", "127.0.0.1") == []
    assert given_through(reach, "own.test", PUBLIC) == [PUBLIC]
    assert reach.refused == set()


def test_a_proxy_may_be_anywhere_and_is_reached_as_a_proxy() -> None:
    reach = SsrfGuard(AllowedHosts(), AllowedHosts())
    assert not reach.permits("proxy.test", ip_address("10.0.0.1"))
    reach.proxies.add("proxy.test")
    assert given_through(reach, "proxy.test", "10.0.0.1") == ["10.0.0.1"]
