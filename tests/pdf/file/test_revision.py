"""Files that grow by revisions: earlier bytes remain, and other programs read the result."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zlib
from contextlib import closing
from decimal import Decimal
from itertools import pairwise

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import pdf_samples
from wcspider.archive.check.checker import check_file
from wcspider.archive.optimize.rewrite import optimize
from wcspider.exceptions import (
    TargetDamagedError,
    TargetEncryptedError,
    TargetMissingError,
    TargetNotPdfError,
    TargetNotWritableError,
)
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.file.revision_syntax import OBJECTS_PER_STREAM
from wcspider.pdf.objects import Name, Ref, Stream, Syntax


def qpdf_check(path):
    """Return the messages of qpdf about a file; its exit status is 0 only for a file without faults."""
    done = subprocess.run(["qpdf", "--check", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def new_file(path):
    """Make a file with one page and its first revision."""
    file = RevisionFile.create(path)
    pages, page = file.allocate(), file.allocate()
    file.put(pages, {"Type": Name("Pages"), "Kids": [page], "Count": 1})
    file.put(page, {"Type": Name("Page"), "Parent": pages, "MediaBox": [0, 0, 200, 200], "Resources": {}})
    file.root = file.add({"Type": Name("Catalog"), "Pages": pages})
    file.commit()
    return file


def appended(path):
    """Append a revision to a file."""
    with closing(RevisionFile.open(path)) as opened:
        opened.add(1)
        opened.commit()


@pytest.fixture(params=["fresh", "table", "streams", "linearized"])
def file(request, tmp_path):
    """A file that can be appended to: one of ours, and those of others with each kind of cross-references."""
    path = tmp_path / "file.pdf"
    if request.param == "fresh":
        opened = new_file(path)
    else:
        pdf_samples.plain_pdf(3, path)
        with pikepdf.open(path, allow_overwriting_input=True) as pdf:
            streams = (
                pikepdf.ObjectStreamMode.generate if request.param == "streams" else pikepdf.ObjectStreamMode.disable
            )
            pdf.save(path, object_stream_mode=streams, linearize=request.param == "linearized")
        opened = RevisionFile.open(path)
    yield opened
    opened.close()


def test_a_revision_leaves_what_was_there(file):
    before = file.path.read_bytes()
    added = [file.add({"Number": number}) for number in range(OBJECTS_PER_STREAM * 2 + 1)]
    stream = file.add(Stream.deflated({}, b"data" * 1000))
    written = file.commit()
    after = file.path.read_bytes()
    assert after.startswith(before)
    assert len(after) == len(before) + written == file.length
    assert [file.get(reference)["Number"] for reference in added] == list(range(len(added)))
    with pikepdf.open(file.path) as pdf:
        assert [int(pdf.get_object(*reference).Number) for reference in added] == list(range(len(added)))
        assert pdf.get_object(*stream).read_bytes() == b"data" * 1000
    qpdf_check(file.path)


def test_a_cross_reference_stream_without_its_own_entry_is_no_damage(tmp_path):
    path = pdf_samples.unlisted_pdf(tmp_path / "file.pdf")
    with pikepdf.open(path, suppress_warnings=True) as pdf:
        assert len(pdf.get_warnings()) == 1
    before = path.read_bytes()
    with closing(RevisionFile.open(path)) as file:
        added = file.add({"Number": 1})
        file.commit()
        assert not file.damage
    assert path.read_bytes().startswith(before)
    with pikepdf.open(path) as pdf:
        assert int(pdf.get_object(*added).Number) == 1
        assert len(pdf.pages) == 1
    assert list(check_file(path)) == []


def test_objects_can_be_changed_again_and_again(file):
    reference = file.add({"Round": -1})
    for number in range(5):
        file.put(reference, {**file.get(reference), "Round": number})
        file.add(Stream({}, b"x"))
        file.commit()
        assert file.get(reference) == {"Round": number}
    with pikepdf.open(file.path) as pdf:
        assert int(pdf.get_object(*reference).Round) == 4
    qpdf_check(file.path)


def test_every_earlier_revision_is_still_in_the_file(file):
    states = [file.path.read_bytes()]
    for number in range(3):
        file.add(number)
        file.commit()
        states.append(file.path.read_bytes())
    assert all(later.startswith(earlier) for earlier, later in pairwise(states))
    cut = file.path.with_name("cut.pdf")
    cut.write_bytes(states[2])
    qpdf_check(cut)


def test_a_file_opened_anew_goes_on(file):
    reference = file.add({"By": b"the first"})
    file.commit()
    with_again = RevisionFile.open(file.path)
    assert with_again.get(reference) == {"By": b"the first"}
    other = with_again.add({"By": b"the second"})
    with_again.commit()
    assert other.number > reference.number
    with_again.close()
    qpdf_check(file.path)


def test_a_commit_of_nothing_writes_nothing(file):
    before = file.path.read_bytes()
    assert file.commit() == 0
    assert file.path.read_bytes() == before


def test_what_is_not_committed_can_be_read(file):
    reference = file.add(Syntax(b"<</A 1>>"))
    stream = file.add(Stream({"Length": 1}, b"x"))
    assert file.get(reference) == {"A": 1}
    assert file.get(stream).data == b"x"


def test_an_absent_object_is_null(file):
    assert file.get(Ref(99999)) is None


@pytest.mark.parametrize(
    ("syntax", "value"),
    [
        (b"9", 9),
        (b"1.50", Decimal("1.5")),
        (b"true", True),
        (b"null", None),
        (b"/N", Name("N")),
        (b"(s)", b"s"),
        (b"[1 2 0 R]", [1, Ref(2)]),
        (b"<</Length 5 0 R>>\nstream\n0123456789\nendstream", Stream({"Length": Ref(5)}, b"0123456789")),
    ],
)
def test_an_object_of_somebody_else_may_be_any_value(tmp_path, syntax, value):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
        4: syntax,
        5: b"10",
    }
    path = pdf_samples.handmade_pdf(objects, tmp_path / "file.pdf")
    with closing(RevisionFile.open(path)) as opened:
        assert opened.get(Ref(4)) == value
        assert opened.get(Ref(5)) == 10


def test_large_streams_are_read_back(file):
    data = os.urandom(100_000)
    reference = file.add(Stream({"Note": b"n" * 5000}, data))
    file.commit()
    assert file.get(reference).data == data


def test_the_identifier_of_the_file_stays_and_that_of_the_revision_changes(file):
    identifiers = []
    for number in range(2):
        file.add(number)
        file.commit()
        with pikepdf.open(file.path) as pdf:
            identifiers.append([bytes(part) for part in pdf.trailer.ID])
    assert identifiers[0][0] == identifiers[1][0]
    assert identifiers[0][1] != identifiers[1][1]


IDENTIFIERS = [
    (b"[(permanent) (0)]", b"permanent"),
    (b"4 0 R", b"permanent"),
    (b"[5 0 R (0)]", b"permanent"),
    (b"[]", None),
    (b"99 0 R", None),
    (b"[6 0 R (0)]", None),  # no string
    (b"(permanent)", None),
]


@pytest.mark.parametrize(("syntax", "permanent"), IDENTIFIERS)
@pytest.mark.parametrize("grow", [appended, optimize])
def test_the_identifier_of_the_file_may_stand_elsewhere(tmp_path, grow, syntax, permanent):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R>>",
        4: b"[5 0 R (0)]",
        5: b"(permanent)",
        6: b"7",
    }
    path = pdf_samples.handmade_pdf(objects, tmp_path / "file.pdf", b"/ID " + syntax)
    grow(path)
    with pikepdf.open(path) as pdf:
        first, second = (bytes(part) for part in pdf.trailer.ID)
    assert first == permanent or (permanent is None and len(first) == len(second) == 16)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.binary(max_size=20)), max_size=8), min_size=1, max_size=6))
def test_a_file_holds_what_was_put_last(tmp_path_factory, batches):
    file = new_file(tmp_path_factory.mktemp("revisions") / "file.pdf")
    references = [file.add(None) for _ in range(10)]
    expected = [None] * 10
    for batch in batches:
        for index, value in batch:
            file.put(references[index], value)
            expected[index] = value
        file.commit()
    assert [file.get(reference) for reference in references] == expected
    file.close()
    with_again = RevisionFile.open(file.path)
    assert [with_again.get(reference) for reference in references] == expected
    with_again.close()


REFUSED = [
    ("missing", lambda path: None, TargetMissingError),
    ("text", lambda path: path.write_text("no PDF at all"), TargetNotPdfError),
    ("empty", lambda path: path.write_bytes(b""), TargetNotPdfError),
    ("damaged", pdf_samples.damaged_pdf, TargetDamagedError),
    ("encrypted", pdf_samples.encrypted_pdf, TargetEncryptedError),
]


@pytest.mark.parametrize(("make", "error"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_file_that_cannot_be_relied_on_is_refused(tmp_path, make, error):
    path = tmp_path / "file.pdf"
    make(path)
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(error, match=r"file\.pdf"):
        RevisionFile.open(path)
    assert (path.read_bytes() if path.exists() else None) == before


def test_qpdf_does_not_search_a_large_file_without_header_and_end(tmp_path, monkeypatch):
    monkeypatch.setattr(pikepdf, "open", None)
    path = tmp_path / "file.pdf"
    path.write_bytes(bytes(2_000))
    with pytest.raises(TargetNotPdfError):
        RevisionFile.open(path)


def test_a_pdf_without_its_header_is_damaged(tmp_path):
    path = tmp_path / "file.pdf"
    pdf_samples.plain_pdf(1, path)
    path.write_bytes(bytes(5) + path.read_bytes()[5:])
    with pytest.raises(TargetDamagedError):
        RevisionFile.open(path)


def test_a_pdf_behind_other_bytes_is_refused(tmp_path):
    path = tmp_path / "file.pdf"
    pdf_samples.plain_pdf(1, path)
    path.write_bytes(b"junk\n" + path.read_bytes())
    with pytest.raises(TargetDamagedError):
        RevisionFile.open(path)


FULL_DISK = """
import os, resource, signal, sys
from pathlib import Path
from wcspider.exceptions import TargetNotWritableError
from wcspider.pdf.objects import Stream
from wcspider.pdf.file.revision import RevisionFile
path = Path(sys.argv[1])
file = RevisionFile.open(path)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (file.length + 1000, resource.RLIM_INFINITY))
kept = file.add(Stream({}, os.urandom(100_000)))
try:
    file.commit()
