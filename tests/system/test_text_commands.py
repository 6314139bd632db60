"""``scrapy webcapture text`` and ``search`` on a file that a real crawl has made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.support import pdf_samples
from tests.support.crawls import Archive, Run, captured, webcapture
from tests.support.http_server import Reply, Site, SiteServer, page, redirect
from tests.support.sample_fonts import LATIN, Sample
from tests.support.tagged_pages import Element, tagged
from tests.support.text_samples import ACTUAL_TEXT

INITIAL = next(sample for sample in ACTUAL_TEXT if sample.text == "Once")
TAGGED = Sample("", LATIN, tagged(b"/P <</MCID 0>> BDC BT /F 12 Tf 20 100 Td (x) Tj ET EMC", Element([0], "said")), "")
SITE: Site = {
    "/": page(
        "<title>Start</title><p>The keeper of the Lighthouse. <a href=/old>1</a> <a href=/p>2</a> <a href=/t>3</a>"
    ),
    "/old": redirect("/lamp"),
    "/lamp": page("<title>Lamp</title><p>A lamp, and its keeper."),
    "/p": Reply(INITIAL.pdf(), content_type="application/pdf"),
    "/t": Reply(TAGGED.pdf(), content_type="application/pdf"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A file with the site behind a page of somebody else's, and the URL of the site."""
    path = pdf_samples.plain_pdf(1, tmp_path_factory.mktemp("text") / "site.pdf")
    with SiteServer(SITE) as server:
        captured(server.url(), path, levels=2)
        return path, server.url("").removesuffix("/")


@pytest.fixture(scope="module")
def runs(site: tuple[Path, str]) -> dict[str, Run]:
    """The results of the commands."""
    path, url = site
    damaged = pdf_samples.damaged_pdf(path.with_name("damaged.pdf"))
    missing = pdf_samples.missing_page_pdf(path.with_name("missing.pdf"))
    commands: dict[str, list[object]] = {
        "text": ["text", path],
        "text json": ["text", path, "--json"],
        "text url": ["text", path, "--url", f"{url.upper().replace('HTTP', 'http')}/old", "--json"],
        "text nothing": ["text", path, "--url", f"{url}/nowhere"],
        "text nothing json": ["text", path, "--url", f"{url}/nowhere", "--json"],
        "text damaged": ["text", damaged],
        "text missing": ["text", missing],
        "search missing": ["search", missing, "word"],
        "search": ["search", path, "KEEPER", "lamp"],
        "search json": ["search", "--json", path, "keeper"],
        "search phrase": ["search", path, "keeper of the"],
        "search initial": ["search", path, "once", "--json"],
        "search nothing": ["search", path, "ferry"],
        "search nothing json": ["search", path, "ferry", "--json"],
        "search no words": ["search", path],
        "search empty": ["search", path, ""],
    }
    done = [webcapture(*command) for command in commands.values()]
    return dict(zip(commands, done, strict=True))


def numbers(run: Run) -> list[int]:
    """The page numbers in a JSON object."""
    return [found["page"] for found in json.loads(run.output)["pages"]]


def test_text_has_a_heading_for_each_page(runs: dict[str, Run], site: tuple[Path, str]) -> None:
    _, url = site
    lines = [line for line in runs["text"].output.splitlines() if line]
    assert lines == [
        "page 1",
        f"page 2  {url}/  Start",
        "The keeper of the Lighthouse. 1 2 3",
        f"page 3  {url}/lamp  Lamp",
        "A lamp, and its keeper.",
        f"page 4  {url}/p  p",
        "Once",
        f"page 5  {url}/t  t",
        "x",
    ]
    assert runs["text"].status == 0


def test_text_as_json(runs: dict[str, Run], site: tuple[Path, str]) -> None:
    found = json.loads(runs["text json"].output)["pages"]
    assert [entry["page"] for entry in found] == [1, 2, 3, 4, 5]
    assert found[0] == {"page": 1, "urls": [], "title": None, "text": ""}
    assert found[2] == {"page": 3, "urls": [f"{site[1]}/lamp"], "title": "Lamp", "text": "A lamp, and its keeper."}


def test_text_by_url(runs: dict[str, Run]) -> None:
    assert numbers(runs["text url"]) == [3]
    assert (runs["text nothing"].status, runs["text nothing"].output) == (1, "nothing found\n")
    assert (runs["text nothing json"].status, json.loads(runs["text nothing json"].output)) == (1, {"pages": []})


def test_search(runs: dict[str, Run], site: tuple[Path, str]) -> None:
    _, url = site
    assert runs["search"].output == f"page 3  {url}/lamp  Lamp\n    A lamp, and its keeper.\n"
    assert numbers(runs["search json"]) == [2, 3]
    assert json.loads(runs["search initial"].output)["pages"] == [
        {"page": 4, "urls": [f"{url}/p"], "title": "p", "excerpt": "Once"}
    ]
    assert [line for line in runs["search phrase"].output.splitlines() if line.startswith("page")] == [
        f"page 2  {url}/  Start"
    ]
    assert {runs[name].status for name in ("search", "search json", "search initial", "search phrase")} == {0}


def test_search_for_what_is_nowhere(runs: dict[str, Run]) -> None:
    assert (runs["search nothing"].status, runs["search nothing"].output) == (1, "nothing found\n")
    assert (runs["search nothing json"].status, json.loads(runs["search nothing json"].output)) == (1, {"pages": []})


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("search no words", "the following arguments are required: WORDS"),
        ("search empty", "no word to search for"),
        ("text damaged", "damaged.pdf"),
    ],
)
def test_what_cannot_be_done_is_refused(runs: dict[str, Run], name: str, says: str) -> None:
    assert runs[name].status == 2
    assert says in runs[name].log
    assert "Traceback" not in runs[name].log


@pytest.mark.parametrize("name", ["text missing", "search missing"])
def test_pages_behind_an_unreadable_page_are_read(runs: dict[str, Run], name: str) -> None:
    assert runs[name].status == 1
    assert "page 2" in runs[name].output.splitlines()
    assert "missing.pdf: the text of page 1 cannot be read (Failed to load page.); the rest was read" in runs[name].log


def test_text_identifiers_are_of_the_text_that_the_source_has(site: tuple[Path, str]) -> None:
    path, url = site
    with Archive(path) as archive:
        found = {name: archive.page_set(f"{url}/{name}").text_identifier for name in ("p", "t")}
    assert found == {"p": hashlib.md5(b"Once").digest(), "t": hashlib.md5(b"said").digest()}
