"""The command line of ``wcspider``: its commands, its options, and advice for unknown ones."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from wcspider.crawl.inputs.spider_arguments import CAPTURE, REFRESH, SpiderArgument
from wcspider.exceptions import ArgumentError, meant
from wcspider.interrupts import ending_quietly
from wcspider.program_names import POSITIONAL, Program, option_of
from wcspider.subcommands.command_parsers import CommandParser, LineParser, add_parser, add_parsers, meant_option
from wcspider.subcommands.table import SUBCOMMANDS, Described
from wcspider.version import VERSION
from wcspider.web.addresses import question_with_scheme

PROGRAM = Program.WCSPIDER.value
"""The name of the program."""

SHELLS = ("bash", "zsh", "fish")
"""The shells whose completion is supported."""

NAMES_ELSEWHERE = {
    "archive": "capture", "crawl": "capture", "download": "capture", "get": "capture", "save": "capture",
    "compare": "diff", "info": "list", "join": "merge", "repair": "optimize", "show": "list", "update": "refresh",
    "validate": "check",
}  # fmt: skip
"""The commands by the names that similar ones have in other programs."""

TABLES = (".csv", ".json", ".jsonl", ".xml")
"""The endings of tables."""

SETTING_PREFIXES = ("WEBCAPTURE_", "", "DOWNLOAD_")
"""The prefixes of the settings that a user may take for options: --delay is DOWNLOAD_DELAY."""

OWN_OPTIONS = ("-h", "--help", "--version")
"""The options of the program itself. All other options belong to a command."""

GIVEN = "given_"
"""The prefix of the names under which the parser stores the arguments of a spider."""


@dataclass(frozen=True, slots=True)
class Command(Described):
    """A command that is not a subcommand of ``scrapy webcapture``."""

    declare: Callable[[argparse.ArgumentParser], None]
    """Adds its arguments to a parser."""

    action: str
    """The function that runs it, as ``module:name`` in this package. Its libraries are loaded only when it runs."""

    spider_arguments: tuple[SpiderArgument, ...] = ()
    """The arguments of its spider."""

    def run(self, given: argparse.Namespace) -> int:
        """Run it and return its exit status."""
        module, _, name = self.action.partition(":")
        with ending_quietly():
            action: Callable[[argparse.Namespace], int] = getattr(import_module(f"wcspider.cli.{module}"), name)
        return action(given)


def _capture(parser: argparse.ArgumentParser) -> None:
    places = "the URL, and the PDF file (default: HOST.pdf, or LIST.pdf for --urls LIST.txt)"
    parser.add_argument("places", metavar="URL [FILE]", nargs="*", help=places)
    _add_crawl_options(parser, CAPTURE)


def _refresh(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the PDF file")
    _add_crawl_options(parser, REFRESH)


def _completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def _add_crawl_options(parser: argparse.ArgumentParser, arguments: Sequence[SpiderArgument]) -> None:
    """Add an option for each argument of a spider, and the options of a crawl."""
    for argument in arguments:
        if argument.name in POSITIONAL:
            continue
        option, name = option_of(argument.name), GIVEN + argument.name
        explained = f"{argument.meaning} (default: {argument.shown_default})"
        if argument.is_flag:
            parser.add_argument(option, dest=name, action=argparse.BooleanOptionalAction, help=explained)
        else:
            added: Any = parser.add_argument(option, dest=name, action="append", metavar=argument.value, help=explained)
            if argument.choices:
                added.completer = partial(_completed, argument.choices)
    parser.add_argument(
        "-a",
        dest="spargs",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an argument, as scrapy crawl takes it",
    )
    parser.add_argument(
        "-s",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting: see docs/settings.md in the sources of wcspider",
    )
    parser.add_argument(
        "-O",
        dest="tables",
        action="append",
        default=[],
        metavar="TABLE",
        help=f"write a table of the pages: a file that ends with {', '.join(TABLES[:-1])} or {TABLES[-1]}",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show the log")


COMMANDS = {
    "capture": Command(
        "URL [FILE] [options]",
        "capture a site into a PDF file",
        "Capture a page, or more of its site, into FILE. An existing FILE is extended. A capture that was stopped is "
        "continued by the same command.",
        (
            "capture https://example.com/",
            "capture https://example.com/ site.pdf --levels 2",
            "capture https://example.com/ site.pdf -s WEBCAPTURE_PAGE_SIZE=Letter",
        ),
        _capture,
        "crawling:capture",
        CAPTURE,
    ),
    "refresh": Command(
        "FILE [options]",
        "bring a file up to date",
        "Repeat the commands that FILE contains with conditional requests. Unchanged pages stay, changed pages are "
        "replaced, new pages are added.",
        ("refresh site.pdf", "refresh site.pdf --gone drop"),
        _refresh,
        "crawling:refresh",
        REFRESH,
    ),
    "completion": Command(
        "{bash,zsh,fish}",
        "print the completion for a shell",
        "Print a script that completes the commands and options of wcspider in a shell.",
        (
            "completion bash > ~/.local/share/bash-completion/completions/wcspider",
            "completion zsh > ~/.zfunc/_wcspider",
        ),
        _completion,
        "completion:print_completion",
    ),
}
"""The commands that only ``wcspider`` has, in the order of the help."""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = LineParser(
        prog=PROGRAM,
        description="Captures web sites into one PDF file, and reads and refreshes such files.",
        epilog=f"{PROGRAM} COMMAND --help explains each of them.",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {VERSION}")
    parsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", required=True, parser_class=CommandParser
    )
    for name, command in COMMANDS.items():
        command.declare(add_parser(parsers, PROGRAM, name, command))
    add_parsers(parsers, PROGRAM)
    return parser


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; the name of the command is in ``command`` of the result. Raises `ArgumentError`."""
    name = arguments[0]
    if name.startswith("-") and name not in OWN_OPTIONS:
        raise _misplaced(name, arguments)
    if name not in (*OWN_OPTIONS, *COMMANDS, *SUBCOMMANDS):
        raise ArgumentError(f"unknown command {name}", _meant_command(name))
    given, rest = make_parser().parse_known_args(_with_plain_flags(arguments))
    if rest:
        raise ArgumentError(f"unknown argument {rest[0]} of {PROGRAM} {name}", _meant_option(rest[0], name))
    return given


