"""Gaps between separate boxes that are laid out in one line (CSS 2.1, 9.7).

Floats, the children of flex and grid containers, and elements with an absolute position are separate boxes in a
browser. This engine lays them out in a line of text, so it needs a gap between two texts, which would otherwise become
one word or one number.
"""

from __future__ import annotations

from typing import Any
from xml.dom.minidom import Element, Node

from wcspider.engines.document.dom import BLOCKS, new_text, text_of

GAP = "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE} "
MOST_BLANK = 3
"""The largest number of siblings without text between an element and the text beside it."""


def is_block(element: Element) -> bool:
    """Tell whether an element is a block without the author's styles."""
    return element.tagName in BLOCKS or element.tagName in ("br", "caption", "tbody", "thead", "tfoot", "option")


def keep_apart(element: Element) -> None:
    """Put gaps between an element and the text before and after it."""
    text = text_of(element).strip()
    if not text or (len(text) == 1 and text.isalpha()):  # an initial is a part of the next word
        return
    parent: Any = element.parentNode
    if _is_beside(element.previousSibling, "previousSibling"):
        parent.insertBefore(new_text(element, GAP), element)
    if _is_beside(element.nextSibling, "nextSibling"):
        parent.insertBefore(new_text(element, GAP), element.nextSibling)


def _is_beside(node: Any, direction: str) -> bool:
    """Tell whether a node, or the next node with text in a direction, would be laid out in the same line."""
    for _ in range(MOST_BLANK):
        if node is None or getattr(node, "data", "") == GAP:
            return False
        if node.nodeType == Node.TEXT_NODE and node.data.strip():
            return True
        if node.nodeType == Node.ELEMENT_NODE and (is_block(node) or node.tagName == "img" or text_of(node).strip()):
            return not is_block(node)
        node = getattr(node, direction)
    return False
