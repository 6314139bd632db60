"""The records of runs: written records read back, and unknown entries are ignored."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.archive_samples import NOW
from wcspider.pdf.objects import Name, Ref
from wcspider.pdf.webcapture.run_records import CAPTURE, LONGEST, MAX_URLS, Note, Run
from wcspider.pdf.webcapture.skipped import SkippedRecord

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30)
NOTES = st.builds(
    Note,
    st.sampled_from(["degraded", "resource"]),
    TEXTS,
    st.integers(1, 1_000),
    st.lists(TEXTS, max_size=MAX_URLS).map(tuple),
)


def resolved(value: Any) -> Any:
    """Return the value itself: nothing here is indirect."""
    return value


@given(st.lists(NOTES, max_size=5).map(tuple), st.integers(0, 9))
def test_a_run_is_read_as_it_was_written(notes: tuple[Note, ...], skipped: int) -> None:
    run = Run(CAPTURE, 10, b"digest", NOW, (Ref(3),), added=1, skipped=skipped, notes=notes)
    assert Run.from_pdf(run.as_pdf(), resolved) == run


def test_a_run_without_notes_has_no_entry_for_them() -> None:
    assert "Notes" not in Run(CAPTURE).as_pdf()


def test_long_texts_of_notes_are_cut() -> None:
    written = Note("degraded", "x" * 900, 3, ("http://h/" + "y" * 900,)).as_pdf()
    note = Note.from_pdf(written, resolved)
    assert note is not None
    assert [len(text) for text in (note.reason, *note.urls)] == [LONGEST, LONGEST]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ()),
        (7, ()),
        ([7, None, {}], ()),
        ([{"Kind": b"degraded"}], ()),
        ([{"Kind": Name("degraded")}], (Note("degraded", "", 0),)),
        ([{"Kind": Name("degraded"), "Count": -4, "URLs": [3, b"http://h/"]}], (Note("degraded", "", 0, ("http://h/",)),)),
        ([{"Kind": Name("degraded"), "URLs": [b"u"] * 99}], (Note("degraded", "", 0, ("u",) * MAX_URLS),)),
    ],
)  # fmt: skip
def test_invalid_notes_are_ignored(value: Any, expected: tuple[Note, ...]) -> None:
    run = Run.from_pdf({"Run": Name(CAPTURE), "Notes": value}, resolved)
    assert run is not None
    assert run.notes == expected


@pytest.mark.parametrize("moment", [None, NOW])
def test_a_skipped_page_is_read_with_the_time_of_the_attempt(moment: Any) -> None:
    record = SkippedRecord("HTTP 503", Ref(4), 2, "http://h/", ("http://h/a", "http://h/b"), moment)
    assert SkippedRecord.from_pdf(record.as_pdf(), resolved) == record
