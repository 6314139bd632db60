"""Reports made from files: notes of runs, and files that cannot be read or written."""

from __future__ import annotations

import asyncio
import logging
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest
from lxml import html

from tests.archive.run.test_writer import new_writer
from tests.support import pdf_samples
from tests.support.archive_samples import COMMAND, NOW, SITE, clock, new_database, rendered
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.exceptions import TargetError
from wcspider.pdf.webcapture.run_records import CAPTURE, MAX_URLS, Run
from wcspider.report.after_run import write_report
from wcspider.report.collecting import MAX_REDIRECTS, Limits, collect
from wcspider.report.making import make_report
from wcspider.report.model import Report


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose run has notes, a page that looks empty, and a skipped page."""
    path = tmp_path_factory.mktemp("noted") / "site.pdf"
    with closing(new_database(path)) as database:
        references = database.add_commands([COMMAND])
        writer = new_writer(database)
        writer.add(rendered("/"))
        empty = rendered("/empty")
        writer.add(replace(empty, capture=replace(empty.capture, notice="it needs scripts")))
        for number in range(MAX_URLS + 5):
            writer.report.degrade("kept as text only", f"{SITE}/{number:02}")
        writer.report.degrade("characters that no font has (Runic: install fonts-noto-core)", f"{SITE}/runes")
        writer.report.skip_resource("HTTP 404", f"{SITE}/missing.png")
        writer.report.skip_unlinked("timed out", f"{SITE}/slow")
        SkippedRecords(database).update(writer.report.skipped_pages, references, 10)
        writer.finish(run=Run(CAPTURE))
        writer.close()
    return path


def collected(path: Path) -> Report:
    """The values of a report."""
    with closing(ContentDatabase.open(path, clock)) as database:
        return collect(database, NOW, Limits(), lambda _: None)


def test_notes_of_runs(noted: Path) -> None:
    [run] = collected(noted).runs.shown
    found = [(note.title, note.reason, note.urls.total, len(note.urls.shown)) for note in run.notes]
    runes = "characters that no font has (Runic: install fonts-noto-core)"
    assert found == [
        ("Pages with a simpler layout", runes, 1, 1),
        ("Pages with a simpler layout", "kept as text only", MAX_URLS + 5, MAX_URLS),
        ("Resources skipped", "HTTP 404", 1, 1),
    ]


def test_incomplete_and_skipped_pages(noted: Path) -> None:
    report = collected(noted)
    assert {reason: [row.url for row in rows.shown] for reason, rows in report.incomplete.items()} == {
        "it needs scripts": [f"{SITE}/empty"]
    }
    [row] = report.skipped["timed out"].shown
    assert (row.url, row.tried) == (f"{SITE}/slow", NOW)


def test_the_report_shows_them(noted: Path, tmp_path: Path) -> None:
    make_report(noted, tmp_path / "report.html", NOW)
    html = (tmp_path / "report.html").read_text("utf-8")
    for text in ("it needs scripts", "Runic: install fonts-noto-core", "kept as text only", "and 5 more"):
        assert text in html
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_report_does_not_replace_its_file(noted: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.html"
    link.symlink_to(noted)
    content = noted.read_bytes()
    for output in (noted, link):
        with pytest.raises(TargetError, match="is the file itself"):
            make_report(noted, output, NOW)
    assert noted.read_bytes() == content


def test_a_report_replaces_a_foreign_file_only_by_force(noted: Path, tmp_path: Path) -> None:
    output = tmp_path / "page.html"
    output.write_text("<p>mine")
    with pytest.raises(TargetError, match="wcspider did not write it; name another file, or add --force"):
        make_report(noted, output, NOW)
    assert output.read_text() == "<p>mine"
    make_report(noted, output, NOW, force=True)
    make_report(noted, output, NOW)
    output.write_text("")
    make_report(noted, output, NOW)


def test_the_report_of_a_run(noted: Path, tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    assert asyncio.run(write_report(noted, output, NOW)) == (f"Wrote the report {output}", logging.INFO)
    assert "it needs scripts" in output.read_text("utf-8")


@pytest.mark.parametrize(
    ("path", "output", "problem"),
    [
        ("site.pdf", "nowhere/report.html", "nowhere: no such folder"),
        ("site.pdf", "site.PDF", "site.PDF: is a PDF file, and the output is HTML"),
        ("site.pdf", "unfinished.pdf.part", "unfinished.pdf.part: is a PDF file, and the output is HTML"),
        ("site.pdf", "captured", "captured: is a PDF file, and the output is HTML"),
        ("site.pdf", "site.pdf", "site.pdf: is the file itself"),
        ("site.pdf", "symbolic.html", "symbolic.html: is the file itself"),
        ("site.pdf", "hard.html", "hard.html: is the file itself"),
        ("site.pdf", "other.html", "other.html: is a PDF file, and the output is HTML"),
        ("missing.pdf", "report.html", "missing.pdf: no such file"),
        ("text.pdf", "report.html", "text.pdf: is not a PDF file"),
    ],
)
def test_a_report_of_a_run_that_fails_is_one_line(
    noted: Path, tmp_path: Path, path: str, output: str, problem: str
) -> None:
    (tmp_path / "text.pdf").write_text("no PDF")
    (tmp_path / "site.pdf").write_bytes(noted.read_bytes())
    (tmp_path / "captured").write_bytes(noted.read_bytes())
    (tmp_path / "symbolic.html").symlink_to("site.pdf")
    (tmp_path / "hard.html").hardlink_to(tmp_path / "site.pdf")
    (tmp_path / "other.html").symlink_to("captured")
    before = sorted(tmp_path.iterdir())
    line, level = asyncio.run(write_report(tmp_path / path, tmp_path / output, NOW))
    assert level == logging.ERROR
    assert line.startswith(f"{tmp_path / path} is complete, but the report was not written: {tmp_path}/{problem}")
    assert "\n" not in line
    assert sorted(tmp_path.iterdir()) == before


def test_progress_is_reported_from_the_start(noted: Path, tmp_path: Path) -> None:
    counts: list[int] = []
    make_report(noted, tmp_path / "report.html", NOW, max_thumbnails=0, progress=counts.append)
    assert counts == list(range(len(counts)))
    assert len(counts) > 2


def test_a_damaged_file_has_a_report_that_says_so(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    damaged = make_report(pdf_samples.misplaced_pdf(tmp_path / "damaged.pdf"), output, NOW)
    assert "xref not found" in damaged
    assert "The file is damaged (" in output.read_text()
    assert damaged in output.read_text()
    assert "http://www.example.com/" in output.read_text()
    assert make_report(pdf_samples.conforming_pdf(tmp_path / "whole.pdf"), output, NOW) == ""
    assert "is damaged" not in output.read_text()


def test_a_file_that_pdfium_cannot_read_has_a_report_without_pictures(tmp_path: Path) -> None:
    path = pdf_samples.misplaced_pdf(tmp_path / "cut.pdf")
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(pypdfium2.PdfiumError):
        pypdfium2.PdfDocument(path)
    assert make_report(path, tmp_path / "report.html", NOW)
    assert "data:image/webp" not in (tmp_path / "report.html").read_text()


def test_a_page_is_found_by_the_urls_that_redirect_to_it(tmp_path: Path) -> None:
    """The filter of the report looks for words in the text of the rows."""
    path, output = tmp_path / "site.pdf", tmp_path / "site.html"
    old = [f"{SITE}/old/{number}" for number in range(MAX_REDIRECTS + 2)]
    with closing(new_database(path)) as database:
        writer = new_writer(database)
        writer.add(rendered("/new", hops=tuple(old)))
        writer.add(rendered("/other"))
        writer.finish(run=Run(CAPTURE))
        writer.close()
    make_report(path, output, NOW)
    rows = [row.text_content() for row in html.parse(output).getroot().find_class("page")]
    [found] = [row for row in rows if old[0] in row]
    assert f"{SITE}/new" in found
    assert [url in found for url in old[-3:]] == [True, False, False]
    assert "and from 2 other URLs" in found
