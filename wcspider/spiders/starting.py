"""The checks before a crawl starts, and its exit status. Only a crawl loads this module, with all that it imports."""

from __future__ import annotations

from collections.abc import Sequence

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings, default_settings

from wcspider.config import CaptureConfig, defaults, succeeds
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.session import CaptureSession
from wcspider.engines.registry import engine_for
from wcspider.exceptions import ArgumentError, SettingError, meant
from wcspider.spiders.capture import CaptureSpider
from wcspider.spiders.refresh import RefreshSpider


def check(
    settings: BaseSettings, spiders: Sequence[str], args: Sequence[str], spider_arguments: dict[str, str]
) -> None:
    """Raise `WebCaptureError` if the name, the settings or the arguments of a spider are wrong.

    `args` are the arguments of the command, `spiders` the names of the project's spiders.
    """
    _check_name(spiders, args)
    _check_numbers(settings)
    config = CaptureConfig.from_settings({**defaults(), **settings})
    _ = config.logins  # raises SettingError if the netrc file cannot be read
    if args == [CaptureSpider.name]:
        engine_for(CaptureArguments.parse(spider_arguments).engine or config.engine, "text/html")
    elif args == [RefreshSpider.name]:
        RefreshArguments.parse(spider_arguments)


def _check_name(spiders: Sequence[str], args: Sequence[str]) -> None:
    """Raise `ArgumentError` for mistakes that Scrapy reports with a traceback or without advice."""
    if stray := [argument for argument in args[1:] if "=" in argument]:
        raise ArgumentError(f"{stray[0]}: -a is missing before an argument", f"write -a {stray[0]}")
    if args and args[0] not in spiders:
        raise ArgumentError(f"unknown spider {args[0]}", meant(args[0], sorted(spiders)))


def _check_numbers(settings: BaseSettings) -> None:
    """Raise `SettingError` for a text in the place of a number; Scrapy would fail on it later, with a traceback."""
    is_number = succeeds(float)
    numbers = (name for name, default in vars(default_settings).items() if type(default) in (int, float))
    for name in numbers:  # Scrapy warns of any other setting that is deprecated when it is read
        value = settings.get(name)
        if isinstance(value, str) and not is_number(value):
            raise SettingError(f"{name} is {value!r}, not a number", "give a number")


def exit_status(crawler: Crawler) -> int:
    """Return the exit status of a crawl that has ended, and write its last line if it was aborted."""
    session = crawler.get_extension(CaptureSession)
    if session is None:
        return 0
    session.announce_abort()
    return session.exit_status
