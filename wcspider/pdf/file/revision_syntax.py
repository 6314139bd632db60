"""The syntax of a revision: objects, object streams (7.5.7) and the cross-reference stream (7.5.8)."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping
from itertools import accumulate
from typing import Final

from wcspider.pdf.file.written_objects import at_offset, in_stream
from wcspider.pdf.objects import Name, Ref, Stream, Syntax, Value, write

HEADER: Final = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
OBJECTS_PER_STREAM: Final = 64
"""The number of objects in an object stream: small, so that reading one object back stays cheap."""

COMPRESSION: Final = 4
"""The level of zlib for object streams: they take 4 % more bytes than at level 6, and three fifths of the time."""

FREE_HEAD: Final = 65535
"""The cross-reference entry of object 0, the head of the list of free entries (7.5.4)."""

WIDTHS: Final = [1, 5, 2]
"""The W entry of cross-reference streams: the bytes of each field of an entry (Table 17), eight together."""


class RevisionBody:
    """The bytes of a revision, and the cross-reference entries of its objects (Table 18), each as one number."""

    def __init__(self, start: int) -> None:
        """Begin a revision at an offset of the file."""
        self.start = start
        self.data = bytearray()
        self.entries: dict[int, int] = {}

    def put(self, reference: Ref, value: Value) -> None:
        """Put an object outside of object streams."""
        self.entries[reference.number] = at_offset(self.start + len(self.data), reference.generation)
        self.data += plain_object(reference, value)

    def put_members(self, stream: Ref, members: list[tuple[Ref, bytes]]) -> None:
        """Put objects, none of which is a stream, into an object stream (7.5.7)."""
        self.put(stream, object_stream(members))
        first = in_stream(stream.number, 0)
        self.entries |= {member.number: first + index for index, (member, _) in enumerate(members)}

    def put_cross_references(self, reference: Ref, trailer: Mapping[str, Value], size: int) -> int:
        """Put the cross-reference stream (7.5.8), which is also the trailer, at the end; return its offset."""
        startxref = self.start + len(self.data)
        self.entries[reference.number] = at_offset(startxref)
        head = {} if "Prev" in trailer else {0: FREE_HEAD}
        self.data += plain_object(reference, cross_reference_stream(head | self.entries, trailer, size))
        self.data += b"startxref\n%d\n%%%%EOF\n" % startxref
        return startxref


def plain_object(reference: Ref, value: Value) -> bytes:
    """Return an object outside of object streams."""
    head = b"%d %d obj\n" % reference
    if isinstance(value, Stream):
        dictionary = {**value.dictionary, "Length": len(value.data)}
        return head + write(dictionary) + b"\nstream\n" + value.data + b"\nendstream\nendobj\n"
    return head + (value if type(value) is Syntax else write(value)) + b"\nendobj\n"


def object_stream(members: list[tuple[Ref, bytes]]) -> Stream:
    """Pack objects, none of which is a stream, into an object stream (7.5.7)."""
    offsets = accumulate((len(syntax) + 1 for _, syntax in members), initial=0)
    head = b" ".join(b"%d %d" % (reference.number, at) for (reference, _), at in zip(members, offsets, strict=False))
    head += b"\n"
    body = b"".join(part for _, syntax in members for part in (syntax, b"\n"))
    dictionary = {"Type": Name("ObjStm"), "N": len(members), "First": len(head)}
    return Stream.deflated(dictionary, head + body, COMPRESSION)


def cross_reference_stream(entries: Mapping[int, int], trailer: Mapping[str, Value], size: int) -> Stream:
    """Return the cross-reference stream (7.5.8) of a revision, which is also its trailer."""
    numbers = sorted(entries)
    index: list[Value] = []
    for number in numbers:
        if index and index[-2] + index[-1] == number:
            index[-1] += 1
        else:
            index += [number, 1]
    rows = array("Q", [entries[number] for number in numbers])
    if sys.byteorder == "little":
        rows.byteswap()
    dictionary = {"Type": Name("XRef"), **trailer, "Size": size, "Index": index, "W": WIDTHS}
    return Stream.deflated(dictionary, rows.tobytes())
