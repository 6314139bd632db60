"""The content streams of a document that cairo wrote, with their resources (7.8.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pikepdf


def content_streams(pdf: pikepdf.Pdf) -> Iterator[tuple[Any, Any]]:
    """Yield each content stream with its resource dictionary: of pages, and of the form XObjects and patterns in them.

    The objects of a document include all annotations, so it takes less time to follow the resources.
    """
    seen: set[tuple[int, int]] = set()
    found: list[tuple[Any, Any]] = [(page.obj.get("/Contents"), page.resources) for page in pdf.pages]
    while found:
        stream, resources = found.pop(0)
        yield stream, resources
        for inner in _drawn(resources):
            if isinstance(inner, pikepdf.Stream) and "/Resources" in inner and inner.objgen not in seen:
                seen.add(inner.objgen)
                found.append((inner, inner["/Resources"]))


def _drawn(resources: Any) -> Iterator[Any]:
    for kind in ("/XObject", "/Pattern"):
        yield from resources.get(kind, pikepdf.Dictionary()).values()
    for state in resources.get("/ExtGState", pikepdf.Dictionary()).values():
        mask = state.get("/SMask")
        if isinstance(mask, pikepdf.Dictionary):
            yield mask.get("/G")
