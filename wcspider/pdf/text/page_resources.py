"""Readers for the resources of a page or form XObject (ISO 32000-1, 7.8.3) that ignore values of a wrong type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Stream

DEPTH_LIMIT = 200
"""The number of levels of the page tree that are searched for an inherited entry."""

FONTS, FORMS, PROPERTIES, STATES = "/Font", "/XObject", "/Properties", "/ExtGState"


def items(resources: Any, category: str) -> Iterator[tuple[str, pikepdf.Object]]:
    """Yield the resources of a category that are dictionaries or streams, by name."""
    entries = resources.get(category) if isinstance(resources, Dictionary) else None
    for key, entry in entries.items() if isinstance(entries, Dictionary) else ():
        if isinstance(entry, Dictionary | Stream):
            yield key, entry


def entries(resources: Any, category: str) -> Iterator[pikepdf.Object]:
    """Yield the resources of a category that are dictionaries or streams."""
    return (entry for _, entry in items(resources, category))


def named(resources: Any, category: str, name: Any) -> pikepdf.Object | None:
    """Return the resource with a name; None if it is missing or not a dictionary or stream."""
    found = resources.get(category) if isinstance(resources, Dictionary) else None
    entry = found.get(str(name)) if isinstance(found, Dictionary) and isinstance(name, pikepdf.Name) else None
    return entry if isinstance(entry, Dictionary | Stream) else None


def fonts(resources: Any) -> Iterator[pikepdf.Object]:
    """Yield the fonts in resources, with those in graphics states."""
    yield from entries(resources, FONTS)
    yield from (font for font in map(font_of_state, entries(resources, STATES)) if font is not None)


def font_of_state(state: pikepdf.Object | None) -> pikepdf.Object | None:
    """Return the font that a graphics state sets (Table 58)."""
    font = None if state is None else state.get("/Font")
    return font[0] if isinstance(font, Array) and len(font) == 2 else None


def inherited(page: pikepdf.Object, key: str) -> pikepdf.Object | None:
    """Return an entry of a page, its own or an inherited one (7.7.3.4)."""
    node: Any = page
    for _ in range(DEPTH_LIMIT):
        if not isinstance(node, Dictionary) or key in node:
            break
        node = node.get("/Parent")
    return node.get(key) if isinstance(node, Dictionary) else None


def pages_from(pdf: pikepdf.Pdf, index: int) -> Iterator[pikepdf.Object]:
    """Yield the pages of a file from an index on, counted from 0, without reading the pages before it.

    In the place of a page that is not a dictionary, an empty one is yielded.
    """
    stack: list[Any] = [pdf.Root.Pages]
    seen: set[tuple[int, int]] = set()
    skipped = 0
    while stack:
        node = stack.pop()
        kids = node.get("/Kids") if isinstance(node, Dictionary) else None
        if isinstance(kids, Array):
            count: Any = node.get("/Count")
            if isinstance(count, int) and skipped + count <= index:
                skipped += count
            elif node.objgen not in seen:
                seen.add(node.objgen)
                stack += reversed(list(kids))
        elif skipped < index:
            skipped += 1
        else:
            yield node if isinstance(node, Dictionary) else Dictionary()


def is_form(drawn: pikepdf.Object | None) -> bool:
    """Return whether an XObject is a form XObject (8.10)."""
    return isinstance(drawn, Stream) and drawn.get("/Subtype") == "/Form"


def data(contents: pikepdf.Object | None) -> bytes:
    """Return the data of a content stream, or of an array of content streams (7.8.2)."""
    streams: Iterable[Any] = contents if isinstance(contents, Array) else [contents]
    return b"\n".join(stream.read_bytes() for stream in streams if isinstance(stream, Stream))
