"""Objects of a file that cannot be read: an error, or null where damage is accepted."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.pdf_samples import handmade_pdf
from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.file.base_file import BaseFile
from wcspider.pdf.objects import Ref

STREAM, PAGE = Ref(4), Ref(3)
NO_OBJECT = Ref(2**31)
"""A number beyond those that qpdf has for objects."""

OBJECTS = {
    1: b"<</Type/Catalog/Pages 2 0 R>>",
    2: b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]/Resources<<>>>>",
    3: b"<</Type/Page/Parent 2 0 R>>",
    4: b"<</Length 50000>>\nstream\n%b\nendstream" % (b"x" * 50_000),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return handmade_pdf(OBJECTS, tmp_path / "file.pdf")


def cut(file: BaseFile) -> None:
    """End the file in the data of its stream, as a program does that writes it again."""
    file.outline(STREAM)
    os.truncate(file.path, 20_000)


@pytest.mark.parametrize("reference", [STREAM, NO_OBJECT])
def test_what_cannot_be_read_is_an_error(path: Path, reference: Ref) -> None:
    with closing(BaseFile(path)) as file:
        cut(file)
        with pytest.raises(TargetDamagedError, match=r"file\.pdf: is damaged \("):
            file.value(reference)


@pytest.mark.parametrize("reference", [STREAM, NO_OBJECT])
def test_what_cannot_be_read_is_null_if_damage_is_accepted(path: Path, reference: Ref) -> None:
    with closing(BaseFile(path, repair=True)) as file:
        cut(file)
        assert file.damage == ""
        assert file.value(reference) is None
        first = file.damage
        assert first
        assert file.value(PAGE)["Parent"] == Ref(2)
        assert file.value(STREAM) is None
        assert file.damage == first


@pytest.mark.parametrize("size", [9, 4, 0])
def test_a_file_whose_size_is_too_small_is_damaged(path: Path, size: int) -> None:
    """New objects get the numbers from Size on (Table 15), so they would replace objects of the file."""
    correct = b"/Size %d" % (len(OBJECTS) + 1)
    path.write_bytes(path.read_bytes().replace(correct, b"/Size %d" % size))
    if size > len(OBJECTS):
        BaseFile(path).close()
    else:
        with pytest.raises(TargetDamagedError, match=r"is damaged \(reported number of objects"):
            BaseFile(path)
