"""Content sets (14.10.4), written and read back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.pdf.objects import Name, Ref
from wcspider.pdf.webcapture.content_sets import ContentSet, ImageSet, PageSet, read_content_set
from wcspider.pdf.webcapture.sources import SourceInformation

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ID = bytes(range(16))
SOURCES = (SourceInformation("http://h/a"), SourceInformation("http://h/b", (("http://h/c",),), NOW))

references = st.integers(1, 99).map(Ref)
common = {
    "identifier": st.just(ID),
    "objects": st.lists(references, unique=True).map(tuple),
    "sources": st.integers(0, 2).map(lambda count: SOURCES[:count]),
    "content_type": st.sampled_from(["", "text/html"]),
    "created": st.none() | st.just(NOW),
}
page_sets = st.builds(
    PageSet,
    **common,
    title=st.sampled_from(["", "a", "é€"]),
    text_identifier=st.none() | st.just(ID[::-1]),
    source_digest=st.none() | st.just(ID),
    outline=st.none() | references,
    anchors=st.none() | references,
)
image_sets = st.builds(
    lambda counts, **entries: ImageSet(**entries, counts=tuple(counts[: len(entries["objects"])])),
    **common,
    counts=st.lists(st.integers(0, 9), min_size=99, max_size=99),
)


def read(entries: dict[str, Any]) -> PageSet | ImageSet | None:
    """Read a content set whose entries are direct objects."""
    return read_content_set(entries, lambda value: value)


@given(page_sets | image_sets)
def test_what_is_written_reads_back(content: ContentSet) -> None:
    assert read(content.as_pdf()) == content


@pytest.mark.parametrize(("count", "shape"), [(1, dict), (2, list)])
def test_only_several_sources_and_counts_are_arrays(count: int, shape: type) -> None:
    content = ImageSet(ID, (Ref(1), Ref(2))[:count], SOURCES[:count], counts=(3, 4)[:count])
    entries = content.as_pdf()
    assert isinstance(entries["SI"], shape)
    assert entries["R"] == (3 if count == 1 else [3, 4])


IMAGES = {"S": Name("SIS"), "ID": ID, "O": [Ref(1), Ref(2)], "SI": []}


@pytest.mark.parametrize(
    ("counts", "read_as"), [(3, (3, 0)), ([3], (3, 0)), ([3, 4, 5], (3, 4)), ([3, b"4"], (3, 0)), (None, (0, 0))]
)
def test_reference_counts_that_do_not_fit(counts: Any, read_as: tuple[int, ...]) -> None:
    found = read({**IMAGES, "R": counts})
    assert isinstance(found, ImageSet)
    assert found.counts == read_as


@pytest.mark.parametrize("value", [None, [], {}, {"S": Name("SXS"), "ID": ID}, {"S": b"SPS", "ID": ID}])
def test_what_is_no_content_set(value: Any) -> None:
    assert read(value) is None


def test_entries_of_a_wrong_type_are_ignored() -> None:
    wrong = {
        "S": Name("SPS"),
        "ID": 1,
        "O": [Ref(1), 2, None],
        "SI": [b"x"],
        "CT": 3,
        "TS": b"x",
        "T": 4,
        "TID": Name("x"),
    }
    assert read({**wrong, "WCSP_Digest": 5, "WCSP_Outline": [], "WCSP_Anchors": {}}) == PageSet(b"", (Ref(1),), ())


def test_a_reference_count_changes_alone() -> None:
    content = ImageSet(ID, (Ref(1), Ref(2), Ref(3)), (), counts=(1, 2, 3))
    assert content.counted(1, 4).counts == (1, 6, 3)
    assert content.counted(2, -3).counts == (1, 2, 0)


@pytest.mark.parametrize(
    ("known", "content_type", "text", "is_same"),
    [
        ((b"text", ID), "text/html", b"text", True),
        ((b"text", ID), "text/html", None, True),
        ((b"text", ID), "text/html", b"other", False),
        ((b"text", ID), "text/plain", b"text", False),
        ((None, ID), "text/html", b"text", True),
        ((b"text", None), "text/plain", b"other", True),  # of another program, which may have other rules
    ],
)
def test_a_source_may_be_read_differently(
    known: tuple[bytes | None, bytes | None], content_type: str, text: bytes | None, is_same: bool
) -> None:
    content = PageSet(ID, (), (), "text/html", text_identifier=known[0], source_digest=known[1])
    assert content.reads_as(content_type, text) is is_same


def test_sources_are_found_by_their_urls_and_dates_by_all_urls() -> None:
    later = NOW.replace(day=2)
    content = PageSet(ID, (), (*SOURCES, SourceInformation("http://h/d", (("http://h/c",),), later)))
    assert [content.source(f"http://h/{name}") for name in "abc"] == [*SOURCES, None]
    assert [content.updated_at(f"http://h/{name}") for name in "bcd"] == [NOW, later, later]
    assert content.updated_at("http://h/a") == datetime.min.replace(tzinfo=UTC)  # unknown
