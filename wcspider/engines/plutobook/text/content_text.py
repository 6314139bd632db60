"""The text operators (9.4.3) that cairo writes, read from and written to content streams.

Only the subset of operators and the syntax that cairo writes are understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LITERAL, _HEXADECIMAL = rb"\((?:[^()\\]|\\.)*\)", rb"<[0-9a-fA-F\s]*>"
_STRING = rb"(?:" + _LITERAL + rb"|" + _HEXADECIMAL + rb")"

TEXT_OBJECT = re.compile(rb"BT\n(?<!\SBT\n)((?:[^\n]*\n)+?)ET\n")
"""A text object; its operators are in the group. cairo writes an operator on a line of its own.

The search is seven times as fast as with the condition in front of BT.
"""

OPERATOR = re.compile(
    rb"/(?P<font>\S+) (?P<size>\S+) Tf\s*"
    rb"|\[(?P<array>(?:" + _STRING + rb"|[^\]()<>])*)\]\s*TJ\s*"
    rb"|(?P<string>" + _STRING + rb")\s*Tj\s*"
    rb"|(?P<offset>\S+ \S+) Td\s*"
    rb"|(?P<matrix>\S+ \S+ \S+ \S+ \S+ \S+) Tm\s*",
    re.DOTALL,
)
"""An operator that selects a font, shows text or moves the place of the text."""

_MATRIX = re.compile(rb"(?:\S+ ){6}Tm\n")
"""An operator that places text. No string contains one, or a `SELECTION`, since line breaks in strings are escaped."""

SELECTION = re.compile(rb"/(f-\d+-\d+) (\S+) Tf\n")
"""The selection of a font with its size."""

_UNUSUAL_CODE = re.compile(rb"\\(?![()\\23])|\\2(?:40|55)")
"""An escape for a code that is no character of WinAnsiEncoding, or its second space or hyphen (7.3.4.2, D.2)."""

_ITEM = re.compile(_STRING + rb"|[-+.\d]+", re.DOTALL)
_ESCAPE = re.compile(rb"\\(\r\n|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r\n": b"", b"\r": b""}

Shown = bytes | float
"""What an array of TJ contains: codes, and numbers that move the place of the text to the left."""


def has_unusual_codes(content: bytes) -> bool:
    """Tell whether a content stream has strings with codes of `embedded_fonts.UNUSUAL`, or of two bytes.

    This is also true for a few other streams, for example those with a less-than sign in a literal string.
    """
    return b"<" in content or _UNUSUAL_CODE.search(content) is not None


def selected_fonts(content: bytes) -> Iterable[bytes]:
    """Return the resource names of the fonts that a content stream or text object selects, each once."""
    return dict.fromkeys(name for name, _ in SELECTION.findall(content))


def divided(operators: bytes) -> tuple[bytes, bytes]:
    """Return the Tm operator of a text object and the operators behind it; the first is empty if it has several."""
    matrix = _MATRIX.match(operators)
    if matrix is None or _MATRIX.search(operators, matrix.end()) is not None:
        return b"", operators
    return matrix[0], operators[matrix.end() :]


def tokens(operand: bytes) -> list[bytes]:
    """Return the strings and the numbers of the operand of Tj or TJ."""
    return _ITEM.findall(operand)


def string(token: bytes) -> bytes:
    """Return the bytes of a literal or hexadecimal string (7.3.4)."""
    if token[:1] == b"<":
        # A line may end between the two digits of a byte.
        return bytes.fromhex(b"".join(token[1:-1].split()).decode("ascii"))
    return _ESCAPE.sub(_unescaped, token[1:-1]) if b"\\" in token else token[1:-1]


def _unescaped(match: re.Match[bytes]) -> bytes:
    what = match[1]
    if what[:1].isdigit():
        return bytes((int(what, 8) & 0xFF,))
    return _ESCAPED.get(what, what)


def array(shown: Iterable[Shown]) -> bytes:
    """Return a TJ operator, or the shorter Tj operator for a single string."""
    parts = list(shown)
    if len(parts) == 1 and isinstance(parts[0], bytes):
        return token(parts[0]) + b"Tj\n"
    return b"[" + b"".join(token(part) if isinstance(part, bytes) else number(part) for part in parts) + b"]TJ\n"


def token(codes: bytes) -> bytes:
    """Return a string token, literal if all bytes are printable."""
    if codes.isascii() and codes.decode().isprintable():
        return b"(" + codes.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)") + b")"
    return b"<" + codes.hex().encode() + b">"


def number(value: float, places: int = 3) -> bytes:
    """Return a number with at most so many decimal places, and a space behind it."""
    return f"{value:.{places}f}".rstrip("0").rstrip(".").encode() + b" "
