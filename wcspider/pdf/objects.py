"""PDF objects as plain Python values, and the writing of their syntax (ISO 32000-1, 7.3).

| PDF | Python |
| --- | --- |
| null, boolean, integer, real | None, bool, int, Decimal |
| string | bytes |
| name | `Name`, a str without the slash |
| array, dictionary | list, dict with str keys (without the slash) |
| indirect reference | `Ref` |
| stream | `Stream`: the dictionary and the bytes as they are encoded |

pikepdf objects belong to the document from which they were read. These values belong to no document and can be
pickled, so that a worker process can pass them to the process that writes the file.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias


class Name(str):
    """A name object (7.3.5), without its slash; each character stands for one byte."""

    __slots__ = ()


class Ref(NamedTuple):
    """An indirect reference (7.3.10)."""

    number: int
    generation: int = 0


@dataclass(slots=True)
class Stream:
    """A stream object (7.3.8): its dictionary, and its bytes as the dictionary's Filter encodes them."""

    dictionary: dict[str, Any]
    data: bytes = field(repr=False)

    @classmethod
    def deflated(cls, dictionary: dict[str, Any], data: bytes, level: int = 6) -> Stream:
        """Return a stream of `data` with the FlateDecode filter. `level` is that of zlib; that of qpdf is 6."""
        return cls({**dictionary, "Filter": Name("FlateDecode")}, zlib.compress(data, level))


class Syntax(bytes):
    """The syntax of a value that is not a stream, as `write` returns it."""

    __slots__ = ()


class Template(NamedTuple):
    """The syntax of a value that is not a stream, with gaps for its references."""

    pieces: tuple[bytes, ...]
    """The syntax between the references: one piece more than there are references."""

    references: tuple[Ref | None, ...]
    """The references for the gaps; None for a null."""

    @classmethod
    def of(cls, syntax: bytes) -> Template:
        """Return the template of syntax that qpdf has written: it escapes parentheses in strings."""
        pieces, found = [], []
        start = 0
        for match in _REFERENCE_OR_STRING.finditer(syntax):
            if match[1] is not None:
                pieces.append(syntax[start : match.start()])
                found.append(Ref(int(match[1]), int(match[2])))
                start = match.end()
        return cls((*pieces, syntax[start:]), tuple(found))

    def renumbered(self, renumber: Callable[[Ref], Ref | None]) -> Template:
        """Return the template with other references."""
        return Template(self.pieces, tuple(None if entry is None else renumber(entry) for entry in self.references))

    def filled(self) -> Syntax:
        """Return the syntax of the value."""
        out = [self.pieces[0]]
        for entry, piece in zip(self.references, self.pieces[1:], strict=True):
            out += [b"null" if entry is None else b"%d %d R" % entry, piece]
        return Syntax(b"".join(out))


_REFERENCE_OR_STRING = re.compile(rb"\((?:[^()\\]|\\[\s\S])*\)|(?<![\w.+-])(\d+) (\d+) R\b")

Value: TypeAlias = Any
"""Any of the Python values of the table above."""

Resolve = Callable[[Value], Any]
"""Returns the object to which a value refers, or the value itself if it is not a reference."""

_NAME_ESCAPES = {byte: f"#{byte:02X}" for byte in range(256) if not 0x21 <= byte <= 0x7E}
_NAME_ESCAPES |= {ord(char): f"#{ord(char):02X}" for char in "#()<>[]{}/%"}
_LITERAL_PLAIN = re.compile(rb"[ !-'*-\[\]-~]*")
_LITERAL_UNSAFE = re.compile(rb"[^\x20-\x7e]")
_LITERAL_SPECIAL = re.compile(rb"([()\\])")


def write(value: Value) -> bytes:
    """Return the syntax of a value that is not a stream.

    The keys of dictionaries are sorted, so that equal values have the same syntax, whatever program wrote them before.
    """
    if type(value) is Ref:
        return b"%d %d R" % value
    out: list[bytes] = []
    _write(value, out)
    return b"".join(out)


def _write(value: Value, out: list[bytes]) -> None:
    kind = type(value)
    if kind is Name:
        out.append(write_name(value))
    elif kind is Ref:
        out.append(b"%d %d R" % value)
    elif kind is int:
        out.append(b"%d" % value)
    elif kind is bytes:
        out.append(_write_string(value))
    elif kind is dict:
        out.append(b"<<")
        for key, entry in sorted(value.items()):
            out.append(write_name(key) + b" ")
            _write(entry, out)
        out.append(b">>")
    elif kind is list:
        out.append(b"[")
        for entry in value:  # most entries are references and strings, in the nodes of trees
            entry_kind = type(entry)
            if entry_kind is bytes:
                out.append(_write_string(entry))
            elif entry_kind is Ref:
                out.append(b"%d %d R" % entry)
            else:
                _write(entry, out)
            out.append(b" ")
        out[-1] = b"]" if value else b"[]"
    elif kind is bool:
        out.append(b"true" if value else b"false")
    elif value is None:
        out.append(b"null")
    elif kind is Syntax:
        out.append(value)
    elif kind is Template:
        out.append(value.filled())
    elif kind is Decimal:
        out.append(format(value, "f").encode())
    else:
        raise TypeError(f"{kind.__name__} is not a PDF object")


@lru_cache(maxsize=1024)
def write_name(name: str) -> bytes:
    """Return the syntax of a name."""
    return b"/" + name.translate(_NAME_ESCAPES).encode("ascii")


def _write_string(value: bytes) -> bytes:
    if _LITERAL_PLAIN.fullmatch(value):
        return b"(%b)" % value
    if len(_LITERAL_UNSAFE.findall(value)) * 4 > len(value):
        return b"<" + value.hex().encode() + b">"
    escaped = _LITERAL_SPECIAL.sub(rb"\\\1", value)
    return b"(" + _LITERAL_UNSAFE.sub(lambda match: b"\\%03o" % match[0][0], escaped) + b")"


def real(number: float) -> Decimal:
    """Return a number as a real with at most four decimals, and at least one.

    >>> str(real(1)), str(real(12.30004)), str(real(0.00001))
    ('1.0', '12.3', '0.0')
    """
    text = f"{number:.4f}".rstrip("0")
    return Decimal(text + "0" if text.endswith(".") else text)


def references(value: Value) -> Iterator[Ref]:
    """Yield every indirect reference in a value, in order."""
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, Template):
        yield from filter(None, value.references)
    elif isinstance(value, dict):
        for entry in value.values():
            yield from references(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from references(entry)
    elif isinstance(value, Stream):
        yield from references(value.dictionary)


def renumbered(value: Value, renumber: Callable[[Ref], Ref | None]) -> Value:
    """Return a copy of a value with its references passed through `renumber`, which returns None for null."""
    if type(value) is Ref:
        return renumber(value)
    if isinstance(value, dict):
        return {key: renumbered(entry, renumber) for key, entry in value.items()}
    if isinstance(value, list):
        return [renumbered(entry, renumber) for entry in value]
    if isinstance(value, Stream):
        return Stream(renumbered(value.dictionary, renumber), value.data)
    if isinstance(value, Template):
        return value.renumbered(renumber)
    return value
