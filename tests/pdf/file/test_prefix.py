"""The beginning of a file reads as a file of that length would."""

from __future__ import annotations

import io
import os

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import pdf_samples
from wcspider.exceptions import TargetNotWritableError
from wcspider.pdf.file.prefix import FilePrefix
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name

DATA = bytes(range(256)) * 3
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("read"), st.integers(0, 900)),
        st.tuples(st.just("seek"), st.integers(0, 900), st.just(os.SEEK_SET)),
        st.tuples(st.just("seek"), st.integers(0, 100), st.just(os.SEEK_CUR)),
        st.tuples(st.just("seek"), st.integers(-100, 100), st.just(os.SEEK_END)),
        st.tuples(st.just("tell")),
    )
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file of `DATA`."""
    made = tmp_path_factory.mktemp("beginning") / "data"
    made.write_bytes(DATA)
    return made


@given(st.integers(100, len(DATA)), st.binary(max_size=60), STEPS)
def test_it_reads_as_a_file_of_these_bytes(path, length, tail, steps):
    model = io.BytesIO(DATA[:length] + tail)
    with FilePrefix(path, length, tail) as beginning:
        for name, *arguments in steps:
            assert getattr(beginning, name)(*arguments) == getattr(model, name)(*arguments)


def test_a_pdf_file_is_read_as_it_was_and_cannot_be_written_to(tmp_path):
    path = pdf_samples.plain_pdf(2, tmp_path / "file.pdf")
    before = path.read_bytes()
    file = RevisionFile.open(path)
    file.put(file.root, {**file.get(file.root), "Lang": b"el"})
    file.commit()
    file.close()
    after = path.read_bytes()
    file = RevisionFile.open(path, len(before))
    assert "Lang" not in file.get(file.root)
    assert file.length == len(before)
    file.add({"Type": Name("Lost")})
    with pytest.raises(TargetNotWritableError, match="reading only"):
        file.commit()
    file.close()
    assert path.read_bytes() == after
    with pikepdf.open(path) as pdf:
        assert str(pdf.Root.Lang) == "el"
