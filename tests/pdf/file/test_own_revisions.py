"""The revisions that wcspider has appended to a file are read without pikepdf, and give the same values."""

from __future__ import annotations

import re
import zlib
from contextlib import closing
from decimal import Decimal

import pikepdf
import pytest

from tests.support import pdf_samples
from wcspider.pdf.file.base_file import BaseFile
from wcspider.pdf.file.own_revisions import own_revisions
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.file.revision_syntax import OBJECTS_PER_STREAM, WIDTHS, plain_object
from wcspider.pdf.object_syntax import from_pikepdf
from wcspider.pdf.objects import Name, Ref, Stream

MANY = OBJECTS_PER_STREAM + 1


@pytest.fixture
def own(tmp_path):
    """A file with two revisions of wcspider: objects of all kinds, one of them changed and one deleted."""
    path = tmp_path / "own.pdf"
    with closing(RevisionFile.create(path)) as file:
        pages = file.add({"Type": Name("Pages"), "Kids": [], "Count": 0})
        file.root = file.add({"Type": Name("Catalog"), "Pages": pages})
        added = [file.add({"Number": number, "Text": b"a(b\\"}) for number in range(MANY)]
        file.add(Stream.deflated({"Kind": Name("data")}, b"data" * 1000))
        file.commit()
        file.put(added[0], [1, Ref(2), None])
        file.put(added[1], None)
        file.commit()
    return path


def found(path):
    """Return the objects of a file that are read without pikepdf, by number."""
    starts = re.findall(rb"startxref\s+(\d+)", path.read_bytes())
    with path.open("rb") as file:
        objects = own_revisions(path, file.fileno(), int(starts[-1]))
        return {number for number in range(2 * MANY) if number in objects}


def test_the_values_are_those_that_pikepdf_reads(own):
    with pikepdf.open(own) as pdf, closing(RevisionFile.open(own)) as file:
        numbers = {item.objgen[0] for item in pdf.objects if item is not None}
        assert numbers <= found(own)
        for number in numbers:
            assert file.get(Ref(number)) == from_pikepdf(pdf.get_object(number, 0))
        assert file.entry(Ref(5), "Number") == 2
        assert file.get(Ref(4)) is file.get(Ref(5, 1)) is None


def test_all_revisions_are_found(own):
    before = found(own)
    with closing(RevisionFile.open(own)) as file:
        added = file.add({"Kids": [Ref(1)]})
        file.commit()
    assert found(own) >= before | {added.number}


def test_what_another_program_may_have_changed_is_read_through_pikepdf(own):
    pdf_samples.append_objects(own, {(5, 0): b"<</Number 77>>", (2 * MANY, 0): b"null"})
    assert not found(own)
    with closing(RevisionFile.open(own)) as file:
        changed = file.put(Ref(7), {"Number": 88})
        file.commit()
    assert {number for number in found(own) if number <= MANY} == {changed.number}
    with closing(RevisionFile.open(own)) as file:
        assert [file.get(Ref(number))["Number"] for number in (5, 6, 7)] == [77, 3, 88]


def test_a_file_of_another_program_has_none(tmp_path):
    path = pdf_samples.plain_pdf(3, tmp_path / "file.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    assert not found(path)


def test_what_is_damaged_is_left_to_pikepdf(own):
    data = bytearray(own.read_bytes())
    start = data.rindex(b"/Type /ObjStm")
    start = data.index(b"stream\n", start) + 7
    data[start : start + 40] = bytes(40)
    own.write_bytes(data)
    with closing(BaseFile(own)) as base, closing(RevisionFile.open(own)) as file:
        assert file.get(Ref(3)) == base.value(Ref(3))
        assert file.entry(Ref(3), "Number") is None
        assert file.damage == base.damage != ""


@pytest.mark.parametrize(
    "entries",
    [
        {"Size": 10**12},
        {"Size": -1},
        {"Index": [0]},
        {"Index": 0},
        {"Index": None},
        {"Index": [0, 2]},
        {"Index": [-1, 1]},
        {"Index": [10**9, 1]},
        {"Index": [0, Decimal("1.5")]},
        {"Prev": -5},
        {"Prev": Name("x")},
    ],
    ids=repr,
)
def test_inconsistent_sections_are_left_to_pikepdf(entries, tmp_path):
    dictionary = {"Type": Name("XRef"), "W": WIDTHS, "Size": 2, "Index": [1, 1], "Root": Ref(1), **entries}
    syntax = plain_object(Ref(9), Stream.deflated(dictionary, bytes(8)))
    path = tmp_path / "file.pdf"
    path.write_bytes(b"%PDF-1.7\n" + syntax + b"startxref\n9\n%%EOF\n")
    assert found(path) == set()


@pytest.mark.parametrize("length", [b"-9", b"()", b"[]"])
def test_a_stream_without_a_valid_length_is_left_to_pikepdf(own, length):
    data = own.read_bytes()
    start = data.index(b"/Length ", data.index(b"/Kind /data")) + len(b"/Length ")
    end = data.index(b">", start)
    own.write_bytes(data[:start] + length[: end - start].ljust(end - start) + data[end:])
    with closing(RevisionFile.open(own)) as file:
        assert zlib.decompress(file.get(Ref(MANY + 3)).data) == b"data" * 1000
        assert file.damage


def test_an_object_that_refers_to_itself_is_null(own):
    with closing(RevisionFile.open(own)) as file:
        reference = file.allocate()
        file.put(reference, reference)
        assert file.resolve(reference) is None
        file.commit()
    with closing(RevisionFile.open(own)) as file:
        assert file.resolve(reference) is None
