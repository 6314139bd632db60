"""A capture with its pages, as the pipelines pass it to the writer."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from wcspider.archive.pages.fragments import Fragment
from wcspider.pdf.objects import Value
from wcspider.steps import Steps, completed, portions
from wcspider.webcapture.records import Capture

OBJECTS_AT_ONCE = 512
BYTES_AT_ONCE = 256 * 1024
"""The limits of a part of a packed fragment, so that each part is unpacked in a few milliseconds."""


@dataclass(frozen=True, slots=True)
class PackedFragment:
    """A fragment as it comes from a worker process, to be unpacked when its turn has come.

    Many fragments may wait for one page. A packed fragment is one block of memory of a known size. An unpacked one is
    thousands of small objects, which fragment the memory and slow down Python's garbage collection. Most of its bytes
    are those of compressed streams, so it is not compressed again.
    """

    parts: tuple[bytes, ...]
    """The fragment; that of a large page without its objects, behind parts with these."""

    title: str = ""
    """The title of the page."""

    @classmethod
    def of(cls, fragment: Fragment) -> PackedFragment:
        """Pack a fragment."""
        title = fragment.structure.title
        if len(data := _dumped(fragment)) <= BYTES_AT_ONCE:
            return cls((data,), title)
        groups = portions(fragment.objects, OBJECTS_AT_ONCE)
        parts = [part for group in groups for part in _parts(tuple(group))]
        return cls((*parts, _dumped(replace(fragment, objects=()))), title)

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return sum(map(len, self.parts))

    def unpacked(self) -> Fragment:
        """Return the fragment."""
        return completed(self.unpack())

    def unpack(self) -> Steps[Fragment]:
        """Return the fragment in steps."""
        objects: list[Value] = []
        for part in self.parts[:-1]:
            objects += pickle.loads(part)
            yield
        fragment: Fragment = pickle.loads(self.parts[-1])
        return replace(fragment, objects=(*objects, *fragment.objects)) if objects else fragment


def _dumped(value: object) -> bytes:
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def _parts(objects: tuple[Value, ...]) -> Iterator[bytes]:
    """Yield objects as small pickles; only a single large object makes a large pickle."""
    data = _dumped(objects)
    if len(objects) == 1 or len(data) <= BYTES_AT_ONCE:
        yield data
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
