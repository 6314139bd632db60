"""The arguments of the spiders: strings from a command line or from Scrapyd, parsed into typed objects."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http.cookiejar import Cookie
from pathlib import Path
from urllib.parse import unquote, urlsplit

from wcspider.config import BOOLEANS
from wcspider.crawl.inputs.request_parts import HEADER_VALUE_RE, kept_headers, read_data, read_headers
from wcspider.crawl.inputs.seeds import read_patterns, read_seeds, read_sitemaps, split_urls
from wcspider.crawl.inputs.spider_arguments import ARGUMENTS, CAPTURE, REFRESH, with_defaults
from wcspider.exceptions import ArgumentError
from wcspider.program_names import argument, file_command, flag, spider_command
from wcspider.web.logins import basic_authorization, read_cookies
from wcspider.web.numbers import at_most
from wcspider.web.urls import without_login
from wcspider.webcapture.records import ALL_LEVELS, DEFAULT_POST_TYPE, Command

_URLS = frozenset({"url", "sitemap", "only"})
_SECRET = frozenset({"data", "headers"})
_NO_PURPOSE = frozenset({"pdf", "fresh", "partial", "cookies"})
_LONGEST_TYPED = 300
_URL_RE = re.compile(r"(?i)(https?|ftp|file)://")
_SURROGATE_RE = re.compile(r"[\ud800-\udfff]")
_PATHS = frozenset({"pdf", "urls", "cookies", "data"})
"""The arguments that may be file names, and so any bytes, or the bytes of posted data."""


@dataclass(frozen=True, slots=True)
class CaptureArguments:
    """The arguments of the capture spider."""

    commands: tuple[Command, ...]
    """A command for each URL, and for each sitemap."""

    pdf: Path
    engine: str = ""
    """The product name of the engine; empty for the engine of the settings."""

    title: str = ""
    partial: bool = False
    """If true, a crawl that is stopped replaces FILE with the pages captured so far."""

    fresh: bool = False
    """If true, unfinished work on the file is discarded."""

    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    """The cookies of the user's cookie file. They are no part of a command: a crawl may continue with newer ones."""

    typed: str = ""
    """The command line, as `as_typed` returns it."""

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> CaptureArguments:
        """Parse the arguments; raise `ArgumentError` for the first that is unknown, missing or invalid."""
        _check_encoding(given)
        typed = as_typed("capture", given)
        given = with_defaults(given, CAPTURE, "capture")
        urls = read_seeds(given)
        data = read_data(given.get("data"))
        headers = read_headers(given.get("headers", ""))
        if data is not None and _flag(given, "submit"):
            raise ArgumentError("data means POST and submit means GET", "give one of them")
        if not HEADER_VALUE_RE.fullmatch(given.get("content_type", "")):
            raise ArgumentError("content_type is not valid", "give a media type such as application/json")
        if data is None and given.get("content_type"):
            advice = f"add {argument('data', 'TEXT')}"
            raise ArgumentError("content_type is the type of posted data, but data is missing", advice)
        common = Command(
            url="",
            levels=_levels(given["levels"]),
            same_site=_flag(given, "same_site"),
            same_path=_flag(given, "same_path"),
            submit=_flag(given, "submit"),
            data=data,
            content_type=given.get("content_type") or dict(headers).get("Content-Type") or DEFAULT_POST_TYPE,
            headers=headers,
            keep_data=_flag(given, "keep_data"),
            kept_headers=kept_headers(given.get("keep_headers", ""), headers),
            **read_patterns(given),
        )
        sitemaps = read_sitemaps(given, common)
        if not urls and not sitemaps:
            known = (argument("urls", "FILE"), argument("sitemap", "URL"))
            raise ArgumentError("the argument url is missing", f"add {argument('url', 'URL')}, {' or '.join(known)}")
        commands = [*(replace(common, url=url) for url in urls), *sitemaps]
        return cls(
            tuple(map(_without_login, commands)),
            _pdf(given),
            given.get("engine", ""),
            given.get("title", ""),
            _flag(given, "partial"),
            _flag(given, "fresh"),
            _cookies(given),
            typed,
        )


