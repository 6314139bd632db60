"""Files that were changed at random: the reading commands answer, or refuse them in one line."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache, partial
from pathlib import Path

import pikepdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.archive.query.test_listing import site
from tests.support import pdf_samples
from tests.support.archive_samples import SITE, clock
from wcspider.archive.check.checker import check_file
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query import diff, history, search
from wcspider.archive.query.explaining import why
from wcspider.archive.query.listing import Listing, lines
from wcspider.exceptions import WebCaptureError

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("WCSPIDER_FUZZ_EXAMPLES", "60"))
"""The number of files that are made and read. Set the variable to 10000 after a change of the readers."""

TOKENS = (b"null", b"true", b"0", b"-1", b"99999999999", b"1.5", b"(text)", b"<00>", b"/Name", b"[]", b"<<>>", b"[[]]")
"""Values that take the place of others."""


def list_all(database: ContentDatabase) -> None:
    description = Listing(database).describe(database.content_sets())
    description["omitted"] = SkippedRecords(database).count()
    list(lines(description))


def find(database: ContentDatabase) -> None:
    found = [*database.find_by_url(f"{SITE}/1"), *database.find_by_identifier(bytes(16))]
    list(Listing(database).describe(found)["content_sets"])


def explain(database: ContentDatabase) -> None:
    for url in (f"{SITE}/1", "http://example.com/nowhere", "http://www.example.com/"):
        list(why.lines(why.explain(database, url)))


def compare(database: ContentDatabase) -> None:
    snapshot = diff.Snapshot.of(database)
    assert diff.compare(snapshot, snapshot) == []


def show_history(database: ContentDatabase) -> None:
    list(history.lines(history.describe(database)))


READERS: list[Callable[[ContentDatabase], object]] = [
    list_all,
    find,
    explain,
    compare,
    show_history,
    lambda database: list(search.pages(database)),
    lambda database: list(search.search(database, ["the"])),
    lambda database: list(search.pages(database, f"{SITE}/1")),
]


@cache
def originals() -> tuple[bytes, ...]:
    """Return files of wcspider, of Acrobat and of other programs, with and without object streams."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.pdf"
        made = [site(path, 5).read_bytes()]
        for make in (pdf_samples.acrobat_pdf, pdf_samples.conforming_pdf):
            made += [make(path).read_bytes(), plain(path)]
        path.write_bytes(made[0])
        return (*made, plain(path))


def plain(path: Path) -> bytes:
    """Return a file without object streams and compression, so that changes of its bytes change its values."""
    with pikepdf.open(path, inherit_page_attributes=False) as pdf:
        options = pikepdf.ObjectStreamMode.disable, pikepdf.StreamDecodeLevel.generalized
        pdf.save(path.with_suffix(".plain"), object_stream_mode=options[0], stream_decode_level=options[1])
    return path.with_suffix(".plain").read_bytes()


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Return a file with some bytes, values or references replaced, or cut off."""
    data = draw(st.sampled_from(originals()))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data) - 1))
        kind = draw(st.sampled_from(["value", "value", "value", "byte", "reference", "cut"]))
        if kind == "byte":
            data = data[:at] + draw(st.binary(min_size=1, max_size=3)) + data[at + 1 :]
        elif kind == "cut":
            data = data[: max(at, 100)]
        elif kind == "reference":
            data = replaced(data, at, b"%d 0 R" % draw(st.integers(0, 60)))
        else:
            data = replaced(data, at, draw(st.sampled_from(TOKENS)))
    return data


def replaced(data: bytes, at: int, token: bytes) -> bytes:
    """Return a file with the value behind a place replaced, and the others at their offsets as far as possible."""
    start = data.find(b" ", at)
    end = min((place for mark in (b" /", b">>", b"\n", b"]") if (place := data.find(mark, start + 1)) > 0), default=-1)
    if start < 0 or end < 0 or end - start > 200:
        return data
    return data[: start + 1] + token.ljust(end - start - 1) + data[end:]


def read_with(read: Callable[[ContentDatabase], object], path: Path) -> None:
    with closing(ContentDatabase.open(path, clock, repair=True)) as database:
        read(database)


ACTIONS: list[Callable[[Path], object]] = [
    *(partial(read_with, read) for read in READERS),
    lambda path: list(check_file(path)),
    lambda path: optimize(path, path.with_name("out.pdf")),
    history.revisions,
]


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(mutated(), st.sampled_from(ACTIONS))
def test_a_mutated_file_is_read_or_refused(tmp_path: Path, data: bytes, action: Callable[[Path], object]) -> None:
    path = tmp_path / "file.pdf"
    path.write_bytes(data)
    read_or_refused(partial(action, path))


def read_or_refused(action: Callable[[], object]) -> None:
    """Let an action succeed, or fail with an error of one line."""
    problem = ""
    try:
        action()
    except WebCaptureError as error:
        problem = str(error)
    assert "\n" not in problem


def test_originals_can_be_read(tmp_path: Path) -> None:
    """Mutations of unreadable files would test nothing."""
    for data in originals():
        (tmp_path / "file.pdf").write_bytes(data)
        for read in READERS:
            read_with(read, tmp_path / "file.pdf")


@pytest.mark.parametrize("damage", [b"/Kids (text)", b"/Names null", b"/Limits 5"])
def test_nodes_of_a_name_tree_of_a_wrong_type(tmp_path: Path, damage: bytes) -> None:
    path = site(tmp_path / "site.pdf", 40)
    data = plain(path)
    key = damage.split()[0]
    assert data.count(key + b" [") >= 1
    path.write_bytes(data.replace(key + b" [", damage + b" /Other [", 3))
    for read in READERS:
        read_or_refused(partial(read_with, read, path))
