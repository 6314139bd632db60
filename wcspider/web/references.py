"""The references of a page: its auxiliary files in order of first reference (14.10.3.3), and its links (14.10.5.3).

SCRIPT and TEMPLATE are not searched. Of NOSCRIPT only links, style sheets and images count. Frames and invisible images
in it count visitors, and lazy loaders repeat each image in a NOSCRIPT next to it, so these are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from wcspider.exceptions import InvalidURLError
from wcspider.web.documents.html import BACKGROUNDS, Document, Element
from wcspider.web.resources import AuxiliaryKind, Link
from wcspider.web.styles.alternative_images import shown_image
from wcspider.web.styles.css import Reference, References, add_declarations, add_stylesheet, stylesheet_references
from wcspider.web.styles.responsive import DEFAULT_VIEWPORT, Viewport, style_applies
from wcspider.web.styles.sheets import is_linked_sheet, is_style
from wcspider.web.urls import canonical_url, has_login, split_fragment, without_login

__all__ = [
    "Link",
    "Reference",
    "links",
    "page_references",
    "stylesheet_references",
]

_LINK_ATTRIBUTES: Final = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
_ANCHORS: Final = frozenset({"a", "area"})
_SHEETS: Final = frozenset({"link", "style"})
_XLINK: Final = ("href", "xlink:href", "{http://www.w3.org/1999/xlink}href")
_HIDDEN_RE: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_IMAGE_SUFFIXES: Final = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")


def page_references(
    document: Document, url: str, *, viewport: Viewport = DEFAULT_VIEWPORT, most: int = 0
) -> References:
    """Return the auxiliary files of the page at ``url``, in order of first reference, each URL once (14.10.3.3).

    They are the images, style sheets and fonts that the HTML itself refers to, for the given viewport. The
    references of a linked sheet (`stylesheet_references`) belong directly after it. ``data:`` URLs and fragments
    of the page are part of the source, so they are not references. Behind the first `most` URLs, references are
    only counted; 0 sets no limit.
    """
    found = References(document.base_url(url), document.encoding, most)
    for element in document.elements:
        if element.is_in_noscript:
            if element.name == "img" and not (element.is_twin or _is_counter(element)):
                _add_image(found, element, viewport)
            if element.name not in _SHEETS:
                continue
        reader = _READERS.get(element.name)
        if reader is not None:
            reader(found, element, viewport)
        if element.name in BACKGROUNDS:
            found.add(element.get("background"), AuxiliaryKind.IMAGE)
        style = element.get("style")
        if "(" in style:
            add_declarations(found, style, viewport)
    return found


def links(document: Document, url: str) -> tuple[Link, ...]:
    """Return the links of the page at ``url`` that can be captured, in document order (14.10.5.3).

    Two links to the same page are two entries. The page that a META refresh shows later is the first.
    """
    base = document.base_url(url)
    targets: dict[str, tuple[str, bool] | None] = {}  # a page often links to the same few pages many times
    found = []
    if document.refresh is not None and document.refresh.reference:
        refreshed = _target(document.refresh.reference, base, document.encoding)
        if refreshed is not None and refreshed[0] != url:
            found.append(Link(refreshed[0], "meta", has_login=refreshed[1]))
    for element in document.elements:
        attribute = _LINK_ATTRIBUTES.get(element.name)
        if attribute is None or attribute not in element.attributes:
            continue
        if element.is_in_noscript and element.name not in _ANCHORS:
            continue
        if _is_framed_image(element):
            continue
        reference = element.get(attribute)
        page = split_fragment(reference)[0]
        if page not in targets:
            targets[page] = _target(page, base, document.encoding)
        target = targets[page]
        if target is None:
            continue
        charset = element.get("charset").strip() or None
        nofollow = "rel" in element.attributes and "nofollow" in element.get("rel").lower().split()
        found.append(Link(target[0], element.name, nofollow, charset, has_login=target[1]))
    return tuple(found)


def _target(reference: str, base: str, encoding: str) -> tuple[str, bool] | None:
    """Return the canonical URL of a link, and whether the link contains a login; None if it cannot be captured."""
    try:
        url = canonical_url(reference, base, encoding=encoding)
    except InvalidURLError:
        return None
    return without_login(url), has_login(url)


def _add_image(found: References, element: Element, viewport: Viewport) -> None:
    """Add the image that an IMG shows."""
    found.add(shown_image(element, element.sources, viewport), AuxiliaryKind.IMAGE)


def _is_counter(image: Element) -> bool:
    """Tell whether an IMG is invisible, and only there to count visitors."""
    is_tiny = all(image.get(name).strip().removesuffix("px") in ("0", "1") for name in ("width", "height"))
    return is_tiny or _HIDDEN_RE.search(image.get("style")) is not None


def _add_input(found: References, element: Element, viewport: Viewport) -> None:
    """Add the image of an INPUT of type image."""
    if element.get("type").strip().lower() == "image":
        found.add(element.get("src"), AuxiliaryKind.IMAGE)


def _add_embedded(found: References, element: Element, viewport: Viewport) -> None:
    """Add an OBJECT or EMBED that is an image by its type or, without a type, by the suffix of its URL."""
    reference = element.get("data") or element.get("src")
    kind = element.get("type").strip().lower()
    if kind.startswith("image/") if kind else _names_image(reference):
        found.add(reference, AuxiliaryKind.IMAGE)


def _add_framed(found: References, element: Element, viewport: Viewport) -> None:
    """Add the image in an IFRAME. Doxygen writes its diagrams in this way."""
    if _is_framed_image(element) and not _is_counter(element):
        found.add(element.get("src"), AuxiliaryKind.IMAGE)


def _is_framed_image(element: Element) -> bool:
    """Tell whether an element is an IFRAME that shows an image, and not a page."""
    return element.name == "iframe" and "srcdoc" not in element.attributes and _names_image(element.get("src"))


def _names_image(reference: str) -> bool:
    """Tell whether a URL is that of an image by its suffix."""
    return reference.partition("#")[0].partition("?")[0].strip().lower().endswith(_IMAGE_SUFFIXES)


def _add_video(found: References, element: Element, viewport: Viewport) -> None:
    """Add the poster of a VIDEO."""
    found.add(element.get("poster"), AuxiliaryKind.IMAGE)


def _add_svg(found: References, element: Element, viewport: Viewport) -> None:
    """Add the reference of an SVG image or use: https://www.w3.org/TR/2018/CR-SVG2-20181004/linking.html."""
    found.add(next(filter(None, map(element.get, _XLINK)), ""), AuxiliaryKind.IMAGE)


def _add_link(found: References, element: Element, viewport: Viewport) -> None:
    """Add a linked style sheet that applies."""
    is_applied = is_linked_sheet(element) and "disabled" not in element.attributes
    if is_applied and style_applies(element.get("media"), viewport):
        found.add(element.get("href"), AuxiliaryKind.STYLESHEET)


def _add_style(found: References, element: Element, viewport: Viewport) -> None:
    """Add the references of a STYLE element that applies."""
    if is_style(element) and style_applies(element.get("media"), viewport):
        add_stylesheet(found, element.text, viewport)


_READERS: Final[dict[str, Callable[[References, Element, Viewport], None]]] = {
    "embed": _add_embedded,
    "feimage": _add_svg,
    "iframe": _add_framed,
    "image": _add_svg,
    "img": _add_image,
    "input": _add_input,
    "link": _add_link,
    "object": _add_embedded,
    "style": _add_style,
    "use": _add_svg,
    "video": _add_video,
}
