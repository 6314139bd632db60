"""Additions to captured pages on request: stamps with their origin, and contents pages."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest

from tests.support import pdf_samples
from tests.support.crawls import FIXED_TIME, Run, captured, crawl_arguments, dying, run, tool, webcapture
from tests.support.http_server import Reply, SiteServer, page

NEXT_DAY = "2026-03-02T12:00:00Z"
SETTINGS = {"ROBOTSTXT_OBEY": False, "WEBCAPTURE_FIXED_TIME": FIXED_TIME}
STAMPED = {**SETTINGS, "WEBCAPTURE_STAMP": "footer"}
WITH_CONTENTS = {**SETTINGS, "WEBCAPTURE_CONTENTS": True}

LINKS = " ".join(f"<a href={path}>{path}</a>" for path in ("/a", "/twin", "/plain.txt", "/paper.pdf"))
SITE = {
    "/": page(f"<title>Home</title><h1>Home</h1>{LINKS}"),
    "/a": page("<title>A</title><p>the same"),
    "/twin": page("<title>A</title><p>the same"),
    "/plain.txt": Reply(b"plain text", content_type="text/plain"),
}
CHANGED = page("<title>A new</title><p>not the same")


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A PDF file to be captured."""
    return pdf_samples.plain_pdf(2, tmp_path_factory.mktemp("paper") / "paper.pdf").read_bytes()


@pytest.fixture
def site(paper: bytes) -> Iterator[SiteServer]:
    """A site with a page at two URLs, a text and a PDF file."""
    with SiteServer({**SITE, "/paper.pdf": Reply(paper, content_type="application/pdf")}) as server:
        yield server


def refreshed(pdf: Path, **settings: object) -> Run:
    """A refresh, a day later."""
    given = {**SETTINGS, "WEBCAPTURE_FIXED_TIME": NEXT_DAY, "WEBCAPTURE_WORKERS": 1, **settings}
    options = (text for name, value in given.items() for text in ("-s", f"{name}={value}"))
    done = run("crawl", "refresh", "-a", f"pdf={pdf}", *options)
    assert done.status == 0, done.log
    return done


def texts(pdf: Path) -> list[str]:
    """The text of each page, in one line."""
    with pypdfium2.PdfDocument(pdf) as document:
        return [" ".join(found.get_textpage().get_text_range().split()) for found in document]


def listed(pdf: Path) -> dict[str, Any]:
    """The content of a file."""
    found: dict[str, Any] = json.loads(webcapture("list", pdf, "--json").output)
    return found


def page_numbers(pdf: Path) -> dict[str, list[int]]:
    """The numbers of the pages of each page set, by the title."""
    return {found["title"]: found["pages"] for found in listed(pdf)["content_sets"]}


def clean(pdf: Path) -> None:
    """Assert that a file has no fault."""
    assert webcapture("check", pdf).status == 0
    tool("qpdf", "--check", pdf)


def test_stamps(site: SiteServer, tmp_path: Path) -> None:
    pdf, again = tmp_path / "site.pdf", tmp_path / "again.pdf"
    captured(site.url("/"), pdf, STAMPED, levels="2")
    captured(site.url("/"), again, STAMPED, levels="2")
    assert pdf.read_bytes() == again.read_bytes()
    clean(pdf)
    day = "2026-03-01 12:00 UTC"
    expected = {
        "Home": f"Home {site.url('/')} {day} 1 / 1",
        "A": f"A {site.url('/a')} {day} 1 / 1",  # the first of its URLs, whichever answer came first
        "plain text": f"plain text {site.url('/plain.txt')} {day} 1 / 1",
    }
    found, numbers = texts(pdf), page_numbers(pdf)
    for title, stamp in expected.items():
        [number] = numbers[title]
        assert found[number - 1].endswith(stamp) or stamp in found[number - 1]
    assert [found[number - 1] for number in numbers["A plain file"]] == ["", ""]  # a PDF file's pages are as they were
    assert listed(pdf)["commands"][0]["settings"]["Stamp"] == "footer"
    assert site.url("/plain.txt") in webcapture("search", pdf, day, "plain").output


def test_a_refresh_stamps_what_has_changed_as_the_capture_did(site: SiteServer, tmp_path: Path) -> None:
    pdf = tmp_path / "site.pdf"
    captured(site.url("/"), pdf, STAMPED, levels="2")
    before = texts(pdf)
    site.update({"/a": CHANGED})
    refreshed(pdf, WEBCAPTURE_STAMP="none")
    clean(pdf)
    found, numbers = texts(pdf), page_numbers(pdf)
    [changed], [twin] = numbers["A new"], numbers["A"]
    assert f"A new {site.url('/a')} 2026-03-02 12:00 UTC 1 / 1" in found[changed - 1]
    assert found[0] == before[0]
    assert f"A {site.url('/a')} 2026-03-01 12:00 UTC" in found[twin - 1]  # it stays as it was laid out


