"""webcapture/names.py: unique names (14.10.3.4)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.webcapture.names import decode_nibbles, destination_name, encode_identifier, encode_nibbles, field_name

IDENTIFIERS = st.binary(min_size=16, max_size=16) | st.lists(
    st.sampled_from([0, 0x2E, 0x5C, 0x30, 0x70, 0x41]), min_size=16, max_size=16
).map(bytes)
TABLE_351 = {b"0": b"\x00", b"p": b".", b"\\": b"\\"}
PLAIN = bytes(range(0x41, 0x51))


def decoded(identifier: bytes) -> bytes:
    """Table 351 read backwards."""
    return re.sub(rb"\\([0p\\])", lambda match: TABLE_351[match[1]], identifier)


def from_nibbles(encoded: bytes) -> bytes:
    """The nibble coding read backwards, by way of hexadecimal digits."""
    return bytes.fromhex(encoded.decode().translate(str.maketrans("ABCDEFGHIJKLMNOP", "0123456789abcdef")))


@pytest.mark.parametrize(
    ("identifier", "encoded"),
    [
        (b"", b""),
        (b"\x00", b"\\0"),  # Table 351
        (b".", b"\\p"),
        (b"\\", b"\\\\"),
        (b"\\0", b"\\\\0"),  # a backslash and a zero digit
        (b"a\x00.\\b", b"a\\0\\p\\\\b"),
        (b"0p\xff", b"0p\xff"),
    ],
)
def test_table_351(identifier: bytes, encoded: bytes) -> None:
    assert encode_identifier(identifier) == encoded


@given(st.binary())
def test_encoded_identifiers_can_be_decoded(identifier: bytes) -> None:
    encoded = encode_identifier(identifier)
    assert b"." not in encoded
    assert b"\x00" not in encoded
    assert decoded(encoded) == identifier


def test_a_destination_name() -> None:
    assert destination_name(b"top", b"\x00.\\" + PLAIN[3:]) == b"top\\0\\p\\\\" + PLAIN[3:]


@given(st.binary(), IDENTIFIERS)
def test_a_destination_name_is_the_original_name_and_the_identifier(original: bytes, identifier: bytes) -> None:
    name = destination_name(original, identifier)
    assert name.startswith(original)
    assert decoded(name[len(original) :]) == identifier


@pytest.mark.parametrize(
    ("data", "encoded"),
    [(b"", b""), (b"\x00", b"AA"), (b"\x0f", b"AP"), (b"\xf0", b"PA"), (b"a.", b"GBCO")],
)
def test_nibbles(data: bytes, encoded: bytes) -> None:
    assert encode_nibbles(data) == encoded


@given(st.binary())
def test_nibbles_can_be_decoded(data: bytes) -> None:
    encoded = encode_nibbles(data)
    assert set(encoded) <= set(b"ABCDEFGHIJKLMNOP")
    assert from_nibbles(encoded) == data


@given(st.binary())
def test_nibbles_are_decoded(data: bytes) -> None:
    assert decode_nibbles(encode_nibbles(data)) == data


@pytest.mark.parametrize("text", [b"A", b"AAA", b"AQ", b"@A", b"ab", b"A "])
def test_other_texts_are_no_nibbles(text: bytes) -> None:
    assert decode_nibbles(text) is None


def test_a_field_name_is_encoded_twice() -> None:
    """First Table 351, then two bytes for each byte of the whole string."""
    assert field_name(b"a", b"." + PLAIN[1:]) == b"GBFMHA" + encode_nibbles(PLAIN[1:])


@given(st.binary(), IDENTIFIERS)
def test_a_field_name_contains_the_destination_name(original: bytes, identifier: bytes) -> None:
    assert from_nibbles(field_name(original, identifier)) == destination_name(original, identifier)
