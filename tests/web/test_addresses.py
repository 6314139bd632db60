"""Which addresses are public, and which hosts are addresses."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wcspider.web.addresses import AllowedHosts, embedded_ipv4, host_address, is_public

PUBLIC: list[tuple[str, bool]] = [
    ("93.184.215.14", True),
    ("9.255.255.255", True),
    ("10.0.0.0", False),
    ("10.255.255.255", False),
    ("11.0.0.0", True),
    ("100.63.255.255", True),
    ("100.64.0.1", False),  # carrier-grade NAT, which ipaddress does not call private
    ("100.127.255.255", False),
    ("100.128.0.0", True),
    ("127.0.0.1", False),
    ("127.255.255.254", False),
    ("169.254.169.254", False),  # where clouds keep the keys of their machines
    ("172.15.255.255", True),
    ("172.16.0.1", False),
    ("172.31.255.255", False),
    ("172.32.0.0", True),
    ("192.168.1.1", False),
    ("192.0.2.1", False),
    ("198.18.0.1", False),
    ("0.0.0.0", False),
    ("0.1.2.3", False),
    ("224.0.0.1", False),
    ("239.255.255.255", False),
    ("240.0.0.1", False),
    ("255.255.255.255", False),
    ("::", False),
    ("::1", False),
    ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
    ("fe80::1", False),
    ("fe80::1%eth0", False),
    ("fec0::1", False),  # site-local, deprecated
    ("fc00::1", False),
    ("fd12:3456:789a::1", False),
    ("ff02::1", False),
    ("2001:db8::1", False),
    ("::ffff:93.184.215.14", True),
    ("::ffff:127.0.0.1", False),
    ("::ffff:169.254.169.254", False),
    ("::127.0.0.1", False),  # IPv4-compatible, deprecated
    ("64:ff9b::7f00:1", False),
    ("64:ff9b::5db8:d70e", True),
    ("64:ff9b:1::5db8:d70e", False),  # a translator of the network's own
    ("2002:7f00:1::", False),
    ("2002:a01:203::1", False),
    ("2002:5db8:d70e::1", True),
    ("2001:0:5db8:d70e::1", False),  # Teredo
]


@pytest.mark.parametrize(("address", "public"), PUBLIC)
def test_public(address: str, public: bool) -> None:
    assert is_public(ip_address(address)) is public


ADDRESSES = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6))


@given(ADDRESSES)
def test_what_the_standard_library_calls_private_is_not_public(address: IPv4Address | IPv6Address) -> None:
    plain = embedded_ipv4(address)
    if plain.is_private or plain.is_loopback or plain.is_link_local or plain.is_multicast or plain.is_unspecified:
        assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_an_address_that_stands_for_another_is_what_that_is(address: IPv4Address) -> None:
    mapped, translated = IPv6Address(f"::ffff:{address}"), IPv6Address(f"64:ff9b::{address}")
    six_to_four = IPv6Address((0x2002 << 112) | (int(address) << 80) | 1)
    assert {is_public(found) for found in (mapped, translated, six_to_four)} == {is_public(address)}


HOSTS: list[tuple[str, str | None]] = [
    ("127.0.0.1", "127.0.0.1"),
    ("127.0.0.1.", "127.0.0.1"),
    ("127.1", "127.0.0.1"),
    ("127.0.1", "127.0.0.1"),
    ("10.258", "10.0.1.2"),
    ("10.1.258", "10.1.1.2"),
    ("2130706433", "127.0.0.1"),
    ("0x7f000001", "127.0.0.1"),
    ("0X7F.1", "127.0.0.1"),
    ("0x7f.0x0.0x0.0x1", "127.0.0.1"),
    ("017700000001", "127.0.0.1"),
    ("0177.0.0.01", "127.0.0.1"),
    ("010.0.0.1", "8.0.0.1"),  # octal
    ("0", "0.0.0.0"),
    ("0x", "0.0.0.0"),  # as browsers have it
    ("4294967295", "255.255.255.255"),
    ("4294967296", None),
    ("256.0.0.1", None),
    ("1.2.3.256", None),
    ("1.2.3.4.5", None),
    ("1.2.3.4.0", None),
    ("08.0.0.1", None),
    ("1..2", None),
    ("1.2.3.", "1.2.0.3"),
    ("", None),
    (".", None),
    ("[::1]", "::1"),
    ("::1", "::1"),
    ("[FE80::1%25eth0]", "fe80::1"),
    ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"),
    ("[::1", "::1"),
    ("[1:2]", None),
    ("localhost", "127.0.0.1"),
    ("LocalHost.", "127.0.0.1"),
    ("a.localhost", "127.0.0.1"),
    ("localhost.example", None),
    ("notlocalhost", None),
    ("example.com", None),
    ("127.0.0.1.example.com", None),
    ("1e3", None),
    ("١٢٧.0.0.1", None),
]


@pytest.mark.parametrize(("host", "address"), HOSTS)
def test_hosts(host: str, address: str | None) -> None:
    assert host_address(host) == (None if address is None else ip_address(address))


def test_hosts_that_are_very_long() -> None:
    assert host_address("9" * 100_000) is None


PARTS = st.tuples(st.sampled_from(["{:d}", "0x{:x}", "0{:o}", "0X{:X}"]), st.integers(0, 2**32))


@given(st.lists(PARTS, min_size=1, max_size=5).map(lambda parts: ".".join(form.format(n) for form, n in parts)))
@example("0x7f.1")
def test_numbers_are_read_as_the_system_reads_them(host: str) -> None:
    try:
        expected = IPv4Address(socket.inet_aton(host))
    except OSError:
        expected = None
    assert host_address(host) == expected


@given(ADDRESSES)
def test_an_address_is_a_host(address: IPv4Address | IPv6Address) -> None:
    assert host_address(f"[{address}]" if address.version == 6 else str(address)) == address


@given(st.text())
def test_any_text_is_a_host_or_none(host: str) -> None:
    host_address(host)


ALLOWED: list[tuple[str, str, str, bool]] = [
    ("", "wiki", "10.0.0.1", False),
    ("*", "wiki", "10.0.0.1", True),
    ("wiki", "wiki", "10.0.0.1", True),
    ("Wiki.", "wiki", "10.0.0.1", True),
    ("wiki", "wiki.", "10.0.0.1", True),
    ("wiki", "a.wiki", "10.0.0.1", False),
    ("wiki, intranet.example", "intranet.example", "10.0.0.1", True),
    ("10.0.0.1", "any", "10.0.0.1", True),
    ("10.0.0.1", "any", "10.0.0.2", False),
    ("10.0.0.0/8", "any", "10.9.9.9", True),
    ("10.0.0.0/8", "any", "::ffff:10.9.9.9", True),
    ("10.0.0.0/8", "any", "fd00::1", False),
    ("fd00::/8", "any", "fd00::1", True),
    ("[fd00::1]", "any", "fd00::1", True),
    ("::ffff:10.0.0.1", "any", "10.0.0.1", True),
    ("localhost", "localhost", "::1", True),
    ("localhost", "any", "127.0.0.1", True),
]


@pytest.mark.parametrize(("text", "host", "address", "expected"), ALLOWED)
def test_allowed_hosts(text: str, host: str, address: str, expected: bool) -> None:
    allowed = AllowedHosts.parse(text)
    assert (allowed.has_name(host) or allowed.has_address(ip_address(address))) is expected


@pytest.mark.parametrize("text", ["10.0.0.1/8", "http://wiki/", "a b", "wiki:8080", "10.0.0.0/40", "['wiki']", "-"])
def test_what_is_no_list_of_hosts(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a host name|host bits set|does not appear to be"):
        AllowedHosts.parse(text)
