"""A capture with its pages: what the pipelines hand to the file."""

from __future__ import annotations

import pickle
import zlib
from dataclasses import dataclass
from functools import cached_property

from wcspider.archive.pages.fragments import Fragment
from wcspider.webcapture.records import Capture


@dataclass(frozen=True, slots=True)
class PackedFragment:
    """A fragment as it comes from the process that made it, to be unpacked when its turn has come.

    Many may wait for one page. Packed, a fragment is one piece of memory of a known size; unpacked, it is thousands
    of small ones, which stand between others and which Python looks through again and again.
    """

    data: bytes
    warnings: tuple[str, ...] = ()
    """What the engine could not do."""

    @classmethod
    def of(cls, fragment: Fragment) -> PackedFragment:
        """Pack a fragment."""
        data = pickle.dumps(fragment, protocol=pickle.HIGHEST_PROTOCOL)
        return cls(zlib.compress(data, zlib.Z_BEST_SPEED), fragment.warnings)

    def unpacked(self) -> Fragment:
        """Return the fragment."""
        fragment: Fragment = pickle.loads(zlib.decompress(self.data))
        return fragment


@dataclass(frozen=True)
class Rendered:
    """A capture with its pages: all that the file needs of it, fit to be pickled."""

    capture: Capture
    packed: PackedFragment | None
    """Its pages; None where the file held a page set with that identifier when the page was fetched."""

    zoom: float | None = None
    """The preferred zoom of the pages (14.10.6); None for pages that were not scaled."""

    @cached_property
    def fragment(self) -> Fragment | None:
        """Its pages, unpacked."""
        return None if self.packed is None else self.packed.unpacked()

    @property
    def size(self) -> int:
        """About how many bytes it takes: those of its pages, of its source and of what the page shows."""
        shown = (entry.resource for entry in self.capture.auxiliaries)
        return (
            (0 if self.packed is None else len(self.packed.data))
            + len(self.capture.resource.body)
            + sum(len(resource.body) for resource in shown if resource is not None)
        )
