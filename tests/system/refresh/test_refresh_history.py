"""Each refresh is a state of the file that can be told from the others, and be given back; or the past is forgotten."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from tests.support.crawls import Run, tool, webcapture
from tests.support.http_server import Site, SiteServer, page, redirect
from tests.system.refresh.crawling import Crawls
from tests.system.refresh.state import state_of
from wcspider.archive.check.checker import check_file

LINKS = "".join(f"<a href=/{name}>{name}</a> " for name in ("stays", "text", "moves", "goes"))
BEFORE: Site = {
    "/": page(f"<title>Start</title><p>{LINKS}"),
    "/stays": page("<title>Stays</title><p>as it is"),
    "/text": page("<title>Text</title><p>one"),
    "/moves": page("<title>Moves</title><p>wherever it is"),
    "/goes": page("<title>Goes</title><p>while it may"),
}
AFTER: dict[str, Any] = {
    "/": page(f"<title>Start</title><p>{LINKS}<a href=/late>late</a>"),
    "/text": page("<title>Text</title><p>two"),
    "/moves": redirect("/moved"),
    "/moved": page("<title>Moves</title><p>wherever it is"),
    "/goes": None,
    "/late": page("<title>Late</title><p>late"),
}
DAYS = [{"WEBCAPTURE_FIXED_TIME": f"2026-03-0{day}T12:00:00Z"} for day in range(1, 5)]


@dataclass(frozen=True)
class Grown:
    """A file that was captured, refreshed when the site had changed, and refreshed when it had not."""

    path: Path
    site: str
    states: list[bytes]
    """What it was after each run."""

    runs: dict[str, Run]
    """What commands say of it."""

    crawls: list[Run]
    """The runs that made it."""


@pytest.fixture(scope="module")
def grown(crawls: Crawls, tmp_path_factory: pytest.TempPathFactory) -> Grown:
    path = tmp_path_factory.mktemp("grown") / "site.pdf"
    states, done = [], []
    with SiteServer(BEFORE) as server:
        for day, settings in enumerate(DAYS):
            server.update(AFTER if day == 1 else {})
            spider, arguments = ("refresh", {"gone": "drop" if day == 3 else "keep"})
            if day == 0:
                spider, arguments = "capture", {"url": server.url(), "levels": "2"}
            done.append(crawls.run(spider, settings, pdf=path, **arguments))
            assert done[-1].status == 0, done[-1].log
            states.append(path.read_bytes())
        commands: dict[str, list[object]] = {
            "history": ["history", path, "--json"],
            "changed": ["diff", path, "--from", 1, "--to", 2, "--json"],
            "same": ["diff", path, "--from", 2, "--to", 3],
            "dropped": ["diff", path, "--from", 1, "--to", 4, "--json"],
            **{str(n): ["restore", path, "--revision", n, "-o", path.with_name(f"{n}.pdf")] for n in (1, 2, 3, 4)},
        }
        runs = [webcapture(*command) for command in commands.values()]
        return Grown(path, server.url("").removesuffix("/"), states, dict(zip(commands, runs, strict=True)), done)


def test_the_history_says_what_each_run_did(grown: Grown) -> None:
    revisions = json.loads(grown.runs["history"].output)["revisions"]
    counts = ("run", "date", "added", "changed", "gone", "dropped", "unchanged", "length")
    assert [tuple(row[name] for name in counts) for row in revisions] == [
        ("capture", "2026-03-01T12:00:00Z", 5, 0, 0, 0, 0, len(grown.states[0])),
        ("refresh", "2026-03-02T12:00:00Z", 1, 3, 1, 0, 1, len(grown.states[1])),
        ("refresh", "2026-03-03T12:00:00Z", 0, 0, 0, 0, 5, len(grown.states[2])),
        ("refresh", "2026-03-04T12:00:00Z", 0, 0, 0, 1, 5, len(grown.states[3])),
    ]
    assert {tuple(ran["command"] for ran in row["commands"]) for row in revisions} == {(0,)}


def test_the_summary_names_the_pages_and_the_command_that_shows_the_differences(grown: Grown) -> None:
    second, third, fourth = grown.crawls[1:]
    assert second.section("New pages") == {"": [f"{grown.site}/late"]}
    changed = second.section("Changed pages")[""]
    assert [line.replace(grown.site, "") for line in changed] == ["/", "/text", "/moves -> /moved"]
    assert second.section("Pages gone from the site") == {"HTTP 404": [f"{grown.site}/goes"]}
    assert f"  differences      scrapy webcapture diff {grown.path}" in second.summary
    assert not any("diff" in line for line in third.summary)
    assert {"  gone             0", "  gone before      1 (still in the file)"} <= set(third.summary)
    assert third.section("Pages gone from the site") == {}
    assert {"  gone             0", "  dropped          1"} <= set(fourth.summary)
    assert fourth.section("Pages gone from the site") == {"HTTP 404": [f"{grown.site}/goes"]}


def test_the_difference_says_what_became_of_pages(grown: Grown) -> None:
    def changes(name: str) -> set[tuple[str, str]]:
        rows = json.loads(grown.runs[name].output)["changes"]
        return {(row["change"], row["url"].removeprefix(grown.site)) for row in rows}

    expected = {("new", "/late"), ("changed", "/"), ("changed", "/text"), ("moved", "/moves"), ("gone", "/goes")}
    assert changes("changed") == expected
    assert changes("dropped") == expected
    assert grown.runs["same"].status == 0


def test_pages_that_contain_their_date(crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path) -> None:
    """They change with each refresh, and the difference shows that nothing but the date did."""

    def site(minute: int) -> Site:
        return {
            "/": page("<title>Start</title><a href=/dated>dated</a><a href=/calm>calm</a>"),
            "/dated": page(f"<title>Dated</title><p>It is 17:0{minute} now, and all is well."),
            "/calm": page("<title>Calm</title><p>No time at all."),
        }

    path = tmp_path / "site.pdf"
    served = server(site(1))
    assert crawls.run("capture", DAYS[0], pdf=path, url=served.url(), levels=2).status == 0
    for minute in (2, 3):
        served.update(site(minute))
        done = crawls.run("refresh", DAYS[minute - 1], pdf=path)
        assert {"  changed          1", "  unchanged        2"} <= set(done.summary)
    [row] = json.loads(webcapture("diff", path, "--from", 1, "--to", 3, "--json").output)["changes"]
    assert (row["change"], row["url"]) == ("changed", served.url("/dated"))
    shown = webcapture("diff", path, "--from", 1, "--to", 3).output
    assert re.findall(r"17:0\d", shown) == ["17:01", "17:03"]
    assert list(check_file(path)) == []


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_state_that_is_given_back_is_the_file_as_it_was(grown: Grown, number: int) -> None:
    assert grown.runs[str(number)].status == 0
    restored = grown.path.with_name(f"{number}.pdf")
    assert hashlib.sha256(restored.read_bytes()).digest() == hashlib.sha256(grown.states[number - 1]).digest()
    tool("qpdf", "--check", restored)


def test_a_signed_file_that_is_to_forget_its_past_is_refused_before_the_first_request(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    path = tmp_path / "site.pdf"
    site = server(BEFORE)
    assert crawls.run("capture", pdf=path, url=site.url(), levels=2).status == 0
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.Root.Perms = pikepdf.Dictionary(DocMDP=pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Sig)))
        pdf.save(path)
    before = path.read_bytes()
    site.forget()
    done = crawls.run("refresh", pdf=path, keep=1)
    assert (done.status, path.read_bytes(), site.requests) == (1, before, [])
    assert "is signed" in done.problem
    assert "leave out -a keep=1" in done.problem
    assert crawls.run("refresh", pdf=path).status == 0


def test_the_past_is_forgotten_on_request(crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path) -> None:
    path, whole = tmp_path / "site.pdf", tmp_path / "whole.pdf"
    site = server(BEFORE)
    assert crawls.run("capture", DAYS[0], pdf=path, url=site.url(), levels=2).status == 0
    site.update(AFTER)
    whole.write_bytes(path.read_bytes())
    assert crawls.run("refresh", DAYS[3], pdf=whole).status == 0
    done = crawls.run("refresh", DAYS[3], pdf=path, keep=1)
    assert done.status == 0
    assert re.search(rf"{path}: the earlier states were removed: [0-9.]+ kB -> [0-9.]+ kB", done.log)
    [history] = [webcapture("history", path, "--json")]
    [row] = json.loads(history.output)["revisions"]
    [_, of_whole] = json.loads(webcapture("history", whole, "--json").output)["revisions"]
    assert row == {**of_whole, "revision": 1, "length": path.stat().st_size}
    assert f"Refreshed {path}\n" in done.log  # its size before the removal of the earlier states would mislead
    assert "  written " not in done.log
    assert state_of(path) == state_of(whole)
    assert list(check_file(path)) == []
    assert path.stat().st_size < whole.stat().st_size
    done = crawls.run("refresh", DAYS[3], pdf=path)
    assert (done.status, "  unchanged        5" in done.summary) == (0, True)
