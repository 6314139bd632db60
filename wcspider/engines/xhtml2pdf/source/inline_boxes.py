"""What stands beside other text on a screen, kept apart from it in a line (CSS 2.1, 9.7).

Floats, the children of flex and grid containers, and elements with an absolute position are boxes of their own. Where
one is laid out in a line, a gap keeps it apart from the text beside it, so that two texts do not become one
word or one number.
"""

from __future__ import annotations

from typing import Any
from xml.dom.minidom import Element, Node

from wcspider.engines.document.forms import text_of
from wcspider.engines.document.limits import document_of
from wcspider.engines.xhtml2pdf.source.long_documents import BLOCKS

GAP = "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE} "
MOST_BLANK = 3
"""How many siblings without text are passed over in the search for the text beside an element."""


def is_block(element: Element) -> bool:
    """Return whether an element is a block, whatever the author's styles say."""
    return element.tagName in BLOCKS or element.tagName in ("br", "caption", "tbody", "thead", "tfoot", "option")


def keep_apart(element: Element) -> None:
    """Put gaps between an element and the text before and behind it."""
    text = text_of(element).strip()
    if not text or (len(text) == 1 and text.isalpha()):  # an initial belongs to the word behind it
        return
    parent: Any = element.parentNode
    if _is_beside(element.previousSibling, "previousSibling"):
        parent.insertBefore(_gap(element), element)
    if _is_beside(element.nextSibling, "nextSibling"):
        parent.insertBefore(_gap(element), element.nextSibling)


def _gap(element: Element) -> Any:
    return document_of(element).createTextNode(GAP)


def _is_beside(node: Any, direction: str) -> bool:
    """Return whether a node, or the next one in a direction, has text that would stand in the same line."""
    for _ in range(MOST_BLANK):
        if node is None or getattr(node, "data", "") == GAP:
            return False
        if node.nodeType == Node.TEXT_NODE and node.data.strip():
            return True
        if node.nodeType == Node.ELEMENT_NODE and (is_block(node) or node.tagName == "img" or text_of(node).strip()):
            return not is_block(node)
        node = getattr(node, direction)
    return False
