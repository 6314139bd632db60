"""webcapture/keys.py: requests are the same if their URL and their data are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wcspider.webcapture.keys import AGAIN, key_of, url_of

URL = "https://example.com/?a=b"


def test_requests_without_data_have_the_url_for_a_key() -> None:
    assert key_of(URL) == key_of(URL, "GET", b"ignored") == URL


@given(st.binary(), st.binary())
def test_posted_data_are_a_part_of_the_key(one: bytes, other: bytes) -> None:
    keys = [key_of(URL, "POST", data) for data in (one, other)]
    assert (keys[0] == keys[1]) is (one == other)
    assert [url_of(key) for key in (*keys, f"{keys[0]}{AGAIN}1")] == [URL] * 3
    assert key_of(URL, "PUT", one) not in (URL, *keys)
