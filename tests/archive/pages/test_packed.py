"""Fragments that wait for their turn: packing, and the estimate of their size."""

from __future__ import annotations

import pickle

from tests.support.archive_samples import fragment
from wcspider.archive.pages.packed import PackedFragment, Rendered
from wcspider.pdf.objects import Stream
from wcspider.web.resources import Resource
from wcspider.webcapture.records import Capture

URL = "http://h/"


def test_a_fragment_comes_out_as_it_went_in() -> None:
    own = fragment(pages=3, links=("http://h/a",))
    packed = PackedFragment.of(own)
    assert packed.unpacked() == own
    assert Rendered(_capture(b""), packed).fragment == own


def test_the_data_of_streams_is_not_compressed_again() -> None:
    own = fragment(pages=2)
    streams = [value.data for value in own.objects if isinstance(value, Stream)]
    packed = PackedFragment.of(own)
    assert streams
    assert [data for part in packed.parts for data in part.streams] == streams
    assert pickle.loads(pickle.dumps(own, protocol=4)) == own


def test_its_size_is_about_what_it_takes() -> None:
    body = bytes(range(256)) * 400
    rendered = Rendered(_capture(body), PackedFragment.of(fragment(pages=50, links=("http://h/a",) * 40)))
    before = pickle.dumps(rendered)
    assert len(before) * 0.9 < rendered.size < len(before)
    assert Rendered(_capture(body), None).size == len(body)


def _capture(body: bytes) -> Capture:
    return Capture(Resource(URL, body, "text/html"), encoding="utf-8", identifier=b"i" * 16)
