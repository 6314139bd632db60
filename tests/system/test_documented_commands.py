"""The commands in README.md and docs/: each is run as it is printed, in order, and its output is compared.

https://example.com/ stands for two servers on loopback: commands that crawl reach a small site with the paths that the
documentation names, commands that read a file get a capture of examples/site with a refresh behind it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from tests.conftest import ExampleCapture
from tests.support.crawls import run, run_module
from tests.support.http_server import Reply, SiteServer, page
from tests.support.paths import ROOT
from wcspider.cli import program
from wcspider.commands.webcapture import Command

pytestmark = pytest.mark.slow

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

NOT_RUN = {
    "make ": "tests/test_makefile.py runs make",
    "apt-get ": "installs packages of the system",
    "mkdir ": "makes folders in the home folder",
    "pip install ": "fetches packages",
    "python3 -m venv ": "fetches packages in its next line",
    ".venv/bin/": "the environment of the tests is another one",
    ". .venv/bin/activate": "the environment of the tests is another one",
    "python -m benchmarks.": "a benchmark: minutes to hours",
    "python -m tests.": "needs a long capture; the conformance tests run it",
    "python examples/cluster/nightly.py ": "needs daemons; tests/system/scrapyd/test_nightly.py runs it",
    "scrapy crawl capture -a url=http://wiki.corp.example/": "its option is shown with networks that do not exist here",
}
"""The beginnings of commands that this test does not run, with the reason."""

OTHER_TEST = {"scrapyd.md": "tests/system/scrapyd/test_page.py follows the whole page"}
"""The pages with a test of their own."""

NOT_COMPARED = {
    "scrapy webcapture merge ": "it shows files of two sites; test_merge_command.py compares such output",
    "scrapy webcapture diff ": "it shows a site that has changed; test_history_commands.py compares such output",
}
"""The beginnings of commands that are run, but whose output is that of another file, with the reason."""

STATUS = {"scrapy webcapture why": 1, "wcspider why": 1}
"""The exit statuses of commands whose result is negative in the documentation."""

EXAMPLE = "https://example.com/"
QUICK = {"SCRAPY_SETTINGS_MODULE": "tests.support.quick_settings", "PYTHONPATH": str(ROOT)}

_FENCE = re.compile(
    r"^```(?P<kind>\w*)\n(?P<text>.*?)^```$(?:\n\n```\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL
)
_CELL = re.compile(r"^\|[^|]*\| `((?:scrapy|wcspider|make) [^`]*)`", re.MULTILINE)
_CHANGING = [
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "DATE"),
    (re.compile(r"\d+(\.\d+)? (kB|MB|bytes)"), "SIZE"),
    (re.compile(r"127\.0\.0\.1:\d+"), "HOST"),
]


@dataclass(frozen=True)
class Shown:
    """A command with the output that the documentation shows; None if it shows none."""

    page: str
    command: str
    output: str | None

    @property
    def is_run(self) -> bool:
        """True if this test runs it."""
        return not any(self.command.startswith(beginning) for beginning in NOT_RUN)

    @property
    def crawls(self) -> bool:
        """True if it requests pages."""
        return re.match(r"(scrapy crawl|wcspider capture|wcspider refresh) ", self.command) is not None


def shown_commands(page: Path) -> Iterator[Shown]:
    """Yield the commands of a page in its order: from its blocks, and from the tables of README.md."""
    text = page.read_text("utf-8")
    found = [(match.start(), shown) for match in _FENCE.finditer(text) for shown in _in_block(page.name, match)]
    if page.name == "README.md":
        found += [(match.start(), Shown(page.name, match[1], None)) for match in _CELL.finditer(text)]
    yield from (shown for _, shown in sorted(found, key=lambda entry: entry[0]))


def _in_block(name: str, match: re.Match[str]) -> Iterator[Shown]:
    text = match["text"].replace("\\\n", " ")
    if text.startswith("$ "):
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield Shown(name, command, output)
    elif match["kind"] == "sh":
        commands = [line.strip() for line in text.splitlines()]
        for command in commands:
            yield Shown(name, command, match["output"] if command == commands[-1] else None)


ALL = [shown for page in PAGES if page.name not in OTHER_TEST for shown in shown_commands(page)]


def test_each_exception_is_needed() -> None:
    assert [
        start for start in NOT_RUN | NOT_COMPARED if not any(shown.command.startswith(start) for shown in ALL)
    ] == []
    assert [name for name in OTHER_TEST if not (ROOT / "docs" / name).is_file()] == []


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    """A site with the paths of the documentation."""
    links = "".join(f"<a href={path}>{path}</a> " for path in ("/guide/", "/members/", "/news/", "/lost"))
    replies: dict[str, Reply] = {
        "/": page(f"<title>Start</title><p>{links}"),
        **{path: page(f"<title>{path}</title><p>text") for path in ("/guide/", "/members/", "/news/", "/search")},
        "/search?q=lighthouse": page("<title>Found</title><p>lighthouse"),
        "POST /search": page("<title>Found</title><p>lighthouse"),
        "POST /upload": page("<title>Uploaded</title><p>query"),
        "/robots.txt": Reply(b"Sitemap: /sitemap.xml\n", content_type="text/plain"),
    }
    with SiteServer(replies) as server:
        listed = f"<url><loc>{server.url('/guide/')}</loc><lastmod>2026-02-01</lastmod></url>"
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
        server.update({"/sitemap.xml": Reply(sitemap.encode(), content_type="application/xml")})
        yield server


@pytest.fixture(scope="module")
def two_states(example: ExampleCapture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The capture of examples/site, and a refresh that changes nothing."""
    path = tmp_path_factory.mktemp("states") / "site.pdf"
    shutil.copy(example.pdf, path)
    done = run("crawl", "refresh", "-a", f"pdf={path}", "-a", "force=true", environment=QUICK)
    assert done.status == 0, done.log
    return path


