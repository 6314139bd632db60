"""Unique names of destinations and form fields (14.10.3.4).

A unique name is the original name, followed by the identifier of its page set, in which NUL, PERIOD and backslash
are escaped.
"""

from __future__ import annotations

import re
from typing import Final

# Table 351: https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf
_ESCAPES: Final = {b"\x00": b"\\0", b".": b"\\p", b"\\": b"\\\\"}
_SPECIAL_RE: Final = re.compile(rb"[\x00.\\]")
_NIBBLE_BASE: Final = 65


def encode_identifier(identifier: bytes) -> bytes:
    """Return an identifier with the special characters of names escaped (14.10.3.4, Table 351)."""
    return _SPECIAL_RE.sub(lambda match: _ESCAPES[match[0]], identifier)


def destination_name(original: bytes, identifier: bytes) -> bytes:
    """Return the unique name of a destination: its original name, then the encoded identifier (14.10.3.4)."""
    return original + encode_identifier(identifier)


def encode_nibbles(data: bytes) -> bytes:
    """Encode each byte as two: 65 plus the high 4 bits, 65 plus the low 4 bits; so A to P (14.10.3.4)."""
    return bytes(_NIBBLE_BASE + nibble for byte in data for nibble in divmod(byte, 16))


def decode_nibbles(text: bytes) -> bytes | None:
    """Return the bytes that `encode_nibbles` has encoded as `text`; None if it cannot have made this text."""
    nibbles = [byte - _NIBBLE_BASE for byte in text]
    if len(nibbles) % 2 or any(not 0 <= nibble < 16 for nibble in nibbles):
        return None
    return bytes(high << 4 | low for high, low in zip(nibbles[::2], nibbles[1::2], strict=True))


def field_name(original: bytes, identifier: bytes) -> bytes:
    """Return the unique name of a form field: the nibble coding of its name with the identifier (14.10.3.4)."""
    return encode_nibbles(destination_name(original, identifier))
