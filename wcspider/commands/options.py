"""The arguments of ``scrapy webcapture``: each subcommand has its own, and its own help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from wcspider.exceptions import ArgumentError, meant

Declare = Callable[[argparse.ArgumentParser], None]


@dataclass(frozen=True, slots=True)
class Subcommand:
    """What one subcommand takes, and what its help says."""

    arguments: str
    """What the overview shows behind its name."""

    summary: str
    description: str
    examples: tuple[str, ...]
    declare: Declare


def _json(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _list(parser: argparse.ArgumentParser) -> None:
    form = parser.add_mutually_exclusive_group()
    _json(form)
    form.add_argument("--lines", action="store_true", help="print one line of JSON for each content set")


def _find(parser: argparse.ArgumentParser) -> None:
    key = parser.add_mutually_exclusive_group(required=True)
    key.add_argument("--url", help="what came from this URL, or by way of it through a redirection; in any spelling")
    key.add_argument("--md5", metavar="HEX", help="what bears this digital identifier: 32 hexadecimal digits")
    _json(parser)


def _why(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="the URL, in any spelling")
    _json(parser)


def _text(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", help="the pages that came from this URL, or by way of it; in any spelling")
    _json(parser)


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="WORDS", nargs="+", help="words; a phrase in quotes counts as one")
    _json(parser)


def _optimize(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="OUT", help="write OUT, and leave FILE as it is")
    parser.add_argument("--force", action="store_true", help="also a signed file, whose signature it breaks")


def _restore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--revision", metavar="N", type=int, required=True, help="the state, by the number that history gives it"
    )
    parser.add_argument("-o", "--output", metavar="OLD", required=True, help="the file to write; never FILE itself")
    parser.add_argument("--force", action="store_true", help="replace OLD if it exists")


def _diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from", metavar="N", type=int, dest="before", help="the older state (default: the one before the newer)"
    )
    parser.add_argument("--to", metavar="M", type=int, dest="after", help="the newer state (default: the present one)")
    _json(parser)


SUBCOMMANDS = {
    "list": Subcommand(
        "FILE [--json | --lines]",
        "what FILE holds",
        "List the page sets of FILE in the order of their pages, its image sets, and the commands that built it.",
        ("list site.pdf", "list site.pdf --json", "list site.pdf --lines"),
        _list,
    ),
    "find": Subcommand(
        "FILE --url URL | --md5 HEX [--json]",
        "the content sets that came from a URL, or bear an identifier",
        "Find the content sets of FILE that came from a URL, or that bear a digital identifier. "
        "The exit status is 1 if there is none.",
        (
            "find site.pdf --url https://example.com/",
            "find site.pdf --md5 900150983cd24fb0d6963f7d28e17f72 --json",
        ),
        _find,
    ),
    "why": Subcommand(
        "FILE URL [--json]",
        "why a URL is in FILE or is not",
        "Say why a URL is in FILE, by which command, at which level and from which page, or why it is not: how it "
        "failed, which rule of the commands leaves it out, or that no page links to it. The exit status is 1 if it is "
        "not in the file.",
        ("why site.pdf https://example.com/staff/", "why site.pdf https://example.com/staff/ --json"),
        _why,
    ),
    "check": Subcommand(
        "FILE",
        "each place that breaks a rule of ISO 32000-1, 14.10",
        "Check FILE against each rule of ISO 32000-1, 14.10, that can be checked from a file, and print a line for "
        "each place that breaks one. The exit status is 1 if there is an error; notes are none.",
        ("check site.pdf",),
        lambda parser: None,
    ),
    "text": Subcommand(
        "FILE [--url URL] [--json]",
        "the text of its pages",
        "Print the text of the pages of FILE, or of those that came from a URL, by ISO 32000-1, 9.10. The exit status "
        "is 1 if there is no page.",
        ("text site.pdf", "text site.pdf --url https://example.com/ --json"),
        _text,
    ),
    "search": Subcommand(
        "FILE WORDS [--json]",
        "the pages on which words occur",
        "Find the pages of FILE on which all words occur, in whatever case and also within other words. The exit "
        "status is 1 if there is none.",
        ("search site.pdf lighthouse keeper", 'search site.pdf "light house" --json'),
        _search,
    ),
    "optimize": Subcommand(
        "FILE [-o OUT] [--force]",
        "write FILE anew and smaller, without its earlier states",
        "Write FILE anew, in its place or as OUT: superseded objects go, equal ones are stored once. What is written "
        "has no past: its earlier states can be restored and compared no more.",
        ("optimize site.pdf", "optimize site.pdf --output smaller.pdf"),
        _optimize,
    ),
    "history": Subcommand(
        "FILE [--json]",
        "the states that runs left FILE in",
        "List the runs that made FILE, oldest first: the number of the state that each left it in, its date, what it "
        "did to how many page sets, and its commands. restore and diff take these numbers.",
        ("history site.pdf", "history site.pdf --json"),
        _json,
    ),
    "restore": Subcommand(
        "FILE --revision N -o OLD [--force]",
        "FILE as it was, as another file",
        "Write FILE as it was at a state that history lists, byte for byte, as OLD. FILE stays as it is.",
        ("restore site.pdf --revision 2 -o site-of-march.pdf",),
        _restore,
    ),
    "diff": Subcommand(
        "FILE [--from N] [--to M] [--json]",
        "the pages that differ between two states of FILE",
        "List the pages that differ between two states of FILE, by URL: new ones, gone ones, those that moved (the "
        "URL redirects to another now, or the page stands elsewhere), and changed ones; of these, whether it is by "
        "their source, its text too, or by an auxiliary resource alone, such as an image or a style sheet. The exit "
        "status is 0 if none differs, 1 if any does, and 2 if that cannot be told.",
        ("diff site.pdf", "diff site.pdf --from 1 --to 4 --json"),
        _diff,
    ),
}
"""In the order in which the overview shows them."""


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments."""
        raise ArgumentError(message, f"see: {self.prog} --help")


