"""The commands that crawl: capture and refresh, by way of Scrapy's ``crawl`` command."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.conf import closest_scrapy_cfg, get_config
from scrapy.utils.project import ENVVAR, get_project_settings

from wcspider.cli.command_line import GIVEN, PROGRAM, TABLES
from wcspider.commands.crawl import Command
from wcspider.config import BOOLEANS
from wcspider.crawl.inputs.seeds import split_urls
from wcspider.crawl.inputs.spider_arguments import single_values
from wcspider.exceptions import ArgumentError, one_line
from wcspider.program_names import option_of
from wcspider.web.urls import location

SETTINGS = "wcspider.settings"
"""The settings in a folder that belongs to no Scrapy project."""

OTHER_PROJECT = (
    f"run {PROGRAM} in another folder; to capture with the spiders of a project, see docs/addon.md in the sources"
)

QUIET = {"LOG_LEVEL": "ERROR", "LOG_FORMAT": f"{PROGRAM}: %(message)s"}
"""The settings of the log, unless the user wants to see it."""


def capture(given: argparse.Namespace) -> int:
    """Capture a site; return the exit status."""
    return _crawl("capture", {**_places(given), **_arguments(given)}, given)


def refresh(given: argparse.Namespace) -> int:
    """Bring a file up to date; return the exit status."""
    return _crawl("refresh", {"pdf": given.file, **_arguments(given)}, given)


def _arguments(given: argparse.Namespace) -> dict[str, str]:
    """Return the arguments of the spider that were given as options. Raises `ArgumentError`."""
    pairs = [
        (name.removeprefix(GIVEN), str(value).lower() if isinstance(value, bool) else value)
        for name, values in vars(given).items()
        if name.startswith(GIVEN) and values is not None
        for value in (values if isinstance(values, list) else [values])
    ]
    return single_values([*pairs, *(_pair("-a", text) for text in given.spargs)])


def _pair(option: str, text: str) -> tuple[str, str]:
    """Return the name and the value in an argument of the options ``-a`` and ``-s``."""
    name, separator, value = text.partition("=")
    if not separator:
        raise ArgumentError(f"{option} {text} has no value", f"write {option} {text}=VALUE")
    if not name.strip():
        raise ArgumentError(f"{option} {text} has no name", f"write {option} NAME{text}")
    return name, value


def _places(given: argparse.Namespace) -> dict[str, str]:
    """Return the URL and the file of a capture. With a list or a sitemap, the URL may be missing."""
    named = _arguments(given)
    listed = named.get("urls") or named.get("sitemap")
    places = list(given.places)
    for place in places[1:]:
        _check_file_name(place)
    if len(places) > 2:
        raise ArgumentError(f"{places[2]}: a capture has one URL and one file", "separate several URLs by commas")
    if len(places) == 2 and "://" in places[1]:
        if "://" in places[0]:
            raise ArgumentError(f"{places[1]} is a URL, not a file", "separate several URLs by commas")
        raise ArgumentError("the URL comes before the file", f"write: {PROGRAM} capture {places[1]} {places[0]}")
    has_url = bool(places) and (not listed or len(places) == 2 or "://" in places[0])
    url = places.pop(0) if has_url else ""
    if _is_local_file(url):
        raise ArgumentError(f"{url} is a local file, not a URL", f"did you mean {Path(url).resolve().as_uri()}?")
    found = {"url": url} if url else {}
    if places:
        return {**found, "pdf": places[0]}
    if "pdf" not in named and (url or named.get("url") or listed):
        found["pdf"] = _file_name(url or named.get("url", ""), named)
    return found


def _check_file_name(name: str) -> None:
    """Raise `ArgumentError` for a name that is probably meant as the value of an option."""
    if name.isdecimal() or name.lower() == "all":
        raise ArgumentError(f"{name} is not a PDF file", f"did you mean {option_of('levels')} {name}?")
    if name.lower() in BOOLEANS:
        raise ArgumentError(f"{name} is not a PDF file", "for false, write an option such as --no-same-site")
    if re.fullmatch("[a-z_]+=.*", name):
        raise ArgumentError(f"{name} is not a PDF file", f"did you mean -a {name}?")


def _is_local_file(url: str) -> bool:
    try:
        return Path(url).is_file()
    except OSError:  # a part of the URL is longer than the name of any file
        return False


def _file_name(url: str, named: dict[str, str]) -> str:
    """Return the name of the file if none is given: that of the host, the local file or the list."""
    seed = url or named.get("sitemap", "")
    if not seed:
        return f"{PurePosixPath(named['urls']).stem}.pdf"
    first = location(split_urls(seed)[0])
    name = PurePosixPath(unquote(first.path)).stem if first.scheme == "file" else first.host
    return f"{name.strip('[]').replace(':', '-') or 'capture'}.pdf"


def _crawl(spider: str, arguments: dict[str, str], given: argparse.Namespace) -> int:
    """Run a spider; return the exit status."""
    settings = project_settings()
    if not given.verbose and not settings["LOG_FILE"]:
        settings.setdict(QUIET, priority="spider")
    _check_project(settings, spider)
    command = Command()
    command.settings = settings
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    pairs = [
        *(("-a", *argument) for argument in arguments.items()),
        *(("-s", *_pair("-s", text)) for text in given.settings),
    ]
    tables = [f"-O{_table(name, settings)}" for name in given.tables]
    opts, _ = parser.parse_known_args([*(f"{option}{name}={value}" for option, name, value in pairs), *tables])
    try:
        command.process_options([spider], opts)
    except UsageError as error:
        raise ArgumentError(str(error)) from error
    command.crawler_process = AsyncCrawlerProcess(settings)
    command.run([spider], opts)
    return command.exitcode


def _table(name: str, settings: Settings) -> str:
    """Return the name of a table. Raises `ArgumentError` if neither its ending nor a format after it is known."""
    known = {f".{format_}" for format_ in settings.getwithbase("FEED_EXPORTERS")}
    if PurePosixPath(name).suffix in known or f".{name.rpartition(':')[2]}" in known:
        return name
    raise ArgumentError(f"-O {name}: a table ends with {', '.join(TABLES[:-1])} or {TABLES[-1]}", "write -O pages.csv")


def project_settings() -> Settings:
    """Return the settings of the Scrapy project that the folder belongs to, or wcspider's.

    Raises `ArgumentError` if they cannot be loaded.
    """
    with _loading_project():
        if not get_config().has_option("settings", os.environ.get("SCRAPY_PROJECT", "default")):
            os.environ.setdefault(ENVVAR, SETTINGS)
        return get_project_settings()


def _check_project(settings: Settings, spider: str) -> None:
    """Raise `ArgumentError` in the folder of a Scrapy project that does not have the spider."""
    with _loading_project():
        spiders = get_spider_loader(settings).list()
    if spider not in spiders:
        raise ArgumentError(f"{_project()} has no spider {spider}", OTHER_PROJECT)


@contextmanager
def _loading_project() -> Iterator[None]:
    """Turn every error of a project's own files into an `ArgumentError`."""
    try:
        yield
    except Exception as error:  # the settings and the spiders of a project are programs
        raise ArgumentError(f"{_project()} cannot be loaded: {one_line(error)}", OTHER_PROJECT) from error


def _project() -> str:
    return f"the Scrapy project of {closest_scrapy_cfg() or os.environ.get(ENVVAR)}"
