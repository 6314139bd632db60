"""The commands that a refresh repeats, by the arguments of the spider, and the messages for wrong arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import pdf_samples
from tests.support.crawls import Run, run
from tests.support.http_server import SiteServer, page
from tests.system.refresh.crawling import Crawls

PDF = "pdf=site.pdf"
ARGUMENTS: list[tuple[list[str], str]] = [
    ([], "the argument pdf is missing; add -a pdf=FILE"),
    ([PDF, "gone=forever"], "gone is 'forever'; give keep or drop"),
    ([PDF, "keep=3"], "keep is '3'; give 1 to keep only the newest state, or all"),
    ([PDF, "command=first"], "command is 'first'; give the number that scrapy webcapture list shows"),
    ([PDF, "only=http://h/", "command=1"], "only and command both select a command; give one of them"),
    ([PDF, "only=no URL"], "'no URL' is not an absolute URL; "),
    ([PDF, "force=perhaps"], "force is 'perhaps'; give true or false"),
    ([PDF, "levels=2"], "unknown argument levels of the refresh spider; "),
    ([PDF, "forced=true"], "unknown argument forced of the refresh spider; did you mean force?"),
    ([PDF, "headers=none"], "headers is not valid JSON ("),
]


@pytest.fixture(scope="module")
def told() -> list[Run]:
    commands = [["crawl", "refresh", *(text for given in row for text in ("-a", given))] for row, _ in ARGUMENTS]
    return [run(*command) for command in commands]


@pytest.mark.parametrize("row", range(len(ARGUMENTS)), ids=lambda row: " ".join(ARGUMENTS[row][0]))
def test_a_wrong_argument_costs_a_line_and_nothing_else(told: list[Run], row: int) -> None:
    assert told[row].status == 2
    assert told[row].problem.startswith(ARGUMENTS[row][1])


def test_a_file_that_is_not_there(crawls: Crawls, tmp_path: Path) -> None:
    done = crawls.run("refresh", pdf=tmp_path / "missing.pdf")
    assert done.problem == f"{tmp_path / 'missing.pdf'}: no such file; check the path"
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_commands(crawls: Crawls, tmp_path: Path) -> None:
    path = pdf_samples.plain_pdf(1, tmp_path / "plain.pdf")
    before = path.read_bytes()
    done = crawls.run("refresh", pdf=path)
    assert done.problem.startswith(f"{path}: holds no command; capture into it first: ")
    assert (path.read_bytes(), [entry.name for entry in tmp_path.iterdir()]) == (before, [path.name])


@pytest.fixture
def site(server: Callable[..., SiteServer]) -> SiteServer:
    return server({"/": page("<p>home"), "/one": page("<p>one"), "/two": page("<p>two")})


@pytest.fixture
def path(crawls: Crawls, site: SiteServer, tmp_path: Path) -> Path:
    """A file with three commands."""
    path = tmp_path / "site.pdf"
    for url in ("/", "/one", "/two"):
        assert crawls.run("capture", pdf=path, url=site.url(url)).status == 0
    site.forget()
    return path


CHOICES: list[tuple[dict[str, str], list[str]]] = [
    ({}, ["/", "/one", "/two"]),
    ({"command": "1"}, ["/one"]),
    ({"command": "0"}, ["/"]),
    ({"only": "/two"}, ["/two"]),
    ({"only": "/two#place"}, ["/two"]),
]


@pytest.mark.parametrize(("given", "asked"), CHOICES)
def test_the_commands_that_are_asked_for_are_repeated(
    crawls: Crawls, site: SiteServer, path: Path, given: dict[str, str], asked: list[str]
) -> None:
    arguments = {name: site.url(value) if name == "only" else value for name, value in given.items()}
    done = crawls.run("refresh", pdf=path, gone="drop", **arguments)
    assert (done.status, site.paths()) == (0, asked)
    assert f"  unchanged        {len(asked)}" in done.summary
    assert "  dropped          0" in done.summary


def test_a_command_that_there_is_not(crawls: Crawls, site: SiteServer, path: Path) -> None:
    assert crawls.run("refresh", pdf=path, command=3).problem == f"{path}: has no command 3; it has commands 0 to 2"
    elsewhere = crawls.run("refresh", pdf=path, only="http://elsewhere/")
    assert elsewhere.problem == f"{path}: no command has the URL http://elsewhere/; see: scrapy webcapture list {path}"
    assert site.paths() == []


def test_of_commands_that_ask_for_the_same_one_is_repeated(crawls: Crawls, site: SiteServer, path: Path) -> None:
    assert crawls.run("capture", pdf=path, url=site.url("/one")).status == 0
    site.forget()
    assert crawls.run("refresh", pdf=path).status == 0
    assert sorted(site.paths()) == ["/", "/one", "/two"]


def test_what_another_command_asks_for_too_is_not_gone(crawls: Crawls, site: SiteServer, tmp_path: Path) -> None:
    """One command has found the page last, and does so no longer; the other may."""
    path = tmp_path / "both.pdf"
    site.update({"/": page("<a href=/one>one</a>"), "/two": page("<a href=/one>one</a>")})
    for start in ("/", "/two"):
        assert crawls.run("capture", pdf=path, url=site.url(start), levels=2).status == 0
    site.update({"/two": page("<p>no link")})
    done = crawls.run("refresh", pdf=path, command=1, gone="drop")
    assert "  dropped          0" in done.summary
    site.update({"/": page("<p>no link")})
    done = crawls.run("refresh", pdf=path, gone="drop")
    assert done.section("Pages gone from the site") == {"no longer linked": [site.url("/one")]}
