"""Elements of a document and those around them, and the limits of tables."""

from __future__ import annotations

from typing import Any
from xml.dom.minidom import Document, Element

MAX_SPAN = 1_000
"""How many columns a cell may span in HTML, and rows here."""


def document_of(element: Element) -> Document:
    """Return the document that `element` belongs to."""
    document: Document | None = element.ownerDocument
    assert document is not None
    return document


def ancestor(element: Element, *names: str) -> Any:
    """Return the nearest element around `element` with one of these names; None if there is none."""
    node: Any = element.parentNode
    while node is not None and getattr(node, "tagName", "") not in names:
        node = node.parentNode
    return node
