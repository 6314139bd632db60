"""Documents of any depth and length, cut into parts that xhtml2pdf can lay out.

Its time grows with the square of a paragraph's length, and it walks the tree by recursion.
"""

from __future__ import annotations

from typing import Any
from xml.dom.minidom import Document, Element, Node

from wcspider.engines.document.limits import document_of

MAX_DEPTH = 90
MAX_RUN = 8_000
"""How many characters one paragraph holds before it is cut."""

MAX_LINES = 60
"""How many lines of preformatted text one paragraph holds before it is cut."""

BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt",
     "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li",
     "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "td", "th", "tr", "ul"}
)  # fmt: skip
_CUT_IN_TWO = frozenset({"p", "pre", "div"})


def cut_into_parts(document: Document) -> None:
    """Bring a document within the limits, in place."""
    _flatten(document)
    _cut_runs(document)


def _flatten(document: Document) -> None:
    """Hang everything below the deepest level allowed side by side on that level."""
    stack: list[tuple[Any, int]] = [(document, 0)]
    while stack:
        node, depth = stack.pop()
        if depth == MAX_DEPTH:
            _hang_leaves(node)
        else:
            stack.extend((child, depth + 1) for child in node.childNodes if child.nodeType == Node.ELEMENT_NODE)


def _hang_leaves(element: Element) -> None:
    leaves: list[Any] = []
    stack = list(reversed(element.childNodes))
    while stack:
        node = stack.pop()
        if node.childNodes:
            stack.extend(reversed(node.childNodes))
            if getattr(node, "tagName", "") in BLOCKS:
                leaves.append(document_of(element).createElement("br"))
        else:
            leaves.append(node)
    for child in list(element.childNodes):
        element.removeChild(child)
    for leaf in leaves:
        element.appendChild(leaf)


def _cut_runs(document: Document) -> None:
    """Cut paragraphs that are too long."""
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
                    # What followed the text may hang on another parent now; it stands behind `rest` all the same.
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
    """End the paragraph at `at` in the text `node`, begin another; return its first text, None if it is empty."""
    if at >= len(node.data):
        return None
    rest = node.splitText(at)
    block = node.parentNode
    while getattr(block, "tagName", "html") not in BLOCKS | {"html"}:
        block = block.parentNode
    if block.tagName in _CUT_IN_TWO:
        _divide(block, rest)
    else:
        # An empty block ends the paragraph: another list item or table cell would be another thing.
        rest.parentNode.insertBefore(document_of(block).createElement("div"), rest)
    return rest


def _divide(block: Element, node: Any) -> None:
    """Cut `block` in two before `node`, and with it what stands between the two in the tree."""
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
