"""Tables of the captured pages (``-O pages.csv``): a place that cannot be used is said, and costs nothing else."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest

from tests.support import pdf_samples
from tests.support.crawls import Run, crawl_arguments, run, run_module, started, webcapture
from tests.support.http_server import Reply, SiteServer, page
from tests.support.pictures import grey_png
from wcspider.archive.check.checker import check_file
from wcspider.downloading.graceful_stop import STOPPING


@pytest.fixture
def site(server: Callable[..., SiteServer]) -> SiteServer:
    """A site of two pages."""
    pages = {"/": page("<title>Start</title><a href=/two>two</a>"), "/two": page("<title>Two</title>", gate="two")}
    return server(pages)


def _captured(site: SiteServer, path: Path, *options: object) -> Run:
    return run(*crawl_arguments(site.url(), path), *options)


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("/proc/pages.csv", "No such file or directory"),
        ("none/pages.csv", "No such file or directory"),
        ("folder.csv", "it is a folder"),
    ],
)
def test_a_place_that_cannot_be_used_is_refused_before_the_first_request(
    site: SiteServer, tmp_path: Path, place: str, problem: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    table = tmp_path / place
    done = _captured(site, tmp_path / "site.pdf", "-O", table)
    assert (done.status, site.requests) == (2, [])
    assert done.problem.startswith(f"the table {table} cannot be written: {problem}; ")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("-O", "/dev/full:csv"), "the table /dev/full was not written: No space left on device; "),
        (("-O", "{}/pages.csv", "-s", "FEED_TEMPDIR=/none"), "the table {}/pages.csv was not written: Not a Dir"),
        (("-O", "ftp://me:secret@127.0.0.1:1/a.csv"), "the table ftp://127.0.0.1:1/a.csv was not written: Connection "),
    ],
)
def test_a_table_that_fails_costs_an_exit_status_and_nothing_else(
    site: SiteServer, tmp_path: Path, options: tuple[str, ...], problem: str
) -> None:
    table, path = tmp_path / "pages.csv", tmp_path / "site.pdf"
    table.write_text("older")
    done = _captured(site, path, *(option.format(tmp_path) for option in options))
    assert done.status == 3
    assert done.problem.startswith(problem.format(tmp_path))
    assert done.problem.endswith(f"for all pages: scrapy webcapture list {path} --json")
    assert "secret" not in done.problem
    assert table.read_text() == "older"
    assert list(check_file(path)) == []


def test_a_crawl_that_cannot_begin_leaves_the_older_table(site: SiteServer, tmp_path: Path) -> None:
    table = tmp_path / "pages.csv"
    table.write_text("older")
    assert _captured(site, tmp_path / "none" / "site.pdf", "-O", table).status == 1
    assert table.read_text() == "older"


def test_rows_can_be_appended(site: SiteServer, tmp_path: Path) -> None:
    table = tmp_path / "pages.jsonl"
    table.write_text("older\n")
    assert _captured(site, tmp_path / "site.pdf", "-o", table).status == 0
    assert [line[:7] for line in table.read_text().splitlines()] == ["older", '{"url":']


def test_a_crawl_that_is_continued_tells_which_pages_its_table_lacks(site: SiteServer, tmp_path: Path) -> None:
    path, table = tmp_path / "site.pdf", tmp_path / "pages.csv"
    command = [*crawl_arguments(site.url(), path, levels=2), "-O", table]
    with started(*command) as crawl:
        site.wait_for("/two")
        crawl.process.send_signal(signal.SIGINT)
        assert crawl.process.stderr is not None
        while STOPPING not in crawl.process.stderr.readline():
            pass
        site.open_gate("two")
        assert crawl.end().status == 1
    done = run(*command)
    assert done.status == 0
    [lacking] = [line for line in done.messages("WARNING") if "table" in line]
    assert lacking == (
        f"the table {table} does not contain the 2 pages captured before the crawl was continued; "
        f"for all pages: scrapy webcapture list {path} --json"
    )


def test_an_unknown_ending_is_said_with_the_known_ones(tmp_path: Path) -> None:
    for name in ("pages.txt", "."):
        done = run_module("wcspider", "capture", "http://127.0.0.1:1/", "-O", name, folder=tmp_path)
        advice = "a table ends with .csv, .json, .jsonl or .xml; write -O pages.csv"
        assert (done.status, done.log) == (2, f"wcspider: -O {name}: {advice}\n")


def _titled(folder: Path, title: str) -> bytes:
    path = pdf_samples.plain_pdf(1, folder / "titled.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.docinfo.Title = pikepdf.String(title)
        pdf.save(path)
    return path.read_bytes()


def test_files_and_images_have_their_titles(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    """They are read when the page is laid out."""
    files = server(
        {
            "/report.pdf": Reply(_titled(tmp_path, "Minutes of 1901"), content_type="application/pdf"),
            "/plan.pdf": Reply(_titled(tmp_path, ""), content_type="application/pdf"),
            "/map.png": Reply(grey_png(60, 40, 128), content_type="image/png"),
            "/read.txt": Reply(b"Plain text", content_type="text/plain"),
        }
    )
    table, path = tmp_path / "pages.json", tmp_path / "site.pdf"
    names = ("report.pdf", "plan.pdf", "map.png", "read.txt")
    urls = ",".join(files.url(f"/{name}") for name in names)
    assert run(*crawl_arguments(urls, path), "-O", table).status == 0
    found = {row["url"].rpartition("/")[2]: row["title"] for row in json.loads(table.read_text())}
    listed = json.loads(webcapture("list", path, "--json").output)["content_sets"]
    assert found == dict(zip(names, [row["title"] for row in listed if row["pages"]], strict=True))
    assert [found[name] for name in names[:3]] == ["Minutes of 1901", "plan.pdf", "map.png"]


@pytest.mark.parametrize("spider", ["capture", "refresh"])
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("-O", "{}/site.pdf:csv"), "the table {}/site.pdf: this is the captured file itself"),
        (("-o", "{}/site.pdf:csv"), "the table {}/site.pdf: this is the captured file itself"),
        (("-O", "{}/link.csv"), "the table {}/link.csv: this is the captured file itself"),
        (
            ("-O", "{}/site.pdf.part:json"),
            "the table {}/site.pdf.part: this is the unfinished work on the captured file",
        ),
        (("-s", "FEED_URI={}/site.pdf"), "the table {}/site.pdf: this is the captured file itself"),
        (
            ("-s", 'FEEDS={{"{}/site.pdf": {{"format": "csv"}}}}'),
            "the table {}/site.pdf: this is the captured file itself",
        ),
        (("-s", "LOG_FILE={}/site.pdf"), "the log {}/site.pdf: this is the captured file itself"),
        (
            ("-s", "LOG_FILE={}/site.pdf.part.db"),
            "the log {}/site.pdf.part.db: this is the journal of the unfinished work",
        ),
        (
            ("-s", "WEBCAPTURE_SHIP_TO={}/site.pdf.part"),
            "{}/site.pdf.part: this is the unfinished work on the captured file",
        ),
    ],
)
def test_no_other_output_replaces_the_file(
    site: SiteServer, tmp_path: Path, spider: str, options: tuple[str, str], problem: str
) -> None:
    site.open_gate("two")
    assert run(*crawl_arguments(site.url(), tmp_path / "site.pdf")).status == 0
    (tmp_path / "link.csv").symlink_to("site.pdf")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    place = ["-a", f"pdf={tmp_path}/site.pdf", *(["-a", f"url={site.url()}"] if spider == "capture" else [])]
    site.forget()
    done = run("crawl", spider, *place, *(option.format(tmp_path) for option in options))
    assert done.status == 2, done.log
    assert problem.format(tmp_path) in done.log
    assert site.requests == []
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_table_does_not_replace_an_input(site: SiteServer, tmp_path: Path) -> None:
    listed = tmp_path / "urls.csv"
    listed.write_text(site.url())
    done = run("crawl", "capture", "-a", f"urls={listed}", "-a", f"pdf={tmp_path / 'site.pdf'}", "-O", listed)
    assert (done.status, listed.read_text()) == (2, site.url())
    assert f"the table {listed}: this is the file of urls; name another file" in done.log


def test_a_crawl_without_a_page_leaves_the_older_table(site: SiteServer, tmp_path: Path) -> None:
    table = tmp_path / "pages.json"
    table.write_text("older")
    assert run(*crawl_arguments("http://127.0.0.1:9/", tmp_path / "site.pdf"), "-O", table).status == 1
    assert table.read_text() == "older"