def _completed(choices: Sequence[str], **_: object) -> Sequence[str]:
    """Return the values that a shell offers for an option."""
    return choices


def _with_plain_flags(arguments: Sequence[str]) -> list[str]:
    """Return a command line with `--same-site=false` written as `--no-same-site`. Raises `ArgumentError`."""
    known = COMMANDS[arguments[0]].spider_arguments if arguments[0] in COMMANDS else ()
    flags = {option_of(argument.name): argument.name for argument in known if argument.is_flag}
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*(_plain_flag(text, flags) for text in arguments[:end]), *arguments[end:]]


def _plain_flag(text: str, flags: Mapping[str, str]) -> str:
    option, separator, value = text.partition("=")
    if not separator or option not in flags:
        return text
    from wcspider.config import BOOLEANS  # which imports Scrapy

    negative = option_of(f"no_{flags[option]}")
    if value.strip().lower() not in BOOLEANS:
        raise ArgumentError(f"{option} is {value!r}", f"write {option} or {negative}")
    return option if BOOLEANS[value.strip().lower()] else negative


def _misplaced(option: str, arguments: Sequence[str]) -> ArgumentError:
    """Return the error for a command line that begins with an option."""
    command = next((name for name in arguments if name in (*COMMANDS, *SUBCOMMANDS)), "")
    if command:
        return ArgumentError(f"{option} is before the command", f"write: {PROGRAM} {command} ... {option}")
    near = difflib.get_close_matches(option, OWN_OPTIONS, n=1)
    return ArgumentError(f"unknown option {option}", f"did you mean {near[0]}?" if near else f"see: {PROGRAM} --help")


def _meant_command(name: str) -> str:
    """Return advice for an unknown command. A URL is probably meant to be captured."""
    if name == "help":
        return f"see: {PROGRAM} --help"
    if re.match(r"(https?|ftp|file):", name) or question_with_scheme(name):
        return f"did you mean {PROGRAM} capture {name}?"
    name = name.lower()
    return meant(NAMES_ELSEWHERE.get(name, name), [*COMMANDS, *SUBCOMMANDS])


def _meant_option(given: str, command: str) -> str:
    """Return advice for an unknown option: it may be a setting, or the name of an option in another program."""
    usual = f"see: {PROGRAM} {command} --help"
    if command in SUBCOMMANDS:
        return meant_option(given, command) or usual
    name = given.lstrip("-").partition("=")[0].replace("-", "_")
    arguments = COMMANDS[command].spider_arguments
    near = [argument.name for argument in arguments if name in (argument.name, *argument.also)]
    if near and near[0] in POSITIONAL:
        return f"write: {PROGRAM} {command} {COMMANDS[command].arguments}"
    if arguments and not near and (setting := _setting(name)):
        return f"write -s {setting}=VALUE"
    names = [argument.name for argument in arguments if argument.name not in POSITIONAL]
    near = near or difflib.get_close_matches(name, names, n=1)
    return f"did you mean {option_of(near[0])}?" if near else usual


def _setting(name: str) -> str:
    """Return the setting that an option of this name would have; empty if there is none."""
    modules = [import_module(module) for module in ("wcspider.settings", "scrapy.settings.default_settings")]
    names = (prefix + name.upper() for prefix in SETTING_PREFIXES)
    return next((found for found in names if any(hasattr(module, found) for module in modules)), "")
