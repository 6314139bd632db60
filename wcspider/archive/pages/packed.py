"""A capture with its pages, as the pipelines pass it to the writer."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from wcspider.archive.pages.fragments import ConversionNotes, Fragment
from wcspider.pdf.objects import Value
from wcspider.steps import Steps, completed, portions
from wcspider.webcapture.records import Capture

OBJECTS_AT_ONCE = 512
BYTES_AT_ONCE = 256 * 1024
"""The limits of a part of a packed fragment, so that each part is unpacked in a few milliseconds."""


class Part(NamedTuple):
    """A pickled value."""

    data: bytes
    """The compressed pickle without the data of the streams in it."""

    streams: tuple[bytes, ...] = ()
    """The data of the streams, which is compressed already."""

    def unpacked(self) -> Any:
        """Return the value."""
        return pickle.loads(zlib.decompress(self.data), buffers=self.streams)


@dataclass(frozen=True, slots=True)
class PackedFragment:
    """A fragment as it comes from a worker process, to be unpacked when its turn has come.

    Many fragments may wait for one page. A packed fragment is one block of memory of a known size. An unpacked one is
    thousands of small objects, which fragment the memory and slow down Python's garbage collection.
    """

    parts: tuple[Part, ...]
    """The fragment; that of a large page without its objects, behind parts with these."""

    notes: ConversionNotes = field(default_factory=ConversionNotes)

    @classmethod
    def of(cls, fragment: Fragment) -> PackedFragment:
        """Pack a fragment."""
        if len((dumped := _dumped(fragment)).data) <= BYTES_AT_ONCE:
            return cls((_packed(dumped),), fragment.notes)
        groups = portions(fragment.objects, OBJECTS_AT_ONCE)
        parts = [part for group in groups for part in _parts(tuple(group))]
        return cls(tuple(map(_packed, [*parts, _dumped(replace(fragment, objects=()))])), fragment.notes)

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return sum(len(part.data) + sum(map(len, part.streams)) for part in self.parts)

    def unpacked(self) -> Fragment:
        """Return the fragment."""
        return completed(self.unpack())

    def unpack(self) -> Steps[Fragment]:
        """Return the fragment in steps."""
        objects: list[Value] = []
        for part in self.parts[:-1]:
            objects += part.unpacked()
            yield
        fragment: Fragment = self.parts[-1].unpacked()
        return replace(fragment, objects=(*objects, *fragment.objects)) if objects else fragment


def _dumped(value: object) -> Part:
    """Return a part that is not yet compressed."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    return Part(data, tuple(bytes(buffer.raw()) for buffer in buffers))


def _packed(part: Part) -> Part:
    return part._replace(data=zlib.compress(part.data, zlib.Z_BEST_SPEED))


def _parts(objects: tuple[Value, ...]) -> Iterator[Part]:
    """Yield objects as pickles, none of them large unless it is one large object."""
    part = _dumped(objects)
    if len(objects) == 1 or len(part.data) <= BYTES_AT_ONCE:
        yield part
    else:
        middle = len(objects) // 2
        yield from _parts(objects[:middle])
        yield from _parts(objects[middle:])


@dataclass(frozen=True)
class Rendered:
    """A capture with its pages, which can be pickled."""

    capture: Capture
    packed: PackedFragment | None
    """Its pages; None if the file held a page set with that identifier when the page was fetched."""

    zoom: float | None = None
    """The preferred zoom of the pages (14.10.6); None for pages that were not scaled."""

    _unpacked: Fragment | None = field(default=None, init=False, repr=False, compare=False)

    def unpacked(self) -> Steps[Fragment | None]:
        """Return its pages in steps; the first call unpacks them."""
        if self._unpacked is None and self.packed is not None:
            object.__setattr__(self, "_unpacked", (yield from self.packed.unpack()))
        return self._unpacked

    @property
    def fragment(self) -> Fragment | None:
        """Its pages, unpacked."""
        return completed(self.unpacked())

    @property
    def size(self) -> int:
        """An estimate of its size in bytes: of its pages, its source and its auxiliary resources."""
        shown = (entry.resource for entry in self.capture.auxiliaries)
        return (
            (0 if self.packed is None else self.packed.size)
            + len(self.capture.resource.body)
            + sum(len(resource.body) for resource in shown if resource is not None)
        )
