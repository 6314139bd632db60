"""The settings of wcspider, read once into a typed object that rejects unknown settings and invalid values."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Self

import webencodings

from wcspider import settings as project
from wcspider.engines.base import PageGeometry
from wcspider.engines.cluster.cluster_settings import ON_LOSS, ClusterSettings, is_address
from wcspider.engines.overlays.paper import geometry_of, margins_of, size_of
from wcspider.engines.overlays.stamp import PLACES
from wcspider.engines.registry import CHOICES
from wcspider.exceptions import SettingError, nearest
from wcspider.web.addresses import AllowedHosts
from wcspider.web.logins import read_netrc
from wcspider.web.styles.responsive import Viewport
from wcspider.webcapture.trap_limits import TrapLimits

__all__ = ["CaptureConfig", "defaults"]

PREFIX = "WEBCAPTURE_"
AUTOMATIC, LOGGED, NEVER = "auto", "log", "none"
"""The values of WEBCAPTURE_PROGRESS: on a terminal or in the log, in the log only, not at all."""

BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
"""The words for true and false in settings and arguments, in lower case."""

LARGEST_PAGE = 14400.0
"""The largest page that PDF readers show, in points (ISO 32000-1, Annex C)."""

OPTIONAL_ENTRIES = {"Forms": project.WEBCAPTURE_FORMS, "DefaultCharset": project.WEBCAPTURE_DEFAULT_CHARSET}
"""The settings of a command that a file holds only if they are not the defaults, which are the values here."""


@dataclass(frozen=True, slots=True)
class CaptureConfig:
    """The WEBCAPTURE_ settings, by their names in lower case. docs/settings.md describes them."""

    pdf: str
    engine: str
    workers: int
    cluster: str
    cluster_ca: str
    cluster_cert: str
    cluster_key: str
    cluster_lost: str
    cluster_wait: float
    render_timeout: float
    render_memory: int
    page_size: str
    orientation: str
    margins: str
    media: str
    scale: float
    stamp: str
    contents: bool
    system_fonts: bool
    forms: bool
    pdf_active: str
    batch_pages: int
    batch_bytes: int
    batch_seconds: float
    waiting_bytes: int
    lookahead: int
    follow_nofollow: bool
    max_pages: int
    max_url_length: int
    max_path_depth: int
    max_segment_repeats: int
    max_query_variants: int
    max_links: int
    max_resources: int
    max_resource_bytes: int
    max_layout_bytes: int
    max_header_bytes: int
    max_retry_after: int
    max_sitemaps: int
    max_sitemap_urls: int
    max_omitted: int
    allowed_hosts: str
    netrc: str
    default_charset: str
    fixed_time: str
    report_limit: int
    report: str
    ship_to: str
    progress: str

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Read the settings of a crawl.

        Raises `SettingError` for an unknown WEBCAPTURE_ setting, with the nearest known name, and for an invalid
        value.
        """
        given = {key: settings[key] for key in settings if key.startswith(PREFIX)}
        names = {PREFIX + field.name.upper(): field for field in fields(cls)}
        for key in given:
            if key not in names:
                raise _unknown(key, list(names))
        values = {}
        for key, field in names.items():
            if key not in given:
                raise SettingError(f"{key} is missing")
            values[field.name] = _typed(key, given[key], str(field.type))
        config = cls(**values)
        config._check(given)
        return config

    def _check(self, given: Mapping[str, object] | None = None) -> None:
        """Raise `SettingError` for an invalid value. A number is shown as it was `given`: 0, not 0.0."""
        for name, valid, what in _RULES:
            key, value = PREFIX + name.upper(), getattr(self, name)
            if not valid(value):
                shown = repr(value) if isinstance(value, str) else (given or {}).get(key, value)
                raise SettingError(f"{key} is {shown}, not {what}")
        if self.cluster:
            self.cluster_settings.check()
        geometry = self.geometry
        if geometry.inner_width < 72:
            raise SettingError(f"{PREFIX}MARGINS {self.margins!r} leave less than 1 inch of the width of the page")
        if geometry.inner_height < 72:
            raise SettingError(f"{PREFIX}MARGINS {self.margins!r} leave less than 1 inch of the height of the page")

    @property
    def worker_count(self) -> int:
        """The number of worker processes."""
        return self.workers or len(os.sched_getaffinity(0))

    @property
    def cluster_settings(self) -> ClusterSettings:
        """The cluster that lays out pages."""
        files = self.cluster_ca, self.cluster_cert, self.cluster_key
        return ClusterSettings(self.cluster, *files, self.cluster_lost, self.cluster_wait, self.worker_count)

    @property
    def geometry(self) -> PageGeometry:
        """The size and margins of the PDF pages, and the media type and scale of the layout."""
        return geometry_of(self.page_size, self.orientation, self.margins, self.media, self.scale, self.stamp)

    @property
    def viewport(self) -> Viewport:
        """The viewport that images and styles are chosen for: a desktop screen, and for styles also the paper."""
        geometry = self.geometry
        return Viewport(self.media, paper_width=geometry.viewport_width, paper_height=geometry.viewport_height)

    @property
    def trap_limits(self) -> TrapLimits:
        """The limits beyond which a link is taken for a crawler trap."""
        return TrapLimits(self.max_url_length, self.max_path_depth, self.max_segment_repeats)

    @property
    def allowed(self) -> AllowedHosts:
        """The private hosts that pages may reach."""
        return AllowedHosts.parse(self.allowed_hosts)

    @property
    def logins(self) -> Mapping[str, str]:
        """The Authorization headers of the netrc file, by host; raises `SettingError` if it cannot be read."""
        return read_netrc(self.netrc) if self.netrc else {}

    @property
    def conversion_settings(self) -> dict[str, object]:
        """The settings on which the conversion depends, for the settings dictionary of a command (14.10.5.4).

        Of `OPTIONAL_ENTRIES`, it has only those that are not the defaults.
        """
        optional = {key: getattr(self, _setting_name(key)) for key in OPTIONAL_ENTRIES}
        return {
            "PageSize": self.page_size,
            "Orientation": self.orientation,
            "Margins": self.margins,
            "Media": self.media,
            "Scale": self.scale,
            "Stamp": self.stamp,
            **{key: value for key, value in optional.items() if value != OPTIONAL_ENTRIES[key]},
        }

    @property
    def changed_layout_settings(self) -> dict[str, str]:
        """The engine and the settings of the conversion that are not the defaults, by the names of the settings."""
        names = ("engine", *map(_setting_name, (*self.conversion_settings, *OPTIONAL_ENTRIES)))
        values = {PREFIX + name.upper(): getattr(self, name) for name in names}
        return {name: str(value) for name, value in values.items() if value != getattr(project, name)}

    def with_settings_of(self, command: Mapping[str, object]) -> CaptureConfig:
        """Return the settings with those of a command of the file in their place (`conversion_settings`).

        Unknown entries, as in commands that another program wrote, and invalid values are ignored.
        """
        found = self
        for key in (*self.conversion_settings, *OPTIONAL_ENTRIES):
            name, value = _setting_name(key), command.get(key)
            current = getattr(self, name)
            if type(value) is not type(current) and not isinstance(value, int | float):
                continue
            changed = replace(found, **{name: type(current)(value)})
            try:
                changed._check()
            except SettingError:
                continue
            found = changed
        return found

    @property
    def clock(self) -> Callable[[], datetime]:
        """The clock of the crawl: that of the system, or a clock that always shows WEBCAPTURE_FIXED_TIME."""
        if not self.fixed_time:
            return lambda: datetime.now(UTC).replace(microsecond=0)
        moment = _moment(self.fixed_time)
        return lambda: moment


