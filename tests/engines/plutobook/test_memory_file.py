"""The file that cairo writes into memory."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pikepdf
import plutoprint
import pytest

from wcspider.engines.plutobook.pages import memory_file

SIZE = plutoprint.PageSize(400, 400)


def drawn() -> bytes:
    """Return a file with two pages of text."""
    book = plutoprint.Book(SIZE)
    book.load_html(f"<p>one<p style='break-before: page'>{'two ' * 50}")

    def draw(canvas: plutoprint.PDFCanvas) -> None:
        canvas.set_metadata(plutoprint.PDF_METADATA_CREATION_DATE, "2000-01-01T00:00:00Z")
        for number in range(2):
            book.render_page(canvas, number)
            canvas.show_page()

    return memory_file.drawn(SIZE, draw)


def test_content_streams_are_not_compressed() -> None:
    with pikepdf.open(io.BytesIO(drawn())) as pdf:
        assert len(pdf.pages) == 2
        assert all("/Filter" not in page.obj.Contents for page in pdf.pages)


def test_a_system_without_files_in_memory_gets_the_same_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    expected = drawn()
    with monkeypatch.context() as patch:
        patch.setattr(memory_file, "_DESCRIPTORS", tmp_path / "missing")
        assert drawn() == expected
    monkeypatch.delattr(os, "memfd_create")
    assert drawn() == expected
