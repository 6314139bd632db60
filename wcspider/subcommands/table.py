"""The subcommands of ``scrapy webcapture``: their arguments, what their help says, and the functions that run them."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from wcspider.exceptions import ArgumentError
from wcspider.interrupts import ending_quietly
from wcspider.program_names import program_name

Declare = Callable[[argparse.ArgumentParser], None]


@dataclass(frozen=True, slots=True)
class Described:
    """What the help says about a command."""

    arguments: str
    """Its arguments, for the usage line."""

    summary: str
    description: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Subcommand(Described):
    """One subcommand."""

    declare: Declare
    """Adds its options to a parser."""

    action: str
    """The function that runs it, as ``module:name`` in this package. Its libraries are loaded only when it runs."""

    place: str = "FILE"
    """The placeholder of its first argument."""

    takes_settings: bool = False
    """True if it needs the settings of the Scrapy project, in `settings` of its options."""

    @property
    def options(self) -> tuple[str, ...]:
        """The long options that its usage line names, and that of `-o`."""
        long = re.findall(r"--[a-z0-9-]+", self.arguments)
        return (*long, "--output") if "-o " in self.arguments else tuple(long)

    def run(self, opts: argparse.Namespace) -> int:
        """Run it and return its exit status."""
        self._check_order(opts)
        module, _, name = self.action.partition(":")
        action: Callable[[Path, argparse.Namespace], int]
        with ending_quietly():
            action = getattr(import_module(f"wcspider.subcommands.{module}"), name)
        return action(Path(opts.file), opts)

    def _check_order(self, opts: argparse.Namespace) -> None:
        """Raise `ArgumentError` if FILE seems to stand behind the other arguments."""
        others = filter(None, (*getattr(opts, "words", ()), getattr(opts, "url", None)))
        is_missing = not os.path.exists(opts.file)  # noqa: PTH110 (a word may be longer than the name of any file)
        if is_missing and ("://" in opts.file or any(map(os.path.isfile, others))):
            raise ArgumentError(f"{opts.file} is not a file", f"write: {program_name()} {self.examples[0]}")


def _json(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _list(parser: argparse.ArgumentParser) -> None:
    form = parser.add_mutually_exclusive_group()
    _json(form)
    form.add_argument("--lines", action="store_true", help="print one line of JSON for each content set")


def _find(parser: argparse.ArgumentParser) -> None:
    key = parser.add_mutually_exclusive_group()
    key.add_argument("--url", help="content sets that came from this URL, or were redirected from it")
    key.add_argument("--md5", metavar="HEX", help="content sets with this digital identifier: 32 hexadecimal digits")
    _revision(parser)
    _json(parser)


def _revision(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--revision",
        metavar="N",
        type=int,
        help="the state with the number that history shows (default: the latest)",
    )


def _url(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="the URL")
    _json(parser)


def _text(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", help="only pages that came from this URL, or were redirected from it")
    _revision(parser)
    _json(parser)


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="WORDS", nargs="+", help="words; a phrase in quotes counts as one word")
    _json(parser)


def file_name(text: str) -> str:
    """Return the name of a file or folder; it must not be empty, as the value of an unset shell variable is."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def _optimize(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=file_name, help="write to OUT; if OUT is another file, FILE is unchanged"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace OUT if it exists; accept a signed FILE, whose signature becomes invalid",
    )
    _json(parser)


def _merge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", metavar="FILE", nargs="+", type=file_name, help="the files to merge, in this order")
    parser.add_argument("--title", default="", help="the title of OUT (default: its own, or that of the first FILE)")
    _json(parser)


def _restore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--revision", metavar="N", type=int, required=True, help="the number that history shows")
    parser.add_argument(
        "-o", "--output", metavar="OLD", type=file_name, required=True, help="the file to write; not FILE itself"
    )
    parser.add_argument("--force", action="store_true", help="replace OLD if it exists")


