"""Command dictionaries (14.10.5.3), written and read back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from wcspider.pdf.object_syntax import read
from wcspider.pdf.objects import Name, Ref, Stream, write
from wcspider.pdf.webcapture.commands import (
    SAME_SITE,
    SUBMIT,
    command_as_pdf,
    posted_data,
    read_command,
    settings_as_pdf,
)
from wcspider.webcapture.records import Command

PLAIN = Command("http://example.com/", same_site=True)
POST = replace(PLAIN, data=b"a=1", keep_data=True)
FLAGS = [
    (PLAIN, SAME_SITE),
    (replace(PLAIN, submit=True), SAME_SITE | SUBMIT),
    (POST, SAME_SITE | SUBMIT),
    (replace(POST, keep_data=False), SAME_SITE | SUBMIT),  # the data are not stored, and it was a form submission
    (replace(POST, data=b"a" * 5000), SAME_SITE | SUBMIT),
]


@pytest.mark.parametrize(("command", "flags"), FLAGS)
def test_submit_is_set_for_each_form_submission(command: Command, flags: int) -> None:
    stream = Ref(7)
    entries = command_as_pdf(command, None, stream if posted_data(command) else None)
    assert entries["F"] == flags
    found = read_command(entries, lambda value: posted_data(command) if value == stream else value)
    assert (found.is_submission, found.submit) == (bool(flags & SUBMIT), command.submit)


def test_the_submit_flag_of_a_post_is_ignored() -> None:
    entries = {"URL": b"http://example.com/", "P": b"a=1"}
    commands = [read_command({**entries, "F": flags}, lambda value: value) for flags in (0, SUBMIT)]
    assert commands[0] == commands[1]


def test_settings_of_other_types_have_no_value() -> None:
    """Another program may have written anything."""
    entries = {"Stamp": Stream({}, b"x"), "Fonts": [1], "More": {"a": 1}, "Media": b"print", "Own": Name("Yes")}
    command = {"URL": b"http://h/", "S": {"G": entries, "C": {}}}
    found = read_command(command, lambda value: value).settings
    assert found == {"Stamp": None, "Fonts": None, "More": None, "Media": "print", "Own": "Yes"}
    json.dumps(found)


def test_headers_and_settings_are_read_back() -> None:
    headers = (("Accept", "text/html"), ("X-Note", "a: b"), ("Cookie", "secret=1"), ("Authorization", "Basic a"))
    settings = {"Scale": 1.5, "Media": "print", "Color": True, "Columns": 3}
    command = replace(
        PLAIN,
        headers=headers,
        kept_headers=frozenset({"accept", "x-note"}),
        engine="WCSP:null:1:HTML",
        settings=settings,
    )
    entries = read(write(command_as_pdf(command, Ref(7), None)))
    described = read(write(settings_as_pdf(command)))
    found = read_command(entries, lambda value: described if value == Ref(7) else value)
    assert (found.headers, found.engine, found.settings) == (headers[:2], command.engine, settings)
    assert found.withheld == {"H", "Login"}


def test_headers_of_another_program_may_have_lines_that_are_none() -> None:
    entries = {"URL": b"http://example.com/", "H": b"Accept: text/html\r\nnonsense\r\n\r\nX:1\r\n"}
    assert read_command(entries, lambda value: value).headers == (("Accept", "text/html"), ("X", "1"))
