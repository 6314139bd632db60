"""The checks before a crawl starts."""

from __future__ import annotations

import os
from typing import Any

import pytest
from scrapy.settings import BaseSettings, Settings

from wcspider.config import defaults
from wcspider.exceptions import ArgumentError, SettingError
from wcspider.pipelines.render import RenderPipeline
from wcspider.settings import ITEM_PIPELINES
from wcspider.spiders.capture import CaptureSpider
from wcspider.spiders.starting import check

SPIDERS = ("capture", "refresh")
GIVEN = {"url": "http://h/", "pdf": "site.pdf"}


def settings_of(**given: Any) -> BaseSettings:
    settings = Settings(defaults())
    settings.setdict(given, priority="cmdline")
    return settings


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CONCURRENT_REQUESTS_PER_DOMAIN", "0", "is '0'; give a number from 1 up"),
        ("CONCURRENT_REQUESTS", 0, "is 0; give a number from 1 up"),
        ("DOWNLOAD_DELAY", "-0.5", "is '-0.5'; give a number from 0 up"),
        ("DOWNLOAD_TIMEOUT", "nan", "is 'nan', not a number; give a number"),
        ("RETRY_TIMES", "often", "is 'often', not a number; give a number"),
        ("COOKIES_ENABLED", "perhaps", "is 'perhaps', not true or false; give true or false"),
        ("RETRY_HTTP_CODES", "500,abc", "contains 'abc'; give numbers, such as 500,502"),
        ("FEED_EXPORT_ENCODING", "foo", "is 'foo', not an encoding; give a name such as utf-8"),
        ("JOBDIR", __file__, "is set; leave it out: the same command continues a stopped crawl"),
        (
            "SCHEDULER",
            "x",
            "is 'x', which cannot be loaded: ValueError: Error loading object 'x': not a full path; correct it",
        ),
        (
            "TWISTED_REACTOR",
            "twisted.internet.selectreactor.SelectReactor",
            "is 'twisted.internet.selectreactor.SelectReactor', which does not run asyncio; leave it as it is",
        ),
        (
            "SPIDER_MIDDLEWARES",
            {"no.such": 1},
            "is 'no.such', which cannot be loaded: ModuleNotFoundError: No module named 'no'; correct it",
        ),
        (
            "EXTENSIONS",
            '{"scrapy.extensions.telnet.TelnetConsole": 500}',
            "lacks wcspider.crawl.session.CaptureSession: a value on the command line replaces all others; "
            "change the setting in a Scrapy project, as docs/addon.md in the sources of wcspider describes",
        ),
    ],
)
def test_a_wrong_value_of_a_setting_of_scrapy_is_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingError) as error:
        check(settings_of(**{name: value}), SPIDERS, ["capture"], GIVEN)
    assert str(error.value) == f"{name} {message}"


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("MEDIA", "WEBCAPTURE_MEDIA"),
        ("WEBCAPTUR_MEDIA", "WEBCAPTURE_MEDIA"),
        ("CONCURENT_REQUESTS", "CONCURRENT_REQUESTS"),
        ("webcapture_media", "WEBCAPTURE_MEDIA"),
        ("robotstxt_obey", "ROBOTSTXT_OBEY"),
        ("TIMEOUT", "DOWNLOAD_TIMEOUT"),
    ],
)
def test_a_misspelt_setting_of_the_command_line_is_refused(name: str, known: str) -> None:
    with pytest.raises(SettingError, match=rf"unknown setting {name}; did you mean {known}\?"):
        check(settings_of(**{name: "1"}), SPIDERS, ["capture"], GIVEN)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("levels", "it is an argument: write -a levels=VALUE"),
        ("LEVELS", "it is an argument: write -a levels=VALUE"),
        ("myproject_media", "settings are in upper case: write MYPROJECT_MEDIA"),
    ],
)
def test_an_argument_is_no_setting(name: str, advice: str) -> None:
    with pytest.raises(SettingError) as error:
        check(settings_of(**{name: "1"}), SPIDERS, ["capture"], GIVEN)
    assert str(error.value) == f"unknown setting {name}; {advice}"


class OwnRenderPipeline(RenderPipeline):
    """A component that takes the place of the one from which it is derived."""


def test_a_needed_component_may_be_replaced_by_one_derived_from_it() -> None:
    own = f"{OwnRenderPipeline.__module__}.{OwnRenderPipeline.__name__}"
    pipelines = {**ITEM_PIPELINES, own: 200}
    del pipelines["wcspider.pipelines.render.RenderPipeline"]
    assert check(settings_of(ITEM_PIPELINES=pipelines), SPIDERS, ["capture"], GIVEN).items() >= GIVEN.items()
    del pipelines[own]
    with pytest.raises(SettingError, match=r"lacks wcspider.pipelines.render.RenderPipeline"):
        check(settings_of(ITEM_PIPELINES=pipelines), SPIDERS, ["capture"], GIVEN)


def test_settings_of_other_packages_and_usual_values_are_accepted() -> None:
    usual = {"COOKIES_ENABLED": "False", "DOWNLOAD_DELAY": "0.25", "DEPTH_PRIORITY": "-1", "LOG_FILE_APPEND": False}
    settings = settings_of(MYPROJECT_MEDIA="x", FEED_EXPORT_INDENT=None, **usual)
    settings.set("MEDIA", "x", priority="project")  # the project's own setting
    assert check(settings, SPIDERS, ["capture"], GIVEN).items() >= GIVEN.items()


def test_a_folder_without_a_project_is_named() -> None:
    with pytest.raises(ArgumentError, match="unknown spider capture; this folder has no"):
        check(settings_of(), (), ["capture"], GIVEN)


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("levels=2", "levels=2"),
        ("--levels=2", "levels=2"),
        ("--levels", "levels=VALUE"),
        ("--same-path", "same_path=true"),
        ("http://h/", "NAME=http://h/"),
    ],
)
def test_an_argument_without_a_is_explained(word: str, advice: str) -> None:
    with pytest.raises(ArgumentError) as error:
        check(settings_of(), SPIDERS, ["capture", word], GIVEN)
    assert str(error.value) == f"{word}: -a is missing before an argument; write -a {advice}"


def test_a_pipe_is_read_once() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"q=1")
    os.close(writing)
    checked = check(settings_of(), SPIDERS, ["capture"], {**GIVEN, "data": f"@/dev/fd/{reading}"})
    os.close(reading)
    spider = CaptureSpider(**checked)
    assert spider.problem is None
    assert spider.arguments.commands[0].data == b"q=1"
