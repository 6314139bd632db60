"""webcapture/names.py: unique names (14.10.3.4)."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wcspider.webcapture.names import (
    decode_identifier,
    decode_nibbles,
    destination_name,
    encode_identifier,
    encode_nibbles,
    field_name,
    remove_identifier,
    split_destination_name,
    split_field_name,
)

IDENTIFIERS = st.binary(min_size=16, max_size=16) | st.lists(
    st.sampled_from([0, 0x2E, 0x5C, 0x30, 0x70, 0x41]), min_size=16, max_size=16
).map(bytes)
TABLE_351 = {b"0": b"\x00", b"p": b".", b"\\": b"\\"}
PLAIN = bytes(range(0x41, 0x51))


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
    assert decode_identifier(encoded) == identifier


@pytest.mark.parametrize("encoded", [b"\\", b"a\\x", b"a.b", b"\x00", b"\\\\\\"])
def test_what_table_351_cannot_have_made(encoded: bytes) -> None:
    with pytest.raises(ValueError, match="special"):
        decode_identifier(encoded)


@given(st.binary())
def test_encoded_identifiers_come_back(identifier: bytes) -> None:
    encoded = encode_identifier(identifier)
    assert b"." not in encoded
    assert b"\x00" not in encoded
    assert decode_identifier(encoded) == identifier


def test_a_destination_name() -> None:
    assert destination_name(b"top", b"\x00.\\" + PLAIN[3:]) == b"top\\0\\p\\\\" + PLAIN[3:]
    assert destination_name("Größe", PLAIN) == "Größe".encode() + PLAIN


@given(st.binary(), IDENTIFIERS)
def test_names_come_back_when_the_identifier_is_known(original: bytes, identifier: bytes) -> None:
    assert remove_identifier(destination_name(original, identifier), identifier) == original


def readings(name: bytes) -> list[tuple[bytes, bytes]]:
    """Every pair that makes a name, found by trying all cuts."""
    found = []
    for cut in range(len(name) + 1):
        identifier = re.sub(rb"\\([0p\\])", lambda match: TABLE_351[match[1]], name[cut:])
        if len(identifier) == 16 and destination_name(name[:cut], identifier) == name:
            found.append((name[:cut], identifier))
    return found


@given(st.binary() | st.text("ab\\0p.").map(str.encode), IDENTIFIERS)
@example(b"a\\", b"p" + PLAIN[1:])
@example(b"a\\", b"\\" + PLAIN[1:])
def test_a_name_is_split_where_it_can_be_in_one_way_only(original: bytes, identifier: bytes) -> None:
    name = destination_name(original, identifier)
    possible = readings(name)
    assert (original, identifier) in possible
    if len(possible) == 1:
        assert split_destination_name(name) == (original, identifier)
        assert split_field_name(encode_nibbles(name)) == (original, identifier)
    else:
        with pytest.raises(ValueError, match=f"in {len(possible)} ways"):
            split_destination_name(name)


def test_two_readings_of_one_name() -> None:
    """What `split_destination_name` refuses to choose between."""
    tail = PLAIN[1:]
    name = destination_name(b"a\\", b"p" + tail)
    assert name == destination_name(b"a", b"." + tail)
    with pytest.raises(ValueError, match="2 ways"):
        split_destination_name(name)
    assert remove_identifier(name, b"p" + tail) == b"a\\"
    assert remove_identifier(name, b"." + tail) == b"a"


@pytest.mark.parametrize("name", [b"", b"short", b"a.b.c.d.e.f.g.h.", b"x" * 15 + b"\\"])
def test_a_name_without_an_identifier(name: bytes) -> None:
    with pytest.raises(ValueError, match="does not end in an identifier"):
        split_destination_name(name)


def test_a_name_with_another_identifier() -> None:
    with pytest.raises(ValueError, match="does not end in the identifier"):
        remove_identifier(destination_name(b"a", PLAIN), PLAIN[::-1])


@pytest.mark.parametrize(
    ("data", "encoded"),
    [(b"", b""), (b"\x00", b"AA"), (b"\x0f", b"AP"), (b"\xf0", b"PA"), (b"a.", b"GBCO")],
)
def test_nibbles(data: bytes, encoded: bytes) -> None:
    assert encode_nibbles(data) == encoded
    assert decode_nibbles(encoded) == data


@pytest.mark.parametrize(("encoded", "problem"), [(b"A", "odd"), (b"AQ", "A to P"), (b"@A", "A to P")])
def test_what_is_not_nibble_coded(encoded: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        decode_nibbles(encoded)


@given(st.binary())
def test_nibbles_come_back(data: bytes) -> None:
    encoded = encode_nibbles(data)
    assert set(encoded) <= set(b"ABCDEFGHIJKLMNOP")
    assert decode_nibbles(encoded) == data


def test_a_field_name_is_encoded_twice() -> None:
    """First Table 351, then two bytes for each byte of the whole string."""
    assert field_name(b"a", b"." + PLAIN[1:]) == b"GBFMHA" + encode_nibbles(PLAIN[1:])


@given(st.binary(), IDENTIFIERS)
def test_a_field_name_holds_the_destination_name(original: bytes, identifier: bytes) -> None:
    assert decode_nibbles(field_name(original, identifier)) == destination_name(original, identifier)
