"""The command line of ``wcspider``: its meaning, and the messages for mistakes."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

import pytest

from tests.support.paths import ROOT
from wcspider import __main__ as start
from wcspider.cli import program
from wcspider.cli.command_line import COMMANDS, make_parser, parse
from wcspider.cli.crawling import _arguments, _places
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.exceptions import ArgumentError
from wcspider.subcommands.command_parsers import parse as parse_subcommand
from wcspider.subcommands.table import SUBCOMMANDS, declare_nothing

CAPTURES = [
    ("http://h/a out.pdf", {"url": "http://h/a", "pdf": "out.pdf"}),
    ("http://h/a", {"url": "http://h/a", "pdf": "h.pdf"}),
    ("http://[::1]:80/a", {"url": "http://[::1]:80/a", "pdf": "--1.pdf"}),
    ("file:///home/me/my%20page.html", {"url": "file:///home/me/my%20page.html", "pdf": "my page.pdf"}),
    ("http://h/a,http://i/", {"url": "http://h/a,http://i/", "pdf": "h.pdf"}),
    ("--sitemap http://h/s.xml out.pdf", {"sitemap": "http://h/s.xml", "pdf": "out.pdf"}),
    ("--sitemap http://h/s.xml", {"sitemap": "http://h/s.xml", "pdf": "h.pdf"}),
    ("http://h/ --sitemap http://i/s.xml", {"url": "http://h/", "sitemap": "http://i/s.xml", "pdf": "h.pdf"}),
    ("--urls lists/pages.txt", {"urls": "lists/pages.txt", "pdf": "pages.pdf"}),
    ("-a url=http://h/ -a pdf=x.pdf", {"url": "http://h/", "pdf": "x.pdf"}),
    ("http://h/ x.pdf --levels all --no-same-site", {"levels": "all", "same_site": "false"}),
    ("http://h/ x.pdf --same-site=false --same-path=1 --no-partial", {"same_site": "false", "same_path": "true"}),
    ("--same-site=no -- http://h/ --fresh=x", {"same_site": "false", "url": "http://h/", "pdf": "--fresh=x"}),
    ("http://h/ x.pdf --same-path --deny=/x/", {"same_path": "true", "deny": "/x/"}),
    ("http://h/ x.pdf -a levels=3 -a headers={}", {"levels": "3", "headers": "{}"}),
    ("http://h/ --levels 2 x.pdf", {"url": "http://h/", "levels": "2", "pdf": "x.pdf"}),
    ("--same-path http://h/ -v x.pdf --deny=/x/", {"url": "http://h/", "pdf": "x.pdf", "deny": "/x/"}),
    ("http://h/ -- -x.pdf", {"url": "http://h/", "pdf": "-x.pdf"}),
    ("http://h/ --levels 2 -a levels=2", {"levels": "2"}),
]


@pytest.mark.parametrize(("line", "meaning"), CAPTURES)
def test_a_capture_has_the_arguments_of_the_spider(line: str, meaning: dict[str, str]) -> None:
    given = parse(["capture", *line.split()])
    assert meaning.items() <= {**_places(given), **_arguments(given)}.items()


def test_each_argument_of_the_spiders_is_an_option() -> None:
    options = {
        "capture": "--levels 2 --no-same-site --same-path --engine plutobook --title T --partial --fresh --since 2026 "
        "--until 2026 --allow a --deny b --headers {} --keep-headers true --sitemap http://h/s.xml",
        "refresh": "--only http://h/ --gone drop --keep 1 --force --headers {} --partial --fresh",
    }
    given = parse(["capture", "http://h/", "a.pdf", *options["capture"].split()])
    captured = CaptureArguments.parse({**_places(given), **_arguments(given)})
    assert (captured.title, captured.partial, captured.fresh) == ("T", True, True)
    command = captured.commands[0]
    assert (command.levels, command.same_site, command.same_path, command.allow) == (2, False, True, "a")
    given = parse(["refresh", "a.pdf", *options["refresh"].split()])
    refreshed = RefreshArguments.parse({"pdf": given.file, **_arguments(given)})
    assert (refreshed.only, refreshed.gone, refreshed.keep, refreshed.force) == ("http://h/", "drop", 1, True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("lst a.pdf", "unknown command lst; did you mean list?"),
        ("help", "unknown command help; see: wcspider --help"),
        ("-v capture http://h/", "-v is before the command; write: wcspider capture ... -v"),
        ("--json list a.pdf", "--json is before the command; write: wcspider list ... --json"),
        ("--levels 2 capture http://h/", "--levels is before the command; write: wcspider capture ... --levels"),
        ("--verson", "unknown option --verson; did you mean --version?"),
        ("--foo", "unknown option --foo; see: wcspider --help"),
        ("captuer http://h/", "unknown command captuer; did you mean capture?"),
        ("https://example.com/", "unknown command https://example.com/; did you mean wcspider capture https://example.com/?"),
        ("example.com", "unknown command example.com; did you mean wcspider capture example.com?"),
        ("capture http://h/ --depth 2", "unknown argument --depth of wcspider capture; did you mean --levels?"),
        ("capture http://h/ --same-site=off", "--same-site is 'off'; write --same-site or --no-same-site"),
        ("capture http://h/ --sam-site", "unknown argument --sam-site of wcspider capture; did you mean --same-site?"),
        ("capture http://h/ --page-size=A5", "unknown argument --page-size=A5 of wcspider capture; "
         "write -s WEBCAPTURE_PAGE_SIZE=VALUE"),
        ("capture http://h/ --delay 2", "unknown argument --delay of wcspider capture; write -s DOWNLOAD_DELAY=VALUE"),
        ("refresh a.pdf --user-agent=x", "unknown argument --user-agent=x of wcspider refresh; "
         "write -s USER_AGENT=VALUE"),
        ("capture --url http://h/", "unknown argument --url of wcspider capture; "
         "write: wcspider capture URL [FILE] [options]"),
        ("capture http://h/ --output=a.pdf", "unknown argument --output=a.pdf of wcspider capture; "
         "write: wcspider capture URL [FILE] [options]"),
        ("refresh --pdf a.pdf", "unknown argument --pdf of wcspider refresh; write: wcspider refresh FILE [options]"),
        ("list a.pdf --js", "unknown argument --js of wcspider list; did you mean --json?"),
        ("capture http://h/ --limit 3", "unknown argument --limit of wcspider capture; see: wcspider capture --help"),
        ("update a.pdf", "unknown command update; did you mean refresh?"),
        ("refresh a.pdf --forec", "unknown argument --forec of wcspider refresh; did you mean --force?"),
        ("list a.pdf --jsn", "unknown argument --jsn of wcspider list; did you mean --json?"),
        ("check a.pdf --force", "unknown argument --force of wcspider check; see: wcspider check --help"),
        ("find a.pdf http://h/", "unknown argument http://h/ of wcspider find; did you mean --url http://h/?"),
        ("optimize a.pdf b.pdf", "unknown argument b.pdf of wcspider optimize; did you mean --output b.pdf?"),
        ("diff a.pdf b.pdf", "unknown argument b.pdf of wcspider diff; see: wcspider diff --help"),
        ("report a.pdf --thumbnails -3", "argument --thumbnails: '-3' is not a whole number from 0 up; "
         "see: wcspider report --help"),
        ("list", "the following arguments are required: FILE; see: wcspider list --help"),
        ("completion csh", "argument shell: invalid choice: 'csh' (choose from 'bash', 'zsh', 'fish'); "
         "see: wcspider completion --help"),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_with_advice(line: str, message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        parse(line.split())
    assert str(error.value).replace("choose from bash, zsh, fish", "choose from 'bash', 'zsh', 'fish'") == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("http://h/ a.pdf b.pdf", "b.pdf: a capture has one URL and one file; separate several URLs by commas"),
        ("http://h/ 1", "1 is not a PDF file; did you mean --levels 1?"),
        ("http://h/ 2", "2 is not a PDF file; did you mean --levels 2?"),
        ("http://h/ all", "all is not a PDF file; did you mean --levels all?"),
        ("http://h/ a.pdf --same-site no", "no is not a PDF file; for false, write an option such as --no-same-site"),
        ("http://h/ levels=2", "levels=2 is not a PDF file; did you mean -a levels=2?"),
        ("example.com", "'example.com' is not an absolute URL; did you mean https://example.com?"),
        ("a.pdf http://h/", "the URL comes before the file; write: wcspider capture http://h/ a.pdf"),
        ("http://h/ http://i/", "http://i/ is a URL, not a file; separate several URLs by commas"),
        ("http://h/ -a levels", "-a levels has no value; write -a levels=VALUE"),
        ("http://h/ -a =2", "-a =2 has no name; write -a NAME=2"),
        ("http://h/ --allow a --allow b",
         "the argument allow is given twice; join the patterns with |, such as /guide/|/news/"),
        ("http://h/ --levels 2 -a levels=3", "the argument levels is given twice; give it once"),
    ],
)  # fmt: skip
def test_a_wrong_place_is_answered_with_advice(line: str, message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        _places(parse(["capture", *line.split()]))
    assert str(error.value) == message


@pytest.mark.parametrize("line", ["why http://h/ {}", "search word {}", "versions http://h/ {}", "list http://h/"])
def test_the_file_comes_first(line: str) -> None:
    given = parse(line.format(__file__).split())
    with pytest.raises(ArgumentError, match=r"is not a file; write: scrapy webcapture .* site.pdf"):
        SUBCOMMANDS[given.command].run(given)


@pytest.mark.parametrize("parsed", [parse, partial(parse_subcommand, common=declare_nothing)])
def test_options_of_a_subcommand_may_stand_between_its_arguments(
    parsed: Callable[[Sequence[str]], argparse.Namespace],
) -> None:
    given = parsed(["merge", "out.pdf", "a.pdf", "--title", "T", "b.pdf"])
    assert (given.file, given.inputs, given.title) == ("out.pdf", ["a.pdf", "b.pdf"], "T")
    assert parsed(["list", "--json", "--", "-a.pdf"]).file == "-a.pdf"


@pytest.mark.parametrize("name", [*COMMANDS, *SUBCOMMANDS])
def test_each_command_has_a_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse([name, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: wcspider {name} ")


@pytest.mark.parametrize("name", [*COMMANDS, *SUBCOMMANDS])
def test_the_help_fits_a_narrow_terminal(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    with pytest.raises(SystemExit):
        parse([name, "--help"])
    text, _, _ = capsys.readouterr().out.partition("examples:")  # a command line is printed as it can be copied
    assert [line for line in text.splitlines() if len(line) > 60] == []


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_the_usage_line_of_a_subcommand_names_each_of_its_options(name: str) -> None:
    parser = argparse.ArgumentParser(add_help=False)
    SUBCOMMANDS[name].declare(parser)
    named = re.findall(r"-[-a-z0-9]+", SUBCOMMANDS[name].arguments)
    options = [action.option_strings for action in parser._actions if action.option_strings]
    assert [spellings for spellings in options if not set(spellings) & set(named)] == []


def test_without_a_command_there_is_an_overview(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main([]) == 0
    assert capsys.readouterr().out == make_parser().format_help()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_for_the_program(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["completion", shell]) == 0
    assert "wcspider" in capsys.readouterr().out


def test_the_program_is_installed_under_its_name() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    module, _, name = scripts["wcspider"].partition(":")
    entry: Callable[[], int] = getattr(import_module(module), name)
    assert entry is start.main
