"""Images, and the replacements of videos, sounds and frames, which cannot be shown on paper."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import tinycss2

from wcspider.engines.base import RenderTask
from wcspider.engines.document.absolute_urls import asset_key, link_target
from wcspider.engines.document.css_urls import in_quotes
from wcspider.engines.images.reader import Picture, read
from wcspider.engines.images.svg_source import svg_source
from wcspider.engines.plutobook import drawings
from wcspider.engines.plutobook.css.modern_values import plain_values
from wcspider.engines.plutobook.sheets.declarations import written
from wcspider.engines.plutobook.source.html_trees import drop, replace, text_of
from wcspider.engines.plutobook.svg_copies import HREFS
from wcspider.exceptions import SourceUnreadableError
from wcspider.web.styles.alternative_images import image_url, is_lazy
from wcspider.web.styles.responsive import Viewport

UNREADABLE = "an image cannot be read"
POSTER = "data-wcspider-poster"
"""The attribute of images that are never stretched."""

_KEPT = ("width", "height", "id", "class", "style")
_SOURCES = ("srcset", "sizes", "data-src", "data-srcset", "loading")
_ATTRIBUTES = {"object": "data", "embed": "src", "video": "poster"}
STRETCHED = "data-wcspider-stretched"
"""The attribute of images that fill their boxes. On a page that is too narrow, other images keep their shape."""

TALL = "data-wcspider-tall"
"""The attribute of images that would be higher than a page, so that they become narrower than their boxes."""

_SAME_SHAPE = 0.1
"""The largest difference between the shape in the attributes and the shape of the image: sizes are rounded."""

_DIMENSION = re.compile(r"\s*\+?(\d+(?:\.\d*)?|\.\d+)\s*(%?)")
_STYLED = re.compile(r"(?<![\w-])(width|height)\s*:([^;!]*)")
_LENGTH = re.compile(_DIMENSION.pattern + r"(?:px)?\s*")
_IS_PLAIN = re.compile(
    r"(?!.*(?:position|overflow|height|font|gradient|lab|lch|color-mix|light-dark|color\(|opacity|transform|url\(|pluto|content|dasharray|[0-9]{4}|1e))[^{}]*",
    re.DOTALL | re.IGNORECASE,
)
"""Declarations that need no change."""


class Media:
    """The images and other media of a page."""

    def __init__(self, task: RenderTask, base: str, viewport: Viewport) -> None:
        self.task, self.base, self.viewport = task, base, viewport
        self.warnings: list[str] = []
        self._lazy = ""
        """The key of the last IMG if a script loads its image; otherwise empty."""

    def style(self, text: str, *, is_box: bool) -> str:
        """Return the declarations of a STYLE attribute for paper."""
        if _IS_PLAIN.fullmatch(text):
            return text
        items = tinycss2.parse_blocks_contents(text, True, True)
        declarations = [item for item in items if item.type == "declaration"]
        values = plain_values(declarations, self.task.geometry.viewport_width)
        try:
            style = written(values, partial(in_quotes, self.base))
        except RecursionError:  # tinycss2 cannot write deeply nested values
            return ""
        return f"{style.text};{style.of_boxes}" if is_box else style.text

    def image(self, element: Any) -> None:
        """Let an IMG show its image, or replace it by its alternative text."""
        key = self._image_key(element)
        self._lazy = key if is_lazy(element) else ""
        if not self._can_show(key):
            replace(element, element.get("alt", ""))
            return
        element.set("src", key)
        self._mark_shape(element, key)
        for name in _SOURCES:
            if name in element.attrib:
                del element.attrib[name]

    def _image_key(self, element: Any) -> str:
        return asset_key(self.base, image_url(element, self.viewport), self.task.encoding)

    def drop_twins(self, element: Any) -> None:
        """Remove from a NOSCRIPT the images that repeat the lazy image before it."""
        for image in list(element.iter("img")) if self._lazy else ():
            key = self._image_key(image)
            if key == self._lazy or key not in self.task.assets:
                image.tag = "template"  # it is visited after the NOSCRIPT, and then removed

    def drawing(self, element: Any) -> None:
        """Let the images in an SVG element refer to fetched resources. Other references are removed."""
        drawings.make_readable(element)
        for image in list(element.iter("image")):
            references = [image.attrib.pop(name) for name in HREFS if name in image.attrib]
            key = asset_key(self.base, next(filter(None, references), ""), self.task.encoding)
            if self._can_show(key):
                image.set("href", key)

    def _can_show(self, key: str) -> bool:
        if key.startswith("data:image/"):
            return True
        asset = self.task.assets.get(key)
        if asset is None or not asset.body:
            return False
        try:
            if svg_source(asset.body) is not None or _picture(asset.body) is not None:
                return True
        except SourceUnreadableError as error:
            self.warnings.append(str(error))
        else:
            self.warnings.append(UNREADABLE)
        return False

    def _mark_shape(self, element: Any, key: str) -> None:
        """Mark an IMG that is stretched, or too high for the page if it is as wide as the page."""
        asset = self.task.assets.get(key)
        picture = None if asset is None or svg_source(asset.body) is not None else _picture(asset.body)
        if picture is None:
            return
        own_width, own_height = picture.getSize()
        is_tall = own_height * self.task.geometry.width > own_width * self.task.geometry.height
        if is_tall:
            element.set(TALL, "")
        width, height = _asked(element)
        if width is None or height is None or (is_tall and height[2]):
            return
        asked, own = float(width[1]) * own_height, float(height[1]) * own_width
        if width[2] or height[2] or abs(asked - own) > _SAME_SHAPE * max(asked, own):
            element.set(STRETCHED, "")

    def image_of(self, element: Any, key: str) -> Any:
        """Return an IMG that shows a resource, with the size and the styles of another element."""
        kept = {name: value for name in _KEPT if (value := element.get(name)) is not None}
        if element.tag == "video":
            kept[POSTER] = ""
        return element.makeelement("img", {"src": key, **kept})

    def key(self, element: Any, attribute: str) -> str | None:
        """Return the key of the image that an attribute names; None if it cannot be shown."""
        reference = element.get(attribute)
        key = asset_key(self.base, reference, self.task.encoding) if reference is not None else ""
        return key if key in self.task.assets and self._can_show(key) else None

    def embedded(self, element: Any) -> None:
        """Show the image of an OBJECT or EMBED, or the poster of a VIDEO, or else the contents of the element."""
        key = self.key(element, _ATTRIBUTES[element.tag])
        if key is not None:
            replace(element, self.image_of(element, key))
        else:
            element.tag = "div"

    def video(self, element: Any) -> None:
        """Show the poster of a VIDEO, its alternative contents, or a link."""
        if text_of(element) or element.get("poster") is not None:
            self.embedded(element)
        else:
            self._medium(element)

    def audio(self, element: Any) -> None:
        """Replace a visible AUDIO element by a link."""
        if "controls" in element.attrib:
            self._medium(element)
        else:
            drop(element)

    def _medium(self, element: Any) -> None:
        sources = [element, *element.iter("source")]
        self._link_instead(element, next(filter(None, (source.get("src") for source in sources)), ""))

    def frame(self, element: Any) -> None:
        """Replace an IFRAME by a link, because it shows another page."""
        self._link_instead(element, element.get("src", ""))

    def _link_instead(self, element: Any, reference: str) -> None:
        target = link_target(self.base, reference, self.task.encoding)
        if target is None:
            drop(element)
            return
        link = element.makeelement("a", {"href": target})
        if element.get("id"):
            link.set("id", element.get("id"))
        link.text = element.get("title") or target
        replace(element, link)


def _asked(element: Any) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """Return the width and the height that the STYLE attribute of an element, or its attributes, ask for.

    Each is a number and "%" or ""; None for other units and for keywords.
    """
    styled = dict(_STYLED.findall(element.get("style", "")))
    width, height = (
        _LENGTH.fullmatch(styled[name]) if name in styled else _DIMENSION.match(element.get(name, ""))
        for name in ("width", "height")
    )
    return width, height


def _picture(body: bytes) -> Picture | None:
    """Return a raster image; None for a file that cannot be read as one."""
    try:
        picture = read(body)
    except SourceUnreadableError:
        return None
    return picture if isinstance(picture, Picture) else None
