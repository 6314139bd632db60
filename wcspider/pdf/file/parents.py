"""Hierarchies of dictionaries that are linked by their Parent entries: pages and page tree nodes, form fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref, Value

DEEPEST = 64
"""The maximum number of levels that are read, so that a damaged hierarchy with a cycle ends."""


def with_parents(file: RevisionFile, value: Value) -> Iterator[tuple[Value, dict[str, Any]]]:
    """Yield a dictionary, or a reference to it, with its content; then do the same for each Parent, upwards."""
    at = value
    for _ in range(DEEPEST):
        content = file.resolve(at)
        if not isinstance(content, dict):
            return
        yield at, content
        at = content.get("Parent")
        if not isinstance(at, Ref):
            return
