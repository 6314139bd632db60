"""Limits on the depth of the tree and on the length of paragraphs.

The time of xhtml2pdf grows with the square of the length of a paragraph, and its recursion is as deep as the tree.
"""

from __future__ import annotations

from typing import Any
from xml.dom.minidom import Document, Element, Node

from wcspider.engines.document.dom import BLOCKS, new_element

MAX_DEPTH = 90
"""The largest depth of the tree. Deeper elements are removed, and their contents moved up."""

MAX_RUN = 8_000
"""The number of characters after which a paragraph is divided."""

MAX_LINES = 60
"""The number of lines after which a paragraph of preformatted text is divided."""

_CUT_IN_TWO = frozenset({"p", "pre", "div"})


def cut_into_parts(document: Document) -> None:
    """Change a document so that it is within the limits."""
    _flatten(document)
    _cut_runs(document)


def _flatten(document: Document) -> None:
    """Move the contents of elements that are too deep up to the deepest permitted level."""
    stack: list[tuple[Any, int]] = [(document, 0)]
    while stack:
        node, depth = stack.pop()
        if depth == MAX_DEPTH:
            _keep_leaves(node)
        else:
            stack.extend((child, depth + 1) for child in node.childNodes if child.nodeType == Node.ELEMENT_NODE)


def _keep_leaves(element: Element) -> None:
    """Remove the elements in an element, but keep their texts, images and line breaks."""
    leaves: list[Any] = []
    stack = list(reversed(element.childNodes))
    while stack:
        node = stack.pop()
        if node.childNodes:
            stack.extend(reversed(node.childNodes))
            if getattr(node, "tagName", "") in BLOCKS:
                leaves.append(new_element(element, "br"))
        else:
            leaves.append(node)
    for child in list(element.childNodes):
        element.removeChild(child)
    for leaf in leaves:
        element.appendChild(leaf)


def _cut_runs(document: Document) -> None:
    """Divide paragraphs that are too long."""
    run = lines = 0
    stack: list[tuple[Any, bool, bool]] = [(document, False, False)]
    while stack:
        node, preformatted, leaving = stack.pop()
        if node.nodeType == Node.TEXT_NODE:
            run += len(node.data)
            lines += node.data.count("\n") if preformatted else 0
            if run > MAX_RUN or lines > MAX_LINES:
                run = lines = 0
                rest = _cut(node, _place_to_cut(node.data, preformatted))
                if rest is not None:
                    # The nodes on the stack may have other parents now, but they still follow `rest`.
                    stack.append((rest, preformatted, False))
        elif leaving or getattr(node, "tagName", "") in BLOCKS:
            run = lines = 0
        if node.childNodes and not leaving:
            if getattr(node, "tagName", "") in BLOCKS:
                stack.append((node, preformatted, True))
            inside = preformatted or getattr(node, "tagName", "") == "pre"
            stack.extend((child, inside, False) for child in reversed(node.childNodes))


def _place_to_cut(text: str, preformatted: bool) -> int:
    if preformatted:
        head = "\n".join(text.split("\n", MAX_LINES)[:MAX_LINES])
        return min(len(head) + 1, MAX_RUN)
    space = text.rfind(" ", 0, MAX_RUN)
    return space if space > 0 else MAX_RUN


def _cut(node: Any, at: int) -> Any:
    """Divide the paragraph around a text node at the character `at`.

    Return the text node that begins the second paragraph; None if that would be empty.
    """
    if at >= len(node.data):
        return None
    rest = node.splitText(at)
    block = node.parentNode
    while getattr(block, "tagName", "html") not in BLOCKS | {"html"}:
        block = block.parentNode
    if block.tagName in _CUT_IN_TWO:
        _divide(block, rest)
    else:
        # An empty block ends the paragraph. A second list item or table cell would change the meaning.
        rest.parentNode.insertBefore(new_element(block, "div"), rest)
    return rest


def _divide(block: Element, node: Any) -> None:
    """Divide `block`, and the elements between `block` and `node`, in two parts; the second part begins with `node`."""
    while node is not block:
        parent = node.parentNode
        part = parent.cloneNode(False)
        if part.hasAttribute("id"):
            part.removeAttribute("id")
        following = parent.childNodes[parent.childNodes.index(node) :]
        for child in following:
            part.appendChild(child)
        parent.parentNode.insertBefore(part, parent.nextSibling)
        if parent is block:
            return
        node = part
