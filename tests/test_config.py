"""The settings of a crawl, as text from a command line or as values from a settings file."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from scrapy.settings import Settings

from wcspider import settings as defaults
from wcspider.config import CaptureConfig
from wcspider.engines.cluster import cluster_settings
from wcspider.exceptions import SettingError
from wcspider.web.styles.responsive import Viewport

DEFAULTS = {name: value for name, value in vars(defaults).items() if name.startswith("WEBCAPTURE_")}
MM = 72 / 25.4


def config(**changed: object) -> CaptureConfig:
    """The defaults with some settings changed; their names in lower case, without the prefix."""
    return CaptureConfig.from_settings({**DEFAULTS, **{f"WEBCAPTURE_{key.upper()}": changed[key] for key in changed}})


def test_the_defaults_are_right() -> None:
    geometry = config().geometry
    assert (geometry.width, geometry.height) == pytest.approx((210 * MM, 297 * MM))
    assert geometry.margin_left == pytest.approx(15 * MM)
    assert (geometry.media, geometry.scale) == ("print", 1.0)


def test_settings_of_scrapy_are_passed_over() -> None:
    settings = Settings({**DEFAULTS, "BOT_NAME": "x"})
    settings.set("WEBCAPTURE_WORKERS", "3", priority="cmdline")
    assert CaptureConfig.from_settings(settings).worker_count == 3


def test_without_a_number_of_workers_there_is_one_for_each_core() -> None:
    assert config(workers=0).worker_count == len(os.sched_getaffinity(0))


# setting, text from the command line, value
VALUES = [
    ("workers", "2", 2),
    ("cluster", "tcp://scheduler.example:8786", "tcp://scheduler.example:8786"),
    ("cluster", "tcp://[fd00::5]:8786", "tcp://[fd00::5]:8786"),
    ("cluster", "local", "local"),
    ("cluster_wait", "5", 5.0),
    ("render_timeout", "1.5", 1.5),
    ("render_timeout", "20", 20.0),
    ("render_memory", "0", 0),
    ("scale", "0.1", 0.1),
    ("scale", "10", 10.0),
    ("batch_pages", "1", 1),
    ("waiting_bytes", "0", 0),
    ("report_limit", "0", 0),
    ("follow_nofollow", "true", True),
    ("follow_nofollow", "Yes", True),
    ("follow_nofollow", "1", True),
    ("follow_nofollow", "False", False),
    ("follow_nofollow", "no", False),
    ("follow_nofollow", "0", False),
    ("follow_nofollow", True, True),
    ("follow_nofollow", 0, False),
    ("default_charset", "koi8-r", "koi8-r"),
]


@pytest.mark.parametrize(("name", "given", "expected"), VALUES)
def test_values(name: str, given: object, expected: object) -> None:
    value = getattr(config(**{name: given}), name)
    assert value == expected
    assert type(value) is type(expected)


# page size, orientation, width and height in points
SIZES = [
    ("A4", "portrait", 210 * MM, 297 * MM),
    ("a4", "landscape", 297 * MM, 210 * MM),
    (" Letter ", "portrait", 612, 792),
    ("ledger", "portrait", 792, 1224),  # the name is of a size that lies on its side
    ("210mm x 297mm", "portrait", 210 * MM, 297 * MM),
    ("297mmx210mm", "portrait", 210 * MM, 297 * MM),
    ("21 x 29.7 cm", "portrait", 210 * MM, 297 * MM),  # the unit behind holds for both
    ("8.5in x 792", "portrait", 612, 792),
    ("600 x 800", "portrait", 600, 800),
    ("800px x 1000px", "portrait", 600, 750),
    ("500 x 500", "landscape", 500, 500),
    ("200in x 14400pt", "portrait", 14400, 14400),
]


@pytest.mark.parametrize(("size", "orientation", "width", "height"), SIZES)
def test_page_sizes(size: str, orientation: str, width: float, height: float) -> None:
    geometry = config(page_size=size, orientation=orientation).geometry
    assert (geometry.width, geometry.height) == pytest.approx((width, height))


# margins, then top, right, bottom, left in points
MARGINS = [
    ("36", 36, 36, 36, 36),
    ("0", 0, 0, 0, 0),
    ("1in", 72, 72, 72, 72),
    ("10mm 20mm", 10 * MM, 20 * MM, 10 * MM, 20 * MM),
    ("1cm 2cm 3cm", 10 * MM, 20 * MM, 30 * MM, 20 * MM),
    ("1pt 2pt 3pt 4pt", 1, 2, 3, 4),
    ("0 0 0 40PX", 0, 0, 0, 30),
    ("36 0", 36, 0, 36, 0),
]


@pytest.mark.parametrize(("margins", "top", "right", "bottom", "left"), MARGINS)
def test_margins(margins: str, top: float, right: float, bottom: float, left: float) -> None:
    geometry = config(margins=margins).geometry
    found = (geometry.margin_top, geometry.margin_right, geometry.margin_bottom, geometry.margin_left)
    assert found == pytest.approx((top, right, bottom, left))


def test_a_stamp_has_room() -> None:
    found = [config(margins="5pt", stamp=stamp).geometry for stamp in ("none", "header", "footer")]
    assert [(geometry.margin_top, geometry.margin_bottom) for geometry in found] == [(5, 5), (24, 5), (5, 24)]


def test_images_are_chosen_for_the_same_width_whatever_the_page() -> None:
    viewport = config(media="screen", page_size="A6", scale=0.5).viewport
    assert replace(viewport, paper_width=None, paper_height=None) == Viewport("screen", config().viewport.width)


def test_styles_are_chosen_for_the_paper_as_well() -> None:
    chosen = config(page_size="A6", scale=0.5)
    assert chosen.viewport.paper_width == chosen.geometry.viewport_width
    assert chosen.viewport.paper_height == chosen.geometry.viewport_height


def test_what_the_conversion_depends_on_is_in_the_command() -> None:
    assert config(scale="0.5", media="screen").conversion_settings == {
        "PageSize": "A4",
        "Orientation": "portrait",
        "Margins": "15mm",
        "Media": "screen",
        "Scale": 0.5,
        "Stamp": "none",
    }


def test_a_command_has_some_settings_only_if_they_are_not_the_defaults() -> None:
    given = config(forms="false", default_charset="koi8-r").conversion_settings
    others = config().conversion_settings
    assert given == {**others, "Forms": False, "DefaultCharset": "koi8-r"}


# settings of a command in a file, and the settings FORMS and DEFAULT_CHARSET of its repetition by default
REPEATED = [
    ({}, True, "windows-1252"),
    ({"Forms": False, "DefaultCharset": "koi8-r"}, False, "koi8-r"),
    ({"Forms": "no", "DefaultCharset": "klingon"}, True, "windows-1252"),  # neither is a valid value
]


@pytest.mark.parametrize(("settings", "forms", "charset"), REPEATED)
def test_a_command_is_repeated_with_its_settings(settings: dict[str, object], forms: bool, charset: str) -> None:
    repeated = config().with_settings_of(settings)
    assert (repeated.forms, repeated.default_charset) == (forms, charset)
    assert config(forms=False).with_settings_of({}).forms is False


# what is given, the moment that it is
TIMES = [
    ("2026-03-01T12:00:00Z", datetime(2026, 3, 1, 12, tzinfo=UTC)),
    ("2026-03-01T12:00:00", datetime(2026, 3, 1, 12, tzinfo=UTC)),
    ("2026-03-01T12:00:00+02:00", datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))),
    ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
]


@pytest.mark.parametrize(("text", "moment"), TIMES)
def test_a_clock_that_stands_still(text: str, moment: datetime) -> None:
    assert config(fixed_time=text).clock() == moment


def test_the_clock_of_the_system_has_whole_seconds() -> None:
    now = config().clock()
    assert now.microsecond == 0
    assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)


# setting, wrong value, what the message says of it
WRONG = [
    ("engine", "weasyprint", "not one of auto, plutobook, xhtml2pdf"),
    ("workers", "two", "not a whole number"),
    ("workers", "1.5", "not a whole number"),
    ("workers", None, "not a whole number"),
    ("workers", "-1", "not a number from 0"),
    ("cluster", "scheduler.example:8786", "not tcp://HOST:PORT, tls://HOST:PORT, local"),
    ("cluster", "tcp://scheduler.example", "not tcp://HOST:PORT"),
    ("cluster", "http://scheduler.example:8786", "not tcp://HOST:PORT"),
    ("cluster_lost", "wait", "not one of local, stop"),
    ("cluster_wait", "0", "not a number of seconds above 0"),
    ("cluster_wait", "nan", "not a number of seconds above 0"),
    ("render_timeout", "soon", "not a number"),
    ("render_timeout", "0", "not a number of seconds above 0"),
    ("render_timeout", math.nan, "not a number of seconds above 0"),
    ("render_memory", "-1", "not a number of megabytes"),
    ("page_size", "A99", "not a size such as A4"),
    ("page_size", "210mm", "not a size such as A4"),
    ("page_size", "1in x 0.9in", "not a size such as A4"),
    ("page_size", "201in x 5in", "not a size such as A4"),
    ("page_size", "landscape", "not a size such as A4"),  # the name of a function where the sizes are
    ("orientation", "Portrait", "not portrait or landscape"),
    ("margins", "", "not one to four lengths"),
    ("margins", "1 2 3 4 5", "not one to four lengths"),
    ("margins", "-1mm", "not one to four lengths"),
    ("margins", "2em", "not one to four lengths"),
    ("margins", "10cm", "leave less than 1 inch of the width of the page"),
    ("margins", "14cm 0", "leave less than 1 inch of the height of the page"),
    ("media", "tv", "not print or screen"),
    ("scale", "0.05", "not a factor from 0.1 to 10"),
    ("scale", "nan", "not a factor from 0.1 to 10"),
    ("stamp", "top", "not none, header or footer"),
    ("contents", "", "not true or false"),
    ("fixed_time", "0001-01-01T00:00:00+14:00", "not a time such as"),
    ("batch_pages", "0", "not a number of page sets from 1 up"),
    ("batch_bytes", "0", "not a number of bytes from 1 up"),
    ("batch_seconds", "0", "not a number of seconds above 0"),
    ("batch_seconds", "inf", "not a number of seconds above 0"),
    ("lookahead", "0", "not a number of pages from 1 up"),
    ("waiting_bytes", "-1", "not a number of bytes from 0 up"),
    ("follow_nofollow", "maybe", "not true or false"),
    ("follow_nofollow", "", "not true or false"),
    ("default_charset", "klingon", "not the name of an encoding"),
    ("fixed_time", "noon", "not a time such as"),
    ("report_limit", "-1", "not a number of URLs from 0 up"),
    ("max_header_bytes", "-1", "not a number from 0 (no limit) up"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_wrong_values(name: str, value: object, message: str) -> None:
    with pytest.raises(SettingError) as caught:
        config(**{name: value})
    assert message in str(caught.value)
    assert f"WEBCAPTURE_{name.upper()}" in str(caught.value)
    assert str(caught.value).endswith("see docs/settings.md in the sources of wcspider")


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [("scale", "0", "is 0, not a factor"), ("scale", 0, "is 0, not a factor"), ("media", "tv", "is 'tv', not print")],
)
def test_a_message_shows_the_value_as_it_was_given(name: str, value: object, problem: str) -> None:
    with pytest.raises(SettingError, match=f"WEBCAPTURE_{name.upper()} {problem}"):
        config(**{name: value})


@pytest.mark.parametrize("missing", ["CA", "CERT", "KEY"])
def test_certificates_of_a_cluster_are_files(tmp_path: Path, missing: str) -> None:
    files = {name: str(tmp_path / name) for name in ("CA", "CERT", "KEY")}
    for name, file in files.items():
        if name != missing:
            Path(file).touch()
    given = {f"WEBCAPTURE_CLUSTER_{name}": file for name, file in files.items()}
    with pytest.raises(SettingError, match=f"WEBCAPTURE_CLUSTER_{missing} is '.*', but tls:// needs a file there"):
        CaptureConfig.from_settings({**DEFAULTS, **given, "WEBCAPTURE_CLUSTER": "tls://scheduler.example:8786"})


def test_package_of_a_cluster_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_settings, "find_spec", lambda name: None)
    with pytest.raises(
        SettingError, match=r"needs the package distributed; run: pip install '\.\[cluster\]' in the folder"
    ):
        config(cluster="local")


# what is given, the nearest that exists
UNKNOWN = [
    ("WEBCAPTURE_PAGESIZE", "did you mean WEBCAPTURE_PAGE_SIZE?"),
    ("WEBCAPTURE_MARGIN", "did you mean WEBCAPTURE_MARGINS?"),
    ("WEBCAPTURE_WORKER", "did you mean WEBCAPTURE_WORKERS?"),
]


@pytest.mark.parametrize(("name", "hint"), UNKNOWN)
def test_unknown_settings(name: str, hint: str) -> None:
    with pytest.raises(SettingError, match=rf"unknown setting {name}; {hint[:-1]}"):
        CaptureConfig.from_settings({**DEFAULTS, name: "1"})


def test_a_setting_that_is_missing() -> None:
    with pytest.raises(SettingError, match="WEBCAPTURE_MEDIA is missing"):
        CaptureConfig.from_settings({name: value for name, value in DEFAULTS.items() if name != "WEBCAPTURE_MEDIA"})
