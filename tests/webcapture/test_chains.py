"""webcapture/chains.py: alias chains (14.10.5.2)."""

from __future__ import annotations

import pytest

from wcspider.exceptions import InvalidURLError, RedirectError, RedirectLoop
from wcspider.webcapture.chains import chain, keys

A, B, C, D = (f"http://h/{name}" for name in "abcd")


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        ([], ()),
        ([A, B], (A, B)),
        ([A, B, D], (A, B)),  # the destination may stand at the end; it is left off
        ([D], ()),
        (["HTTP://H:80/x/../a#top"], (A,)),
        ([A, A + "#x", B], (A, B)),  # a fragment is no other URL
        (["http://h", "http://h/", A], ("http://h/", A)),  # nor is a slash for an empty path
        ([A, B + "#x", D + "#y"], (A, B)),
        ([A, B, A], RedirectLoop),
        ([A, D, B], RedirectLoop),  # through the destination
        (["https://h/", "http://h/", "https://h:443"], RedirectLoop),
        ([A, "mailto:x@h"], InvalidURLError),
    ],
)
def test_chain(urls: list[str], expected: tuple[str, ...] | type[Exception]) -> None:
    if isinstance(expected, tuple):
        assert chain(urls, D) == expected
    else:
        with pytest.raises(expected):
            chain(urls, D)


def test_a_chain_is_as_long_as_the_redirects_that_were_followed() -> None:
    urls = [f"http://h/{number}" for number in range(50)]
    assert chain(urls, D) == tuple(urls)


def test_a_loop_is_named_by_the_url_that_comes_back() -> None:
    with pytest.raises(RedirectError, match=f"^{A} redirects in a loop, through {B}; "):
        chain([A, B, C, B], D)


def test_every_url_of_a_chain_is_a_key() -> None:
    assert keys(D, []) == (D,)
    assert keys(D, [(A, B), (C, B)]) == (D, A, B, C)
