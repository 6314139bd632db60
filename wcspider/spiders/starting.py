"""The checks before a crawl starts, and its exit status. Only a crawl loads this module, with all that it imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from wcspider.config import CaptureConfig, defaults
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.inputs.spider_arguments import ARGUMENTS, CAPTURE, REFRESH
from wcspider.crawl.session import CaptureSession
from wcspider.engines.registry import engine_for
from wcspider.exceptions import ArgumentError, meant
from wcspider.spiders import scrapy_settings
from wcspider.spiders.capture import PARSED, CaptureSpider
from wcspider.spiders.refresh import RefreshSpider

NO_PROJECT = (
    "this folder has no scrapy.cfg: see docs/usage.md in the sources of wcspider, or run wcspider, which needs none"
)


def check(
    settings: BaseSettings, spiders: Sequence[str], args: Sequence[str], spider_arguments: Mapping[str, str]
) -> dict[str, Any]:
    """Raise `WebCaptureError` if the name, the settings or the arguments of a spider are wrong.

    `args` are the arguments of the command, `spiders` the names of the project's spiders. Returns the arguments to make
    the spider with. They include the parsed ones, because a pipe that an argument names can be read only once.
    """
    _check_name(spiders, args)
    scrapy_settings.check(settings, [known.name for known in ARGUMENTS.get("".join(args[:1]), ())])
    config = CaptureConfig.from_settings({**defaults(), **settings})
    _ = config.logins  # raises SettingError if the netrc file cannot be read
    parsed: CaptureArguments | RefreshArguments | None = None
    if args and args[0] in (CaptureSpider.name, RefreshSpider.name):
        scrapy_settings.check_for_capture(settings)
    if args == [CaptureSpider.name]:
        parsed = CaptureArguments.parse(spider_arguments)
        engine_for(parsed.engine or config.engine, "text/html")
    elif args == [RefreshSpider.name]:
        parsed = RefreshArguments.parse(spider_arguments)
    return {**spider_arguments, PARSED: parsed} if parsed else dict(spider_arguments)


def _check_name(spiders: Sequence[str], args: Sequence[str]) -> None:
    """Raise `ArgumentError` for mistakes that Scrapy reports with a traceback or without advice."""
    if args[1:]:
        raise ArgumentError(f"{args[1]}: -a is missing before an argument", f"write -a {_assignment(args[1])}")
    if args and args[0] not in spiders:
        known = meant(args[0], sorted(spiders)) if spiders else NO_PROJECT
        raise ArgumentError(f"unknown spider {args[0]}", known)


def _assignment(word: str) -> str:
    """Return a word of a command line as an argument of a spider: ``--same-path`` is an option of ``wcspider``."""
    name, _, value = word.partition("=")
    if not word.startswith("-"):
        return word if value else f"NAME={word}"
    name = name.strip("-").replace("-", "_")
    is_flag = any(known.name == name and known.is_flag for known in (*CAPTURE, *REFRESH))
    return f"{name}={value or ('true' if is_flag else 'VALUE')}"


def exit_status(crawler: Crawler) -> int:
    """Return the exit status of a crawl that has ended, and write its last line if it was aborted."""
    session = crawler.get_extension(CaptureSession)
    if session is None:
        return 0
    session.announce_abort()
    return session.exit_status
