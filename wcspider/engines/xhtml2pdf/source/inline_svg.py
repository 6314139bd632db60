"""SVG elements of an HTML page, converted to SVG files that IMG elements show."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any
from xml.dom.minidom import Element

import html5lib
from lxml import html

from wcspider.engines.base import Asset
from wcspider.engines.document.html_trees import text_of
from wcspider.engines.images import reader
from wcspider.exceptions import SourceUnreadableError

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
_NAME = re.compile(r"[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?", re.ASCII)
_LENGTHS = ("width", "height")
_KEPT = ("id", *_LENGTHS)
"""The attributes that the IMG gets from the SVG element."""

_EMBEDDED_TYPES = frozenset({"image/png", "image/jpeg", "image/gif"})
"""The media types of the images that svglib can draw in a drawing."""

_DISPLAY = re.compile(r"display\s*:\s*(?:none|block)\b")


def replacement(element: Any, assets: Mapping[str, Asset]) -> Any:
    """Return an IMG element that shows a drawing; its text if svglib cannot draw it.

    The images in the drawing are taken from `assets`. The style sheets of the page have no effect inside.
    """
    for image in element.iter("image"):
        asset = assets.get(image.get("href", ""))
        if asset is not None and asset.content_type in _EMBEDDED_TYPES:
            image.set("href", _data_url(asset.content_type, asset.body))
    body = _file_of(element)
    try:
        reader.read(body)
    except SourceUnreadableError:
        return "" if _is_hidden(element) else text_of(element)
    image = element.makeelement("img", {name: element.get(name) for name in _KEPT if name in element.attrib})
    image.set("src", _data_url("image/svg+xml", body))
    titles = (text_of(child) for child in element if child.tag == "title")
    image.set("alt", element.get("aria-label") or next(titles, ""))
    displays = _DISPLAY.findall(element.get("style", ""))  # all other styles are for the drawing itself
    image.set("style", displays[-1] if displays else "")
    return image


def _data_url(media_type: str, body: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(body).decode()}"


def _file_of(element: Any) -> bytes:
    """Return an SVG file with an element: with its namespaces, and without names that are invalid in XML."""
    source = html.tostring(element, encoding="unicode", with_tail=False)
    # lxml has read all names in lower case. html5lib knows the names of SVG.
    copy: Any = html5lib.parseFragment(source, treebuilder="dom", namespaceHTMLElements=False).firstChild
    stack: list[Element] = [copy]
    while stack:
        at = stack.pop()
        for name, _ in at.attributes.items():
            if not _NAME.fullmatch(name) or name.startswith("xmlns"):
                at.removeAttribute(name)
        for child in [child for child in at.childNodes if isinstance(child, Element)]:
            if _NAME.fullmatch(child.tagName):
                stack.append(child)
            else:
                at.removeChild(child)
    for name in _LENGTHS:
        if copy.getAttribute(name).strip().endswith("%"):  # refers to the element around it, which is not in the file
            copy.removeAttribute(name)
    copy.setAttribute("xmlns", SVG)
    copy.setAttribute("xmlns:xlink", XLINK)
    return bytes(copy.toxml().encode("utf-8", "replace"))


def _is_hidden(element: Any) -> bool:
    """Tell whether a drawing is not shown, for example because it only defines symbols for other drawings."""
    style = element.get("style", "").replace(" ", "").lower()
    return "display:none" in style or any(element.get(name, "").strip() == "0" for name in _LENGTHS)
