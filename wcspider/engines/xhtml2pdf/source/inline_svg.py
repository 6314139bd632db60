"""SVG elements of an HTML page, as SVG files of their own that an IMG shows."""

from __future__ import annotations

import base64
import re
from xml.dom.minidom import Element, Node

from wcspider.engines.document.forms import text_of
from wcspider.engines.document.limits import document_of
from wcspider.engines.images import reader
from wcspider.exceptions import SourceUnreadableError

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
_NAME = re.compile(r"[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?", re.ASCII)
_LENGTHS = ("width", "height")
_KEPT = ("id", "style", *_LENGTHS)
"""The attributes that the IMG gets from the SVG element."""


def replacement(element: Element) -> Element | None:
    """Return an IMG of what an SVG element draws, a SPAN of its text if it cannot be drawn, or nothing.

    The style sheets of the page do not reach into it; its own do.
    """
    document = document_of(element)
    body = _file_of(element)
    try:
        reader.read(body)
    except SourceUnreadableError:
        text = " ".join(text_of(element).split())
        if not text or _is_hidden(element):
            return None
        span = document.createElement("span")
        span.appendChild(document.createTextNode(text))
        return span
    image = document.createElement("img")
    for name in _KEPT:
        if element.hasAttribute(name):
            image.setAttribute(name, element.getAttribute(name))
    image.setAttribute("src", "data:image/svg+xml;base64," + base64.b64encode(body).decode())
    titles = (text_of(child) for child in element.childNodes if isinstance(child, Element) and child.tagName == "title")
    image.setAttribute("alt", element.getAttribute("aria-label") or next(titles, ""))
    return image


def _file_of(element: Element) -> bytes:
    """Return an element as a file: with its namespaces, and without what HTML lets in and XML does not."""
    copy = element.cloneNode(deep=True)
    assert copy is not None
    stack: list[Element] = [copy]
    while stack:
        at = stack.pop()
        for name, _ in at.attributes.items():
            if not _NAME.fullmatch(name) or name.startswith("xmlns"):
                at.removeAttribute(name)
        for child in list(at.childNodes):
            if child.nodeType == Node.COMMENT_NODE:
                at.removeChild(child)
            elif isinstance(child, Element) and _NAME.fullmatch(child.tagName):
                stack.append(child)
            elif isinstance(child, Element):
                at.removeChild(child)
    for name in _LENGTHS:
        if copy.getAttribute(name).strip().endswith("%"):  # of what is around it, which the file does not know
            copy.removeAttribute(name)
    copy.setAttribute("xmlns", SVG)
    copy.setAttribute("xmlns:xlink", XLINK)
    return copy.toxml().encode("utf-8", "replace")


def _is_hidden(element: Element) -> bool:
    """Tell whether an element holds what others use, or is for nobody to see."""
    style = element.getAttribute("style").replace(" ", "").lower()
    return "display:none" in style or any(element.getAttribute(name).strip() == "0" for name in _LENGTHS)
