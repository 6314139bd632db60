"""The identity of unfinished work: the same command continues it, and no other does."""

from __future__ import annotations

from pathlib import Path

import pytest

from wcspider.config import CaptureConfig, defaults
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.tasks import CaptureTask, RefreshTask
from wcspider.exceptions import TargetError

GIVEN = {"url": "http://example.com/", "pdf": "site.pdf", "levels": "2"}


def identity(tmp_path: Path, settings: dict[str, object] | None = None, **arguments: str) -> str:
    """Return the identity of a capture with these arguments."""
    given = CaptureArguments.parse({**GIVEN, **arguments, "pdf": str(tmp_path / "site.pdf")})
    return CaptureTask(given, CaptureConfig.from_settings({**defaults(), **(settings or {})})).purpose.identity


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": "http://example.com/other"},
        {"url": "http://example.com/,http://example.org/"},
        {"levels": "3"},
        {"levels": "all"},
        {"same_site": "false"},
        {"same_path": "true"},
        {"allow": "/guide/"},
        {"deny": "/guide/"},
        {"data": "q=1"},
        {"submit": "true"},
        {"headers": '{"Accept-Language": "el"}'},
        {"engine": "xhtml2pdf"},
        {"title": "Another title"},
        {"url": "", "sitemap": "http://example.com/"},
    ],
)
def test_other_arguments_are_another_command(tmp_path: Path, arguments: dict[str, str]) -> None:
    """A crawl that is continued with other filters would be incomplete without a message."""
    assert identity(tmp_path, **arguments) != identity(tmp_path)


@pytest.mark.parametrize("name", ["since", "until"])
def test_other_dates_of_a_sitemap_are_another_command(tmp_path: Path, name: str) -> None:
    sitemap = {"url": "", "sitemap": "http://example.com/sitemap.xml"}
    assert identity(tmp_path, **sitemap, **{name: "2026"}) != identity(tmp_path, **sitemap)


def test_other_pages_are_another_command(tmp_path: Path) -> None:
    assert identity(tmp_path, {"WEBCAPTURE_PAGE_SIZE": "A5"}) != identity(tmp_path)


@pytest.mark.parametrize("arguments", [{"fresh": "true"}, {"partial": "true"}, {"url": "http://EXAMPLE.com"}])
def test_the_same_command_in_other_words_continues(tmp_path: Path, arguments: dict[str, str]) -> None:
    assert identity(tmp_path, **arguments) == identity(tmp_path)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("none.pdf", "no such file; check the path"),
        ("loop.pdf", "cannot be read: Too many levels of symbolic links; check the path and the permissions"),
        ("link.pdf", "is a symbolic link to {folder}/nowhere.pdf, which does not exist; check the path"),
        ("n" * 300, "cannot be read: File name too long; check the path and the permissions"),
        ("nul\0.pdf", "cannot be read: embedded null byte; check the path and the permissions"),
        (".", "is a folder; name a file"),
    ],
)
def test_a_refresh_says_why_there_is_no_file(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "loop.pdf").symlink_to("loop.pdf")
    (tmp_path / "link.pdf").symlink_to("nowhere.pdf")
    given = RefreshArguments.parse({"pdf": str(tmp_path / name)})
    with pytest.raises(TargetError) as error:
        RefreshTask(given, CaptureConfig.from_settings(defaults()))
    assert str(error.value) == f"{tmp_path / name}: {problem.format(folder=tmp_path)}"
