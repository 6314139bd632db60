"""The file that cairo writes into memory."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pikepdf
import pytest

from tests.support.cairo_files import drawn
from wcspider.engines.plutobook.pages import memory_file

PAGES = f"<p>one<p style='break-before: page'>{'two ' * 50}"


def test_content_streams_are_not_compressed() -> None:
    with pikepdf.open(io.BytesIO(drawn(PAGES))) as pdf:
        assert len(pdf.pages) == 2
        assert all("/Filter" not in page.obj.Contents for page in pdf.pages)


def test_a_system_without_files_in_memory_gets_the_same_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    expected = drawn(PAGES)
    with monkeypatch.context() as patch:
        patch.setattr(memory_file, "_DESCRIPTORS", tmp_path / "missing")
        assert drawn(PAGES) == expected
    monkeypatch.delattr(os, "memfd_create")
    assert drawn(PAGES) == expected
