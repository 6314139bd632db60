"""The arguments of the spiders: their names, meanings and defaults.

The parsing, the help of the commands and the options of ``wcspider`` are made from these tables. This module is
imported before Scrapy is, so it must stay cheap.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wcspider.exceptions import ArgumentError, nearest
from wcspider.webcapture.records import DEFAULT_POST_TYPE

FLAG = "true|false"
"""The placeholder of arguments that are true or false."""


@dataclass(frozen=True, slots=True)
class SpiderArgument:
    """One argument of a spider."""

    name: str
    value: str
    """The placeholder of its value."""

    meaning: str
    default: str = ""
    """The value of an argument that is not given; empty if there is no such value."""

    absent: str = "none"
    """The words for the default in the help if `default` is empty."""

    also: tuple[str, ...] = ()
    """The names of such an argument in other programs. They are refused, with the right name in the message."""

    @property
    def is_flag(self) -> bool:
        """True if its value is true or false."""
        return self.value == FLAG

    @property
    def choices(self) -> list[str]:
        """The possible values, if they are few; none for a flag."""
        return self.value.split("|") if "|" in self.value and not self.is_flag else []

    @property
    def shown_default(self) -> str:
        """The default, as the help shows it."""
        return self.default or self.absent


_PDF = SpiderArgument("pdf", "FILE", "the PDF file", absent="required")
_COOKIES = SpiderArgument(
    "cookies",
    "FILE",
    "a cookie file in Netscape format, for sites that need a login",
    also=("cookie", "load_cookies", "login", "password", "user"),
)
_PARTIAL = SpiderArgument("partial", FLAG, "replace FILE with the result so far if the crawl is stopped", "false")
_FRESH = SpiderArgument("fresh", FLAG, "discard the unfinished work in FILE.part and start again; FILE stays", "false")

CAPTURE: tuple[SpiderArgument, ...] = (
    SpiderArgument(
        "url",
        "URL[,URL...]",
        "one URL, or several separated by commas; http, https, ftp or file",
        absent="required, or urls or sitemap",
    ),
    SpiderArgument("pdf", "FILE", "the PDF file, new or existing", absent="required", also=("output", "out", "file")),
    SpiderArgument(
        "levels",
        "N|all",
        "the number of levels of pages: 1 is the URL alone; all follows every link",
        "1",
        also=("depth", "level", "recursive"),
    ),
    SpiderArgument(
        "same_site", FLAG, "stay on the host and port of the URL", "true", also=("same_host", "same_domain")
    ),
    SpiderArgument(
        "same_path", FLAG, "stay in the folder of the URL: below its last slash", "false", also=("no_parent",)
    ),
    SpiderArgument(
        "allow", "REGEX", "a regular expression that the URLs of pages must match", absent="all", also=("include",)
    ),
    SpiderArgument(
        "deny", "REGEX", "a regular expression that the URLs of pages must not match", also=("exclude", "reject")
    ),
    SpiderArgument("urls", "FILE", "a text file with one URL a line", also=("input_file",)),
    SpiderArgument("sitemap", "URL[,URL...]", "the URL of a sitemap or of a robots.txt, or several"),
    SpiderArgument("since", "DATE", "only pages of the sitemap that changed on this date or later"),
    SpiderArgument("until", "DATE", "only pages of the sitemap that changed on this date or earlier"),
    SpiderArgument("data", "TEXT|@FILE", "data to post; makes the request a POST", also=("post_data",)),
    SpiderArgument("content_type", "TYPE", "the media type of data", absent=DEFAULT_POST_TYPE),
    SpiderArgument("headers", "JSON", "request headers, as a JSON object of strings", also=("header",)),
    _COOKIES,
    SpiderArgument("submit", FLAG, "mark the URL as a form submission by GET in the file", "false"),
    SpiderArgument("keep_data", FLAG, "allow the posted data to be stored in the file", "false"),
    SpiderArgument(
        "keep_headers",
        "NAMES|true",
        "the headers that may be stored in the file: names separated by commas, or true for all",
    ),
    SpiderArgument("engine", "NAME", "the layout engine for HTML", absent="WEBCAPTURE_ENGINE"),
    SpiderArgument("title", "TEXT", "the title of the file", absent="the title of the first page"),
    _PARTIAL,
    _FRESH,
)
"""The arguments of the capture spider."""

REFRESH: tuple[SpiderArgument, ...] = (
    _PDF,
    SpiderArgument("only", "URL", "repeat only the commands with this URL", absent="all commands"),
    SpiderArgument(
        "command", "N", "repeat only the command with this number, from 0, as list shows it", absent="all commands"
    ),
    SpiderArgument("gone", "keep|drop", "keep marks gone pages, drop deletes them from the file", "keep"),
    SpiderArgument("keep", "all|1", "1 drops the earlier states of the file and writes it again without them", "all"),
    SpiderArgument(
        "force", FLAG, "request pages and resources that have not expired as well, and accept any result", "false"
    ),
    SpiderArgument("headers", "JSON", "headers for the requests of every command; they are not stored"),
    _COOKIES,
    _PARTIAL,
    _FRESH,
)
"""The arguments of the refresh spider."""

_JOINED = {
    **dict.fromkeys(("url", "sitemap"), "separate several URLs by commas"),
    **dict.fromkeys(("allow", "deny"), "join the patterns with |, such as /guide/|/news/"),
    "headers": "give one JSON object with all headers",
}
"""How several values of an argument are given as one."""

ARGUMENTS = {"capture": CAPTURE, "refresh": REFRESH}
"""The arguments of each spider, by its name."""


def named(arguments: Sequence[SpiderArgument]) -> dict[str, SpiderArgument]:
    """Return arguments by name."""
    return {argument.name: argument for argument in arguments}


def meant_argument(name: str, arguments: Sequence[SpiderArgument]) -> str:
    """Return advice for an unknown name of an argument: the nearest argument, or all of them."""
    spellings = {spelling: argument.name for argument in arguments for spelling in (argument.name, *argument.also)}
    if name in spellings:
        return f"did you mean {spellings[name]}?"
    return nearest(name, list(named(arguments))) or f"use one of: {', '.join(named(arguments))}"


def with_defaults(given: Mapping[str, str], arguments: Sequence[SpiderArgument], spider: str) -> dict[str, str]:
    """Return the given arguments, and the defaults of the others; raise `ArgumentError` for an unknown argument.

    Names that start with an underscore are accepted: Scrapyd adds them.
    """
    known = named(arguments)
    for name in given:
        if name not in known and not name.startswith("_"):
            raise ArgumentError(f"unknown argument {name} of the {spider} spider", meant_argument(name, arguments))
    return {**{name: argument.default for name, argument in known.items() if argument.default}, **given}


def single_values(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return arguments by name. Raises `ArgumentError` for an argument with two values."""
    values: dict[str, str] = {}
    for name, value in pairs:
        if values.setdefault(name, value) != value:
            raise ArgumentError(f"the argument {name} is given twice", _JOINED.get(name, "give it once"))
    return values


def help_text(spider: str, arguments: Sequence[SpiderArgument]) -> str:
    """Return the help about the arguments of a spider, as wide as the terminal."""
    columns = max(40, min(shutil.get_terminal_size().columns, 120))
    lines = [f"Arguments of the {spider} spider (-a NAME=VALUE, repeatable):"]
    for argument in arguments:
        lines.append(f"  {argument.name}={argument.value}")
        explained = f"{argument.meaning} (default: {argument.shown_default})"
        lines += textwrap.wrap(
            explained,
            columns,
            initial_indent=" " * 8,
            subsequent_indent=" " * 8,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)
