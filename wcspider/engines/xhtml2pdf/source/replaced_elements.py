"""Images, drawings, videos, sounds and frames.

An image of the task stays, or replaces the element that shows it. Everything else becomes a link.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.dom.minidom import Element

from wcspider.engines.base import Asset
from wcspider.engines.document.absolute_urls import asset_key, link_target
from wcspider.engines.document.dom import new_element, new_text, rename, replace, text_of
from wcspider.engines.xhtml2pdf.source import inline_svg
from wcspider.web.styles.alternative_images import image_url, is_lazy
from wcspider.web.styles.responsive import Viewport

_REFERENCES = {"object": "data", "embed": "src", "video": "poster", "input": "src"}
"""The attribute that names the image of an element."""

_KEPT = ("width", "height", "id", "style")
"""The attributes that an image gets from the element that it replaces."""

_SVG_REFERENCES = ("href", "xlink:href")
_EMBEDDED_TYPES = frozenset({"image/png", "image/jpeg", "image/gif"})
"""The media types of the images that svglib can draw in a drawing."""

_DISPLAY = re.compile(r"display\s*:\s*(?:none|block)\b")


class ReplacedElements:
    """A rewriter of the elements of one page that show resources; it gets the elements in document order."""

    def __init__(self, assets: Mapping[str, Asset], base: str, encoding: str, viewport: Viewport) -> None:
        self._assets, self._base, self._encoding, self._viewport = assets, base, encoding, viewport
        self._lazy = ""
        """The key of the last IMG if a script loads its image; otherwise empty."""

    def image(self, element: Element) -> None:
        """Let an IMG element show its resource or its alternative text."""
        key = self._image_key(element)
        self._lazy = key if is_lazy(_Tree(element)) else ""
        if key in self._assets or key.startswith("data:image/"):
            element.setAttribute("src", key)
        else:
            replace(element, new_text(element, element.getAttribute("alt")))

    def without_twins(self, element: Element) -> None:
        """Remove the images in a NOSCRIPT element that repeat the lazy image before it."""
        for image in list(element.getElementsByTagName("img")) if self._lazy else ():
            key = self._image_key(image)
            if key == self._lazy or key not in self._assets:
                replace(image, None)

    def embedded(self, element: Element) -> None:
        """Show the image of an OBJECT or EMBED element or the poster of a VIDEO element; otherwise its contents."""
        image = self.image_of(element)
        if image is not None:
            replace(element, image)
        else:
            rename(element, "div")

    def image_of(self, element: Element) -> Element | None:
        """Return an IMG element for the image that another element names; None if the task does not have the image."""
        key = asset_key(self._base, element.getAttribute(_REFERENCES[element.tagName]), self._encoding)
        if key not in self._assets:
            return None
        image = new_element(element, "img", kept=_KEPT)
        image.setAttribute("src", key)
        return image

    def video(self, element: Element) -> None:
        """Show the poster of a VIDEO element, its contents, or a link."""
        if text_of(element).strip() or element.hasAttribute("poster"):
            self.embedded(element)
        else:
            self._medium(element)

    def audio(self, element: Element) -> None:
        """Replace an AUDIO element with visible controls by a link."""
        if element.hasAttribute("controls"):
            self._medium(element)
        else:
            replace(element, None)

    def _medium(self, element: Element) -> None:
        sources = [element, *element.getElementsByTagName("source")]
        self._link_instead(element, next(filter(None, (source.getAttribute("src") for source in sources)), ""))

    def frame(self, element: Element) -> None:
        """Replace an IFRAME element by a link to the page that it shows."""
        self._link_instead(element, element.getAttribute("src"))

    def drawing(self, element: Element) -> None:
        """Replace an SVG element by an image, with the images in it embedded."""
        for picture in element.getElementsByTagName("image"):
            references = [picture.getAttribute(name) for name in _SVG_REFERENCES]
            asset = self._assets.get(asset_key(self._base, next(filter(None, references), ""), self._encoding))
            if asset is not None and asset.content_type in _EMBEDDED_TYPES:
                data = base64.b64encode(asset.body).decode()
                picture.setAttribute("xlink:href", f"data:{asset.content_type};base64,{data}")
        image = inline_svg.replacement(element)
        if image is not None and image.hasAttribute("style"):  # all styles but `display` are for the drawing itself
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
        link = new_element(element, "a", element.getAttribute("title") or target)
        link.setAttribute("href", target)
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
