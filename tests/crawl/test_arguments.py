"""The arguments of the capture spider: their values, and that a login never becomes part of a URL."""

import os
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.inputs.spider_arguments import ARGUMENTS, CAPTURE, SpiderArgument, help_text
from wcspider.exceptions import ArgumentError
from wcspider.pdf.webcapture.commands import kept_headers
from wcspider.webcapture.records import ALL_LEVELS


def parse(**given):
    """Parse arguments, with a file."""
    return CaptureArguments.parse({"pdf": "site.pdf", **given})


URLS = [
    ("http://h/a,http://h/b", ["http://h/a", "http://h/b"]),
    ("http://h/a, https://h/b", ["http://h/a", "https://h/b"]),
    ("http://h/a,b,c", ["http://h/a,b,c"]),  # a comma in a URL
    ("http://h/a?x=1,http://h/b", ["http://h/a?x=1", "http://h/b"]),
    ("http://h,http://h/", ["http://h/"]),
]


@pytest.mark.parametrize(("text", "urls"), URLS)
def test_urls(text, urls):
    assert [command.url for command in parse(url=text).commands] == urls


@pytest.mark.parametrize(("text", "levels"), [("1", 1), ("12", 12), ("all", ALL_LEVELS), ("ALL", ALL_LEVELS)])
def test_levels(text, levels):
    assert parse(url="http://h/", levels=text).commands[0].levels == levels


def test_a_login_is_sent_and_not_kept():
    [command, other] = parse(url="http://me:se%20cret@h:8080/x,http://h/", keep_headers="true").commands
    assert command.url == "http://h:8080/x"
    assert dict(command.headers)["Authorization"] == "Basic bWU6c2UgY3JldA=="
    assert kept_headers(command) == []
    assert other.headers == ()


def test_posted_bytes_that_are_not_utf_8_stay_as_they_were_typed():
    [command] = parse(url="http://h/", data=os.fsdecode(b"q=\xff&r=\xc3\xa9")).commands
    assert command.data == b"q=\xff&r=\xc3\xa9"


def test_the_type_of_posted_data_may_come_as_a_header():
    [command] = parse(url="http://h/", data="{}", headers='{"Content-Type": "application/json"}').commands
    assert command.content_type == "application/json"


# what is given, and the command that it is told by
TYPED = [
    ({"url": "http://h/", "levels": "2"}, "-a url=http://h/ -a levels=2"),
    ({"url": " http://h/a,http://h/b", "fresh": "true", "_job": "1"}, "-a url=http://h/a,http://h/b"),
    ({"url": "http://me:secret@h/"}, "-a url=http://h/"),
    ({"url": "http://h/?a&b", "title": "Two words"}, "-a 'url=http://h/?a&b' -a 'title=Two words'"),
    ({"url": "http://h/", "data": "secret", "title": ""}, "-a url=http://h/ -a data=..."),
    ({"url": "http://h/", "headers": '{"A": "secret"}'}, "-a url=http://h/ -a headers=..."),
    ({"url": "", "sitemap": "http://me:secret@h/sitemap.xml"}, "-a sitemap=http://h/sitemap.xml"),
]


@pytest.mark.parametrize(("given", "typed"), TYPED)
def test_a_command_is_told_by_what_was_typed(given: dict[str, str], typed: str) -> None:
    assert parse(**given).typed == f"scrapy crawl capture {typed}"


def test_of_a_long_one_the_beginning_is_shown() -> None:
    typed = parse(url=",".join(f"http://h/{number}" for number in range(999))).typed
    assert typed.startswith("scrapy crawl capture -a url=http://h/0,http://h/1,")
    assert (len(typed), typed[-4:]) == (304, " ...")


def test_so_is_a_refresh() -> None:
    arguments = RefreshArguments.parse({"pdf": "site.pdf", "only": "http://me:secret@h/", "gone": "drop"})
    assert arguments.typed == "scrapy crawl refresh -a only=http://h/ -a gone=drop"


@given(st.dictionaries(st.sampled_from([argument.name for argument in CAPTURE]), st.text(max_size=20)))
def test_whatever_is_given_is_taken_or_refused(given):
    with suppress(ArgumentError):
        assert CaptureArguments.parse(given).commands


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ({"depth": "2"}, "unknown argument depth of the capture spider; did you mean levels?"),
        ({"levls": "2"}, "unknown argument levls of the capture spider; did you mean levels?"),
        ({"exclude": "x"}, "unknown argument exclude of the capture spider; did you mean deny?"),
    ],
)
def test_an_unknown_argument_leads_to_a_known_one(given: dict[str, str], advice: str) -> None:
    with pytest.raises(ArgumentError) as error:
        parse(**given)
    assert str(error.value) == advice


@pytest.mark.parametrize("spider", ARGUMENTS)
def test_the_help_has_each_argument_with_its_default(spider: str) -> None:
    text = " ".join(help_text(spider, ARGUMENTS[spider]).split())
    for argument in ARGUMENTS[spider]:
        assert f"{argument.name}={argument.value} {argument.meaning} (default: {argument.shown_default})" in text


@pytest.mark.parametrize(
    ("parsed", "arguments"),
    [
        (lambda given: CaptureArguments.parse({"url": "http://h/", **given}), CAPTURE),
        (RefreshArguments.parse, ARGUMENTS["refresh"]),
    ],
)
def test_defaults_mean_the_same_when_they_are_typed(parsed, arguments: tuple[SpiderArgument, ...]) -> None:
    """The defaults of the help are those of the parsing."""
    typed = {"pdf": "a.pdf", **{argument.name: argument.default for argument in arguments if argument.default}}
    explicit, implicit = parsed(typed), parsed({"pdf": "a.pdf"})
    assert replace(explicit, typed="") == replace(implicit, typed="")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"headers": '{"Content-Length": "5"}'}, "headers: wcspider sets the header Content-Length itself; remove it"),
        ({"headers": '{"transfer-encoding": "chunked"}'},
         "headers: wcspider sets the header transfer-encoding itself; remove it"),
        ({"headers": '{"X": "\\ud800"}'},
         "headers: the value of 'X' is not valid; remove line breaks and control characters"),
        ({"headers": "[" * 100_000},
         'headers is not valid JSON (nested too deeply); give an object such as {"From": "me"}'),
        ({"data": "x", "content_type": "text/a\nX: y"},
         "content_type is not valid; give a media type such as application/json"),
        ({"data": "@a\0b"}, "data: a\0b: embedded null byte; name a readable file"),
        ({"title": "\udcff"}, "title is not in UTF-8; write it in the encoding UTF-8"),
        ({"url": "http://h/\udcff"}, "url is not in UTF-8; write it in the encoding UTF-8"),
        ({"url": "http://h/", "pdf": "https://h/a.pdf"}, "https://h/a.pdf is a URL, not a file; name the PDF file"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_sent_or_stored_is_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        parse(**given)
    assert str(error.value) == message


def test_posted_data_is_any_bytes_and_so_are_file_names() -> None:
    parsed = parse(url="http://h/", data="a=\udcff", pdf="\udcff.pdf")
    assert parsed.commands[0].data == b"a=\xff"
    assert os.fsencode(parsed.pdf) == b"\xff.pdf"
