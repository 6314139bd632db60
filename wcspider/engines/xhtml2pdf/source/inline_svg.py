"""SVG elements of an HTML page, converted to SVG files that IMG elements show."""

from __future__ import annotations

import base64
import re
from xml.dom.minidom import Element, Node

from wcspider.engines.document.dom import new_element, text_of
from wcspider.engines.images import reader
from wcspider.exceptions import SourceUnreadableError

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
_NAME = re.compile(r"[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?", re.ASCII)
_LENGTHS = ("width", "height")
_KEPT = ("id", "style", *_LENGTHS)
"""The attributes that the IMG gets from the SVG element."""


def replacement(element: Element) -> Element | None:
    """Return an IMG element that shows a drawing; a SPAN element with its text if svglib cannot draw it.

    Return None if there is nothing to show. The style sheets of the page have no effect inside the drawing.
    """
    body = _file_of(element)
    try:
        reader.read(body)
    except SourceUnreadableError:
        text = " ".join(text_of(element).split())
        return new_element(element, "span", text) if text and not _is_hidden(element) else None
    image = new_element(element, "img", kept=_KEPT)
    image.setAttribute("src", "data:image/svg+xml;base64," + base64.b64encode(body).decode())
    titles = (text_of(child) for child in element.childNodes if isinstance(child, Element) and child.tagName == "title")
    image.setAttribute("alt", element.getAttribute("aria-label") or next(titles, ""))
    return image


def _file_of(element: Element) -> bytes:
    """Return an SVG file with an element: with its namespaces, and without names that are invalid in XML."""
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
        if copy.getAttribute(name).strip().endswith("%"):  # refers to the element around it, which is not in the file
            copy.removeAttribute(name)
    copy.setAttribute("xmlns", SVG)
    copy.setAttribute("xmlns:xlink", XLINK)
    return copy.toxml().encode("utf-8", "replace")


def _is_hidden(element: Element) -> bool:
    """Tell whether a drawing is not shown, for example because it only defines symbols for other drawings."""
    style = element.getAttribute("style").replace(" ", "").lower()
    return "display:none" in style or any(element.getAttribute(name).strip() == "0" for name in _LENGTHS)
