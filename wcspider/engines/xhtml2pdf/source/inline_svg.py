"""SVG elements of an HTML page, converted to SVG files that IMG elements show."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from lxml import etree

from wcspider.engines.base import Asset
from wcspider.engines.document.html_trees import XLINK, text_of
from wcspider.engines.images import reader
from wcspider.engines.xhtml2pdf.source.author_meaning import DISPLAY
from wcspider.exceptions import SourceUnreadableError

SVG = "http://www.w3.org/2000/svg"
_LENGTHS = ("width", "height")
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_NAMES = {
    "xlink:href": f"{{{XLINK}}}href",
    **{
        name.lower(): name
        for name in (
            "clipPath", "gradientUnits", "linearGradient", "preserveAspectRatio", "radialGradient", "spreadMethod",
            "viewBox",
        )
    },
}  # fmt: skip
"""The names that svglib knows and that the parser of HTML changes, as XML spells them."""

_KEPT = ("id", DISPLAY, *_LENGTHS)
"""The attributes that the IMG gets from the SVG element."""

_EMBEDDED_TYPES = frozenset({"image/png", "image/jpeg", "image/gif"})
"""The media types of the images that svglib can draw in a drawing."""


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
    return image


def _data_url(media_type: str, body: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(body).decode()}"


def _file_of(element: Any) -> bytes:
    """Return an SVG file with an element, in its namespace, without names that are invalid in XML."""
    copy = deepcopy(element)
    copy.tail = None
    for node in copy.iter(etree.Element):
        node.tag = _NAMES.get(node.tag, node.tag.rpartition(":")[2])
        for name, value in list(node.attrib.items()):
            if name in _NAMES or not _NAME.fullmatch(name):
                del node.attrib[name]
            if name in _NAMES:
                node.set(_NAMES[name], value)
    for name in _LENGTHS:
        if copy.get(name, "").strip().endswith("%"):  # refers to the element around it, which is not in the file
            del copy.attrib[name]
    copy.set("xmlns", SVG)
    return bytes(etree.tostring(copy))


def _is_hidden(element: Any) -> bool:
    """Tell whether a drawing is not shown, for example because it only defines symbols for other drawings."""
    return element.get(DISPLAY) == "none" or any(element.get(name, "").strip() == "0" for name in _LENGTHS)
