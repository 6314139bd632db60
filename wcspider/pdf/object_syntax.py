"""The reading of the syntax of PDF objects (ISO 32000-1, 7.3) as the plain values of `wcspider.pdf.objects`."""

from __future__ import annotations

import re
from binascii import unhexlify
from decimal import Decimal

import pikepdf

from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.objects import Name, Ref, Stream, Value, write_name

LONGEST_NUMBER = 18
"""The number of characters from which a number is checked against the limits of other programs."""

LARGEST_INTEGER = 2**63 - 1
"""The largest integer that qpdf reads; a larger one becomes a real, as Annex C.2 says."""

LARGEST_REAL = Decimal("3.403e38")
"""The largest real (Annex C, table C.1)."""

_TOKEN = re.compile(
    rb"[\x00\t\n\x0c\r ]*(?:%[^\r\n]*(?:[\r\n][\x00\t\n\x0c\r ]*|\Z))*"
    rb"(?:(?P<ref>\d{1,10}[\x00\t\n\x0c\r ]+\d{1,5}[\x00\t\n\x0c\r ]+R(?![^\x00\t\n\x0c\r ()<>\[\]{}/%]))"
    rb"|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+))"
    rb"|/(?P<name>[^\x00\t\n\x0c\r ()<>\[\]{}/%]*)"
    rb"|(?P<open><<|\[)|(?P<close>>>|\])"
    rb"|<(?P<hex>[0-9A-Fa-f\x00\t\n\x0c\r ]*)>"
    rb"|\((?P<plain>[^()\\\r]*)\)"
    rb"|(?P<literal>\()"
    rb"|(?P<word>true|false|null))"
)
_FLAT_ENTRIES = re.compile(rb" ?(?:(?:\([^()\\\r]*\)|<(?:[0-9A-Fa-f]{2})*>|\d{1,10} \d{1,5} R) ?)*")
"""The strings and references at the beginning of an array, as in the nodes of name trees.

The caller has to check whether the array has other entries. A possessive repetition in front of the bracket could
check this as well, but it does not work in Python 3.11 up to 3.11.4.
"""

_PLAIN_STRING = re.compile(rb"\([^()\\]*\)")
_STRING_CHARACTERS = re.compile(rb"[()\\]")
_FLAT_ENTRY = re.compile(rb"\(([^()]*)\)|<([^>]*)>|(\d+) (\d+) R")
_WORDS = {b"true": True, b"false": False, b"null": None}
_NAME_HEX = re.compile(rb"#([0-9A-Fa-f]{2})")
_LITERAL_PART = re.compile(rb"[^()\\]+|[()]|\\(?:[0-7]{1,3}|\r\n|[\s\S])")
_LITERAL_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def read(syntax: bytes) -> Value:
    """Return the value of `syntax`: any object except a stream.

    Raises `TargetDamagedError` if it is not a PDF object.
    """
    stack: list[list[Value]] = [[]]
    position = 0
    while position < len(syntax):
        match = _TOKEN.match(syntax, position)
        if match is None:
            break
        position = match.end()
        kind = match.lastgroup
        if kind == "name":
            name = match["name"]
            stack[-1].append(_read_name(name) if b"#" in name else Name(name.decode("latin-1")))
        elif kind == "plain":  # a string without escapes, as most are
            stack[-1].append(match["plain"])
        elif kind == "open":
            bracket = match["open"]
            if bracket == b"[" and (end := _end_of_flat(syntax, position)):
                stack[-1].append(_read_flat(syntax, position, end))
                position = end
            else:
                stack.append([bracket])
        elif kind == "close" and len(stack) > 1:
            closed = _close(stack, match[kind])
            stack[-1].append(closed)
        elif kind == "literal":
            text, position = _read_literal(syntax, position)
            stack[-1].append(text)
        else:
            stack[-1].append(_read_token(kind or "", match[kind or 0]))
        if len(stack) == 1 and stack[0]:
            return stack[0][0]
    raise TargetDamagedError(f"not a PDF object: {syntax[:40]!r}")


def entry_of(syntax: bytes, key: str) -> Value:
    """Return an entry of a dictionary from the syntax that `write` has returned; None without such an entry.

    The rest of the dictionary is not read, unless it is uncertain where the entry is.
    """
    name = write_name(key)
    if name not in syntax:
        return None
    before, _, after = syntax.partition(name + b" ")
    if after and syntax.count(name) == 1 and _are_entries_between(before, after):
        return read(after)
    value = read(syntax)
    return value.get(key) if isinstance(value, dict) else None


