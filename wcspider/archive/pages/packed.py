"""A capture with its pages, as the pipelines pass it to the writer."""

from __future__ import annotations

import pickle
import zlib
from dataclasses import dataclass, field
from functools import cached_property

from wcspider.archive.pages.fragments import ConversionNotes, Fragment
from wcspider.webcapture.records import Capture


@dataclass(frozen=True, slots=True)
class PackedFragment:
    """A fragment as it comes from a worker process, to be unpacked when its turn has come.

    Many fragments may wait for one page. A packed fragment is one block of memory of a known size. An unpacked one is
    thousands of small objects, which fragment the memory and slow down Python's garbage collection.
    """

    data: bytes
    """The compressed fragment without the data of its streams."""

    streams: tuple[bytes, ...] = ()
    """The data of its streams, which is compressed already."""

    notes: ConversionNotes = field(default_factory=ConversionNotes)

    @classmethod
    def of(cls, fragment: Fragment) -> PackedFragment:
        """Pack a fragment."""
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(fragment, protocol=pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
        streams = tuple(bytes(buffer.raw()) for buffer in buffers)
        return cls(zlib.compress(data, zlib.Z_BEST_SPEED), streams, fragment.notes)

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return len(self.data) + sum(map(len, self.streams))

    def unpacked(self) -> Fragment:
        """Return the fragment."""
        fragment: Fragment = pickle.loads(zlib.decompress(self.data), buffers=self.streams)
        return fragment


@dataclass(frozen=True)
class Rendered:
    """A capture with its pages, which can be pickled."""

    capture: Capture
    packed: PackedFragment | None
    """Its pages; None if the file held a page set with that identifier when the page was fetched."""

    zoom: float | None = None
    """The preferred zoom of the pages (14.10.6); None for pages that were not scaled."""

    @cached_property
    def fragment(self) -> Fragment | None:
        """Its pages, unpacked."""
        return None if self.packed is None else self.packed.unpacked()

    @property
    def size(self) -> int:
        """An estimate of its size in bytes: of its pages, its source and its auxiliary resources."""
        shown = (entry.resource for entry in self.capture.auxiliaries)
        return (
            (0 if self.packed is None else self.packed.size)
            + len(self.capture.resource.body)
            + sum(len(resource.body) for resource in shown if resource is not None)
        )
