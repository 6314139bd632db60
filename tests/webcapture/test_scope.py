"""webcapture/scope.py: levels, SameSite and SamePath (14.10.5.3)."""

from __future__ import annotations

import pytest

from wcspider.exceptions import InvalidURLError
from wcspider.webcapture.records import ALL_LEVELS, Command
from wcspider.webcapture.scope import Scope, may_pull

INITIAL = "http://www.adobe.com/fiddle/initial.html"


@pytest.mark.parametrize(
    ("url", "same_site", "same_path"),
    [
        ("http://www.adobe.com/fiddle/faddle/foo.html", True, True),  # EXAMPLE 1
        ("HTTP://WWW.ADOBE.COM:80/fiddle/", True, True),  # scheme and host: any case
        ("http://www.adobe.com/Fiddle/foo.html", True, False),  # path: case-sensitive
        ("http://www.adobe.com/fiddle", True, False),  # the last slash is part of the path
        ("http://www.adobe.com/fiddlesticks/a", True, False),
        ("http://www.adobe.com/fiddle/../a", True, False),
        ("http://www.adobe.com/a?/fiddle/", True, False),
        ("https://www.adobe.com/fiddle/a", True, False),  # the same host, another scheme
        ("https://www.adobe.com:443/fiddle/a", True, False),
        ("http://www.adobe.com:8080/fiddle/a", False, False),
        ("http://adobe.com/fiddle/a", False, False),
        ("http://www.adobe.com.example/fiddle/a", False, False),
        ("http://www.adobe.com@example/fiddle/a", False, False),  # the host is "example"
        ("http://user:secret@www.adobe.com/fiddle/a", True, True),  # a login is no place
    ],
)
def test_same_site_and_same_path(url: str, same_site: bool, same_path: bool) -> None:
    assert Scope.of(Command(INITIAL)).allows(url)
    assert Scope.of(Command(INITIAL, same_site=True)).allows(url) is same_site
    assert Scope.of(Command(INITIAL, same_path=True)).allows(url) is same_path
    assert Scope.of(Command(INITIAL, same_site=True, same_path=True)).allows(url) is same_path


@pytest.mark.parametrize("url", ["mailto:a@b", "a.html", ""])
def test_what_cannot_be_captured_is_never_in_scope(url: str) -> None:
    assert not Scope.of(Command(INITIAL)).allows(url)


@pytest.mark.parametrize(
    ("initial", "url", "allowed"),
    [
        ("http://h", "http://h/anything", True),
        ("http://h/a/b;x=1/c?d/e", "http://h/a/b;x=1/f", True),
        ("http://h/a/b?c/d", "http://h/a/e", True),  # slashes of the query count for nothing
        ("http://me@h/a/", "http://h/a/b", True),
        ("file:///a/b", "file://localhost/a/c", True),
        ("ftp://h:21/a/", "ftp://h/a/b", True),
        ("ftp://h/a/", "http://h/a/b", False),
    ],
)
def test_same_path_of_other_urls(initial: str, url: str, allowed: bool) -> None:
    assert Scope.of(Command(initial, same_path=True)).allows(url) is allowed


@pytest.mark.parametrize(("levels", "followed"), [(1, []), (2, [1]), (4, [1, 2, 3]), (ALL_LEVELS, [1, 2, 3, 4, 5])])
def test_levels(levels: int, followed: list[int]) -> None:
    scope = Scope.of(Command(INITIAL, levels=levels))
    assert [level for level in range(1, 6) if scope.follows(level)] == followed


def test_a_command_without_a_url() -> None:
    with pytest.raises(InvalidURLError):
        Scope.of(Command("index.html"))


@pytest.mark.parametrize(
    ("referrer", "url", "allowed"),
    [
        ("http://h/a", "https://other/b", True),
        ("http://h/a", "file:///etc/passwd", False),
        ("http://h/a", "FTP://h/b", False),
        ("file:///a", "file:///b", True),
        ("file:///a", "http://h/b", True),
        ("file:///a", "ftp://h/b", False),
        ("ftp://h/a", "ftp://h/b", True),
    ],
)
def test_the_web_may_not_pull_in_local_files(referrer: str, url: str, allowed: bool) -> None:
    assert may_pull(referrer, url) is allowed
