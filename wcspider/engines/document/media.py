"""Images, and the replacements of videos, sounds and frames, which cannot be shown on paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lxml import etree

from wcspider.engines.base import RenderTask
from wcspider.engines.document.absolute_urls import asset_key, link_target
from wcspider.engines.document.html_trees import XLINK, drop, replace, text_of
from wcspider.engines.images.reader import Picture, read
from wcspider.engines.images.svg_source import size_of, svg_source
from wcspider.exceptions import SourceUnreadableError
from wcspider.web.styles.alternative_images import image_url, is_lazy
from wcspider.web.styles.responsive import Viewport
from wcspider.web.styles.tokens import declarations_of, serialized

UNREADABLE = "an image cannot be read"
IN_PLACE = "data-wcspider-in-place"
"""The attribute of links in the place of frames and media."""

POSTER = "data-wcspider-poster"
"""The attribute of images that are never stretched."""

HREFS = ("href", "xlink:href", f"{{{XLINK}}}href")
"""The names of the attribute with a reference (SVG 2, 16.1.1), as the parsers of HTML and of XML spell them."""

LONGEST_DATA = 60
"""The number of characters of a data: URL that messages show."""

_KEPT = re.compile("width|height|id|class|style|data-wcspider-.*")
_SOURCES = ("srcset", "sizes", "data-src", "data-srcset", "loading")
_ATTRIBUTES = {"object": "data", "embed": "src", "video": "poster"}
"""The attribute that names the image of an element."""

_FONT = frozenset({"font", "font-family", "font-size", "font-weight", "color", "line-height"})
_HIDING = frozenset({("display", "none"), ("visibility", "hidden")})
_IS_TINY = re.compile(r"\s*[01](?:px)?\s*", re.IGNORECASE)
_IN_WORD = re.compile(r"\w")


class Media:
    """The images and other media of a page. It gets the elements in document order."""

    def __init__(
        self, task: RenderTask, base: str, viewport: Viewport, mark: Callable[[Any, Picture], None] | None = None
    ) -> None:
        self.task, self.base, self.viewport = task, base, viewport
        self.unreadable: dict[str, str] = {}
        """The reasons why images cannot be shown, by the URLs of the images."""

        self.with_alternatives: list[Any] = []
        """The elements that contain a text in the place of an image."""

        self._mark = mark
        """Called for each IMG that shows a raster image."""

        self._lazy = ""
        """The key of the last IMG if a script loads its image; otherwise empty."""

    @property
    def handlers(self) -> dict[str, Callable[[Any], None]]:
        """The methods that change elements, by tag."""
        return {
            "img": self.image,
            "noscript": self.drop_twins,
            "object": self.embedded,
            "embed": self.embedded,
            "video": self.video,
            "audio": self.audio,
            "iframe": self.frame,
        }

    def image(self, element: Any) -> None:
        """Let an IMG show its image, or replace it by its alternative text."""
        key = self._image_key(element)
        self._lazy = key if is_lazy(element) else ""
        if not self._can_show(key):
            self._show_alternative(element)
            return
        element.set("src", key)
        if self._mark is not None and isinstance(picture := self._read(key), Picture):
            self._mark(element, picture)
        etree.strip_attributes(element, *_SOURCES)

    def _show_alternative(self, image: Any) -> None:
        parent, alternative = image.getparent(), _alternative(image)
        replace(image, alternative)
        if alternative != "" and (isinstance(alternative, str) or alternative.text):
            self.with_alternatives.append(parent if isinstance(alternative, str) else alternative)

    def _image_key(self, element: Any) -> str:
        return asset_key(self.base, image_url(element, self.viewport), self.task.encoding)

    def drop_twins(self, element: Any) -> None:
        """Remove from a NOSCRIPT the images that repeat the lazy image before it."""
        for image in list(element.iter("img")) if self._lazy else ():
            key = self._image_key(image)
            if key == self._lazy or key not in self.task.assets:
                image.tag = "template"  # it is visited after the NOSCRIPT, and then removed

    def resolve_images(self, drawing: Any) -> None:
        """Let the images in an SVG element refer to fetched resources. Other references are removed."""
        for image in list(drawing.iter("image")):
            references = [image.attrib.pop(name) for name in HREFS if name in image.attrib]
            key = asset_key(self.base, next(filter(None, references), ""), self.task.encoding)
            if self._can_show(key):
                image.set("href", key)

    def _can_show(self, key: str) -> bool:
        if key not in self.task.assets and key.startswith("data:image/"):
            return True  # the engine reads it itself
        return self._read(key) is not None

    def _read(self, key: str) -> Picture | bytes | None:
        """Return a raster image, or the source of an SVG image; None for a resource that cannot be shown."""
        asset = self.task.assets.get(key)
        if asset is None or not asset.body:
            return None
        try:
            source = svg_source(asset.body)
        except SourceUnreadableError as error:
            self.unreadable[_shortened(key)] = str(error)
            return None
        with suppress(SourceUnreadableError):
            found = source or read(asset.body)
            if isinstance(found, Picture | bytes):
                return found
        self.unreadable[_shortened(key)] = UNREADABLE
        return None

    def own_size(self, image: Any) -> tuple[float, float] | None:
        """Return the width and height of an IMG that shows its image, in CSS pixels; None if it has no size."""
        found = self._read(asset_key(self.base, image.get("src", ""), self.task.encoding))
        if isinstance(found, bytes):
            return size_of(found)
        return None if found is None else found.getSize()

    def image_of(self, element: Any, key: str) -> Any:
        """Return an IMG that shows a resource, with the size and the styles of another element."""
        kept = {name: value for name, value in element.attrib.items() if _KEPT.fullmatch(name)}
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
        """Show the image of an IFRAME. Replace any other IFRAME by a link, because it shows another page."""
        key = None if _is_unseen(element) else self.key(element, "src")
        if key is not None:
            replace(element, self.image_of(element, key))
        else:
            self._link_instead(element, element.get("src", ""))

    def _link_instead(self, element: Any, reference: str) -> None:
        target = link_target(self.base, reference, self.task.encoding) if reference.strip() else None
        if target is None or _is_unseen(element):
            drop(element)
            return
        link = element.makeelement("a", {"href": target, IN_PLACE: ""})
        if element.get("id"):
            link.set("id", element.get("id"))
        link.text = element.get("title") or target
        replace(element, link)


def _shortened(url: str) -> str:
    """Return a URL for a message; a data: URL may have millions of characters."""
    is_long = url.startswith("data:") and len(url) > LONGEST_DATA
    return f"{url[:LONGEST_DATA]}..." if is_long else url


def _is_unseen(element: Any) -> bool:
    """Tell whether a frame is hidden or has no size, such as those that count visitors."""
    style = {d.lower_name: serialized(d.value).strip().lower() for d in declarations_of(element.get("style", ""))}
    sizes = [style.get(side, element.get(side, "")) for side in ("width", "height")]
    return "hidden" in element.attrib or not _HIDING.isdisjoint(style.items()) or all(map(_IS_TINY.fullmatch, sizes))


def _alternative(image: Any) -> Any:
    """Return what takes the place of an image: its text, in the font of its STYLE attribute, and with its ID.

    In e-mails, the elements around an image have a font without a size, and lines without a height.
    """
    text, name = _alternative_text(image), image.get("id")
    font = [d for d in declarations_of(image.get("style", "")) if d.lower_name in _FONT]
    if not name and not (text and font):
        return text
    span = image.makeelement("span", {"style": f"line-height:normal;{serialized(font)}"} if font else {})
    if name:
        span.set("id", name)
    span.text = text
    return span


def _alternative_text(image: Any) -> str:
    """Return the text in the place of an image: its ALT, or else its TITLE, as words of their own.

    A single character may be the first letter of a word, such as an initial.
    """
    text = " ".join(image.get("alt", image.get("title", "")).split())
    if len(text) < 2:
        return text
    before = image.getprevious()
    start, end = (image.getparent().text if before is None else before.tail) or "a", image.tail or "a"
    return f"{' ' * bool(_IN_WORD.match(start[-1]))}{text}{' ' * bool(_IN_WORD.match(end))}"