except TargetNotWritableError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
file.commit()
print(len(file.get(kept).data))
"""


def test_a_commit_that_finds_no_room_leaves_the_file_and_can_be_repeated(tmp_path):
    path = tmp_path / "file.pdf"
    new_file(path).close()
    before = path.read_bytes()
    done = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{path}: File too large; {TargetNotWritableError.advice}", "100000"]
    assert path.read_bytes().startswith(before)
    qpdf_check(path)


def test_a_deleted_object_is_a_null_outside_of_object_streams(file):
    first, second, other = file.add([1]), file.add([2]), file.add([3])
    file.commit()
    file.put(first, None)
    file.commit()
    assert (first.number, 1) in {entry[:2] for entry in last_entries(file)}
    assert [file.get(reference) for reference in (first, second, other)] == [None, [2], [3]]
    with closing(RevisionFile.open(file.path)) as again:
        again.put(second, None)
        again.commit()
        assert (second.number, 1) in {entry[:2] for entry in last_entries(again)}
        assert [again.get(reference) for reference in (first, second, other)] == [None, None, [3]]
    with pikepdf.open(file.path) as pdf:
        assert [pdf.get_object(reference.number, 0) for reference in (first, second)] == [None, None]
    qpdf_check(file.path)


def test_a_deleted_object_can_be_put_again(file):
    reference = file.add([1])
    file.commit()
    for value in (None, [2], None, [3]):
        file.put(reference, value)
        file.commit()
        assert file.get(reference) == value
    with closing(RevisionFile.open(file.path)) as again:
        assert again.get(reference) == [3]
    qpdf_check(file.path)


def last_entries(file):
    """Return the entries of the last cross-reference stream: number, type, and the two fields of each."""
    start = int(re.findall(rb"startxref\n(\d+)", file.path.read_bytes())[-1])
    stream = file._written.value_at(file._file.fileno(), start)
    rows = zlib.decompress(stream.data)
    index = stream.dictionary["Index"]
    numbers = [number for first, count in zip(index[::2], index[1::2], strict=True)
               for number in range(first, first + count)]  # fmt: skip
    return [
        (number, rows[at], int.from_bytes(rows[at + 1 : at + 6]), int.from_bytes(rows[at + 6 : at + 8]))
        for number, at in zip(numbers, range(0, len(rows), 8), strict=True)
    ]


def test_a_new_file_has_the_head_of_the_free_entries(tmp_path):
    (tmp_path / "file.pdf").touch()
    with closing(new_file(tmp_path / "file.pdf")) as file:
        assert last_entries(file)[0] == (0, 0, 0, 65535)


def test_mupdf_keeps_the_pages_of_a_file_with_deleted_objects(file, tmp_path):
    fields = [file.add({"Number": number}) for number in range(5)]
    file.commit()
    for field in fields:
        file.put(field, None)
    file.commit()
    clean = tmp_path / "clean.pdf"
    subprocess.run(["mutool", "clean", "-gggg", file.path, clean], check=True, capture_output=True)
    with pikepdf.open(file.path) as before, pikepdf.open(clean) as after:
        assert len(after.pages) == len(before.pages) > 0
