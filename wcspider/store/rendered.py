"""A capture with its pages: what the pipelines hand to the file."""

from __future__ import annotations

from dataclasses import dataclass

from wcspider.capture.records import Capture
from wcspider.pdf.objects import Stream
from wcspider.store.fragments import Fragment


@dataclass(frozen=True, slots=True)
class Rendered:
    """A capture with its pages: all that the file needs of it, fit to be pickled."""

    capture: Capture
    fragment: Fragment | None
    """None where the file held a page set with that identifier when the page was fetched."""

    zoom: float | None = None
    """The preferred zoom of the pages (14.10.6); None for pages that were not scaled."""

    @property
    def size(self) -> int:
        """About how many bytes it takes: those of its streams, of its source and of what the page shows."""
        objects = () if self.fragment is None else self.fragment.objects
        shown = (entry.resource for entry in self.capture.auxiliaries)
        return (
            sum(len(entry.data) for entry in objects if isinstance(entry, Stream))
            + len(self.capture.resource.body)
            + sum(len(resource.body) for resource in shown if resource is not None)
        )
