"""The catalog of a file, and the streams of damaged files."""

from __future__ import annotations

import zlib
from pathlib import Path

import pikepdf
import pytest

from tests.support.archive_samples import clock
from wcspider.archive.database.catalog import decoded
from wcspider.archive.database.database import ContentDatabase
from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.objects import Name, Ref, Stream, Value


def as_it_is(value: Value) -> Value:
    """Resolve no reference."""
    return value


def test_a_stream_that_cannot_be_decoded_is_damage_of_the_file() -> None:
    with pytest.raises(TargetDamagedError, match="a stream of the file cannot be decoded"):
        decoded(Stream({"Filter": Name("FlateDecode")}, b"not compressed"), as_it_is)


def test_a_file_without_a_page_tree_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.pdf"
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.Root.Pages.Kids = 5
        pdf.save(path)
    with pytest.raises(TargetDamagedError, match="its catalog has no page tree"):
        ContentDatabase.open(path, clock)


def test_the_filter_of_a_stream_may_be_an_indirect_object() -> None:
    stream = Stream({"Filter": Ref(5)}, zlib.compress(b"data"))
    assert decoded(stream, lambda value: Name("FlateDecode") if value == Ref(5) else value) == b"data"


def test_parameters_with_references_cannot_be_decoded() -> None:
    parameters = {"Filter": Name("FlateDecode"), "DecodeParms": [Ref(5)]}
    with pytest.raises(TargetDamagedError, match="a stream of the file cannot be decoded"):
        decoded(Stream(parameters, zlib.compress(b"data")), as_it_is)
