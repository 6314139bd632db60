"""Gaps between separate boxes that are laid out in one line (CSS 2.1, 9.7).

Floats, the children of flex and grid containers, and elements with an absolute position are separate boxes in a
browser. This engine lays them out in a line of text, so it needs a gap between two texts, which would otherwise become
one word or one number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from wcspider.engines.document.html_trees import BLOCKS, insert_before, text_of

GAP = "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE} "
MOST_BLANK = 3
"""The largest number of siblings without text between an element and the text beside it."""


def is_block(element: Any) -> bool:
    """Tell whether an element is a block without the author's styles."""
    return element.tag in BLOCKS or element.tag in ("br", "caption", "tbody", "thead", "tfoot", "option")


def keep_apart(element: Any) -> None:
    """Put gaps between an element and the text before and after it."""
    text = text_of(element)
    if not text or (len(text) == 1 and text.isalpha()):  # an initial is a part of the next word
        return
    if _has_text(_nodes_before(element)):
        insert_before(element, GAP)
    if _has_text(_nodes_behind(element)):
        element.tail = GAP + (element.tail or "")


def _nodes_before(element: Any) -> Iterator[Any]:
    """Yield the elements and texts before an element, the nearest first."""
    for sibling in element.itersiblings(preceding=True):
        yield sibling.tail
        yield sibling
    yield element.getparent().text


def _nodes_behind(element: Any) -> Iterator[Any]:
    yield element.tail
    for sibling in element.itersiblings():
        yield sibling
        yield sibling.tail


def _has_text(nodes: Iterable[Any]) -> bool:
    """Tell whether the first of some nodes with contents would be laid out in the same line, without a gap."""
    for node in islice(filter(lambda node: node is not None, nodes), MOST_BLANK):
        if isinstance(node, str):
            if GAP in node:
                return False
            if node.strip():
                return True
        elif is_block(node) or node.tag == "img" or text_of(node):
            return not is_block(node)
    return False
