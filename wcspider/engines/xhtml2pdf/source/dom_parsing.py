"""HTML and XHTML pages parsed into one tree, with the documents that they bring along in frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.dom.minidom import Document, Element

import html5lib

from wcspider.engines.base import RenderTask
from wcspider.engines.document.forms import text_of
from wcspider.engines.document.xhtml import as_html
from wcspider.web.charset import decode
from wcspider.web.documents.doctype import without_internal_subset

MAX_FRAMES = 100
"""How many documents in a page are shown, those in them included."""

_NOT_OF_THE_PAGE = ("style", "link", "base", "title", "meta", "script")
"""Elements that a document in a page has for itself alone."""


def parse(task: RenderTask) -> Document:
    """Parse the body of a task."""
    text = without_internal_subset(decode(task.body, task.encoding))
    document = _parsed(as_html(text) if "xml" in task.media_type else text)
    for frameset in document.getElementsByTagName("frameset")[:1]:
        _replace_frameset(document, frameset)
    for _ in range(MAX_FRAMES):
        frames = document.getElementsByTagName("iframe")
        frame = next((frame for frame in frames if frame.hasAttribute("srcdoc")), None)
        if frame is None:
            break
        _open_frame(document, frame)
    return document


def walk(root: Any) -> Iterator[Any]:
    """Yield the nodes below `root` in document order, without recursion."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.childNodes))


def replace(element: Element, other: Any) -> None:
    """Put another node, or nothing, in the place of an element."""
    parent = element.parentNode
    if parent is not None and other is None:
        parent.removeChild(element)
    elif parent is not None:
        parent.replaceChild(other, element)


def rename(element: Any, tag: str) -> None:
    """Give an element another name."""
    element.tagName = element.nodeName = tag


def _parsed(text: str) -> Document:
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("dom"), namespaceHTMLElements=False)
    document: Document = parser.parse(text)
    return document


def _replace_frameset(document: Document, frameset: Element) -> None:
    """Put the contents of NOFRAMES in the place of a FRAMESET, and its frames one after the other."""
    otherwise = "".join(text_of(element) for element in frameset.getElementsByTagName("noframes"))
    body = document.importNode(_parsed(otherwise).getElementsByTagName("body")[0], True)
    for frame in list(frameset.getElementsByTagName("frame")):
        paragraph = body.appendChild(document.createElement("p"))
        rename(paragraph.appendChild(frame), "iframe")
    replace(frameset, body)


def _open_frame(document: Document, frame: Element) -> None:
    """Show the document that an IFRAME brings along in its place."""
    inside = _parsed(frame.getAttribute("srcdoc"))
    frame.removeAttribute("srcdoc")
    for name in _NOT_OF_THE_PAGE:
        for element in inside.getElementsByTagName(name):
            replace(element, None)
    rename(frame, "div")
    while frame.firstChild is not None:
        frame.removeChild(frame.firstChild)
    for body in inside.getElementsByTagName("body"):
        for node in walk(body):
            node.ownerDocument = document
        for node in list(body.childNodes):
            frame.appendChild(node)
