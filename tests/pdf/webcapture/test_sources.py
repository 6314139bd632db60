"""pdf/webcapture/sources.py: sources found again, and read back."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.webcapture.records import FormCode

URL = "http://h/d"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
chains = st.lists(st.lists(st.sampled_from(["http://h/a", "http://h/b"]), min_size=1, unique=True).map(tuple)).map(
    tuple
)
references = st.none() | st.integers(1, 99).map(Ref)


@given(st.lists(chains))
def test_a_source_found_again_keeps_its_chains_each_once_in_the_order_of_arrival(arrived):
    source = SourceInformation(URL)
    for found in arrived:
        source = source.renewed(SourceInformation(URL, found, updated=NOW))
    assert list(source.chains) == list(dict.fromkeys(chain for found in arrived for chain in found))
    assert source.updated == (NOW if arrived else None)


def test_a_source_that_was_used_without_a_request_keeps_its_dates():
    source = SourceInformation(URL, updated=NOW, expires=NOW)
    assert source.renewed(SourceInformation(URL)) == source
    later = SourceInformation(URL, updated=NOW.replace(day=2))
    assert source.renewed(later) == later


def test_uses_add_up():
    found = SourceInformation(URL, uses=1)
    assert found.renewed(found).renewed(found).uses == 3


@given(
    chains, st.sampled_from(FormCode), references, references, st.lists(st.integers(1, 99).map(Ref)).map(tuple),
    st.integers(0, 9), st.none() | st.just(NOW), st.none() | st.sampled_from(['"x"', 'W/"é"']),
)  # fmt: skip
def test_what_is_written_reads_back(found, form, command, links, auxiliaries, uses, moment, etag):
    chains = tuple(dict.fromkeys(found))
    dates, texts = (moment, moment), (etag or "", etag or "")
    others = (form, command, etag, etag, links, auxiliaries, uses, moment)
    source = SourceInformation(URL, chains, *dates, *others, *texts)
    assert SourceInformation.from_pdf(source.as_pdf(), lambda value: value) == source


def test_chains_of_another_program_may_repeat_the_destination():
    chains = [[b"http://h/a", b"http://h/b", URL.encode()], [URL.encode()], [], 7, [b"http://h/a"]]
    entries = {"AU": {"U": URL.encode(), "C": chains}, "WCSP_Auxiliaries": [Ref(1), b"x"]}
    found = SourceInformation.from_pdf(entries, lambda value: value)
    assert (found.url, found.chains) == (URL, (("http://h/a", "http://h/b"), ("http://h/a",)))
    assert found.auxiliaries == (Ref(1),)