def _diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from", metavar="N", type=int, dest="before", help="the older state (default: the one before the newer)"
    )
    parser.add_argument("--to", metavar="M", type=int, dest="after", help="the newer state (default: the present one)")
    parser.add_argument("--url", help="only the page that came from this URL")
    form = parser.add_mutually_exclusive_group()
    _json(form)
    form.add_argument(
        "--html", metavar="HTML", type=file_name, help="write an HTML file that shows both states side by side"
    )
    _force(parser)


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="HTML", type=file_name, help="the file to write (default: FILE with the suffix .html)"
    )
    parser.add_argument(
        "--thumbnails",
        metavar="N",
        type=_count,
        default=300,
        help="show a picture for the first N pages (default: 300)",
    )
    _force(parser)


def _force(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="replace an HTML file that wcspider did not write")


def _count(text: str) -> int:
    """Return a number from 0 up."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 up")
    return int(text)


def _status(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--logs", metavar="LOGS", type=file_name, help="the folder with the logs of Scrapyd, to show the jobs as well"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "-o", "--output", metavar="HTML", type=file_name, help="the file to write (default: FOLDER/status.html)"
    )
    form.add_argument("--json", action="store_true", help="print one JSON object, and write no page")
    parser.add_argument(
        "--reports", action="store_true", help="write the reports that are missing or older than their file"
    )
    _force(parser)


def declare_nothing(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


SUBCOMMANDS = {
    "list": Subcommand(
        "FILE [--json | --lines]",
        "list the contents of FILE",
        "List the page sets of FILE in page order, its image sets, and the commands that captured them.",
        ("list site.pdf", "list site.pdf --json", "list site.pdf --lines"),
        _list,
        "contents:list_contents",
    ),
    "find": Subcommand(
        "FILE --url URL | --md5 HEX [--revision N] [--json]",
        "find content sets by URL or identifier",
        "Find the content sets of FILE that came from a URL, or that have a digital identifier. "
        "The exit status is 1 if nothing is found.",
        ("find site.pdf --url https://example.com/", "find site.pdf --md5 900150983cd24fb0d6963f7d28e17f72 --json"),
        _find,
        "contents:find_contents",
    ),
    "why": Subcommand(
        "FILE URL [--json]",
        "explain why a URL is in FILE or not",
        "Explain why a URL is in FILE (by which command, at which level, from which page) or why it is not (an error, "
        "a rule of a command, or no link to it). The exit status is 1 if the URL is not in FILE.",
        ("why site.pdf https://example.com/staff/", "why site.pdf https://example.com/staff/ --json"),
        _url,
        "contents:explain_url",
    ),
    "omitted": Subcommand(
        "FILE [--json]",
        "list the pages that could not be captured",
        "List the skipped pages that FILE records, by reason, with the page that links to each of them. The exit "
        "status is 1 if it records none.",
        ("omitted site.pdf", "omitted site.pdf --json"),
        _json,
        "reporting:list_skipped",
    ),
    "report": Subcommand(
        "FILE [-o HTML] [--thumbnails N] [--force]",
        "write an HTML report about FILE",
        "Write one HTML file that shows the contents of FILE: the pages as a tree with pictures, skipped pages by "
        "reason, runs, versions, the largest pages and images, and the commands. It needs no network and no other "
        "file.",
        ("report site.pdf", "report site.pdf -o report.html"),
        _report,
        "reporting:write_report",
    ),
    "status": Subcommand(
        "FOLDER [--logs LOGS] [-o HTML | --json] [--reports] [--force]",
        "write a status page about the files of a folder",
        "Write one HTML file that shows each PDF file of FOLDER: its last run, the result, the next step and a link to "
        "its report. With LOGS, it also shows the results of the jobs, and a file whose newest job failed is marked as "
        "failed. The exit status is 1 if something needs attention or a report could not be written.",
        ("status /srv/scrapyd/pdf --json", "status /srv/scrapyd/pdf --logs /srv/scrapyd/logs --reports"),
        _status,
        "reporting:write_status_page",
        place="FOLDER",
    ),
    "check": Subcommand(
        "FILE [--json]",
        "check FILE against ISO 32000-1, 14.10",
        "Check FILE against the rules of ISO 32000-1, 14.10, and print one line for each violation. The exit status "
        "is 1 if there is an error; notes do not count.",
        ("check site.pdf", "check site.pdf --json"),
        _json,
        "conformity:print_violations",
    ),
    "text": Subcommand(
        "FILE [--url URL] [--revision N] [--json]",
        "print the text of the pages",
        "Print the text of the pages of FILE, or of those that came from a URL, as ISO 32000-1, 9.10, defines it. The "
        "exit status is 1 if there is no page.",
        ("text site.pdf", "text site.pdf --url https://example.com/ --revision 2"),
        _text,
        "page_text:print_text",
    ),
    "search": Subcommand(
        "FILE WORDS [--json]",
        "find the pages that contain words",
        "Find the pages of FILE that contain all words, in upper or lower case, also inside other words. The exit "
        "status is 1 if no page is found.",
        ("search site.pdf lighthouse keeper", 'search site.pdf "light house" --json'),
        _search,
        "page_text:search_text",
    ),
    "optimize": Subcommand(
        "FILE [-o OUT] [--force] [--json]",
        "write a smaller FILE without its earlier states",
        "Write FILE again, in its place or to OUT, without superseded objects and with equal objects stored once. The "
        "earlier states are lost: they can no longer be restored or compared.",
        ("optimize site.pdf", "optimize site.pdf --output smaller.pdf"),
        _optimize,
        "optimized:optimize_file",
        takes_settings=True,
    ),
    "merge": Subcommand(
        "OUT FILE... [--title TITLE] [--json]",
        "merge files that were captured separately",
        "Add the page sets of each FILE to OUT, in the order of the files and behind the content that OUT has. A page "
        "set that OUT has already is not added again, only its sources are. Links between the files become jumps. The "
        "files stay unchanged. If a file cannot be merged, OUT stays unchanged as well.",
        ("merge all.pdf north.pdf south.pdf",),
        _merge,
        "merged:merge_files",
        place="OUT",
        takes_settings=True,
    ),
    "history": Subcommand(
        "FILE [--json]",
        "list the runs and the earlier states of FILE",
        "List the runs that captured or refreshed FILE, oldest first: the number of the state that each run left, its "
        "date, its effect on the page sets, and its commands. restore and diff take these numbers.",
        ("history site.pdf", "history site.pdf --json"),
        _json,
        "states:list_states",
    ),
    "restore": Subcommand(
        "FILE --revision N -o OLD [--force]",
        "write an earlier state of FILE to another file",
        "Write an earlier state of FILE, byte for byte, to OLD. history lists the states. FILE stays unchanged.",
        ("restore site.pdf --revision 2 -o site-of-march.pdf",),
        _restore,
        "states:restore_state",
    ),
    "versions": Subcommand(
        "FILE URL [--json]",
        "list the versions of a URL",
        "List the page sets that came from a URL, in all states of FILE: the date, the revisions that contain it, the "
        "pages and the identifier. text and find show one of them with --revision. The exit status is 1 if no "
        "state has a page from the URL.",
        ("versions site.pdf https://example.com/", "versions site.pdf https://example.com/ --json"),
        _url,
        "states:list_versions",
    ),
    "diff": Subcommand(
        "FILE [--from N] [--to M] [--url URL] [--json | --html HTML] [--force]",
        "compare two states of FILE",
        "Show the pages that differ between two states of FILE, by URL: new, gone, moved and changed pages. For a "
        "changed page it shows the words that were added and removed, the images, style sheets and fonts that "
        "changed, and the links that were added and removed. The exit status is 0 if no page differs, 1 if one does, "
        "and 2 if the states cannot be compared.",
        ("diff site.pdf", "diff site.pdf --html changes.html", "diff site.pdf --from 1 --to 4 --json"),
        _diff,
        "states:compare_states",
    ),
}
"""All subcommands, in the order of the help."""
