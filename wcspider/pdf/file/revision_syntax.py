"""The syntax of a revision: objects, object streams (7.5.7) and the cross-reference stream (7.5.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wcspider.pdf.objects import Name, Ref, Stream, Syntax, Value, write

HEADER: Final = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
OBJECTS_PER_STREAM: Final = 64
"""The number of objects in an object stream: small, so that reading one object back stays cheap."""

COMPRESSION: Final = 4
"""The level of zlib for object streams: they take 4 % more bytes than at level 6, and three fifths of the time."""

FREE_HEAD: Final = (0, 0, 65535)
"""The cross-reference entry of object 0, the head of the list of free entries (7.5.4)."""

WIDTHS: Final = [1, 5, 2]
"""The W entry of cross-reference streams: the bytes of each field of an entry (Table 17)."""

Entry = tuple[int, int, int]
"""An entry of a cross-reference stream: the type of the entry and its two other fields (Table 18)."""


def plain_object(reference: Ref, value: Value) -> bytes:
    """Return an object outside of object streams."""
    head = b"%d %d obj\n" % reference
    if isinstance(value, Stream):
        dictionary = {**value.dictionary, "Length": len(value.data)}
        return head + write(dictionary) + b"\nstream\n" + value.data + b"\nendstream\nendobj\n"
    return head + (value if type(value) is Syntax else write(value)) + b"\nendobj\n"


def object_stream(members: list[tuple[Ref, bytes]]) -> Stream:
    """Pack objects, none of which is a stream, into an object stream (7.5.7)."""
    index: list[int] = []
    offset = 0
    for reference, syntax in members:
        index += [reference.number, offset]
        offset += len(syntax) + 1
    head = b" ".join(b"%d" % entry for entry in index) + b"\n"
    body = b"".join(syntax + b"\n" for _, syntax in members)
    dictionary = {"Type": Name("ObjStm"), "N": len(members), "First": len(head)}
    return Stream.deflated(dictionary, head + body, COMPRESSION)


def cross_reference_stream(entries: Mapping[int, Entry], trailer: Mapping[str, Value], size: int) -> Stream:
    """Return the cross-reference stream (7.5.8) of a revision, which is also its trailer."""
    numbers = sorted(entries)
    index: list[Value] = []
    for number in numbers:
        if index and index[-2] + index[-1] == number:
            index[-1] += 1
        else:
            index += [number, 1]
    rows = b"".join(
        kind.to_bytes(1, "big") + where.to_bytes(5, "big") + third.to_bytes(2, "big")
        for kind, where, third in (entries[number] for number in numbers)
    )
    dictionary = {"Type": Name("XRef"), **trailer, "Size": size, "Index": index, "W": WIDTHS}
    return Stream.deflated(dictionary, rows)
