"""webcapture/identifiers.py: digital identifiers and text identifiers (14.10.3.3)."""

from __future__ import annotations

from hashlib import md5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.webcapture.identifiers import page_set_identifier, text_identifier

GIF = md5(b"GIF89a").digest()
PNG = md5(b"\x89PNG").digest()


def test_a_page_set_is_its_source_then_its_auxiliary_files_in_order() -> None:
    expected = md5(b"<img src=a><img src=b>" + GIF + PNG).digest()
    assert page_set_identifier(b"<img src=a><img src=b>", [("a", GIF), ("b", PNG)]) == expected


def test_an_auxiliary_file_counts_the_first_time_only() -> None:
    auxiliaries = [("a", GIF), ("b", PNG), ("a", GIF)]
    assert page_set_identifier(b"x", auxiliaries) == md5(b"x" + GIF + PNG).digest()


def test_equal_bytes_at_two_urls_are_two_files() -> None:
    assert page_set_identifier(b"x", [("a", GIF), ("b", GIF)]) == md5(b"x" + GIF + GIF).digest()


def test_equal_sources_with_different_images_differ() -> None:
    """14.10.3.3, NOTE 3."""
    assert page_set_identifier(b"x", [("a", GIF)]) != page_set_identifier(b"x", [("a", PNG)])


def test_a_file_alone_is_the_md5_of_its_bytes() -> None:
    """PDF sources and image sets, here with RFC 1321's "abc" (A.5)."""
    assert page_set_identifier(b"abc").hex() == "900150983cd24fb0d6963f7d28e17f72"


@pytest.mark.parametrize("digest", [b"", GIF.hex().encode(), GIF[:15]])
def test_a_digest_has_16_bytes(digest: bytes) -> None:
    with pytest.raises(ValueError, match="16"):
        page_set_identifier(b"x", [("a", digest)])


def test_a_url_has_one_digest() -> None:
    equal = bytes(bytearray(GIF))  # though not the same object
    assert page_set_identifier(b"x", [("a", GIF), ("a", equal)]) == md5(b"x" + GIF).digest()
    with pytest.raises(ValueError, match="another digest"):
        page_set_identifier(b"x", [("a", GIF), ("a", PNG)])


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([], None),
        ([""], None),
        ([" \n\t", "\xa0"], None),
        (["a"], "a"),
        (["a", "b"], "ab"),  # tags stand inside words too
        (["a ", " b"], "a b"),
        (["a", " ", "b"], "a b"),
        (["a", "", "b"], "ab"),
        (["\n a\r\n\r\nb \f"], "a b"),
        (["a\xa0b"], "a b"),
        (["a\u2003\u3000b"], "a b"),
        (["a\u200bb"], "a\u200bb"),  # a zero width space is no white space in Unicode
        (["Grüße, 日本"], "Grüße, 日本"),
    ],
)
def test_text_identifier(pieces: list[str], text: str | None) -> None:
    assert text_identifier(pieces) == (None if text is None else md5(text.encode()).digest())


@given(st.lists(st.text("ab \n\xa0é") | st.text()))
def test_text_is_the_same_however_it_is_cut(pieces: list[str]) -> None:
    text = " ".join("".join(pieces).split())
    assert text_identifier(pieces) == (md5(text.encode()).digest() if text else None)
    assert text_identifier("".join(pieces)) == text_identifier(pieces)