@pytest.mark.parametrize("name", sorted({shown.page for shown in ALL if shown.crawls and shown.is_run}))
def test_commands_that_crawl_work_in_order(name: str, site: SiteServer, tmp_path: Path) -> None:
    _write_inputs(tmp_path, site)
    for shown in (shown for shown in ALL if shown.page == name and shown.crawls and shown.is_run):
        program_name, *arguments = shlex.split(_here(shown.command, site.url(), tmp_path))
        done = run_module(program_name, *arguments, folder=tmp_path, environment={**QUICK, "HOME": str(tmp_path)})
        assert done.status == 0, f"{shown.command}\n{done.log}"
        if shown.output is not None:
            assert matches(done.log.replace(site.url(), EXAMPLE), shown.output), f"{shown.command}\n{done.log}"


def _write_inputs(folder: Path, site: SiteServer) -> None:
    """Write the files that the commands name."""
    (folder / "copies").mkdir()
    (folder / "pages.txt").write_text(f"# pages\n{site.url('/guide/')}\n{site.url('/news/')}\n")
    (folder / "form.txt").write_text("q=lighthouse")
    (folder / "query.json").write_text('{"q": "lighthouse"}')
    (folder / "cookies.txt").write_text("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\tabc\n")
    (folder / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    (folder / ".netrc").chmod(0o600)


def _here(command: str, url: str, folder: Path) -> str:
    """Return a command with this machine's URLs and folders. Copies go to a folder, not to a service of the web."""
    return (
        command.replace(EXAMPLE, url)
        .replace("https://example.org/", url.replace("127.0.0.1", "localhost"))
        .replace("s3://bucket/", f"{folder}/copies/")
        .replace("~/", f"{folder}/")
    )


@pytest.mark.parametrize(
    "shown",
    [shown for shown in ALL if shown.is_run and not shown.crawls],
    ids=lambda shown: f"{shown.page}: {shown.command}",
)
def test_commands_that_read_a_file_say_what_is_shown(
    shown: Shown,
    example: ExampleCapture,
    two_states: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "wcspider.settings")  # wcspider merge would set it for good
    for name in ("site.pdf", "example.pdf"):
        os.link(two_states, tmp_path / name)
    for name in ("north.pdf", "south.pdf"):  # files of their own: a file is merged once
        shutil.copy(two_states, tmp_path / name)
    status = _in_process(shlex.split(shown.command.replace(EXAMPLE, f"{example.site}/")))
    written = capsys.readouterr().out
    expected = next((number for start, number in STATUS.items() if shown.command.startswith(start)), 0)
    assert status == expected, written
    if shown.output is not None and not any(shown.command.startswith(start) for start in NOT_COMPARED):
        assert matches(written.replace(f"{example.site}/", EXAMPLE), shown.output), written


@pytest.mark.parametrize(
    "line",
    [
        "list",
        "find --url URL",
        "why URL",
        "why URL-x",
        "omitted",
        "text",
        "search bees",
        "history",
        "versions URL",
        "diff",
    ],
)
def test_every_key_of_json_is_documented(
    line: str, example: ExampleCapture, two_states: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *others = line.replace("URL", f"{example.site}/keepers.html").split()
    _in_process(["wcspider", name, str(two_states), *others, "--json"])
    text = (ROOT / "docs" / "json.md").read_text("utf-8")
    keys = set(_keys(json.loads(capsys.readouterr().out)))
    assert {key for key in keys if f'"{key}"' not in text and f"`{key}`" not in text} == set()


def _keys(value: Any) -> Iterator[str]:
    """Yield the keys of an object and of the objects in it. The settings of a command are those of its engine."""
    if isinstance(value, list):
        for entry in value:
            yield from _keys(entry)
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield key
            if key not in ("settings", "headers"):
                yield from _keys(entry)


@pytest.mark.parametrize("name", ["README.md", "docs/usage.md"])
def test_the_summary_is_that_of_the_example(name: str, example: ExampleCapture) -> None:
    text = (ROOT / name).read_text("utf-8")
    [shown] = [match["text"] for match in _FENCE.finditer(text) if match["text"].startswith("Captured ")]
    summary = "\n".join(example.run.summary).replace(str(example.pdf), "example.pdf")
    assert matches(summary, shown), summary


def _in_process(words: list[str]) -> int:
    """Run ``wcspider`` or ``scrapy webcapture``; return the exit status. A redirection is left out."""
    arguments = words[: words.index(">")] if ">" in words else words
    if arguments[0] == "wcspider":
        return program.main(arguments[1:])
    assert arguments[:2] == ["scrapy", "webcapture"], f"add {words} to NOT_RUN, with a reason"
    command = Command()
    command.settings = Settings()
    command.run([], Namespace(arguments=arguments[2:]))
    return command.exitcode


def matches(written: str, shown: str) -> bool:
    """Tell whether the output matches. ``...`` stands for any text, and dates and sizes for any date and size."""
    pattern = ".*".join(re.escape(_steady(part)) for part in shown.strip().split("..."))
    return re.fullmatch(pattern, _steady(written.strip()), re.DOTALL) is not None


def _steady(text: str) -> str:
    for changing, name in _CHANGING:
        text = changing.sub(name, text)
    return re.sub(r"[ \t]+\n", "\n", text)


@pytest.mark.parametrize(
    ("written", "shown", "expected"),
    [
        ("a\nb\n", "a\nb", True),
        ("a\nc\n", "a\nb", False),
        ("a\nb\nc", "a\n...\nc", True),
        ("1.5 kB, 2026-01-01T00:00:00Z", "23 MB, 2025-12-31T23:59:59Z", True),
        ("3 pages", "4 pages", False),
    ],
)
def test_the_comparison_finds_differences(written: str, shown: str, *, expected: bool) -> None:
    assert matches(written, shown) is expected
