"""The checks of Scrapy's own settings, before a crawl: Scrapy reports wrong values late, with a traceback, or never."""

from __future__ import annotations

import math
from difflib import get_close_matches
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

from wcspider.config import PREFIX, defaults
from wcspider.exceptions import SettingError

_AT_LEAST_ONE = frozenset(
    {"CONCURRENT_ITEMS", "CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN", "REACTOR_THREADPOOL_MAXSIZE"}
)
"""Settings that stop a crawl for ever, without a message, if they are zero."""

_NOT_NEGATIVE = frozenset({"DNS_TIMEOUT", "DOWNLOAD_DELAY", "DOWNLOAD_MAXSIZE", "DOWNLOAD_TIMEOUT", "RETRY_TIMES"})

_BOOLEANS = ("0", "1", "true", "false", "True", "False")
"""The words that Scrapy accepts for true and false."""

_ALMOST_EQUAL = 0.9
"""How similar two names are that differ by a slip, as `difflib` measures it."""


def check(settings: BaseSettings) -> None:
    """Raise `SettingError` for a wrong value of a setting, or for a misspelt name on the command line."""
    known = {**vars(default_settings), **defaults()}
    for name in settings:  # Scrapy warns of a setting that is deprecated when it is read
        if name not in known and settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]:
            _check_name(name, [key for key in known if key.isupper()])
    for name, default in vars(default_settings).items():
        if name in settings and settings.getpriority(name) and type(default) in (bool, int, float):
            _check_value(name, settings[name], type(default))


def _check_name(name: str, known: list[str]) -> None:
    """Refuse a name that is nearly a known one. Other names may be settings of other packages."""
    near = [PREFIX + name] if PREFIX + name in known else get_close_matches(name, known, n=1, cutoff=_ALMOST_EQUAL)
    if near:
        raise SettingError(f"unknown setting {name}", f"did you mean {near[0]}?")


def _check_value(name: str, value: Any, kind: type) -> None:
    """Check the value of a setting that is true or false, or a number."""
    if kind is bool:
        if isinstance(value, str) and value not in _BOOLEANS:
            raise SettingError(f"{name} is {value!r}, not true or false", "give true or false")
        return
    try:
        number = float(value) if isinstance(value, str) else value
        is_number = not isinstance(value, str) or math.isfinite(number)
    except ValueError:
        is_number = False
    if not is_number:
        raise SettingError(f"{name} is {value!r}, not a number", "give a number")
    least = 1 if name in _AT_LEAST_ONE else 0 if name in _NOT_NEGATIVE else -math.inf
    if isinstance(number, int | float) and number < least:
        raise SettingError(f"{name} is {value!r}", f"give a number from {least} up")
