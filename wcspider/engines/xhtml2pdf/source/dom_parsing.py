"""The parsing of HTML and XHTML pages, with the documents in their SRCDOC attributes and NOFRAMES elements."""

from __future__ import annotations

from xml.dom.minidom import Document, Element

import html5lib

from wcspider.engines.base import RenderTask
from wcspider.engines.document.dom import rename, replace, text_of, walk
from wcspider.engines.document.xhtml import as_html
from wcspider.web.charset import decode
from wcspider.web.documents.doctype import without_internal_subset

MAX_FRAMES = 100
"""The largest number of SRCDOC documents that are shown on a page, including documents inside other documents."""

_NOT_OF_THE_PAGE = ("style", "link", "base", "title", "meta", "script")
"""Elements of a SRCDOC document that have no effect on the page around it."""


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


def _parsed(text: str) -> Document:
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("dom"), namespaceHTMLElements=False)
    document: Document = parser.parse(text)
    return document


def _replace_frameset(document: Document, frameset: Element) -> None:
    """Replace a FRAMESET element by the contents of the NOFRAMES elements and an IFRAME element for each frame."""
    otherwise = "".join(text_of(element) for element in frameset.getElementsByTagName("noframes"))
    body = document.importNode(_parsed(otherwise).getElementsByTagName("body")[0], True)
    for frame in list(frameset.getElementsByTagName("frame")):
        paragraph = body.appendChild(document.createElement("p"))
        rename(paragraph.appendChild(frame), "iframe")
    replace(frameset, body)


def _open_frame(document: Document, frame: Element) -> None:
    """Replace an IFRAME element by the document in its SRCDOC attribute."""
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
