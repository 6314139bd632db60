"""Hierarchies of dictionaries that refer to the one above them as Parent: pages and their nodes, fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref, Value

DEEPEST = 64
"""The limit of the depth of a hierarchy; one that contains itself ends here."""


def with_parents(file: RevisionFile, value: Value) -> Iterator[tuple[Value, dict[str, Any]]]:
    """Yield a dictionary or the reference to one, and its content; then the same for those above it, upwards."""
    at = value
    for _ in range(DEEPEST):
        content = file.resolve(at)
        if not isinstance(content, dict):
            return
        yield at, content
        at = content.get("Parent")
        if not isinstance(at, Ref):
            return