def test_contents_pages(site: SiteServer, tmp_path: Path) -> None:
    pdf, again = tmp_path / "site.pdf", tmp_path / "again.pdf"
    captured(site.url("/"), pdf, WITH_CONTENTS, levels="2")
    captured(site.url("/"), again, WITH_CONTENTS, levels="2")
    assert pdf.read_bytes() == again.read_bytes()
    clean(pdf)
    assert page_numbers(pdf) == {"Home": [2], "A": [3], "plain text": [4], "A plain file": [5, 6]}
    [front, *_] = texts(pdf)
    day = "2026-03-01 12:00"
    assert front == (
        f"Home Captured 2026-03-01 12:00 UTC Entries: 4. PDF pages: 5. {site.url('/')} (levels: 2, same site) "
        f"Home 1 {site.url('/')} {day} A 2 {site.url('/a')} {day} plain text 3 {site.url('/plain.txt')} {day} "
        f"A plain file 4 {site.url('/paper.pdf')} {day}"
    )
    with pikepdf.open(pdf) as opened:
        assert [found.label for found in opened.pages] == ["i", "1", "2", "3", "4", "5"]
        assert opened.Root.ViewerPreferences.DisplayDocTitle
        places = [link.A.D[0].objgen for link in opened.pages[0].Annots]
        assert places == [opened.pages[index].objgen for index in (1, 2, 3, 4)]


def test_each_run_renews_the_contents_pages(site: SiteServer, tmp_path: Path) -> None:
    pdf = tmp_path / "site.pdf"
    captured(site.url("/a"), pdf, WITH_CONTENTS)
    captured(site.url("/plain.txt"), pdf, SETTINGS)
    assert page_numbers(pdf) == {"A": [2], "plain text": [3]}
    site.update({"/a": CHANGED})
    refreshed(pdf)
    clean(pdf)
    assert page_numbers(pdf) == {"A new": [2], "plain text": [3]}
    found = texts(pdf)
    assert len(found) == 3
    assert "Captured 2026-03-01 12:00 UTC to 2026-03-02 12:00 UTC" in found[0]
    rows = f"A new 1 {site.url('/a')} 2026-03-02 12:00 plain text 2 {site.url('/plain.txt')} 2026-03-01 12:00"
    assert rows in found[0]
    heading, *different = [line for line in webcapture("diff", pdf).output.splitlines() if not line.startswith(" ")]
    assert heading.endswith(": 1 changed")
    assert [line.split()[:2] for line in different] == [["changed", site.url("/a")]]
    restored = tmp_path / "restored.pdf"
    assert webcapture("restore", pdf, "--revision", 2, "-o", restored).status == 0
    assert f"A 1 {site.url('/a')} 2026-03-01 12:00 plain text 2" in texts(restored)[0]
    assert webcapture("optimize", pdf).status == 0
    clean(pdf)
    assert texts(pdf) == found
    captured(site.url("/"), pdf, {**SETTINGS, "WEBCAPTURE_FIXED_TIME": NEXT_DAY})
    clean(pdf)
    assert page_numbers(pdf) == {"A new": [2], "plain text": [3], "Home": [4]}
    assert f"Home 3 {site.url('/')}" in texts(pdf)[0]


@pytest.mark.parametrize(("step", "times"), [("after a revision", 1), ("before the rename", 0)])
def test_a_run_that_is_killed_at_its_end_goes_on_to_one_section(
    site: SiteServer, tmp_path: Path, step: str, times: int
) -> None:
    pdf = tmp_path / "site.pdf"
    arguments = crawl_arguments(site.url("/"), pdf, WITH_CONTENTS, levels="2")
    assert dying(step, times, *arguments).status == -signal.SIGKILL
    assert not pdf.exists()
    captured(site.url("/"), pdf, WITH_CONTENTS, levels="2")
    clean(pdf)
    assert page_numbers(pdf) == {"Home": [2], "A": [3], "plain text": [4], "A plain file": [5, 6]}
    assert len(texts(pdf)) == 6


def test_without_contents_pages_readers_just_count(site: SiteServer, tmp_path: Path) -> None:
    pdf = tmp_path / "site.pdf"
    captured(site.url("/a"), pdf, SETTINGS)
    with pikepdf.open(pdf) as opened:
        assert "/PageLabels" not in opened.Root
        assert "/WCSP_Contents" not in opened.Root


def test_links_say_what_they_lead_to(site: SiteServer, tmp_path: Path) -> None:
    pdf = tmp_path / "site.pdf"
    captured(site.url("/"), pdf, SETTINGS, levels="2")
    with pikepdf.open(pdf) as opened:
        links = {str(link.Contents): str(link.A.S) for link in opened.pages[0].Annots}
    assert links == {"/a": "/GoTo", "/twin": "/GoTo", "/plain.txt": "/GoTo", "/paper.pdf": "/GoTo"}
