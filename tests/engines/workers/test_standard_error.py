"""The collection of messages on standard error, by file descriptor, and their counts."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.engines.base import Asset, RenderTask
from wcspider.engines.registry import PREFERRED, is_installed
from wcspider.engines.workers.standard_error import LONGEST, MAX_MESSAGES, captured_messages, kind_of, messages_in


def test_messages_of_libraries_are_collected() -> None:
    with captured_messages("http://h/") as found:
        os.write(2, b"WARNING: one\n\nWARNING: two\nWARNING: one\n")
        subprocess.run([sys.executable, "-c", "import warnings; warnings.warn('three')"], check=True)
    assert found == ["WARNING: one", "WARNING: two", "<string>:1: UserWarning: three"]


def test_known_messages_take_no_room() -> None:
    def is_known(message: str) -> bool:
        return message.endswith("skipped.png")

    with captured_messages("http://h/", is_known) as found:
        os.write(2, b"".join(b"WARNING: %s%d-skipped.png\n" % (b"x" * LONGEST, number) for number in range(40)))
        os.write(2, b"WARNING: broken.png\n")
    assert found == ["WARNING: broken.png"]


def test_after_an_error_they_name_their_page(capfd: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        with captured_messages("http://h/page"):
            os.write(2, b"first\n")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()
    assert capfd.readouterr().err == "http://h/page: first\n"


def test_endless_messages_do_not_fill_the_disk() -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    block = b"x" * 1023 + b"\n"
    written = 0
    is_refused = False
    with captured_messages("http://h/") as found:
        while not is_refused:
            try:
                written += os.write(2, block * 4096)
            except OSError:
                is_refused = True
    assert written <= 64 << 20
    assert found == ["x" * LONGEST, "further messages were not read"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE) == before


@pytest.mark.parametrize(
    ("lines", "messages"),
    [
        (["/lib/pikepdf/_methods.py:424: PageCopyWarning: 10 widgets", "  warn("], ["PageCopyWarning: 10 widgets"]),
        (
            [f"m{number}" for number in range(25)],
            [*(f"m{number}" for number in range(MAX_MESSAGES)), "5 more messages"],
        ),
        (["x" * 999], ["x" * LONGEST]),
        (["", "  "], []),
    ],
)
def test_messages(lines: list[str], messages: list[str]) -> None:
    assert messages_in(lines) == messages


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (
            "WARNING: Unable to load image 'http://h/a.png': unknown type",
            "WARNING: Unable to load image ...: unknown type",
        ),
        ("WARNING: Unable to load image 'data:image/png;base64,AAAA", "WARNING: Unable to load image ..."),
        ("10 form widgets of page 3", "... form widgets of page ..."),
        ("only the first 20,000 links", "only the first ... links"),
        ("error on line 1 column 0", "error on line ... column ..."),
        ("cannot open http://h/a b", "cannot open ... b"),
    ],
)
def test_kinds_of_messages(message: str, kind: str) -> None:
    assert kind_of(message) == kind


@given(st.text())
def test_a_kind_is_its_own_kind(message: str) -> None:
    assert kind_of(kind_of(message)) == kind_of(message)


@pytest.mark.skipif(not is_installed(PREFERRED), reason="PlutoBook is not installed")
def test_a_warning_of_plutobook_comes_with_the_fragment() -> None:
    assets = {"http://h/bad.png": Asset(b"\x89PNG\r\n\x1a\nno image", "image/png")}
    task = RenderTask(
        "http://h/",
        b"<style>@font-face { font-family: f; src: url(skipped.woff) } p { font-family: f }</style>"
        b"<p style='background: url(bad.svg)'>text<p style='background: url(skipped.png)'>"
        b"<p style='background: url(skipped.png?%s)'>" % (b"x" * LONGEST),
        assets={"http://h/bad.svg": Asset(b"<svg", "image/svg+xml")} | assets,
    )
    [message] = convert(Conversion(task, PREFERRED)).unpacked().notes.messages
    assert message.startswith("WARNING: Unable to load image 'http://h/bad.svg': ")
