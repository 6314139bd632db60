"""Announcements appear on terminals, in pipes and in log files, independently of the log level."""

from __future__ import annotations

import fcntl
import logging
import os
import pty
import select
import struct
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings
from scrapy.utils.log import _uninstall_scrapy_root_handler, install_scrapy_root_handler

from wcspider.crawl.messages.announcements import Announcements, announce, wrapped

LOGGER = logging.getLogger("wcspider.crawl.session")
LINE = "  forbidden by robots.txt: https://example.com/staff/rota-of-the-keepers.html is not in the file"


@pytest.fixture(autouse=True)
def log() -> Iterator[Callable[..., None]]:
    """Sets up Scrapy's log with some settings."""
    level = logging.root.level
    yield lambda **settings: install_scrapy_root_handler(Settings(settings))
    _uninstall_scrapy_root_handler()
    logging.root.setLevel(level)


@pytest.fixture
def standard_error(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Callable[[], str]]:
    """Replaces standard error, when it is called, by a terminal of 60 columns or a pipe. Returns what reads from it."""

    def replaced() -> Callable[[], str]:
        if request.param == "terminal":
            reading, writing = pty.openpty()
            fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        else:
            reading, writing = os.pipe()
        stream = os.fdopen(writing, "w", buffering=1)
        request.addfinalizer(stream.close)
        request.addfinalizer(lambda: os.close(reading))
        monkeypatch.setattr("sys.stderr", stream)
        return lambda: _read(reading)

    return replaced


def _read(descriptor: int) -> str:
    """Read what there is; a terminal may hand it over in parts."""
    parts = []
    while select.select([descriptor], [], [], 0.1)[0]:
        parts.append(os.read(descriptor, 65536))
    return b"".join(parts).decode().replace("\r\n", "\n")


LEVELS = [{"LOG_LEVEL": "INFO"}, {"LOG_LEVEL": "WARNING"}, {"LOG_LEVEL": "CRITICAL"}, {"LOG_ENABLED": False}]


@pytest.mark.parametrize("standard_error", ["terminal", "pipe"], indirect=True)
def test_a_line_cannot_control_the_terminal(
    log: Callable[..., None], standard_error: Callable[[], Callable[[], str]]
) -> None:
    read = standard_error()
    log(LOG_LEVEL="ERROR")
    announce(LOGGER, "Captured \x1b[2J\x9b1m into site.pdf")
    assert read() == "Captured \ufffd[2J\ufffd1m into site.pdf\n"


@pytest.mark.parametrize("settings", LEVELS, ids=str)
@pytest.mark.parametrize("standard_error", ["terminal", "pipe"], indirect=True)
def test_a_line_is_seen_once(
    log: Callable[..., None], settings: dict[str, object], standard_error: Callable[[], Callable[[], str]]
) -> None:
    written = standard_error()
    log(**settings)
    announce(LOGGER, LINE)
    assert " ".join(written().split()).count(" ".join(LINE.split())) == 1


@pytest.mark.parametrize("standard_error", ["terminal"], indirect=True)
def test_a_terminal_gets_it_without_a_date_and_wrapped_between_words(
    log: Callable[..., None], standard_error: Callable[[], Callable[[], str]]
) -> None:
    written = standard_error()
    log()
    announce(LOGGER, LINE)
    assert written() == (
        "  forbidden by robots.txt:\n    https://example.com/staff/rota-of-the-keepers.html is\n    not in the file\n"
    )


@pytest.mark.parametrize("level", ["INFO", "ERROR"])
@pytest.mark.parametrize(
    ("standard_error", "is_printed"), [("terminal", True), ("pipe", False)], indirect=["standard_error"]
)
def test_a_log_file_has_it_at_any_level(
    log: Callable[..., None],
    standard_error: Callable[[], Callable[[], str]],
    tmp_path: Path,
    *,
    level: str,
    is_printed: bool,
) -> None:
    file = tmp_path / "log"
    written = standard_error()
    log(LOG_FILE=str(file), LOG_LEVEL=level)
    announce(LOGGER, LINE)
    assert file.read_text().endswith(f"[wcspider.crawl.session] INFO: {LINE}\n")
    assert bool(written()) == is_printed


@pytest.mark.parametrize("standard_error", ["terminal", "pipe"], indirect=True)
def test_a_program_with_a_log_of_its_own_is_not_disturbed(
    standard_error: Callable[[], Callable[[], str]], caplog: pytest.LogCaptureFixture
) -> None:
    written = standard_error()
    with caplog.at_level(logging.INFO):
        announce(LOGGER, LINE)
    assert caplog.messages == [LINE]
    assert written() == ""


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" ")), st.integers(1, 200))
def test_words_stay_whole(text: str, columns: int) -> None:
    assert wrapped(f"    {text}", columns).split() == text.split()


def test_lines_are_held_back_until_they_are_released(caplog: pytest.LogCaptureFixture) -> None:
    lines = Announcements(LOGGER)
    with caplog.at_level(logging.INFO):
        lines.add("at once")
        lines.hold()
        lines.add("first")
        lines.hold()
        lines.add("second", logging.ERROR)
        assert caplog.messages == ["at once"]
        lines.release()
        lines.add("after")
        lines.release()
    assert [(record.getMessage(), record.levelname) for record in caplog.records] == [
        ("at once", "INFO"),
        ("first", "INFO"),
        ("second", "ERROR"),
        ("after", "INFO"),
    ]
