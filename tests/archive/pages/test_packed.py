"""Fragments that wait for their turn: packing, and the estimate of their size."""

from __future__ import annotations

import pickle

from tests.support.archive_samples import fragment
from wcspider.archive.pages.packed import PackedFragment, Rendered
from wcspider.web.resources import Resource
from wcspider.webcapture.records import Capture

URL = "http://h/"


def test_a_fragment_comes_out_as_it_went_in() -> None:
    own = fragment(pages=3, links=("http://h/a",))
    packed = PackedFragment.of(own)
    assert packed.unpacked() == own
    assert Rendered(_capture(b""), packed).fragment == own


def test_its_size_is_about_what_it_takes() -> None:
    body = bytes(range(256)) * 400
    rendered = Rendered(_capture(body), PackedFragment.of(fragment(pages=50, links=("http://h/a",) * 40)))
    before = pickle.dumps(rendered)
    assert len(before) * 0.9 < rendered.size < len(before)
    assert Rendered(_capture(body), None).size == len(body)


def _capture(body: bytes) -> Capture:
    return Capture(Resource(URL, body, "text/html"), encoding="utf-8", identifier=b"i" * 16)
