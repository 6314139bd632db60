"""``scrapy webcapture``: its output as text and as JSON, and its exit status."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from examples.make_assets import SITE
from tests.conftest import ExampleCapture
from tests.support import pdf_samples
from tests.support.crawls import Archive, Run, run, webcapture
from tests.support.paths import ROOT

KEYS = ["subtype", "id", "text_id", "title", "content_type", "created", "pages", "images", "sources"]
"""Of a content set in JSON, in this order."""

TWINS = "press/notice-copy.html"


@pytest.fixture(scope="session")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that breaks two rules of the clause."""
    path = pdf_samples.conforming_pdf(tmp_path_factory.mktemp("broken") / "broken.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.Root.SpiderInfo.V = pikepdf.String("one")
        pdf.pages[1].PZ = 0
        pdf.save(path)
    return path


@pytest.fixture(scope="session")
def runs(example: ExampleCapture, broken: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The results of the commands."""
    folder = tmp_path_factory.mktemp("commands")
    plain = pdf_samples.plain_pdf(1, folder / "plain.pdf")
    encrypted = pdf_samples.encrypted_pdf(folder / "encrypted.pdf")
    text = folder / "text.pdf"
    text.write_text("text")
    pdf, site = example.pdf, example.site
    tower = hashlib.md5((SITE / "images" / "lighthouse.jpg").read_bytes(), usedforsecurity=False).hexdigest()
    commands: dict[str, list[object]] = {
        "list": ["list", pdf],
        "list json": ["list", pdf, "--json"],
        "list plain": ["list", plain],
        "omitted plain": ["omitted", plain],
        "list plain json": ["list", plain, "--json"],
        "find url": ["find", pdf, "--url", f"{site}/{TWINS}"],
        "find url json": ["find", pdf, "--url", f"{site}/{TWINS}", "--json"],
        "find first of chain": ["find", pdf, "--url", f"{site}/old/"],
        "find middle of chain": ["find", pdf, "--url", f"{site}/news/2019"],
        "find other spelling": ["find", pdf, "--url", f"{site.replace('http', 'HTTP')}/lang/../map.html#top"],
        "find page and image": ["find", pdf, "--url", f"{site}/images/chart.png"],
        "find md5": ["find", pdf, "--md5", tower.upper()],
        "find nothing": ["find", pdf, "--url", f"{site}/sponsors.html"],
        "find nothing json": ["find", pdf, "--md5", "0" * 32, "--json"],
        "find no url": ["find", pdf, "--url", "no URL"],
        "find what": ["find", pdf],
        "find both": ["find", pdf, "--url", site, "--md5", tower],
        "find bad md5": ["find", pdf, "--md5", "12zz"],
        "check": ["check", pdf],
        "check broken": ["check", broken],
        "check plain": ["check", plain],
        "missing": ["list", folder / "missing.pdf"],
        "check missing": ["check", folder / "missing.pdf"],
        "encrypted": ["list", encrypted],
        "check encrypted": ["check", encrypted],
        "text": ["find", text, "--md5", tower],
        "folder": ["list", folder],
        "no file": ["list"],
        "no command": [],
        "unknown": ["lst", pdf],
        "quite unknown": ["--nolog", "quux"],
    }
    done = [webcapture(*arguments) for arguments in commands.values()]
    return dict(zip(commands, done, strict=True))


def _json(run: Run) -> dict[str, Any]:
    assert run.log == ""
    found: dict[str, Any] = json.loads(run.output)
    return found


def test_list_as_json(runs: dict[str, Run], example: ExampleCapture) -> None:
    found = _json(runs["list json"])
    assert runs["list json"].status == 0
    assert list(found) == ["version", "content_sets", "commands", "omitted"]
    assert found["version"] == 1.0
    assert [list(row) for row in found["content_sets"]] == [KEYS] * len(found["content_sets"])
    with Archive(example.pdf) as archive:
        pages = [row for row in found["content_sets"] if row["subtype"] == "SPS"]
        assert [(row["id"], row["title"], row["pages"]) for row in pages] == [
            (stored.identifier.hex(), stored.title or None, [page + 1 for page in stored.pages])
            for stored in archive.page_sets
        ]
        images = [row for row in found["content_sets"] if row["subtype"] == "SIS"]
        assert {(row["id"], *(image["references"] for image in row["images"])) for row in images} == {
            (stored.identifier.hex(), *stored.counts) for stored in archive.image_sets
        }
    assert found["content_sets"] == pages + images


def test_a_page_set_as_json(runs: dict[str, Run], example: ExampleCapture) -> None:
    site = example.site
    found = next(row for row in _json(runs["list json"])["content_sets"] if row["title"] == "History of the tower")
    assert len(bytes.fromhex(found.pop("id"))) == len(bytes.fromhex(found.pop("text_id"))) == 16
    assert found == {
        "subtype": "SPS",
        "title": "History of the tower",
        "content_type": "text/html",
        "created": "2026-03-01T12:00:00Z",
        "pages": [3],
        "images": [],
        "sources": [
            {
                "url": f"{site}/history.html",
                "chains": [[f"{site}/about"], [f"{site}/old/", f"{site}/news/2019"]],
                "updated": "2026-03-01T12:00:00Z",
                "expires": "2036-01-01T00:00:00Z",
                "gone": None,
                "form": 0,
                "command": 0,
            }
        ],
    }


def test_an_image_set_as_json(runs: dict[str, Run], example: ExampleCapture) -> None:
    found = next(row for row in _json(runs["list json"])["content_sets"] if row["content_type"] == "image/gif")
    assert (found["subtype"], found["text_id"], found["title"], found["pages"]) == ("SIS", None, None, [])
    counts = [3, 0, 0, 0, 0, 0]
    assert found["images"] == [{"width": 32, "height": 32, "references": count} for count in counts]
    [source] = found["sources"]
    assert (source["url"], source["expires"], source["command"]) == (f"{example.site}/images/beam.gif", None, None)


def test_a_command_as_json(runs: dict[str, Run], example: ExampleCapture) -> None:
    [command] = _json(runs["list json"])["commands"]
    assert command["settings"].pop("engine").startswith("WCSP:plutobook:")
    assert command == {
        "url": f"{example.site}/",
        "levels": 2**31 - 1,
        "flags": ["SameSite"],
        "post": False,
        "withheld": [],
        "content_type": None,
        "headers": {},
        "sitemap": False,
        "allow": None,
        "deny": None,
        "since": None,
        "until": None,
        "settings": {
            "PageSize": "A4",
            "Orientation": "portrait",
            "Margins": "15mm",
            "Media": "print",
            "Scale": 1.0,
            "Stamp": "none",
        },
    }


def test_list_as_text(runs: dict[str, Run], example: ExampleCapture) -> None:
    lines = runs["list"].output.splitlines()
    site, time = example.site, "2026-03-01T12:00:00Z"
    assert (runs["list"].status, runs["list"].log) == (0, "")
    assert lines[0] == "pages 1-2  Skerry Point Lighthouse Museum"
    assert lines[2:6] == [
        f"    {site}/  (as of {time}, expires 2026-03-01T13:00:00Z)",
        f"      from {site}/home",
        f"    {site}/index.html  (as of {time}, expires 2026-03-01T13:00:00Z)",
        "page 3  History of the tower",
    ]
    assert f"      from {site}/old/ -> {site}/news/2019" in lines
    assert "image  480 x 300, on 5 pages" in lines
    assert "image  32 x 32, on 3 pages, and 5 more on no page" in lines
    assert lines[-2:] == [
        f"command 0  {site}/  (all levels, SameSite)",
        f"skipped: {_json(runs['list json'])['omitted']} pages (see: scrapy webcapture omitted {example.pdf})",
    ]


def test_a_file_without_web_capture(runs: dict[str, Run]) -> None:
    assert _json(runs["list plain json"]) == {"version": None, "content_sets": [], "commands": [], "omitted": 0}
    assert (runs["list plain"].status, runs["list plain"].output) == (0, "the file contains no captured page\n")
    assert (runs["omitted plain"].status, runs["omitted plain"].output) == (1, "the file records no skipped page\n")
    assert runs["check plain"].status == 0


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("find url", ["page 21  Notice of closure"]),
        ("find first of chain", ["page 3  History of the tower"]),
        ("find middle of chain", ["page 3  History of the tower"]),
        ("find other spelling", ["page 6  Map of the point"]),
        ("find page and image", ["page 28  chart.png", "image  1200 x 800, on 1 page"]),
        ("find md5", ["image  480 x 300, on 5 pages"]),
    ],
)
def test_find(runs: dict[str, Run], name: str, lines: list[str]) -> None:
    found = [line for line in runs[name].output.splitlines() if not line.startswith(" ")]
    assert (runs[name].status, runs[name].log, found) == (0, "", lines)


def test_find_as_json(runs: dict[str, Run], example: ExampleCapture) -> None:
    found = _json(runs["find url json"])
    assert [row["pages"] for row in found["content_sets"]] == [[21]]
    urls = [source["url"] for source in found["content_sets"][0]["sources"]]
    assert urls == [f"{example.site}/press/notice.html", f"{example.site}/{TWINS}"]
    # The commands are there, since the sources point to them.
    assert [command["url"] for command in found["commands"]] == [f"{example.site}/"]


def test_find_nothing(runs: dict[str, Run]) -> None:
    nothing = runs["find nothing"]
    assert (nothing.status, nothing.output, nothing.log) == (1, "nothing found\n", "")
    assert runs["find nothing json"].status == 1
    assert _json(runs["find nothing json"])["content_sets"] == []


def test_check(runs: dict[str, Run], example: ExampleCapture) -> None:
    assert (runs["check"].status, runs["check"].log) == (0, "")
    assert runs["check"].output == f"{example.pdf}: no violation found\n"


def test_check_of_a_broken_file(runs: dict[str, Run]) -> None:
    """One line for each rule that is broken: its weight, its name, which begins with its clause, and the place."""
    lines = [line.split("  ", 2) for line in runs["check broken"].output.splitlines()]
    assert (runs["check broken"].status, runs["check broken"].log) == (1, "")
    assert [line[:2] for line in lines] == [["error", "14.10.2-v"], ["error", "14.10.6-pz"]]
    assert [line[2].partition(" (")[0] for line in lines] == ["SpiderInfo", "page 2"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("find what", "a URL or an identifier is missing; add --url URL or --md5 HEX"),
        ("find both", "argument --md5: not allowed with argument --url; see: scrapy webcapture find --help"),
        ("find no url", "'no URL' is not an absolute URL; give an absolute http"),
        ("find bad md5", "--md5 12zz is not an MD5; give 32 hexadecimal digits"),
        ("missing", "missing.pdf"),
        ("check missing", "missing.pdf"),
        ("encrypted", "is encrypted; decrypt it first"),
        ("check encrypted", "is encrypted"),
        ("text", "is not a PDF file; name a PDF file"),
        ("folder", ": is a folder; name a file"),
        ("no file", "the following arguments are required: FILE; see: scrapy webcapture list --help"),
        ("no command", "webcapture needs a subcommand and a file; try: scrapy webcapture list FILE"),
        ("unknown", "unknown subcommand lst; did you mean list?"),
        ("quite unknown", "unknown subcommand quux; use one of: list, find, why, omitted, report, status, check, "),
    ],
)
def test_mistakes(runs: dict[str, Run], name: str, said: str) -> None:
    assert (runs[name].status, runs[name].output) == (2, "")
    [line] = runs[name].log.splitlines()
    assert line.startswith("scrapy webcapture: ")
    assert said in line


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A damaged file, with the same file before the damage beside it."""
    pdf_samples.conforming_pdf(tmp_path / "whole.pdf")
    return pdf_samples.misplaced_pdf(tmp_path / "damaged.pdf")


@pytest.mark.parametrize(
    "arguments",
    [["list"], ["list", "--json"], ["history"], ["text"], ["search", "the"], ["versions", "http://www.example.com/"]],
)
def test_a_damaged_file_is_read_and_the_damage_reported(damaged: Path, arguments: list[str]) -> None:
    subcommand, *options = arguments
    done, whole = (webcapture(subcommand, path, *options) for path in (damaged, damaged.with_name("whole.pdf")))
    lines = done.log.splitlines()
    assert done.status == whole.status
    assert len(lines) == 1
    assert f"{damaged}: is damaged (" in lines[0]
    assert f"scrapy webcapture optimize {damaged} --output REPAIRED" in lines[0]
    if subcommand != "history":
        assert done.output == whole.output


def test_a_damaged_file_is_repaired_into_another_file(damaged: Path) -> None:
    in_place = webcapture("optimize", damaged)
    assert (in_place.status, in_place.output) == (2, "")
    assert f"repair it first: scrapy webcapture optimize {damaged} --output REPAIRED" in in_place.log
    repaired = damaged.with_name("repaired.pdf")
    done = webcapture("optimize", damaged, "--output", repaired)
    assert done.status == 0
    assert f"{damaged}: was damaged (" in done.log
    whole = webcapture("list", damaged.with_name("whole.pdf")).output
    assert webcapture("list", repaired).output == whole


def run_with_output(output: int, *arguments: object) -> tuple[int, str]:
    """Run a subcommand with its output to a descriptor; return its exit status and its messages."""
    command = [sys.executable, "-m", "scrapy", "webcapture", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["text"], ["check"]])
def test_output_to_a_pipe_that_nobody_reads(tmp_path: Path, arguments: list[str]) -> None:
    subcommand, *options = arguments
    path = pdf_samples.conforming_pdf(tmp_path / "site.pdf")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert run_with_output(writer, subcommand, path, *options) == (0, "")
    finally:
        os.close(writer)


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["text"], ["check"]])
def test_output_to_a_full_device(tmp_path: Path, arguments: list[str]) -> None:
    subcommand, *options = arguments
    path = pdf_samples.conforming_pdf(tmp_path / "site.pdf")
    with Path("/dev/full").open("wb") as full:
        status, log = run_with_output(full.fileno(), subcommand, path, *options)
    assert status == 2
    assert log == (
        "scrapy webcapture: the output: No space left on device; "
        "check the permissions, the free space and the limits (ulimit)\n"
    )


def test_help() -> None:
    done = webcapture("--help")
    assert (done.status, done.log) == (0, "")
    for part in (
        "Read, check, compare and rewrite PDF files with Web Capture content",
        "usage: scrapy webcapture SUBCOMMAND FILE [options]",
        "--url URL",
        "--md5 HEX",
        "--json",
        "scrapy webcapture find site.pdf --url https://example.com/",
    ):
        assert part in done.output


@pytest.mark.parametrize("spider", ["capture", "refresh"])
def test_the_help_of_a_spider_has_its_arguments(spider: str) -> None:
    done = run("crawl", spider, "--help")
    assert (done.status, done.log) == (0, "")
    assert f"Arguments of the {spider} spider" in done.output
    assert "\n  cookies=FILE\n" in done.output


def test_the_help_without_a_spider_is_that_of_scrapy() -> None:
    done = run("crawl", "--help")
    assert done.status == 0
    assert done.output.startswith("Usage\n=====\n  scrapy crawl [options] <spider>")
    assert "Arguments of" not in done.output
