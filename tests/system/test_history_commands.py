"""``scrapy webcapture history``, ``restore`` and ``diff`` on files that real crawls have added to."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import pdf_samples
from tests.support.crawls import Run, captured, crawl_arguments, dying, run, tool, webcapture
from tests.support.http_server import Reply, Site, SiteServer, page, redirect
from tests.support.pictures import grey_png
from wcspider.subcommands.command_parsers import parse
from wcspider.subcommands.table import SUBCOMMANDS

DAYS = [f"2026-03-0{day}T12:00:00Z" for day in (1, 2, 3)]
LINKS = "".join(f"<a href=/{name}>{name}</a> " for name in ("stays", "text", "markup", "picture", "moves"))
BEFORE: Site = {
    "/": page(f"<title>Start</title><p>{LINKS}"),
    "/stays": page("<title>Stays</title><p>as it is"),
    "/text": page("<title>Text</title><p>one"),
    "/markup": page("<title>Markup</title><p>the same words"),
    "/picture": page("<title>Picture</title><p><img src=/dot.png>"),
    "/moves": page("<title>Moves</title><p>wherever it is"),
    "/dot.png": Reply(grey_png(4, 4, 128), content_type="image/png"),
}
AFTER: Site = {
    "/": page(f"<title>Start</title><p>{LINKS}<a href=/late>late</a>"),
    "/text": page("<title>Text</title><p>two"),
    "/markup": page("<title>Markup</title><p>the <b>same</b> words"),
    "/dot.png": Reply(grey_png(4, 4, 200), content_type="image/png"),
    "/moves": redirect("/moved"),
    "/moved": page("<title>Moves</title><p>wherever it is"),
    "/late": page("<title>Late</title><p>late"),
}


@dataclass(frozen=True)
class Grown:
    """A file that was captured into three times."""

    path: Path
    site: str
    states: list[bytes]
    """What it was after each time."""


def _grown(site: SiteServer, path: Path) -> Grown:
    states = []
    site.update(BEFORE)
    for day, moment in enumerate(DAYS):
        if day == 1:
            site.update(AFTER)
        captured(site.url(), path, {"WEBCAPTURE_FIXED_TIME": moment, "WEBCAPTURE_BATCH_PAGES": 2}, levels=2)
        states.append(path.read_bytes())
    return Grown(path, site.url("").removesuffix("/"), states)


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    """The server of the site, at one address."""
    with SiteServer(BEFORE) as running:
        yield running


@pytest.fixture(scope="module")
def grown(site: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Grown:
    """A file that was captured into three times: the site was another the second time, and the same the third."""
    return _grown(site, tmp_path_factory.mktemp("grown") / "site.pdf")


@pytest.fixture(scope="module")
def runs(grown: Grown) -> dict[str, Run]:
    """The results of the commands."""
    path = grown.path
    once = path.with_name("once.pdf")
    once.write_bytes(grown.states[0])
    plain = pdf_samples.plain_pdf(1, path.with_name("plain.pdf"))
    commands: dict[str, list[object]] = {
        "history": ["history", path],
        "history json": ["history", path, "--json"],
        "history plain": ["history", plain],
        "history missing": ["history", path.with_name("missing.pdf")],
        "diff": ["diff", path],
        "diff json": ["diff", "--json", path],
        "diff second": ["diff", path, "--to", 2],
        "diff all": ["diff", path, "--from", "1", "--json"],
        "diff itself": ["diff", path, "--from", "2", "--to", "2"],
        "diff back": ["diff", path, "--from", "2", "--to", "1"],
        "diff no such": ["diff", path, "--from", "4"],
        "diff no number": ["diff", path, "--from", "first"],
        "diff one state": ["diff", once],
        **{f"restore {n}": ["restore", path, "--revision", n, "-o", path.with_name(f"{n}.pdf")] for n in (1, 2, 3)},
        "restore again": ["restore", path, "--revision", 1, "-o", path.with_name("3.pdf")],
        "restore itself": ["restore", path, "--revision", 1, "-o", path, "--force"],
        "restore what": ["restore", path],
        "check": ["check", path],
        "list with force": ["list", path, "--force"],
        "two files": ["list", path, path],
        "options first": ["--json", "history", path],
        "options of scrapy": ["history", path, "--json", "-s", "LOG_LEVEL=INFO", "--nolog"],
        **{f"{name} help": [name, "--help"] for name in SUBCOMMANDS},
    }
    done = [webcapture(*arguments) for arguments in commands.values()]
    return dict(zip(commands, done, strict=True))


def test_each_state_is_given_back(runs: dict[str, Run], grown: Grown) -> None:
    assert grown.path.read_bytes() == grown.states[-1]
    for number, state in enumerate(grown.states, 1):
        restored = grown.path.with_name(f"{number}.pdf")
        assert hashlib.sha256(restored.read_bytes()).digest() == hashlib.sha256(state).digest()
        done = runs[f"restore {number}"]
        assert (done.status, done.log) == (0, "")
        when = "as it is now," if number == len(grown.states) else "as it was at"
        assert done.output.startswith(f"{restored}: {grown.path} {when} revision {number} (")
        tool("qpdf", "--check", restored)


def test_history(runs: dict[str, Run], grown: Grown) -> None:
    counts = [(6, 0), (5, 2), (0, 7)]  # what moved is there under its new URL, with one source more
    lengths = [len(state) for state in grown.states]
    expected = [
        {
            "revision": number,
            "run": "capture",
            "date": DAYS[number - 1],
            "commands": [{"command": 0, "url": f"{grown.site}/"}],
            "added": added,
            "changed": 0,
            "returned": 0,
            "gone": 0,
            "dropped": 0,
            "unchanged": unchanged,
            "length": length,
            "lost": False,
        }
        for number, ((added, unchanged), length) in enumerate(zip(counts, lengths, strict=True), 1)
    ]
    for name in ("history json", "options first", "options of scrapy"):
        assert (runs[name].status, runs[name].log) == (0, "")
        assert json.loads(runs[name].output) == {"revisions": expected}
    assert (runs["history"].status, runs["history"].log) == (0, "")
    assert runs["history"].output.splitlines()[2:4] == [
        f"revision 2  {DAYS[1]}  capture: 5 added, 0 changed, 0 gone, 0 dropped, 2 unchanged  ({lengths[1]} bytes)",
        f"    command 0  {grown.site}/",
    ]


def test_diff(runs: dict[str, Run], grown: Grown) -> None:
    site = grown.site
    assert (runs["diff second"].status, runs["diff second"].log) == (1, "")
    assert runs["diff second"].output.splitlines() == [
        f"revision 1 ({DAYS[0]}) -> revision 2 ({DAYS[1]}): 1 new, 4 changed, 1 moved",
        f"new       {site}/late  (page 11)  Late",
        f"changed   {site}/  (page 7)  Start",
        "    text: stays text markup picture moves {+late+}",
        f"    link added: {site}/late",
        f"changed   {site}/text  (page 8)  Text",
        "    text removed: [-one-]",
        "    text added: {+two+}",
        f"changed   {site}/markup  (page 9)  Markup",
        "    only the source changed (markup or encoding): its text, images, links and form values are the same",
        f"changed   {site}/picture  (page 10)  Picture",
        f"    image changed: {site}/dot.png",
        f"moved     {site}/moves -> {site}/moved  (page 6)  Moves",
    ]
    everything = json.loads(runs["diff all"].output)
    assert (runs["diff all"].status, everything["from"], everything["to"]) == (1, 1, 3)
    assert [row["change"] for row in everything["changes"]] == ["new", *["changed"] * 4, "moved"]
    assert runs["diff back"].status == 1
    assert f"gone      {site}/late  (was page 11)  Late" in runs["diff back"].output.splitlines()


def test_no_difference(runs: dict[str, Run]) -> None:
    assert (runs["diff"].status, runs["diff"].output) == (0, "no page differs between revisions 2 and 3\n")
    assert (runs["diff itself"].status, runs["diff itself"].log) == (0, "")
    assert json.loads(runs["diff json"].output) == {"from": 2, "to": 3, "changes": []}


def test_a_file_without_records(runs: dict[str, Run], grown: Grown) -> None:
    size = grown.path.with_name("plain.pdf").stat().st_size
    assert runs["history plain"].status == 0
    [line] = runs["history plain"].output.splitlines()
    assert line.startswith("revision 1  ")
    assert line.endswith(f"  before the first recorded run  ({size} bytes)")


def test_the_records_break_no_rule(runs: dict[str, Run], grown: Grown) -> None:
    assert (runs["check"].status, runs["check"].output) == (
        0,
        f"{grown.path}: no violation found\n",
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("history missing", "missing.pdf: no such file; check the path"),
        ("diff no such", "has no revision 4; it has revisions 1 to 3"),
        ("diff no number", "argument --from: invalid int value: 'first'; see: scrapy webcapture diff --help"),
        ("diff one state", "there is no revision before 1; see: scrapy webcapture history "),
        ("restore again", "exists already; name another file, or give --force to replace it"),
        ("restore itself", "is the file itself"),
        ("restore what", "required: --revision, -o/--output; see: scrapy webcapture restore --help"),
        ("list with force", "unknown argument --force of scrapy webcapture list; see: scrapy webcapture list --help"),
        ("two files", "unknown argument "),
    ],
)
def test_mistakes(runs: dict[str, Run], name: str, said: str) -> None:
    assert (runs[name].status, runs[name].output) == (2, "")
    [line] = runs[name].log.splitlines()
    assert line.startswith("scrapy webcapture: ")
    assert said in line


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_each_subcommand_has_its_own_help(runs: dict[str, Run], name: str) -> None:
    done = runs[f"{name} help"]
    assert (done.status, done.log) == (0, "")
    assert done.output.startswith(f"usage: scrapy webcapture {name} {SUBCOMMANDS[name].place}")
    assert SUBCOMMANDS[name].description in " ".join(done.output.split())
    for example in SUBCOMMANDS[name].examples:
        assert f"\n  scrapy webcapture {example}\n" in done.output
        assert parse(example.split(), lambda parser: None).subcommand == name


def test_captures_at_a_fixed_time_are_the_same_bytes(site: SiteServer, grown: Grown, tmp_path: Path) -> None:
    assert _grown(site, tmp_path / "site.pdf").states == grown.states


@pytest.mark.parametrize("make", [lambda path: pdf_samples.plain_pdf(3, path), pdf_samples.classic_pdf])
def test_a_file_that_was_found_is_given_back(
    server: Callable[..., SiteServer], tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path / "file.pdf")
    before = path.read_bytes()
    captured(server(BEFORE).url("/stays"), path)
    assert [row["run"] for row in _history(path)] == [None, "capture"]
    done = webcapture("restore", path, "--revision", 1, "-o", tmp_path / "old.pdf")
    assert done.status == 0
    assert (tmp_path / "old.pdf").read_bytes() == before
    assert webcapture("diff", path).output.splitlines()[1].startswith("new  ")


KILLED = [("after a checkpoint", 1), ("half a revision", 2), ("before the rename", 0)]


@pytest.mark.crash
@pytest.mark.parametrize(("step", "times"), KILLED)
def test_a_run_that_was_killed_and_resumed(
    server: Callable[..., SiteServer], grown: Grown, tmp_path: Path, step: str, times: int
) -> None:
    path = tmp_path / "site.pdf"
    path.write_bytes(grown.states[0])
    arguments = crawl_arguments(server(AFTER).url(), path, {"WEBCAPTURE_BATCH_PAGES": 1}, levels=2)
    assert dying(step, times, *arguments).status == -signal.SIGKILL
    assert path.read_bytes() == grown.states[0]
    resumed = run(*arguments)
    assert resumed.status == 0, resumed.log
    first, second = _history(path)
    assert (first["length"], second["length"]) == (len(grown.states[0]), path.stat().st_size)
    assert second["added"] > 0
    assert webcapture("restore", path, "--revision", 1, "-o", tmp_path / "old.pdf").status == 0
    assert (tmp_path / "old.pdf").read_bytes() == grown.states[0]
    assert webcapture("check", path).status == 0


def test_a_past_that_another_program_has_written_anew(grown: Grown, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    shutil.copy(grown.path, tmp_path / "grown.pdf")
    tool("qpdf", tmp_path / "grown.pdf", path)
    arguments: list[list[object]] = [["restore", path, "--revision", 1, "-o", tmp_path / "old.pdf"], ["diff", path]]
    for done in [webcapture(*given) for given in arguments]:
        assert (done.status, done.output) == (2, "")
        [line] = done.log.splitlines()
        assert "is lost; another program has rewritten the file" in line
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["grown.pdf", "site.pdf"]


def test_the_newest_state_is_the_file_as_it_is(grown: Grown, tmp_path: Path) -> None:
    """No later run has recorded its digest, so the output does not mention the bytes that wcspider wrote."""
    once, path, output = (tmp_path / name for name in ("once.pdf", "site.pdf", "new.pdf"))
    once.write_bytes(grown.states[0])
    tool("qpdf", once, path)
    assert path.read_bytes() != grown.states[0]
    done = webcapture("restore", path, "--revision", 1, "-o", output)
    assert (done.status, done.log) == (0, "")
    assert done.output.startswith(f"{output}: {path} as it is now, revision 1 (")
    assert output.read_bytes() == path.read_bytes()
    assert [row["length"] for row in _history(path)] == [path.stat().st_size]


def _history(path: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(webcapture("history", path, "--json").output)["revisions"]
    return rows
