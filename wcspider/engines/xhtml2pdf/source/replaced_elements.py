"""Elements that show something else than their contents: images, drawings, films, sounds and frames.

An image of the task stays, or takes the place of the element that shows it. Everything else becomes a link.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.dom.minidom import Element

from wcspider.engines.base import Asset
from wcspider.engines.document.absolute_urls import asset_key, link_target
from wcspider.engines.document.forms import text_of
from wcspider.engines.document.limits import document_of
from wcspider.engines.xhtml2pdf.source import inline_svg
from wcspider.engines.xhtml2pdf.source.dom_parsing import rename, replace
from wcspider.web.styles.alternative_images import image_url, is_lazy
from wcspider.web.styles.responsive import Viewport

_REFERENCES = {"object": "data", "embed": "src", "video": "poster", "input": "src"}
"""The attribute that names the image of an element."""

_KEPT = ("width", "height", "id", "style")
"""The attributes that an image has from the element in whose place it stands."""

_SVG_REFERENCES = ("href", "xlink:href")
_EMBEDDED_TYPES = frozenset({"image/png", "image/jpeg", "image/gif"})
"""The media types of images that svglib draws."""

_DISPLAY = re.compile(r"display\s*:\s*(?:none|block)\b")


class ReplacedElements:
    """Rewrites the replaced elements of one page, in document order."""

    def __init__(self, assets: Mapping[str, Asset], base: str, encoding: str, viewport: Viewport) -> None:
        self._assets, self._base, self._encoding, self._viewport = assets, base, encoding, viewport
        self._lazy = ""
        """The key of the last IMG if a script loads its image; otherwise empty."""

    def image(self, element: Element) -> None:
        """Let an IMG show its resource, or its alternative text."""
        key = self._image_key(element)
        self._lazy = key if is_lazy(_Tree(element)) else ""
        if key in self._assets or key.startswith("data:image/"):
            element.setAttribute("src", key)
        else:
            replace(element, document_of(element).createTextNode(element.getAttribute("alt")))

    def without_twins(self, element: Element) -> None:
        """Remove from a NOSCRIPT the images that repeat the lazy image before it."""
        for image in list(element.getElementsByTagName("img")) if self._lazy else ():
            key = self._image_key(image)
            if key == self._lazy or key not in self._assets:
                replace(image, None)

    def embedded(self, element: Element) -> None:
        """Show the image of an OBJECT or EMBED, or the poster of a VIDEO; otherwise its contents."""
        image = self.image_of(element)
        if image is not None:
            replace(element, image)
        else:
            rename(element, "div")

    def image_of(self, element: Element) -> Element | None:
        """Return an IMG with the image that another element names; None if it is not there."""
        key = asset_key(self._base, element.getAttribute(_REFERENCES[element.tagName]), self._encoding)
        if key not in self._assets:
            return None
        image = document_of(element).createElement("img")
        image.setAttribute("src", key)
        for name in _KEPT:
            if element.hasAttribute(name):
                image.setAttribute(name, element.getAttribute(name))
        return image

    def video(self, element: Element) -> None:
        """Show the poster of a VIDEO, its contents, or a link."""
        if text_of(element).strip() or element.hasAttribute("poster"):
            self.embedded(element)
        else:
            self._medium(element)

    def audio(self, element: Element) -> None:
        """Put a link in the place of an AUDIO element that can be seen."""
        if element.hasAttribute("controls"):
            self._medium(element)
        else:
            replace(element, None)

    def _medium(self, element: Element) -> None:
        sources = [element, *element.getElementsByTagName("source")]
        self._link_instead(element, next(filter(None, (source.getAttribute("src") for source in sources)), ""))

    def frame(self, element: Element) -> None:
        """Put a link in the place of an IFRAME: it shows a page of its own."""
        self._link_instead(element, element.getAttribute("src"))

    def drawing(self, element: Element) -> None:
        """Put an image in the place of an SVG element. The images in it become a part of its file."""
        for picture in element.getElementsByTagName("image"):
            references = [picture.getAttribute(name) for name in _SVG_REFERENCES]
            asset = self._assets.get(asset_key(self._base, next(filter(None, references), ""), self._encoding))
            if asset is not None and asset.content_type in _EMBEDDED_TYPES:
                data = base64.b64encode(asset.body).decode()
                picture.setAttribute("xlink:href", f"data:{asset.content_type};base64,{data}")
        image = inline_svg.replacement(element)
        if image is not None and image.hasAttribute("style"):  # the other styles belong to the drawing
            displays = _DISPLAY.findall(image.getAttribute("style"))
            image.setAttribute("style", displays[-1] if displays else "")
        replace(element, image)

    def _image_key(self, element: Element) -> str:
        return asset_key(self._base, image_url(_Tree(element), self._viewport), self._encoding)

    def _link_instead(self, element: Element, reference: str) -> None:
        target = link_target(self._base, reference, self._encoding)
        if target is None:
            replace(element, None)
            return
        link = document_of(element).createElement("a")
        link.setAttribute("href", target)
        link.appendChild(document_of(element).createTextNode(element.getAttribute("title") or target))
        replace(element, link)


class _Tree:
    """An element with the part of lxml's interface that `wcspider.web.styles.alternative_images` uses."""

    def __init__(self, element: Element) -> None:
        self._element = element
        self.tag = element.tagName
        self.get = lambda name, default="": element.getAttribute(name) or default

    def getparent(self) -> _Tree | None:
        """Return the parent element."""
        parent = self._element.parentNode
        return _Tree(parent) if isinstance(parent, Element) else None

    def itersiblings(self, preceding: bool) -> Iterator[_Tree]:
        """Yield the preceding siblings, the nearest first."""
        sibling: Any = self._element.previousSibling
        while sibling is not None:
            if isinstance(sibling, Element):
                yield _Tree(sibling)
            sibling = sibling.previousSibling
