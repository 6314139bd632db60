"""The program ``wcspider``, in folders with and without a project of Scrapy."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.crawls import Archive, Run, run_module
from tests.support.http_server import Reply, SiteServer, page
from tests.support.paths import ROOT
from tests.support.pdf_samples import classic_pdf

SITE: dict[str, Reply] = {
    "/": page("<title>Start</title><p>text <a href=/lost>lost</a><img src=/bad.svg>"),
    "/bad.svg": Reply(b"<svg", content_type="image/svg+xml"),
}


def wcspider(folder: Path, *arguments: object) -> Run:
    """Run the program in a folder."""
    return run_module("wcspider", *arguments, folder=folder)


def test_it_works_in_any_folder_and_shows_the_summary_alone(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server(SITE)
    table = ("-O", "pages.csv")
    done = wcspider(tmp_path, "capture", site.url(), "site.pdf", "--levels", 2, "-s", "WEBCAPTURE_WORKERS=1", *table)
    assert (done.status, done.output) == (0, "")
    rows = csv.DictReader((tmp_path / "pages.csv").read_text("utf-8").splitlines())
    assert [row["url"] for row in rows] == [site.url()]
    assert re.sub(r"\d+\.\d kB", "... kB", done.log).splitlines() == [
        "Captured 1 page into site.pdf (... kB)",
        "  new page sets    1 (1 PDF page)",
        "  already there    0",
        "  new image sets   0",
        "  written          ... kB",
        "Pages skipped: 1",
        "  HTTP 404: 1",
        f"    {site.url('/lost')}",
        "Resources skipped: 1",
        "  an image cannot be read: 1",
        f"    {site.url('/bad.svg')}",
    ]
    listed = wcspider(tmp_path, "list", "site.pdf")
    assert (listed.status, listed.log) == (0, "")
    assert "page 1  Start" in listed.output
    assert wcspider(tmp_path, "find", "site.pdf", "--url", site.url("/none")).status == 1
    refreshed = wcspider(tmp_path, "refresh", "site.pdf", "--force", "-v")
    assert refreshed.status == 0
    assert "Refreshed site.pdf" in refreshed.log
    assert refreshed.messages("INFO", "scrapy.core.engine"), "-v shows the log"


def test_a_project_is_respected(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = own\n")
    (tmp_path / "own.py").write_text(
        "from wcspider.settings import *\nWEBCAPTURE_PAGE_SIZE = 'Letter'\nUSER_AGENT = 'me'\n"
    )
    site = server(SITE)
    done = wcspider(tmp_path, "capture", site.url(), "site.pdf")
    assert done.status == 0, done.log
    assert {request.headers["user-agent"] for request in site.requests} == {"me"}
    with Archive(tmp_path / "site.pdf") as archive:
        assert [int(value) for value in archive.pdf.pages[0].mediabox] == [0, 0, 612, 792]


def test_a_project_of_other_spiders_is_not_overridden(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "project", tmp_path / "project")
    done = wcspider(tmp_path / "project", "capture", "http://127.0.0.1:1/", "site.pdf")
    assert done.status == 2
    assert done.log.startswith("wcspider: the Scrapy project of ")
    assert "has no spider capture; run wcspider in another folder" in done.log


OWN = "[settings]\ndefault = own\n"


@pytest.mark.parametrize(
    ("command", "config", "own", "problem"),
    [
        ("capture", "[settings]\ndefault = missing.settings\n", "", "ModuleNotFoundError: No module named 'missing'"),
        ("capture", OWN, "SPIDER_MODULES = ['missing']", "ModuleNotFoundError: No module named 'missing'"),
        ("capture", "no section\n", "", "MissingSectionHeaderError: "),
        ("merge", OWN, "SPIDER_MODULES = [", "SyntaxError: "),
    ],
)
def test_a_project_that_cannot_be_loaded_is_one_line(
    tmp_path: Path, command: str, config: str, own: str, problem: str
) -> None:
    (tmp_path / "scrapy.cfg").write_text(config)
    (tmp_path / "own.py").write_text(own)
    done = wcspider(tmp_path, command, "http://127.0.0.1:1/", "site.pdf")
    assert (done.status, done.output, len(done.log.splitlines())) == (2, "", 1)
    assert done.log.startswith(f"wcspider: the Scrapy project of {tmp_path}/scrapy.cfg cannot be loaded: {problem}")
    advice = "run wcspider in another folder; to capture with the spiders of a project, see docs/addon.md"
    assert done.log.endswith(f"; {advice} in the sources\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["capture", "example.com"], "wcspider: 'example.com' is not an absolute URL; did you mean https://example.com?\n"),
        (["capture", "http://h/", "--levels", "0"],
         "wcspider capture: levels is '0'; give a whole number from 1 up, or all\n"),
        (["capture", "http://h/", "-s", "WEBCAPTURE_STAMPS=x"], "wcspider capture: unknown setting WEBCAPTURE_STAMPS; "
         "did you mean WEBCAPTURE_STAMP?\n"),
        (["capture", "http://h/", "-s", "DOWNLOAD_TIMEOUT=1m"],
         "wcspider capture: DOWNLOAD_TIMEOUT is '1m', not a number; give a number\n"),
        (["capture", "http://h/", "-s", "FEEDS=x.json"],
         "wcspider: FEEDS is 'x.json', not a JSON object; for a table of the pages, write -O x.json\n"),
        (["capture", "http://h/", "-s", "ITEM_PIPELINES=[1]"],
         "wcspider: ITEM_PIPELINES is '[1]', not a JSON object; give an object\n"),
        (["capture", "http://h/", "-s", "x"], "wcspider: -s x has no value; write -s x=VALUE\n"),
        (["list", "nothing.pdf"], "wcspider: nothing.pdf: no such file; check the path\n"),
        (["lst"], "wcspider: unknown command lst; did you mean list?\n"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = wcspider(tmp_path, *arguments)
    assert (done.status, done.output, done.log) == (2, "", message)


def test_reading_a_file_does_not_need_scrapy(tmp_path: Path) -> None:
    """Its import takes longer than the command."""
    code = (
        "import sys; from wcspider.cli.program import main; main(['find', 'nothing.pdf', '--url', 'http://h/']); "
        "sys.exit('scrapy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.DEVNULL).returncode == 0


def test_the_commands_of_scrapy_load_no_crawl_before_they_run() -> None:
    """Scrapy imports all commands of a project for each of them."""
    code = (
        "import sys, wcspider.commands.crawl, wcspider.commands.webcapture; "
        "sys.exit(any(name in sys.modules for name in ('pikepdf', 'wcspider.config', 'wcspider.crawl')))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("wcspider ref", "refresh"),
        ("wcspider capture --lev", "--levels"),
        ("wcspider list --js", "--json"),
        ("wcspider refresh --gone d", "drop"),
    ],
)
def test_a_shell_completes_commands_and_options(tmp_path: Path, typed: str, offered: str) -> None:
    """Bash calls the program with these variables, as the script of ``wcspider completion bash`` does."""
    answer = tmp_path / "answer"
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "_ARGCOMPLETE_IFS": "\n",
        "COMP_LINE": typed,
        "COMP_POINT": str(len(typed)),
        "COMP_TYPE": "9",
    }
    subprocess.run([sys.executable, "-m", "wcspider"], env=environment, cwd=tmp_path, check=True)
    assert answer.read_text().split() == [offered]


def test_a_local_file_is_answered_with_its_url(tmp_path: Path) -> None:
    (tmp_path / "a b.html").write_text("<p>local")
    done = wcspider(tmp_path, "capture", "a b.html", "site.pdf")
    question = f"did you mean {tmp_path.as_uri()}/a%20b.html?"
    assert (done.status, done.log) == (2, f"wcspider: a b.html is a local file, not a URL; {question}\n")


def test_a_word_that_is_too_long_for_a_file_is_no_url(tmp_path: Path) -> None:
    done = wcspider(tmp_path, "capture", "x" * 300, "site.pdf")
    assert done.status == 2
    assert "is not an absolute URL; give an absolute http, https, ftp or file URL" in done.log


def test_a_file_without_captured_pages_is_called_so(tmp_path: Path) -> None:
    classic_pdf(tmp_path / "plain.pdf")
    done = wcspider(tmp_path, "check", "plain.pdf")
    note = "no violation found; the file contains no captured page"
    assert (done.status, done.output) == (0, f"plain.pdf: {note}\n")


def test_a_status_page_replaces_a_foreign_file_only_by_force(tmp_path: Path) -> None:
    (tmp_path / "status.html").write_text("mine")
    refused = wcspider(tmp_path, "status", ".")
    assert (refused.status, (tmp_path / "status.html").read_text()) == (2, "mine")
    assert refused.log.endswith("wcspider did not write it; name another file, or add --force\n")
    for options in (["--force"], []):
        assert wcspider(tmp_path, "status", ".", *options).output == "status.html\n"
