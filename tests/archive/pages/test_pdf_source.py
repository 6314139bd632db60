"""The pages of PDF files that a site serves, and of files that are damaged in several ways."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import md5
from pathlib import Path

import pikepdf
import pypdfium2
import pytest

from tests.archive.run.test_writer import new_writer
from tests.support import pdf_samples
from tests.support.archive_samples import new_database, rendered
from tests.support.crawls import plain
from tests.support.memory_sites import MemoryCrawl, Page, capture_into, config_at
from wcspider.archive.check.checker import check_file
from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.archive.pages.packed import PackedFragment
from wcspider.archive.pages.pdf_source import pdf_source_pages
from wcspider.engines.base import RenderTask
from wcspider.exceptions import SourceUnreadableError


def test_the_text_identifier_is_that_of_the_text(tmp_path: Path) -> None:
    body = pdf_samples.missing_page_pdf(tmp_path / "file.pdf").read_bytes()
    body = body.replace(b"[3 0 R 4 0 R]/Count 2", b"[4 0 R      ]/Count 1")
    assert pdf_source_pages(body, keeps_active=False).text_identifier == md5(b"word").digest()


def test_a_file_that_needs_a_password(tmp_path: Path) -> None:
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(tmp_path / "file.pdf", encryption=pikepdf.Encryption(user="user", owner="owner"))
    with pytest.raises(SourceUnreadableError, match="the PDF file needs a password"):
        pdf_source_pages((tmp_path / "file.pdf").read_bytes(), keeps_active=False)


def test_a_file_without_pages(tmp_path: Path) -> None:
    objects = {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Kids[]/Count 0>>"}
    body = pdf_samples.handmade_pdf(objects, tmp_path / "file.pdf").read_bytes()
    with pytest.raises(SourceUnreadableError, match="the PDF file has no pages"):
        pdf_source_pages(body, keeps_active=False)


def test_pages_whose_text_cannot_be_read_are_kept(tmp_path: Path) -> None:
    path = pdf_samples.misplaced_pdf(tmp_path / "cut.pdf")
    body = path.read_bytes()[:-300]
    with pytest.raises(pypdfium2.PdfiumError):
        pypdfium2.PdfDocument(body)
    task = RenderTask("http://site.example/file.pdf", body, "application/pdf")
    made = convert(Conversion(task, "plutobook")).unpacked()
    [message] = made.notes.messages
    assert message.startswith("the text of the PDF file cannot be read (Failed to load document")
    assert made.text_identifier is None
    assert len(made.pages) > 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "the PDF file is damaged (unable to find trailer dictionary while recovering damaged file)"),
        (b"%PDF-1.7\n1 0 obj <</Type/Catalog>> endobj trailer <</Root 1 0 R>>", "the PDF file "),
    ],
)
def test_reasons_are_the_same_in_every_process(body: bytes, reason: str) -> None:
    with pytest.raises(SourceUnreadableError) as caught:
        pdf_source_pages(body, keeps_active=False)
    assert caught.value.problem.startswith(reason)
    assert " at 0x" not in caught.value.problem


LEFT_OUT = {b"/WCSP_Target", b"/WCSP_Name"}
"""The private entries of the objects to which pages refer."""


def own_file(path: Path) -> Path:
    """Capture a site with image sets, a form, and links that are jumps."""
    site = {
        "/": Page("Home", links=("/a", "/b"), images=("x1",), has_form=True),
        "/a": Page("News", links=("/",), images=("x1", "y1"), pages=2),
    }
    MemoryCrawl(capture_into(path, "/", "2"), site, config_at(datetime(2026, 3, 1, tzinfo=UTC))).run()
    return path


@pytest.mark.parametrize("make", [own_file, pdf_samples.conforming_pdf])
def test_pages_of_a_captured_file_do_not_belong_to_its_content_sets(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    source = plain(make(tmp_path / "source.pdf"))
    assert [obj for obj in images_of(tmp_path / "source.pdf") if "/ID" in obj]
    if make is own_file:
        assert set(re.findall(rb"/WCSP_\w+", source)) >= LEFT_OUT
    capture = rendered("/source.pdf")
    packed = PackedFragment.of(replace(pdf_source_pages(source, keeps_active=True), text_identifier=None))
    with closing(new_database(tmp_path / "new.pdf")) as database:
        writer = new_writer(database)
        writer.add(replace(capture, packed=packed))
        writer.finish()
        writer.close()
    assert list(check_file(tmp_path / "new.pdf")) == []
    assert images_of(tmp_path / "new.pdf")
    assert not [obj for obj in images_of(tmp_path / "new.pdf") if "/ID" in obj]
    assert not set(re.findall(rb"/WCSP_\w+", plain(tmp_path / "new.pdf"))) & LEFT_OUT


def images_of(path: Path) -> list[dict[str, object]]:
    """Return the dictionaries of the image XObjects of a file."""
    with pikepdf.open(path) as pdf:
        streams = [obj for obj in pdf.objects if isinstance(obj, pikepdf.Stream)]
        return [dict(obj.stream_dict.as_dict()) for obj in streams if obj.get("/Subtype") == "/Image"]
