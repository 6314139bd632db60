"""The resources of a page or form XObject (ISO 32000-1, 7.8.3), as anybody may have written them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Stream

DEPTH_LIMIT = 200
"""How many nodes of the page tree may stand above each other."""

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
    """Return the resource with a name; None if there is none, or if it is no dictionary or stream."""
    found = resources.get(category) if isinstance(resources, Dictionary) else None
    entry = found.get(str(name)) if isinstance(found, Dictionary) and isinstance(name, pikepdf.Name) else None
    return entry if isinstance(entry, Dictionary | Stream) else None


def fonts(resources: Any) -> Iterator[pikepdf.Object]:
    """Yield the fonts of resources, also those of graphics states."""
    yield from entries(resources, FONTS)
    yield from (font for font in map(font_of_state, entries(resources, STATES)) if font is not None)


def font_of_state(state: pikepdf.Object | None) -> pikepdf.Object | None:
    """Return the font that a graphics state sets (Table 58)."""
    font = None if state is None else state.get("/Font")
    return font[0] if isinstance(font, Array) and len(font) == 2 else None


def inherited(page: pikepdf.Object, key: str) -> pikepdf.Object | None:
    """Return an entry of a page that it may take from the nodes above it (7.7.3.4)."""
    node: Any = page
    for _ in range(DEPTH_LIMIT):
        if not isinstance(node, Dictionary) or key in node:
            break
        node = node.get("/Parent")
    return node.get(key) if isinstance(node, Dictionary) else None


def pages_from(pdf: pikepdf.Pdf, index: int) -> Iterator[pikepdf.Object]:
    """Yield the pages of a file in order from one on, counted from 0, without reading those before it."""
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
            yield node


def is_form(drawn: pikepdf.Object | None) -> bool:
    """Tell whether an XObject is a form XObject (8.10)."""
    return isinstance(drawn, Stream) and drawn.get("/Subtype") == "/Form"


def data(contents: pikepdf.Object | None) -> bytes:
    """Return the content of a stream, or of an array of streams as pages have it (7.8.2)."""
    streams: Iterable[Any] = contents if isinstance(contents, Array) else [contents]
    return b"\n".join(stream.read_bytes() for stream in streams if isinstance(stream, Stream))
