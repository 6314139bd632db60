"""Where a capture begins, as its arguments say it: URLs, files of URLs, sitemaps."""

from __future__ import annotations

from pathlib import Path

import pytest

from wcspider.crawl.arguments import CaptureArguments
from wcspider.exceptions import ArgumentError
from wcspider.webcapture.records import ALL_LEVELS

A, B = "https://example.com/a", "https://example.com/b"

FILES: list[tuple[bytes, list[str] | str]] = [
    (f"{A}\n{B}\n".encode(), [A, B]),
    (f"\ufeff{A}\r\n\r\n  {B}  ".encode(), [A, B]),
    (f"# a list\n{A}\n  # {B}\n{A}#top\n".encode(), [A]),
    ("https://example.com/é\n".encode(), ["https://example.com/%C3%A9"]),
    (f"{A},{B}".encode(), [f"{A},{B}"]),  # one a line: a comma belongs to its URL
    (b"", "contains no URL; name a text file with one URL per line"),
    (b"# none\n", "contains no URL; name a text file with one URL per line"),
    (f"{A}\nexample.com\n".encode(), "line 2: .*; did you mean https://example.com"),
    (b"https://example.com/\xff\n", ".* can't decode .*; name a text file with one URL per line"),
]


@pytest.mark.parametrize(("content", "expected"), FILES)
def test_files_of_urls(content: bytes, expected: list[str] | str, tmp_path: Path) -> None:
    path = tmp_path / "urls.txt"
    path.write_bytes(content)
    given = {"urls": str(path), "pdf": "site.pdf"}
    if isinstance(expected, str):
        with pytest.raises(ArgumentError, match=f"^urls: {path}.*{expected}"):
            CaptureArguments.parse(given)
    else:
        assert [command.url for command in CaptureArguments.parse(given).commands] == expected


@pytest.mark.parametrize(
    ("levels", "expected"), [("1", 2), ("3", 4), ("all", ALL_LEVELS), (str(ALL_LEVELS), ALL_LEVELS)]
)
def test_a_sitemap_is_a_level_of_its_own(levels: str, expected: int) -> None:
    given = {"url": A, "sitemap": f"{B},{A}", "levels": levels, "since": " 2026 ", "allow": "a,b", "pdf": "site.pdf"}
    page, *sitemaps = CaptureArguments.parse(given).commands
    assert (page.url, page.sitemap, page.since, page.allow) == (A, False, "", "a,b")
    assert page.levels == (ALL_LEVELS if levels == "all" else int(levels))
    found = [(command.url, command.levels, command.sitemap, command.since, command.allow) for command in sitemaps]
    assert found == [(url, expected, True, "2026", "a,b") for url in (B, A)]


def test_a_login_in_the_url_of_a_sitemap_is_a_header() -> None:
    given = {"sitemap": "https://me:word@example.com/sitemap.xml", "pdf": "site.pdf"}
    [command] = CaptureArguments.parse(given).commands
    assert command.url == "https://example.com/sitemap.xml"
    assert [name for name, _ in command.headers] == ["Authorization"]
