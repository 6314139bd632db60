"""Unique names of destinations and form fields (14.10.3.4).

A unique name is the original name and behind it the identifier of its page set, in which NUL, PERIOD and
backslash are escaped. Nothing marks where the identifier begins, and an original name may end in a
backslash: then it and the identifier's first byte can look like one escape, and an escape like the two of
them. So a name is split exactly when its identifier is known (`remove_identifier`); without it
`split_destination_name` reads the identifier from the end, and refuses to choose where two readings are
possible.
"""

from __future__ import annotations

import re
from typing import Final

from wcspider.webcapture.identifiers import DIGEST_SIZE

# Table 351: https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf
_ESCAPES: Final = {b"\x00": b"\\0", b".": b"\\p", b"\\": b"\\\\"}
_CHARACTERS: Final = {escape: character for character, escape in _ESCAPES.items()}
_SPECIAL_RE: Final = re.compile(rb"[\x00.\\]")
_ESCAPE_RE: Final = re.compile(rb"\\(?:[0p\\])?|[\x00.]")
_NIBBLE_BASE: Final = 65


def encode_identifier(identifier: bytes) -> bytes:
    """An identifier without characters that are special in names (14.10.3.4, Table 351)."""
    return _SPECIAL_RE.sub(lambda match: _ESCAPES[match[0]], identifier)


def decode_identifier(encoded: bytes) -> bytes:
    """The identifier of its encoded form; raises ValueError for what Table 351 cannot have made."""

    def character(match: re.Match[bytes]) -> bytes:
        try:
            return _CHARACTERS[match[0]]
        except KeyError:
            raise ValueError(f"byte {match.start()} of {encoded!r} is special, but not escaped") from None

    return _ESCAPE_RE.sub(character, encoded)


def destination_name(original: bytes | str, identifier: bytes) -> bytes:
    """The unique name of a destination: its original name, then the encoded identifier (14.10.3.4)."""
    return _as_bytes(original) + encode_identifier(identifier)


def remove_identifier(name: bytes, identifier: bytes) -> bytes:
    """The original name of the destination of a page set whose identifier is known (14.10.3.4).

    Raises ValueError if the name does not end in the encoded identifier.
    """
    encoded = encode_identifier(identifier)
    if not name.endswith(encoded):
        raise ValueError(f"{name!r} does not end in the identifier {identifier.hex()}")
    return name[: len(name) - len(encoded)]


def split_destination_name(name: bytes, identifier_length: int = DIGEST_SIZE) -> tuple[bytes, bytes]:
    """The original name and the identifier in a destination's unique name (14.10.3.4).

    Raises ValueError if no identifier of ``identifier_length`` bytes stands at the end, or if the name can
    be cut in more than one way; then only one who knows the identifier can tell (`remove_identifier`).
    """
    readings = []
    for size in range(identifier_length, 2 * identifier_length + 1):
        if size > len(name):
            break
        original, encoded = name[: len(name) - size], name[len(name) - size :]
        try:
            identifier = decode_identifier(encoded)
        except ValueError:
            continue
        if len(identifier) == identifier_length:
            readings.append((original, identifier))
    if not readings:
        raise ValueError(f"{name!r} does not end in an identifier of {identifier_length} bytes")
    if len(readings) > 1:
        raise ValueError(f"{name!r} can be read as a unique name in {len(readings)} ways")
    return readings[0]


def encode_nibbles(data: bytes) -> bytes:
    """Each byte as two, 65 plus its high and 65 plus its low 4 bits, so A to P (14.10.3.4)."""
    return bytes(_NIBBLE_BASE + nibble for byte in data for nibble in divmod(byte, 16))


def decode_nibbles(encoded: bytes) -> bytes:
    """The bytes of their nibble coding; raises ValueError for an odd length or a byte outside A to P."""
    if len(encoded) % 2:
        raise ValueError(f"{encoded!r} has an odd number of bytes, so it is not nibble-coded")
    nibbles = [byte - _NIBBLE_BASE for byte in encoded]
    if any(not 0 <= nibble < 16 for nibble in nibbles):
        raise ValueError(f"{encoded!r} has a byte outside A to P, so it is not nibble-coded")
    return bytes(high << 4 | low for high, low in zip(nibbles[::2], nibbles[1::2], strict=True))


def field_name(original: bytes | str, identifier: bytes) -> bytes:
    """The unique name of a form field: the nibble coding of its destination-like name (14.10.3.4)."""
    return encode_nibbles(destination_name(original, identifier))


def split_field_name(name: bytes, identifier_length: int = DIGEST_SIZE) -> tuple[bytes, bytes]:
    """The original name and the identifier in a field's unique name, as `split_destination_name` does."""
    return split_destination_name(decode_nibbles(name), identifier_length)


def _as_bytes(name: bytes | str) -> bytes:
    return name.encode() if isinstance(name, str) else name
