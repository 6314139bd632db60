"""Objects that are equal are stored once: in one run, in a resumed run, and in later runs."""

from __future__ import annotations

from contextlib import closing

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.archive_samples import clock, new_database, rendered
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.shared_objects import SHARED, _digest
from wcspider.archive.optimize.rewrite import optimize
from wcspider.pdf.object_syntax import LARGEST_INTEGER, read
from wcspider.pdf.objects import Name, Ref, Stream, Syntax, write
from wcspider.steps import completed


def values():
    """Values of PDF objects that are no streams."""
    numbers = st.integers(-LARGEST_INTEGER, LARGEST_INTEGER)  # larger ones are read as reals
    names = st.builds(Name, st.text("aB#", min_size=1))
    scalars = st.none() | st.booleans() | numbers | st.binary(max_size=9) | names
    return st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("ABCD"), inner))


@given(values())
def test_the_digest_of_a_value_does_not_depend_on_its_spelling(value):
    written = Syntax(write(value))
    spaced = Syntax(written.replace(b"<<", b"<< ").replace(b"[", b"[ ")) if b"(" not in written else written
    assert _digest(value) == _digest(written) == _digest(spaced) == _digest(read(written))


def test_the_digest_of_a_stream_does_not_depend_on_its_length_entry():
    assert _digest(Stream({"A": 1}, b"data")) == _digest(Stream({"Length": 4, "A": 1}, b"data"))
    assert _digest(Stream({"A": 1}, b"data")) != _digest(Stream({"A": 1}, b"DATA"))


SHARED_VALUES = [
    Stream.deflated({"Subtype": Name("Form")}, b"q Q"),
    {"Type": Name("Font"), "X": [1, None]},
    b"text",
    12,
]


@pytest.fixture
def path(tmp_path):
    """A file with shared objects, in two revisions."""
    path = tmp_path / "site.pdf"
    with closing(new_database(path)) as database:
        for value in SHARED_VALUES[:2], SHARED_VALUES[2:]:
            for entry in value:
                database.shared.add(entry)
            database.commit()
    return path


def test_objects_are_found_again_in_a_later_run(path):
    with closing(ContentDatabase.open(path, clock)) as database:
        before = database.file.length
        assert [database.file.get(database.shared.add(value)) for value in SHARED_VALUES[1:]] == SHARED_VALUES[1:]
        assert database.shared.add(SHARED_VALUES[0]).number < database.shared.add([3]).number
        database.shared.add([3])
        database.commit()
        assert database.file.length - before < 1000
    with closing(ContentDatabase.open(path, clock)) as database:
        before = database.file.length
        database.shared.add([3])
        assert database.commit() == 0


def test_an_object_with_another_number_is_not_taken_for_the_one_in_the_index(path):
    with closing(ContentDatabase.open(path, clock)) as database:
        wrong = database.shared.add(SHARED_VALUES[1])
        database.file.put(wrong, {"Type": Name("Page")})
        database.commit()
    with closing(ContentDatabase.open(path, clock)) as database:
        right = database.shared.add(SHARED_VALUES[1])
        assert right != wrong
        database.commit()
    with closing(ContentDatabase.open(path, clock)) as database:
        assert database.shared.add(SHARED_VALUES[1]) == right


def test_a_damaged_index_is_no_obstacle(path):
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.Root[f"/{SHARED}"].Last = pdf.make_stream(b"\xff" * 39)
        pdf.save(path)
    with closing(ContentDatabase.open(path, clock)) as database:
        assert database.file.get(database.shared.add([7])) == [7]
        database.commit()
    with closing(ContentDatabase.open(path, clock)) as database:
        assert isinstance(database.shared.add([7]), Ref)
        assert database.commit() == 0


def test_a_second_capture_does_not_embed_the_same_fonts_again(tmp_path):
    path = tmp_path / "site.pdf"
    with closing(new_database(path)) as database:
        add(database, "/one")
    with closing(ContentDatabase.open(path, clock)) as database:
        add(database, "/two")
    with pikepdf.open(path) as pdf:
        fonts = {page.Resources.Font.F.objgen for page in pdf.pages}
        drawings = {page.Resources.XObject.X.objgen for page in pdf.pages}
        assert (len(pdf.pages), len(fonts), len(drawings)) == (2, 1, 1)


def add(database, path):
    """Add a page."""
    page = rendered(path)
    completed(database.add_page_set(page.capture, page.fragment, (), None, None))
    database.finish()


def test_a_resumed_run_describes_a_new_document_as_it_began(tmp_path):
    path = tmp_path / "site.pdf"
    new_database(path).close()
    with closing(new_database(path)) as database:
        database.commit()
    with closing(ContentDatabase.open(path, clock)) as database:
        assert not database.catalog.is_new
    with closing(ContentDatabase.open(path, clock)) as database:
        resumed = ContentDatabase(database.file, clock, is_new=True)
        add(resumed, "/one")
    with pikepdf.open(path) as pdf:
        assert pdf.Root.ViewerPreferences.DisplayDocTitle is True


def test_a_file_without_its_index_gets_a_new_one_of_its_last_pages(tmp_path):
    path = tmp_path / "site.pdf"
    with closing(new_database(path)) as database:
        add(database, "/one")
    optimize(path)
    with pikepdf.open(path) as pdf:
        assert f"/{SHARED}" not in pdf.Root
    with closing(ContentDatabase.open(path, clock)) as database:
        add(database, "/two")
    with pikepdf.open(path) as pdf:
        assert len({page.Resources.Font.F.objgen for page in pdf.pages}) == 1
        assert f"/{SHARED}" in pdf.Root
