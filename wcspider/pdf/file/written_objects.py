"""The objects that were written to a growing file since it was opened: their places, and how they are read back.

A file may get millions of objects, so the place of a new one takes 8 bytes.
"""

from __future__ import annotations

import os
import re
import zlib
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.lru import LruCache
from wcspider.pdf.object_syntax import read
from wcspider.pdf.objects import Stream, Value

READ_AHEAD: Final = 2048
DECODED_STREAMS_KEPT: Final = 64

_FIELD: Final = 0xFFFFFFFFFF
"""The mask of the second field of a location: an offset, or the number of an object stream."""

_OBJECT_END: Final = re.compile(rb"\n(stream|endobj)\n")


def at_offset(offset: int, generation: int = 0) -> int:
    """Return the location of an object at an offset of the file."""
    return 1 << 56 | offset << 16 | generation


def in_stream(stream: int, index: int) -> int:
    """Return the location of an object in an object stream (7.5.7), by the number of the stream."""
    return 2 << 56 | stream << 16 | index


class WrittenObjects:
    """The written objects by number, each with the location that `at_offset` or `in_stream` returns.

    A location is the entry of the object in a cross-reference stream (Table 18) whose W is [1 5 2].
    """

    def __init__(self, path: Path, first_new: int, locations: array[int] | None = None) -> None:
        """Begin with the locations of the objects from the number `first_new` on, or without any."""
        self._path = path
        self._first_new = first_new
        self._new = array("Q") if locations is None else locations
        self._changed: dict[int, int] = {}
        self._decoded: LruCache[int, list[bytes]] = LruCache(DECODED_STREAMS_KEPT)

    def __contains__(self, number: int) -> bool:
        """Tell whether an object was written since the file was opened."""
        return bool(self._location(number))

    def update(self, locations: Mapping[int, int]) -> None:
        """Set the locations of objects."""
        missing = max(locations, default=0) + 1 - self._first_new - len(self._new)
        self._new.extend([0] * missing)
        for number, location in locations.items():
            index = number - self._first_new
            if index < 0:
                self._changed[number] = location
            else:
                self._new[index] = location

    def _location(self, number: int) -> int:
        """Return the location of an object; 0 if the object was not written since the file was opened."""
        index = number - self._first_new
        if index < 0:
            return self._changed.get(number, 0)
        return self._new[index] if index < len(self._new) else 0

    def is_outside_streams(self, number: int) -> bool:
        """Tell whether an object of generation 0 was written outside of object streams."""
        location = self._location(number)
        return location >> 56 == 1 and not location & 0xFFFF

    def syntax(self, file: int, number: int) -> bytes | None:
        """Return the syntax of an object in an object stream, None for any other object."""
        location = self._location(number)
        if location >> 56 != 2:
            return None
        return self._members(file, location >> 16 & _FIELD)[location & 0xFFFF]

    def value(self, file: int, number: int) -> Any:
        """Return an object outside of object streams. Raises `TargetDamagedError`."""
        return self.value_at(file, self._location(number) >> 16 & _FIELD)

    def value_at(self, file: int, offset: int) -> Any:
        """Return the object at an offset of a file descriptor; its syntax has no line feed before its end."""
        size = READ_AHEAD
        while True:
            chunk = os.pread(file, size, offset)
            end = _OBJECT_END.search(chunk)
            if end is not None:
                break
            if len(chunk) < size:
                raise TargetDamagedError.of(self._path, "was changed by another program")
            size *= 4
        value: Value = read(chunk[: end.start()].partition(b" obj\n")[2])
        if end[1] == b"endobj":
            return value
        length = value.get("Length") if isinstance(value, dict) else None
        if type(length) is not int or not 0 <= length <= os.fstat(file).st_size:
            raise TargetDamagedError.of(self._path, "has a stream without a valid Length")
        return Stream(value, os.pread(file, length, offset + end.end()))

    def _members(self, file: int, number: int) -> list[bytes]:
        """Return the objects of an object stream."""
        known = self._decoded.get(number)
        if known is not None:
            return known
        stream = self.value(file, number)
        data = zlib.decompress(stream.data)
        first = stream.dictionary["First"]
        offsets = [first + int(offset) for offset in data[:first].split()[1::2]]
        objects = [data[start:end] for start, end in zip(offsets, [*offsets[1:], len(data)], strict=True)]
        return self._decoded.put(number, objects)
