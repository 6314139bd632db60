"""The content streams of a document that cairo wrote, with their resources (7.8.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import pikepdf


def content_streams(pdf: pikepdf.Pdf) -> Iterator[tuple[Any, Any]]:
    """Yield each content stream with its resource dictionary.

    These are the pages, the appearances of their fields, and the form XObjects and patterns in their resources. It
    takes less time to follow the resources than to visit all objects, because most objects are links.
    """
    seen: set[tuple[int, int]] = set()
    found: deque[tuple[Any, Any]] = deque((page.obj.get("/Contents"), page.resources) for page in pdf.pages)

    def add(streams: Iterator[Any]) -> None:
        for stream in streams:
            if isinstance(stream, pikepdf.Stream) and "/Resources" in stream and stream.objgen not in seen:
                seen.add(stream.objgen)
                found.append((stream, stream["/Resources"]))

    for page in pdf.pages:
        add(_appearances(page))
    while found:
        stream, resources = found.popleft()
        yield stream, resources
        add(_drawn(resources))


def _appearances(page: pikepdf.Page) -> Iterator[Any]:
    """Yield the appearance streams of the annotations of a page (12.5.5)."""
    annotations: Any = page.obj.get("/Annots", ())
    for annotation in annotations:
        for appearance in annotation.get("/AP", {}).values():
            yield appearance
            if not isinstance(appearance, pikepdf.Stream):
                yield from appearance.values()


def _drawn(resources: Any) -> Iterator[Any]:
    for kind in ("/XObject", "/Pattern"):
        yield from resources.get(kind, {}).values()
    for state in resources.get("/ExtGState", {}).values():
        mask = state.get("/SMask")
        if isinstance(mask, pikepdf.Dictionary):
            yield mask.get("/G")
