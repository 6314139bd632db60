"""The seeds of a capture, from the arguments of the spider: URLs, files with URLs, sitemaps, and URL patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypedDict

from wcspider.crawl.inputs.request_parts import read_user_file
from wcspider.exceptions import ArgumentError, InvalidURLError
from wcspider.program_names import argument
from wcspider.web.dates import Window
from wcspider.web.urls import canonical_url
from wcspider.webcapture.patterns import Patterns
from wcspider.webcapture.records import ALL_LEVELS, Command

_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*:")
_LIST = "name a text file with one URL per line"
_DATES = "give a date such as 2026-01-31, a month, a year, or a time such as 2026-01-31T12:00:00Z"


class _Patterns(TypedDict):
    allow: str
    deny: str


def split_urls(text: str) -> list[str]:
    """Return the URLs of a list. A comma separates two URLs only if a scheme follows: URLs may contain commas."""
    parts: list[str] = []
    for part in text.split(","):
        if parts and not _SCHEME.match(part):
            parts[-1] += "," + part
        else:
            parts.append(part.strip())
    try:
        return list(dict.fromkeys(canonical_url(part) for part in parts))
    except InvalidURLError as error:
        raise ArgumentError(error.problem, error.advice) from error


def read_seeds(given: Mapping[str, str]) -> list[str]:
    """Return the URLs of the argument ``url`` and of the file that ``urls`` names, each once."""
    named = split_urls(given["url"]) if given.get("url", "").strip() else []
    path = given.get("urls", "").strip()
    return list(dict.fromkeys([*named, *(_urls_in(path) if path else ())]))


def _urls_in(path: str) -> list[str]:
    """Return the URLs in a file, one per line; blank lines and lines that begin with # are ignored."""
    try:
        lines = read_user_file("urls", path, _LIST).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ArgumentError(f"urls: {path}: {error}", _LIST) from error
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                found.append(canonical_url(line.strip()))
            except InvalidURLError as error:
                raise ArgumentError(f"urls: {path}, line {number}: {error.problem}", error.advice) from error
    if not found:
        raise ArgumentError(f"urls: {path}: contains no URL", _LIST)
    return found


def read_sitemaps(given: Mapping[str, str], common: Command) -> list[Command]:
    """Return a command for each sitemap. A sitemap links to its pages, so they are on its second level (Table 357)."""
    window = Window(given.get("since", "").strip(), given.get("until", "").strip())
    if problem := window.problem():
        raise ArgumentError(problem, _DATES)
    text = given.get("sitemap", "").strip()
    if not text and (window.since or window.until):
        raise ArgumentError(
            "since and until need a sitemap, whose dates they compare", f"add {argument('sitemap', 'URL')}"
        )
    if text and (common.data is not None or common.submit):
        raise ArgumentError("a sitemap cannot be requested with data or submit", "remove data and submit, or sitemap")
    levels = min(common.levels + 1, ALL_LEVELS)
    command = replace(common, levels=levels, sitemap=True, since=window.since, until=window.until)
    return [replace(command, url=url) for url in split_urls(text)] if text else []


def read_patterns(given: Mapping[str, str]) -> _Patterns:
    """Return the URL patterns; each is one regular expression, which may contain commas."""
    patterns = Patterns(given.get("allow", ""), given.get("deny", ""))
    if problem := patterns.problem():
        raise ArgumentError(problem, "give a Python regular expression such as /guide/|/news/")
    return {"allow": patterns.allow, "deny": patterns.deny}
