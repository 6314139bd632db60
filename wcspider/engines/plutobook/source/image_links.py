"""Images in links, and the areas of image maps.

PlutoBook makes link annotations for the lines of text in a link, so a high image would be a link at its lower edge
only, and a floating one nowhere. So each such image gets a URL of its own, by which it is found on the pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.absolute_urls import link_target
from wcspider.engines.plutobook.source.link_targets import MAX_LINKS, Link

MARK: Final = "#wcspider-linked-"
"""The beginning of the fragment in the URL of such an image; the number of its `Areas` follows."""

MAX_IMAGES: Final = 1_000
"""The largest number of such images in a page."""

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_IN_LINK: Final = etree.XPath("boolean(ancestor::a[@href])")


@dataclass(frozen=True, slots=True)
class Area:
    """A part of an image that is a link."""

    link: int
    """The number of the link."""

    left: float = 0.0
    top: float = 0.0
    right: float = 1.0
    bottom: float = 1.0
    """The edges, as shares of the width and height of the image, from its upper left corner."""


Areas = Sequence[Area]
"""The areas of one image."""


def mark(image: Any, areas: Areas, marked: list[Areas]) -> None:
    """Give an IMG a URL of its own, if it does not contain its data, and note its areas."""
    source = image.get("src", "data:")
    if areas and not source.startswith("data:") and len(marked) < MAX_IMAGES:
        image.set("src", f"{source}{MARK}{len(marked)}")
        marked.append(areas)


def maps_of(root: Any) -> Mapping[str, Sequence[Mapping[str, str]]]:
    """Return the attributes of the areas of each image map, by its name."""
    return {found.get("name"): [dict(area.attrib) for area in found.iter("area")] for found in root.iter("map")}


def mark_mapped(
    maps: Mapping[str, Sequence[Mapping[str, str]]],
    links: list[Link],
    base: str,
    encoding: str,
    marked: list[Areas],
    sizes: Mapping[Any, tuple[float, float]],
) -> None:
    """Note the areas of each IMG with an image map (HTML, 4.8.14), unless the whole image is a link.

    `sizes` are the widths and heights of the images in pixels.
    """
    for image, own_size in sizes.items() if maps else ():
        found = maps.get(image.get("usemap", "").removeprefix("#"), ())
        if not found or _IN_LINK(image):
            continue
        size = _size(image, *own_size)
        areas = []
        for attributes in found:
            target = link_target(base, attributes.get("href", "javascript:"), encoding)
            edges = _edges(attributes, *size)
            if target is not None and edges is not None and len(links) < MAX_LINKS:
                areas.append(Area(len(links), *edges))
                links.append(Link(target, attributes.get("alt") or attributes.get("title") or target))
        mark(image, areas[::-1], marked)  # the first area wins in browsers, the last one in PDF readers


def _size(image: Any, own_width: float, own_height: float) -> tuple[float, float]:
    """Return the width and height of an IMG by its attributes; its shape is kept if only one of them is given."""
    width, height = _number(image.get("width", "")), _number(image.get("height", ""))
    width = width or (height or own_height) * own_width / own_height
    return width, height or width * own_height / own_width


def _number(text: str) -> float:
    """Return the number of pixels in an attribute; 0 for a percentage, of which the room is not known yet."""
    found = None if "%" in text else _NUMBER.match(text.strip())
    return float(found[0]) if found else 0.0


def _edges(attributes: Mapping[str, str], width: float, height: float) -> tuple[float, float, float, float] | None:
    """Return the edges of the box around an area (left, top, right, bottom), as shares; None for an invalid area."""
    shape = attributes.get("shape", "rect").lower()
    coords = [float(number) for number in _NUMBER.findall(attributes.get("coords", ""))]
    if shape == "default":
        return 0.0, 0.0, 1.0, 1.0
    if shape.startswith("circ") and len(coords) >= 3:
        x, y, radius = coords[:3]
        coords = [x - radius, y - radius, x + radius, y + radius]
    if len(coords) < 4:
        return None
    across, down = coords[::2], coords[1::2]
    left, right = max(min(across) / width, 0.0), min(max(across) / width, 1.0)
    top, bottom = max(min(down) / height, 0.0), min(max(down) / height, 1.0)
    return (left, top, right, bottom) if left < right and top < bottom else None
