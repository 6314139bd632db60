"""How far a crawl is: in words, in the log, and on a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.crawls import ROOT, Run, crawl_arguments, ready, run, started
from tests.support.http_server import Reply, SiteServer, page
from wcspider.crawl.messages.terminal_line import fitted
from wcspider.crawl.progress import WINDOW, Pace, Standing, in_time

COLUMNS = 60


def site(count: int = 12) -> dict[str, Reply]:
    """A site whose last page comes when the gate ``last`` is opened."""
    links = "".join(f'<a href="/{number}.txt">{number}</a>' for number in range(count))
    texts = {f"/{number}.txt": Reply(b"text %d" % number, content_type="text/plain") for number in range(count)}
    last = Reply(b"last", content_type="text/plain", gate="last")
    return {"/": page(links + '<a href="/last.txt">last</a>'), **texts, "/last.txt": last}


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (99.4, "99 s"), (100, "2 min"), (3600, "60 min"), (6000, "1 h 40 min"), (360_000, "100 h 00 min")],
)
def test_lengths_of_time(seconds: float, words: str) -> None:
    assert in_time(seconds) == words


@pytest.mark.parametrize(
    ("standing", "said"),
    [
        (Standing(1, 0, 0, 900), "1 page captured, 0 queued, 0 rendering, 900 bytes, 0.0 pages/s"),
        (Standing(20, 30, 2, 2_500_000, 2.0), "20 pages captured, 30 queued, 2 rendering, 2.5 MB, 2.0 pages/s"),
        (Standing(2, 9, 1, 1000, 0.05), "2 pages captured, 9 queued, 1 rendering, 1.0 kB, 3.0 pages/min"),
        (Standing(2, 9, 1, 10, 0.5, True), "2 pages captured, 9 queued, 1 rendering, 10 bytes, 0.5 pages/s, 18 s left"),
        (
            Standing(2, 9, 3, 10, workers=("2 cluster workers", "3 in flight")),
            "2 pages captured, 9 queued, 3 rendering, 2 cluster workers, 3 in flight, 10 bytes, 0.0 pages/s",
        ),
        (Standing(2, 9, 1, 10, 0.0, True), "2 pages captured, 9 queued, 1 rendering, 10 bytes, 0.0 pages/s"),
        (Standing(2, 9, 1, 0, 1.0), "2 pages captured, 9 queued, 1 rendering, 1.0 pages/s"),
        (Standing(2, 9, 0, 10, 1.0, is_refresh=True), "2 pages checked, 9 queued, 0 rendering, 10 bytes, 1.0 pages/s"),
    ],
)
def test_a_standing_in_words(standing: Standing, said: str) -> None:
    assert ", ".join(standing.phrases().values()) == said


LONG = Standing(1234, 5678, 12, 123_400_000, 12.5, True).phrases()
"""Progress that does not fit into 60 columns."""


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (100, "1234 pages captured · 5678 queued · 12 rendering · 123.4 MB · 12.5 pages/s · 8 min left"),
        (79, "1234 pages captured · 5678 queued · 123.4 MB · 12.5 pages/s · 8 min left"),
        (59, "1234 pages captured · 5678 queued · 123.4 MB · 8 min left"),
        (30, "1234 pages captured"),
        (5, "1234 pages captured"),
    ],
)
def test_a_narrow_terminal_loses_whole_phrases(columns: int, said: str) -> None:
    assert " · ".join(fitted(LONG, columns)) == said


@given(st.floats(0.01, 1000), st.integers(0, 50), st.lists(st.floats(0.1, WINDOW), min_size=2, max_size=30))
def test_a_steady_pace_is_told_whatever_came_before(start: float, before: int, steps: list[float]) -> None:
    moment = start

    def clock() -> float:
        return moment

    pace = Pace(clock)
    assert pace.at(before) == 0.0
    moment += 10 * WINDOW  # a standstill
    for step in [*steps, WINDOW, WINDOW]:
        reached = before + round((moment - start) * 1000)
        rate = pace.at(reached)
        moment += step
    assert rate == pytest.approx(1000, rel=0.01)


def test_where_there_is_no_terminal_the_log_has_lines(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    pages = server(site())
    arguments = crawl_arguments(pages.url(), tmp_path / "site.pdf", {"LOGSTATS_INTERVAL": 0.2}, levels=2)
    log = ""
    with started(*arguments) as crawl:
        assert crawl.process.stderr is not None
        for line in crawl.process.stderr:
            log += line
            if line.rstrip().endswith(" left"):  # all pages but the last are known, and some are done
                pages.open_gate("last")
        assert crawl.end().status == 0, log
    lines = Run(0, "", log).messages("INFO", "wcspider.crawl.progress")
    assert all(re.match(r"Progress: \d+ pages? captured, \d+ queued, \d+ rendering, ", line) for line in lines)
    assert any(line.endswith(" left") for line in lines)
    assert "\x1b" not in log
    assert "pages/min)" not in log  # Scrapy's own line


def test_it_can_be_quiet(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    quiet = {"LOGSTATS_INTERVAL": 0.01, "WEBCAPTURE_PROGRESS": "none"}
    done = run(*crawl_arguments(server({"/": page("<p>text")}).url(), tmp_path / "site.pdf", quiet))
    assert done.status == 0
    assert not done.messages("INFO", "wcspider.crawl.progress")


def on_terminal(
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    drawn: Callable[[], None] = lambda: None,
    columns: int = COLUMNS,
) -> tuple[int, str]:
    """Run ``scrapy`` on a terminal of its own; return its status and all that was written there.

    `drawn` is called when the line is there.
    """
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    changed = {**variables, "TERM": "xterm", **(environment or {})}
    process = ready().start_on(terminal, "scrapy", [*map(str, arguments)], ROOT, changed)
    os.close(terminal)
    written = b""
    while True:
        try:
            block = os.read(controller, 65536)
        except OSError:  # the last process has closed it
            break
        if not block:
            break
        written += block
        if b"captured" in block and b"queued" in block:
            drawn()
    os.close(controller)
    return process.wait(), written.decode()


def drawn(written: str) -> list[str]:
    """Each state of the line, without colours: the text after each carriage return."""
    plain = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", written).replace("\r\n", "\n")
    return [part.partition("\n")[0].rstrip() for part in plain.split("\r")[1:] if "captured ·" in part]


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}], ids=["colours", "NO_COLOR"])
def test_a_line_stays_at_the_bottom_of_a_terminal(
    server: Callable[..., SiteServer], tmp_path: Path, environment: dict[str, str]
) -> None:
    pages = server(site())
    arguments = crawl_arguments(pages.url(), tmp_path / "site.pdf", levels=2)
    status, written = on_terminal(*arguments, environment=environment, drawn=lambda: pages.open_gate("last"))
    assert status == 0, written
    lines = drawn(written)
    assert lines
    assert max(map(len, lines)) < COLUMNS
    assert ("\x1b[1m" in written) == (not environment)
    # What is logged has lines of its own, and nothing of the progress is left behind it.
    log = [line.rpartition("\r")[2] for line in written.replace("\r\n", "\n").split("\n")]
    assert any(line.endswith("INFO: Spider closed (finished)") for line in log)
    assert not any("captured ·" in line for line in log)


def test_a_terminal_gets_no_line_from_a_crawl_that_cannot_begin(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    path = tmp_path / "site.pdf"
    path.write_bytes(b"no PDF file")
    status, written = on_terminal(*crawl_arguments(server({}).url(), path))
    assert status == 1
    assert not drawn(written)
    assert path.read_bytes() == b"no PDF file"


def test_a_terminal_that_does_not_know_how_wide_it_is(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    pages = server(site())
    arguments = crawl_arguments(pages.url(), tmp_path / "site.pdf", levels=2)
    status, written = on_terminal(*arguments, drawn=lambda: pages.open_gate("last"), columns=0)
    assert status == 0, written
    assert max(map(len, drawn(written))) < 80


def test_standard_error_may_be_closed(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    arguments = crawl_arguments(server({"/": page("<p>text")}).url(), path, {"LOG_FILE": tmp_path / "log"})
    done = run(*arguments, preexec=lambda: os.close(2))  # without LOG_FILE Scrapy itself does not begin
    assert (done.status, path.exists()) == (0, True)
