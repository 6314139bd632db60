"""The pages of PDF files that a site serves, and of files that are damaged in several ways."""

from __future__ import annotations

from hashlib import md5
from pathlib import Path

import pikepdf
import pypdfium2
import pytest

from tests.support import pdf_samples
from wcspider.archive.pages.conversion import Conversion, convert
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
