"""The checks of Scrapy's own settings, before a crawl: Scrapy reports wrong values late, with a traceback, or never."""

from __future__ import annotations

import codecs
import math
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings
from scrapy.utils.misc import load_object

from wcspider import settings as own_settings
from wcspider.config import PREFIX, defaults
from wcspider.exceptions import SettingError, one_line
from wcspider.program_names import argument

_AT_LEAST_ONE = frozenset(
    {"CONCURRENT_ITEMS", "CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN", "REACTOR_THREADPOOL_MAXSIZE"}
)
"""Settings that stop a crawl for ever, without a message, if they are zero."""

_NOT_NEGATIVE = frozenset({"DNS_TIMEOUT", "DOWNLOAD_DELAY", "DOWNLOAD_MAXSIZE", "DOWNLOAD_TIMEOUT", "RETRY_TIMES"})

_ENCODINGS = frozenset({"FEED_EXPORT_ENCODING", "LOG_ENCODING"})

_NEEDED = {
    "EXTENSIONS": ["wcspider.crawl.session.CaptureSession"],
    "ITEM_PIPELINES": list(own_settings.ITEM_PIPELINES),
    "DOWNLOADER_MIDDLEWARES": [],
    "SPIDER_MIDDLEWARES": [],
}
"""Settings whose value on the command line replaces all components, and the components without which nothing is
captured. A subclass may take the place of a component."""

_BOOLEANS = ("0", "1", "true", "false", "True", "False")
"""The words that Scrapy accepts for true and false."""

_PREFIXES = (PREFIX, "", "DOWNLOAD_")
"""The beginnings of settings that users leave out."""

_ALMOST_EQUAL = 0.9
"""How similar two names are that differ by a slip, as `difflib` measures it."""


def check(settings: BaseSettings, arguments: Collection[str] = ()) -> None:
    """Raise `SettingError` for a wrong value of a setting, or for a wrong name on the command line.

    `arguments` are the names of the arguments of the spider.
    """
    known = {**vars(default_settings), **defaults()}
    for name in settings:  # Scrapy warns of a setting that is deprecated when it is read
        if name not in known and settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]:
            _check_name(name, [key for key in known if key.isupper()], arguments)
    for name, default in vars(default_settings).items():
        if name in settings and settings.getpriority(name):
            if type(default) in (bool, int, float):
                _check_value(name, settings[name], type(default))
            elif isinstance(default, str) and default.startswith(("scrapy.", "twisted.")):
                _loaded(name, settings[name])
    _check_others(settings)


def check_for_capture(settings: BaseSettings) -> None:
    """Raise `SettingError` for settings with which the capture and refresh spiders cannot work."""
    for name, needed in _NEEDED.items():
        if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]:
            given = {path for path, order in settings.getdict(name).items() if order is not None}
            found = [_loaded(name, path) for path in given]
            if missing := next((path for path in needed if not _has_kind(found, load_object(path))), None):
                problem = f"{name} lacks {missing}: a value on the command line replaces all others"
                raise SettingError(
                    problem,
                    "change the setting in a Scrapy project, as docs/addon.md in the sources of wcspider describes",
                )
    if settings["JOBDIR"]:
        raise SettingError("JOBDIR is set", "leave it out: the same command continues a stopped crawl")
    reactor = settings["TWISTED_REACTOR"]
    if reactor and not str(reactor).endswith("AsyncioSelectorReactor"):
        raise SettingError(f"TWISTED_REACTOR is {reactor!r}, which does not run asyncio", "leave it as it is")


def _has_kind(found: Iterable[Any], needed: type) -> bool:
    """Tell whether a component, or a subclass of it, is among others."""
    return any(isinstance(component, type) and issubclass(component, needed) for component in found)


def _loaded(name: str, value: Any) -> Any:
    """Return the class or function that a setting names. Raises `SettingError`."""
    try:
        return load_object(value)
    except Exception as error:  # a module of the user may raise anything
        raise SettingError(f"{name} is {value!r}, which cannot be loaded: {one_line(error)}", "correct it") from error


def _check_others(settings: BaseSettings) -> None:
    """Check settings with values of their own kinds."""
    for name in _ENCODINGS:
        try:
            codecs.lookup(settings[name] or "utf-8")
        except LookupError as error:
            raise SettingError(f"{name} is {settings[name]!r}, not an encoding", "give a name such as utf-8") from error
    codes = settings.getlist("RETRY_HTTP_CODES")
    if wrong := next((code for code in codes if not str(code).strip().isdecimal()), None):
        raise SettingError(f"RETRY_HTTP_CODES contains {wrong!r}", "give numbers, such as 500,502")


def _check_name(name: str, known: list[str], arguments: Collection[str]) -> None:
    """Refuse a name that is nearly a known one, or that of an argument. Others may be settings of other packages."""
    upper = name.upper()
    if name.lower() in arguments:
        raise SettingError(f"unknown setting {name}", f"it is an argument: write {argument(name.lower(), 'VALUE')}")
    near = [found for prefix in _PREFIXES if (found := prefix + upper) in known]
    near = near or get_close_matches(upper, known, n=1, cutoff=_ALMOST_EQUAL)
    if near:
        raise SettingError(f"unknown setting {name}", f"did you mean {near[0]}?")
    if name != upper:
        raise SettingError(f"unknown setting {name}", f"settings are in upper case: write {upper}")


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