@dataclass(frozen=True, slots=True)
class RefreshArguments:
    """The arguments of the refresh spider."""

    pdf: Path
    only: str = ""
    """The canonical URL of the commands to repeat; empty for all commands."""

    command: int | None = None
    """The number of the only command to repeat, from 0, as ``webcapture list`` shows it."""

    force: bool = False
    """If true, pages that have not expired are requested too, and every answer is accepted."""

    gone: str = "keep"
    """The treatment of gone pages: ``keep`` marks them, ``drop`` deletes them from the file."""

    keep: int = 0
    """The number of states of the file to keep: 0 for all, 1 for the state after the refresh."""

    headers: tuple[tuple[str, str], ...] = ()
    """Headers for the requests of every command; they are not stored."""

    partial: bool = False
    fresh: bool = False
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    typed: str = ""
    """The command line, as `as_typed` returns it."""

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> RefreshArguments:
        """Parse the arguments; raise `ArgumentError` for the first that is unknown, missing or invalid."""
        _check_encoding(given)
        typed = as_typed("refresh", given)
        given = with_defaults(given, REFRESH, "refresh")
        if given.get("only") and given.get("command"):
            raise ArgumentError("only and command both select a command", "give one of them")
        number = given.get("command", "").strip()
        if number and not number.isdecimal():
            raise ArgumentError(f"command is {number!r}", f"give the number that {file_command('list')} shows")
        gone = given["gone"].strip().lower()
        if gone not in ("keep", "drop"):
            raise ArgumentError(f"gone is {gone!r}", "give keep or drop")
        keep = given["keep"].strip().lower()
        if keep not in ("all", "1"):
            raise ArgumentError(f"keep is {keep!r}", "give 1 to keep only the newest state, or all")
        return cls(
            pdf=_pdf(given),
            only=split_urls(given["only"])[0] if given.get("only") else "",
            command=at_most(number, sys.maxsize) if number else None,
            force=_flag(given, "force"),
            gone=gone,
            keep=1 if keep == "1" else 0,
            headers=read_headers(given.get("headers", "")),
            partial=_flag(given, "partial"),
            fresh=_flag(given, "fresh"),
            cookies=_cookies(given),
            typed=typed,
        )


def as_typed(spider: str, given: Mapping[str, str]) -> str:
    """Return the command line of a spider and its arguments, for messages.

    The file is left out, and arguments that may differ when the command is repeated. Secrets are shown as dots, logins
    in URLs are removed, and a long line is cut.
    """
    flags = {known.name for known in ARGUMENTS[spider] if known.is_flag}
    words = [spider_command(spider)]
    for name, value in given.items():
        if not value.strip() or name in _NO_PURPOSE or name.startswith("_"):
            continue
        if name in flags and value.lower() in BOOLEANS:
            words.append(flag(name, is_set=BOOLEANS[value.lower()]))
        else:
            words.append(argument(name, _shown(name, value)))
    line = " ".join(words)
    return line if len(line) <= _LONGEST_TYPED else f"{line[:_LONGEST_TYPED]} ..."


def _shown(name: str, value: str) -> str:
    """Return the value of an argument without secrets."""
    if name in _SECRET:
        return "..."
    return ",".join(map(without_login, split_urls(value))) if name in _URLS else value


def _check_encoding(given: Mapping[str, str]) -> None:
    """Raise `ArgumentError` for an argument with bytes that are not UTF-8, which Python reads as surrogates."""
    for name, value in given.items():
        if name not in _PATHS and _SURROGATE_RE.search(value):
            raise ArgumentError(f"{name} is not in UTF-8", "write it in the encoding UTF-8")


def _without_login(command: Command) -> Command:
    """Move the login in the URL of a command into a header: as a part of the URL it would be stored in the file."""
    parts = urlsplit(command.url)
    if parts.username is None:
        return command
    header = ("Authorization", basic_authorization(unquote(parts.username), unquote(parts.password or "")))
    return replace(command, url=without_login(command.url), headers=(*command.headers, header))


def _pdf(given: Mapping[str, str]) -> Path:
    path = given.get("pdf", "").strip()
    if not path:
        raise ArgumentError("the argument pdf is missing", f"add {argument('pdf', 'FILE')}")
    if _URL_RE.match(path):
        raise ArgumentError(f"{path} is a URL, not a file", "name the PDF file")
    return Path(path)


def _levels(text: str) -> int:
    if text.strip().lower() == "all":
        return ALL_LEVELS
    digits = text.strip()
    levels = at_most(digits, ALL_LEVELS) if digits.isdecimal() else 0
    if not levels:
        raise ArgumentError(f"levels is {text!r}", "give a whole number from 1 up, or all")
    return levels


def _flag(given: Mapping[str, str], name: str) -> bool:
    text = given[name].strip().lower()
    if text not in BOOLEANS:
        raise ArgumentError(f"{name} is {text!r}", "give true or false")
    return BOOLEANS[text]


def _cookies(given: Mapping[str, str]) -> tuple[Cookie, ...]:
    path = given.get("cookies", "").strip()
    return read_cookies(Path(path)) if path else ()