def overview() -> str:
    """Return what the help of ``scrapy webcapture`` says of the subcommands."""
    table = [f"  {f'{name} {known.arguments}':<42}  {known.summary}" for name, known in SUBCOMMANDS.items()]
    examples = [f"  scrapy webcapture {known.examples[0]}" for known in SUBCOMMANDS.values()]
    more = "\nscrapy webcapture SUBCOMMAND --help says more of each.\n"
    return "\n".join(["subcommands:", *table, more, "examples:", *examples])


def parsed(arguments: Sequence[str], common: Declare) -> argparse.Namespace:
    """Return the subcommand that is asked for, with its options; `common` declares what every subcommand takes.

    Options may stand before the subcommand. Raises `ArgumentError` for wrong arguments.
    """
    place = next((index for index, argument in enumerate(arguments) if argument in SUBCOMMANDS), None)
    if place is None:
        raise _without_subcommand(arguments)
    name = arguments[place]
    parser = _parser(name, SUBCOMMANDS[name], common)
    return parser.parse_args([*arguments[:place], *arguments[place + 1 :]], argparse.Namespace(subcommand=name))


def _without_subcommand(arguments: Sequence[str]) -> ArgumentError:
    """Return what is wrong with arguments among which there is no subcommand."""
    given = next((argument for argument in arguments if not argument.startswith("-")), None)
    if given is None:
        return ArgumentError("webcapture needs a subcommand and a file", "try: scrapy webcapture list FILE")
    return ArgumentError(f"{given} is no subcommand of webcapture", meant(given.lower(), SUBCOMMANDS))


def _parser(name: str, subcommand: Subcommand, common: Declare) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"scrapy webcapture {name}",
        usage=f"scrapy webcapture {name} {subcommand.arguments}",
        description=subcommand.description,
        epilog="\n".join(["examples:", *(f"  scrapy webcapture {example}" for example in subcommand.examples)]),
        formatter_class=_Formatter,
    )
    parser.add_argument("file", metavar="FILE", help="the PDF file")
    subcommand.declare(parser)
    common(parser)
    return parser


class _Formatter(argparse.HelpFormatter):
    """Fills descriptions, and leaves the lines of examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)
