"""The arguments of the spiders: strings from a command line or from Scrapyd, parsed into typed objects."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http.cookiejar import Cookie
from pathlib import Path
from urllib.parse import unquote, urlsplit

from wcspider.config import BOOLEANS
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
_TOKEN_RE = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header (RFC 9110, 5.6.2)."""


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
        typed = as_typed("capture", given)
        given = with_defaults(given, CAPTURE, "capture")
        urls = read_seeds(given)
        data = _data(given.get("data"))
        headers = _headers(given.get("headers", ""))
        if data is not None and _flag(given, "submit"):
            raise ArgumentError("data means POST and submit means GET", "give one of them")
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
            kept_headers=_kept(given.get("keep_headers", ""), headers),
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
    """The treatment of removed pages: ``keep`` marks them, ``drop`` deletes them from the file."""

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
        if keep not in ("0", "all", "1"):
            raise ArgumentError(f"keep is {keep!r}", "give 1 to keep only the newest state, or all")
        return cls(
            pdf=_pdf(given),
            only=split_urls(given["only"])[0] if given.get("only") else "",
            command=at_most(number, sys.maxsize) if number else None,
            force=_flag(given, "force"),
            gone=gone,
            keep=1 if keep == "1" else 0,
            headers=_headers(given.get("headers", "")),
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


def _data(text: str | None) -> bytes | None:
    """Return posted data, given as text or as ``@file``."""
    if text is None or not text.startswith("@"):
        return None if text is None else text.encode("utf-8", "surrogateescape")  # bytes of the command line
    try:
        return Path(text[1:]).read_bytes()
    except OSError as error:
        raise ArgumentError(f"data: {text[1:]}: {error.strerror}", "name a readable file") from error


def _cookies(given: Mapping[str, str]) -> tuple[Cookie, ...]:
    path = given.get("cookies", "").strip()
    return read_cookies(Path(path)) if path else ()


def _headers(text: str) -> tuple[tuple[str, str], ...]:
    if not text.strip():
        return ()
    try:
        headers = json.loads(text)
    except json.JSONDecodeError as error:
        raise ArgumentError(
            f"headers is not valid JSON ({error.msg})", 'give an object such as {"From": "me"}'
        ) from error
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise ArgumentError("headers is not a JSON object of strings", 'give one such as {"From": "me"}')
    for name, value in headers.items():
        if not _TOKEN_RE.fullmatch(name):
            raise ArgumentError(f"headers: {name!r} is not the name of a header", "use letters, digits and hyphens")
        if any(char in value for char in "\r\n\0"):
            raise ArgumentError(f"headers: the value of {name!r} is not valid", "remove line breaks")
    return tuple(headers.items())


def _kept(text: str, headers: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """Return the names of the headers that may be stored in the file: all of them (``true``), none, or those named."""
    if BOOLEANS.get(text.strip().lower()) is True:
        return frozenset(name.lower() for name, _ in headers)
    if not text.strip() or BOOLEANS.get(text.strip().lower()) is False:
        return frozenset()
    names = frozenset(name.strip().lower() for name in text.split(","))
    missing = names - {name.lower() for name, _ in headers}
    if missing:
        raise ArgumentError(f"keep_headers names {', '.join(sorted(missing))}, which is missing in headers")
    return names