def defaults() -> dict[str, Any]:
    """Return the WEBCAPTURE_ settings with their defaults."""
    return {name: value for name, value in vars(project).items() if name.startswith(PREFIX)}


def _setting_name(key: str) -> str:
    """Return the name of a setting, as in `CaptureConfig`, for its key in the settings dictionary of a command."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower()


def _unknown(key: str, names: list[str]) -> SettingError:
    return SettingError(f"unknown setting {key}", nearest(key, names) or None)


def _typed(key: str, value: Any, kind: str) -> Any:
    try:
        if kind == "bool":
            return _boolean(value)
        if kind == "str" and isinstance(value, list | tuple):  # settings.py may have a list
            return ", ".join(map(str, value))
        return {"int": int, "float": float, "str": str}[kind](value)
    except (TypeError, ValueError):
        names = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "a text"}
        raise SettingError(f"{key} is {value!r}, not {names[kind]}") from None


def _boolean(value: Any) -> bool:
    text = str(value).lower()
    if text not in BOOLEANS:
        raise ValueError(text)
    return BOOLEANS[text]


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:  # a time zone at the first or last day of the calendar
        raise ValueError(text) from error


def succeeds(parse: Callable[[str], object]) -> Callable[[str], bool]:
    """Return a function that tells whether `parse` accepts a text instead of raising ValueError."""

    def valid(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return valid


def _fits(text: str) -> bool:
    return succeeds(size_of)(text) and all(72 <= side <= LARGEST_PAGE for side in size_of(text))


_LIMITED = (
    "pages", "url_length", "path_depth", "segment_repeats", "query_variants", "links", "resources",
    "resource_bytes", "layout_bytes", "header_bytes", "sitemaps", "sitemap_urls",
)  # fmt: skip
_RULES: list[tuple[str, Callable[[Any], bool], str]] = [
    ("engine", lambda name: name in CHOICES, f"one of {', '.join(CHOICES)}"),
    ("workers", lambda count: count >= 0, "a number from 0 (one for each core) up"),
    ("cluster", is_address, "tcp://HOST:PORT, tls://HOST:PORT, local, or empty for no cluster"),
    ("cluster_lost", lambda word: word in ON_LOSS, f"one of {', '.join(ON_LOSS)}"),
    ("cluster_wait", lambda seconds: seconds > 0, "a number of seconds above 0"),
    ("render_timeout", lambda seconds: seconds > 0, "a number of seconds above 0"),
    ("render_memory", lambda size: size >= 0, "a number of megabytes from 0 (no limit) up"),
    ("page_size", _fits, "a size such as A4, Letter or 210mm x 297mm, from 1 to 200 inches a side"),
    ("orientation", lambda name: name in ("portrait", "landscape"), "portrait or landscape"),
    ("margins", succeeds(margins_of), "one to four lengths such as 15mm or 1in 0.5in"),
    ("media", lambda name: name in ("print", "screen"), "print or screen"),
    ("scale", lambda factor: 0.1 <= factor <= 10, "a factor from 0.1 to 10"),
    ("pdf_active", lambda name: name in ("remove", "keep"), "remove or keep"),
    ("stamp", lambda name: name in ("none", *PLACES), f"none, {' or '.join(PLACES)}"),
    ("batch_pages", lambda count: count >= 1, "a number of page sets from 1 up"),
    ("batch_bytes", lambda size: size >= 1, "a number of bytes from 1 up"),
    ("batch_seconds", lambda seconds: 0 < seconds <= 1e6, "a number of seconds above 0"),
    ("lookahead", lambda count: count >= 1, "a number of pages from 1 up"),
    ("waiting_bytes", lambda size: size >= 0, "a number of bytes from 0 up"),
    ("allowed_hosts", succeeds(AllowedHosts.parse), "hosts, addresses or networks separated by commas, or *"),
    ("default_charset", lambda name: webencodings.lookup(name) is not None, "the name of an encoding"),
    ("fixed_time", lambda text: not text or succeeds(_moment)(text), "a time such as 2026-03-01T12:00:00Z"),
    *((f"max_{name}", lambda count: count >= 0, "a number from 0 (no limit) up") for name in _LIMITED),
    ("max_retry_after", lambda seconds: seconds >= 0, "a number of seconds from 0 up"),
    ("progress", lambda word: word in (AUTOMATIC, LOGGED, NEVER), f"one of {AUTOMATIC}, {LOGGED}, {NEVER}"),
    ("max_omitted", lambda count: count >= 0, "a number of pages from 0 up"),
    ("report_limit", lambda count: count >= 0, "a number of URLs from 0 up"),
]
