"""The parsing of command lines with a subcommand, and the texts of ``--help``."""

from __future__ import annotations

import argparse
import difflib
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from wcspider.exceptions import ArgumentError, meant
from wcspider.program_names import Program
from wcspider.subcommands.table import SUBCOMMANDS, Declare, Described, declare_nothing, file_name

PROGRAM = Program.SCRAPY.value
"""The command that has the subcommands."""

_PLACES = {"FILE": "the PDF file", "FOLDER": "the folder", "OUT": "the PDF file to which the page sets are added"}
"""The explanation of each placeholder."""


class LineParser(argparse.ArgumentParser):
    """A parser that reports a wrong argument in one line. Options have their full names."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        """Raise `ArgumentError`."""
        raise ArgumentError(message, f"see: {self.prog} --help")


class CommandParser(LineParser):
    """A parser for the arguments of one command. Options may stand between the other arguments."""

    _is_intermixed = False

    def parse_known_args(self, args: Any = (), namespace: Any = None) -> Any:
        """Parse a command line; the parser of the program calls this method."""
        # The method below calls this one, and loses the arguments behind ``--``.
        if self._is_intermixed or "--" in args:
            return super().parse_known_args(args, namespace)
        self._is_intermixed = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_intermixed = False


class Formatter(argparse.HelpFormatter):
    """A formatter that wraps descriptions and leaves the lines of examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)

    def _format_usage(self, usage: str | None, *others: Any) -> str:
        """Return the usage, wrapped between words: argparse does not wrap a given one."""
        written = super()._format_usage(usage, *others)
        if usage is None:
            return written
        lines = textwrap.wrap(written, self._width, subsequent_indent=" " * 11, break_on_hyphens=False)
        return "\n".join([*lines, "", ""])


def overview() -> str:
    """Return the help text about all subcommands."""
    table = [f"  {name} {known.arguments}\n      {known.summary}" for name, known in SUBCOMMANDS.items()]
    examples = [f"  {PROGRAM} {known.examples[0]}" for known in SUBCOMMANDS.values()]
    more = f"\n{PROGRAM} SUBCOMMAND --help explains each of them.\n"
    return "\n".join(["subcommands:", *table, more, "examples:", *examples])


def parse(arguments: Sequence[str], common: Declare) -> argparse.Namespace:
    """Parse a command line that begins with a subcommand.

    `common` adds the options that every subcommand accepts. The name is in ``subcommand`` of the result. Raises
    `ArgumentError`.
    """
    _check_name(arguments)
    parser = LineParser(prog=PROGRAM)
    add_parsers(parser.add_subparsers(dest="subcommand", parser_class=CommandParser), PROGRAM, common)
    opts, rest = parser.parse_known_args(arguments)
    if rest:
        advice = meant_option(rest[0], opts.subcommand) or f"see: {PROGRAM} {opts.subcommand} --help"
        raise ArgumentError(f"unknown argument {rest[0]} of {PROGRAM} {opts.subcommand}", advice)
    return opts


def meant_option(given: str, subcommand: str) -> str:
    """Return advice for an argument that a subcommand does not have; empty if there is none."""
    options = SUBCOMMANDS[subcommand].options
    if not given.startswith("-"):
        option = "--url" if "://" in given else "--output"
        return f"did you mean {option} {given}?" if option in options else ""
    near = difflib.get_close_matches(given.partition("=")[0], options, n=1)
    return f"did you mean {near[0]}?" if near else ""


def add_parser(
    subparsers: argparse._SubParsersAction[CommandParser], program: str, name: str, command: Described
) -> CommandParser:
    """Add a parser for a command of a program, with the help that describes the command."""
    return subparsers.add_parser(
        name,
        usage=f"{program} {name} {command.arguments}",
        help=command.summary,
        description=command.description,
        epilog="\n".join(["examples:", *(f"  {program} {example}" for example in command.examples)]),
        formatter_class=Formatter,
    )


def add_parsers(
    subparsers: argparse._SubParsersAction[CommandParser], program: str, common: Declare = declare_nothing
) -> None:
    """Add a parser for each subcommand, for the help of a program; `common` adds options to each of them."""
    for name, known in SUBCOMMANDS.items():
        subparser = add_parser(subparsers, program, name, known)
        subparser.add_argument("file", metavar=known.place, type=file_name, help=_PLACES[known.place])
        known.declare(subparser)
        common(subparser)


def _check_name(arguments: Sequence[str]) -> None:
    """Raise `ArgumentError` if a command line does not begin with a subcommand."""
    if not arguments:
        raise ArgumentError("webcapture needs a subcommand and a file", f"try: {PROGRAM} list FILE")
    if arguments[0] not in SUBCOMMANDS and arguments[0] not in ("-h", "--help"):
        raise ArgumentError(f"unknown subcommand {arguments[0]}", meant(arguments[0].lower(), SUBCOMMANDS))