def _are_entries_between(before: bytes, after: bytes) -> bool:
    """Tell whether two parts of a dictionary are split between its own entries, by the shorter of the parts."""
    part, depth = (before, 1) if len(before) < len(after) else (after, -1)
    bare = _PLAIN_STRING.sub(b"", part)
    is_outside = bare.count(b"<<") - bare.count(b">>") == depth and bare.count(b"[") == bare.count(b"]")
    return is_outside and _STRING_CHARACTERS.search(bare) is None


def _end_of_flat(syntax: bytes, start: int) -> int:
    """Return the end of an array of strings and references; 0 if it has other entries."""
    entries = _FLAT_ENTRIES.match(syntax, start)
    assert entries is not None  # it matches nothing as well
    end = entries.end()
    return end + 1 if syntax[end : end + 1] == b"]" else 0


def _read_flat(syntax: bytes, start: int, end: int) -> list[Value]:
    """Read an array of strings and references in one step, because the nodes of name trees are read all the time."""
    return [
        Ref(int(number), int(generation)) if number else unhexlify(digits) if digits else plain
        for plain, digits, number, generation in _FLAT_ENTRY.findall(syntax, start, end)
    ]


def _close(stack: list[list[Value]], bracket: bytes) -> Value:
    opening, *entries = stack.pop()
    if opening == b"[" and bracket == b"]":
        return entries
    if opening != b"<<" or bracket != b">>" or len(entries) % 2:
        raise TargetDamagedError("an array or dictionary with the wrong closing bracket")
    return dict(zip(map(str, entries[::2]), entries[1::2], strict=True))


def _read_token(kind: str, text: bytes) -> Value:
    if kind == "ref":
        number, generation, _ = text.split()
        return Ref(int(number), int(generation))
    if kind == "number":
        if len(text) > LONGEST_NUMBER:
            return _rounded(text)
        return Decimal(text.decode()) if b"." in text else int(text)
    if kind == "hex":
        digits = b"".join(text.split())
        return bytes.fromhex((digits + b"0" if len(digits) % 2 else digits).decode())
    if kind == "word":
        return _WORDS[text]
    raise TargetDamagedError("a closing bracket without an opening one")


def _rounded(text: bytes) -> Decimal | int:
    """Return a number within the limits of Annex C. MuPDF cannot read a file with a number of 100,000 digits."""
    number = Decimal(text.decode())
    if b"." not in text and abs(number) <= LARGEST_INTEGER:
        return int(number)
    return Decimal(f"{max(-LARGEST_REAL, min(LARGEST_REAL, number)):.10f}")


def _read_name(text: bytes) -> Name:
    return Name(_NAME_HEX.sub(lambda match: bytes.fromhex(match[1].decode()), text).decode("latin-1"))


def _read_literal(syntax: bytes, position: int) -> tuple[bytes, int]:
    """Read a literal string (7.3.4.2) from behind its opening parenthesis."""
    parts: list[bytes] = []
    depth = 1
    while match := _LITERAL_PART.match(syntax, position):
        position = match.end()
        part = match[0]
        if part == b"(":
            depth += 1
        elif part == b")":
            depth -= 1
            if not depth:
                return b"".join(parts), position
        elif part[:1] == b"\\":
            part = _unescape(part[1:])
        parts.append(part)
    raise TargetDamagedError("a string without its closing parenthesis")


def _unescape(escape: bytes) -> bytes:
    if escape[:1].isdigit() and escape[:1] < b"8":
        return bytes([int(escape, 8) & 0xFF])
    if escape[:1] in b"\r\n":
        return b""
    return _LITERAL_ESCAPES.get(escape, escape)


def from_pikepdf(source: pikepdf.Object | Decimal | int | None) -> Value:
    """Return the value of a pikepdf object; indirect references in it become `Ref`."""
    if not isinstance(source, pikepdf.Object):  # pikepdf gives numbers, booleans and null as Python has them
        return source
    if isinstance(source, pikepdf.Stream):
        return Stream(read(source.stream_dict.unparse(resolved=True)), source.read_raw_bytes())
    return read(source.unparse(resolved=True))
