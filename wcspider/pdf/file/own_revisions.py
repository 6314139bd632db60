"""The revisions of a file that wcspider has appended, read without pikepdf.

pikepdf reads all objects of an object stream together and keeps them, so that reading a few objects of each page set
means reading the whole file. The syntax of these revisions is known: reading an object of them is cheap, and its place
takes 8 bytes in memory.

Only the last revisions count, back to a revision of another program, which may have changed anything before it.
"""

from __future__ import annotations

import os
import sys
import zlib
from array import array
from pathlib import Path
from typing import Final, NamedTuple

from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.file.revision_syntax import WIDTHS, plain_object
from wcspider.pdf.file.written_objects import WrittenObjects
from wcspider.pdf.objects import Ref, Stream, Value

UNREADABLE: Final = (TargetDamagedError, zlib.error, ValueError, LookupError, AttributeError, AssertionError)
"""The errors of reading bytes that wcspider has not written."""

NUMBERS_IN_BYTE: Final = 8
"""How many objects a byte of a file can stand for, in compressed object streams."""

NUMBER_WITHIN: Final = 16
"""The number of bytes in which an object has its number."""


class Section(NamedTuple):
    """A cross-reference stream that wcspider has written (7.5.8)."""

    groups: Value
    """The first number and the count of each group of objects (Table 17), as the file has them."""

    entries: array[int]
    """The entries, each as one number of eight bytes (Table 18)."""

    size: int
    previous: int
    """The offset of the previous cross-reference stream; 0 if there is none."""


def own_revisions(path: Path, file: int, startxref: int) -> WrittenObjects:
    """Return the objects of the last revisions of an open file, as far back as wcspider has written them."""
    reader = WrittenObjects(path, 0)
    sections: list[Section] = []
    offset = startxref
    while offset and (section := _section(reader, file, offset)) is not None:
        sections.append(section)
        offset = section.previous if section.previous < offset else 0
    locations = array("Q", bytes(8 * sections[0].size if sections else 0))
    for section in reversed(sections):
        done = 0
        for first, count in zip(section.groups[::2], section.groups[1::2], strict=True):
            locations[first : first + count] = section.entries[done : done + count]
            done += count
    return WrittenObjects(path, 0, locations)


def _section(reader: WrittenObjects, file: int, offset: int) -> Section | None:
    """Return the cross-reference stream at an offset; None if wcspider has not written it."""
    try:
        number = int(os.pread(file, NUMBER_WITHIN, offset).partition(b" ")[0])
        stream = reader.value_at(file, offset)
        dictionary = {key: entry for key, entry in stream.dictionary.items() if key != "Length"}
        syntax = plain_object(Ref(number), Stream(dictionary, stream.data))
        if dictionary["Type"] != "XRef" or dictionary["W"] != WIDTHS or os.pread(file, len(syntax), offset) != syntax:
            return None
        entries = array("Q", zlib.decompress(stream.data))
        section = Section(dictionary["Index"], entries, dictionary["Size"], dictionary.get("Prev", 0))
    except UNREADABLE:
        return None
    if sys.byteorder == "little":
        entries.byteswap()
    return section if _is_consistent(section, offset) else None


def _is_consistent(section: Section, offset: int) -> bool:
    """Tell whether a section has an entry for each number of its groups, and no more numbers than its file can have."""
    if not isinstance(section.groups, list):
        return False
    numbers = [*section.groups, section.size, section.previous]
    if any(type(number) is not int or number < 0 for number in numbers) or len(section.groups) % 2:
        return False
    ends = [first + count for first, count in zip(section.groups[::2], section.groups[1::2], strict=True)]
    return (
        sum(section.groups[1::2]) == len(section.entries)
        and max(ends, default=0) <= section.size <= offset * NUMBERS_IN_BYTE
    )
