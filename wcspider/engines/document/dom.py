"""Helpers for DOM trees (`xml.dom.minidom`).

The functions use loops instead of recursion, because a page may have thousands of nested elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from xml.dom.minidom import Document, Element, Node

BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt",
     "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li",
     "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "td", "th", "tr", "ul"}
)  # fmt: skip
"""The elements that begin a new line without style sheets (HTML, 15.3)."""


def new_text(element: Element, text: str) -> Any:
    """Return a text node for the document that contains `element`."""
    return _document_of(element).createTextNode(text)


def new_element(like: Element, tag: str, text: str = "", kept: Iterable[str] = ()) -> Element:
    """Return an element for the document that contains `like`, with a text.

    `kept` are the names of the attributes that are copied from `like`.
    """
    made = _document_of(like).createElement(tag)
    for name in kept:
        if like.hasAttribute(name):
            made.setAttribute(name, like.getAttribute(name))
    if text:
        made.appendChild(new_text(like, text))
    return made


def _document_of(element: Element) -> Document:
    document: Document | None = element.ownerDocument
    assert document is not None
    return document


def ancestor(element: Element, *names: str) -> Any:
    """Return the nearest element around `element` with one of these names; None if there is none."""
    node: Any = element.parentNode
    while node is not None and getattr(node, "tagName", "") not in names:
        node = node.parentNode
    return node


def walk(root: Any) -> Iterator[Any]:
    """Yield `root` and the nodes below it in document order."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.childNodes))


def text_of(element: Any) -> str:
    """Return the text of an element, with the text of the elements in it."""
    return "".join(node.data for node in walk(element) if node.nodeType == Node.TEXT_NODE)


def replace(element: Element, other: Any) -> None:
    """Put another node in the place of an element; with None, remove the element."""
    parent = element.parentNode
    if parent is not None and other is None:
        parent.removeChild(element)
    elif parent is not None:
        parent.replaceChild(other, element)


def rename(element: Any, tag: str) -> None:
    """Give an element another name."""
    element.tagName = element.nodeName = tag
