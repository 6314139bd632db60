"""Files with logins that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from wcspider.exceptions import ArgumentError, SettingError
from wcspider.web.logins import is_sent_to, read_cookies, read_netrc


def test_a_home_folder_of_nobody_is_an_error_of_the_setting() -> None:
    with pytest.raises(SettingError, match="WEBCAPTURE_NETRC: ~no-such-user/netrc: the home folder is not known"):
        read_netrc("~no-such-user/netrc")


@pytest.mark.parametrize(
    ("domain", "host", "expected"),
    [
        ("example.com", "example.com", True),
        ("example.com", "www.example.com", False),  # a cookie of its own host only
        (".example.com", "example.com", True),
        (".example.com", "www.example.com", True),
        (".example.com", "badexample.com", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost", "localhost", True),
        ("localhost", "example.com", False),
    ],
)
def test_cookies_are_for_their_host_or_domain(domain: str, host: str, expected: bool, tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    of_domain = str(domain.startswith(".")).upper()
    path.write_text(f"# Netscape HTTP Cookie File\n{domain}\t{of_domain}\t/\tFALSE\t0\tname\tvalue\n")
    [cookie] = read_cookies(path)
    assert is_sent_to(cookie, host) == expected


@pytest.mark.parametrize(
    ("encoding", "advice"),
    [("utf-8-sig", "without a byte order mark"), ("utf-8", "the first line must be: # Netscape")],
)
def test_a_byte_order_mark_is_named(encoding: str, advice: str, tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    path.write_text("# Netscape HTTP Cookie File\nh.test\tFALSE\t/\tFALSE\t0\tname\tvalue\n", encoding)
    path.write_bytes(path.read_bytes() if encoding == "utf-8-sig" else path.read_bytes()[2:])
    with pytest.raises(ArgumentError, match=f"cookies: .* is not a cookie file; .*{advice}"):
        read_cookies(path)
