"""Servers that ask for a pause (Retry-After) get no request before its end, and other servers do not wait."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path

from tests.support.crawls import Archive, captured, crawl_arguments, started
from tests.support.pictures import grey_png
from tests.system.hostile.hostile_server import Answer, Connection, HostileServer, body, in_turn, page

PNG = body(grey_png(6, 4, 50), "image/png")
TOO_MANY = "429 Too Many Requests"
AWAY = "503 Service Unavailable"
HOUR = 3600

NAMES = ("seconds", "date", "fast-clock", "slow-clock", "always", "too-long", "at-once", "unclear", "calm")
"""Pages, in the order of their links."""

WHILE = 1000
"""Seconds; longer than a test waits for the end of a crawl."""

WAIT = body(b"", status=AWAY, Retry_After=WHILE)
PATIENT = {"WEBCAPTURE_MAX_RETRY_AFTER": WHILE}
PATHS = [f"/{number}" for number in range(30)]
"""More than the requests that Scrapy has under way at once."""

LINKS = "".join(f"<a href={path}>{path}</a> " for path in PATHS)


def pages(name: str) -> dict[str, Answer]:
    """Pages at all of `PATHS`."""
    return {path: page(f"<p>{name} {path}") for path in PATHS}


def after(server: HostileServer, path: str, answer: Answer) -> Answer:
    """An answer that waits until another server has been asked for a path."""

    def waiting(connection: Connection) -> None:
        server.wait_for(path)
        answer(connection)

    return waiting


@dataclass
class Promises:
    """The pauses that a server asked for: the time of each answer, and the end of the pause."""

    kept: list[tuple[float, float]] = field(default_factory=list)

    def seconds(self, status: str, seconds: int) -> Answer:
        """An answer that asks for so many seconds."""

        def answer(connection: Connection) -> None:
            self.kept.append((time.time(), time.time() + seconds))
            body(b"", status=status, Retry_After=seconds)(connection)

        return answer

    def until(self, status: str, seconds: int, fast: int = 0) -> Answer:
        """An answer that names a time, by a clock that is `fast` by so many seconds."""

        def answer(connection: Connection) -> None:
            moment = int(time.time()) + seconds
            self.kept.append((time.time(), moment))
            headers = {"Date": formatdate(time.time() + fast, usegmt=True)} if fast else {}
            body(b"", status=status, Retry_After=formatdate(moment + fast, usegmt=True), **headers)(connection)

        return answer


def test_a_server_is_left_alone_for_as_long_as_it_asks(tmp_path: Path) -> None:
    asked = Promises()
    site = {
        "/": page("<title>start</title>" + "".join(f"<a href=/{name}>{name}</a> " for name in NAMES)),
        "/seconds": in_turn(asked.seconds(TOO_MANY, 1), page("<p>seconds<img src=/busy.png>")),
        "/busy.png": in_turn(asked.seconds(AWAY, 1), PNG),
        "/date": in_turn(asked.until(AWAY, 2), page("<p>date")),
        "/fast-clock": in_turn(asked.until(TOO_MANY, 1, fast=HOUR), page("<p>fast clock")),
        "/slow-clock": in_turn(asked.until(TOO_MANY, 1, fast=-HOUR), page("<p>slow clock")),
        "/always": asked.seconds(TOO_MANY, 1),
        "/too-long": body(b"", status=TOO_MANY, Retry_After=HOUR),
        "/too-long.png": body(b"", status=AWAY, Retry_After="9" * 5000),
        "/at-once": in_turn(body(b"", status=AWAY, Retry_After=0), page("<p>at once<img src=/too-long.png>")),
        "/unclear": in_turn(body(b"", status=AWAY, Retry_After="soon"), page("<p>unclear")),
        "/calm": page("<p>calm"),
    }
    settings = {"WEBCAPTURE_MAX_RETRY_AFTER": 20, "RETRY_TIMES": 1, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    pdf = tmp_path / "site.pdf"
    with HostileServer(site) as server:
        done = captured(server.url(), pdf, settings, levels=2)
        assert len(asked.kept) == 7
        early = [(moment, until) for moment, until in asked.kept for visit in server.visits() if moment < visit < until]
        assert early == []
        too_long = "HTTP {}, the server asks to wait more than 20 seconds (WEBCAPTURE_MAX_RETRY_AFTER)".format
        assert done.left_out == {"HTTP 429": [server.url("/always")], too_long(429): [server.url("/too-long")]}
        assert done.section("Resources skipped") == {too_long(503): [server.url("/too-long.png")]}
        assert {path: len(server.visits(path)) for path in ("/always", "/too-long", "/too-long.png", "/calm")} == {
            "/always": 2, "/too-long": 1, "/too-long.png": 1, "/calm": 1,
        }  # fmt: skip
        with Archive(pdf) as archive:
            in_file = [f"/{name}" for name in NAMES if name not in ("always", "too-long")]
            assert archive.order(server.url("")) == ["/", *in_file]
            assert archive.image_set(server.url("/busy.png")).counts == (1,)


def test_other_servers_are_not_kept_waiting_and_a_stop_is_no_wait(tmp_path: Path) -> None:
    pdf = tmp_path / "site.pdf"
    busy_site = {"/": page(f"<title>busy</title>{LINKS}<img src=/busy.png>"), **dict.fromkeys(PATHS, WAIT)}
    calm_site = pages("calm")
    with HostileServer(busy_site) as busy, HostileServer(calm_site, host="127.0.0.2") as calm:
        busy_site["/busy.png"] = WAIT
        calm_site["/"] = after(busy, "/busy.png", page(f"<title>calm</title>{LINKS}"))
        urls = f"{busy.url()},{calm.url()}"
        with started(*crawl_arguments(urls, pdf, PATIENT, levels=2)) as crawl:
            calm.wait_for(*PATHS)
            crawl.process.send_signal(signal.SIGINT)
            stopped = crawl.end()
        assert "the crawl was stopped by Ctrl-C or a signal" in stopped.problem
        assert not pdf.exists()
        assert len(busy.visits()) < len(PATHS)

        busy_site |= {"/busy.png": PNG, **pages("busy")}
        done = captured(urls, pdf, PATIENT, levels=2)
        assert done.left_out == done.section("Resources skipped") == {}
        with Archive(pdf) as archive:
            starts, others = [busy.url(), calm.url()], [server.url(path) for server in (busy, calm) for path in PATHS]
            assert archive.order("") == [*starts, *others]
            assert archive.image_set(busy.url("/busy.png")).counts == (1,)


def test_a_capture_that_is_content_with_less_is_stopped_without_what_it_waits_for(tmp_path: Path) -> None:
    pdf = tmp_path / "site.pdf"
    site = {"/": page("<title>start</title><p><a href=/next>next</a><img src=/busy.png>"), "/busy.png": WAIT}
    with HostileServer(site) as server:
        with started(*crawl_arguments(server.url(), pdf, PATIENT, levels=2, partial="true")) as crawl:
            server.wait_for("/busy.png")
            crawl.process.send_signal(signal.SIGINT)
            stopped = crawl.end()
        assert stopped.status == 0
        assert stopped.section("Resources skipped") == {"not fetched before the crawl ended": [server.url("/busy.png")]}
        with Archive(pdf) as archive:
            assert archive.order(server.url(""))[:1] == ["/"]
