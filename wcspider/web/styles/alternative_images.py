"""The choice between the alternative images of an IMG and its PICTURE, as browsers make it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, Protocol

from wcspider.web.styles.responsive import DEFAULT_VIEWPORT, Viewport, applies, source_size


class Attributes(Protocol):
    """The attributes of an element."""

    def get(self, name: str, default: str = "", /) -> str:
        """Return an attribute, or `default` if the element does not have it."""


SHOWN_TYPES: Final = frozenset(
    f"image/{name}" for name in ("avif", "bmp", "gif", "jpeg", "jpg", "png", "svg+xml", "webp", "x-icon")
)
"""The media types of images that are used from a SOURCE; others (``image/jxl``) are skipped."""

# "Parse a srcset attribute": an address, then descriptors up to a comma outside parentheses.
# https://html.spec.whatwg.org/review-drafts/2023-01/#parse-a-srcset-attribute
_CANDIDATE_RE: Final = re.compile(r"[\s,]*+(\S*[^\s,])(?:\s+((?:[^,(]|\([^)]*\)?)*))?")
_DESCRIPTOR_RE: Final = re.compile(r"((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,2})?)([wx])(?:\s+\d+h)?", re.IGNORECASE)
# Lazy images: the attributes of lazysizes, lozad, vanilla-lazyload, jQuery Lazy and the plug-ins of WordPress.
_SRCSETS: Final = ("data-srcset", "data-lazy-srcset", "srcset")
_SOURCES: Final = ("data-src", "data-lazy-src", "data-original", "src")

MOST_SOURCES: Final = 100
"""How many elements of a PICTURE are considered, counted backwards from its IMG."""


def is_lazy(image: Attributes) -> bool:
    """Tell whether a script loads the image of an IMG, by the attributes of the IMG."""
    return bool(_first(image, (*_SRCSETS[:-1], *_SOURCES[:-1])))


def image_url(image: Any, viewport: Viewport = DEFAULT_VIEWPORT) -> str:
    """Return the reference of the image that an IMG of a tree shows (`shown_image`).

    The elements of the tree have the interface of lxml: ``tag``, ``get``, ``getparent`` and ``itersiblings``.
    """
    return shown_image(image, _sources(image), viewport)


def shown_image(image: Attributes, sources: Iterable[Attributes] = (), viewport: Viewport = DEFAULT_VIEWPORT) -> str:
    """Return the reference, as written, of the image that an IMG shows: from its PICTURE, its srcset or its src.

    `image` has the attributes of the IMG, `sources` those of the SOURCE elements before it in its PICTURE.
    https://html.spec.whatwg.org/review-drafts/2023-01/#update-the-source-set. If a script loads the image later
    (lazy loading), the script's attributes name the image, and the attributes of HTML only name a placeholder.
    """
    for source in sources:
        kind = source.get("type", "").strip().lower()
        if (not kind or kind in SHOWN_TYPES) and applies(source.get("media", ""), viewport):
            chosen = densest(candidates(_first(source, _SRCSETS), source.get("sizes", ""), viewport))
            if chosen:
                return chosen
    scripted, placeholder = _first(image, _SRCSETS[:-1]), image.get("src", "").strip()
    srcset = scripted or image.get("srcset", "").strip()
    source_url = _first(image, _SOURCES[:-1]) or ("" if scripted else placeholder)
    offered = list(candidates(srcset, image.get("sizes", ""), viewport))
    if source_url and "w" not in {unit for _, _, unit in _parsed(srcset)}:
        offered.append((source_url, 1.0))
    return densest(offered) or source_url or placeholder


def _first(element: Attributes, attributes: Iterable[str]) -> str:
    """Return the value of the first attribute that is not empty; "" if all are."""
    return next((value for name in attributes if (value := element.get(name, "").strip())), "")


def candidates(srcset: str, sizes: str, viewport: Viewport) -> Iterator[tuple[str, float]]:
    """Yield the references of a srcset, each with its density in image pixels per CSS pixel."""
    size = source_size(sizes, viewport)
    for url, value, unit in _parsed(srcset):
        if unit == "x":
            yield url, value
        elif value > 0:
            yield url, value / size if size else float("inf")


def densest(offered: Iterable[tuple[str, float]]) -> str:
    """Return the reference with the lowest density from 1 up, or with the highest below 1; "" without references."""
    listed = list(offered)
    if not listed:
        return ""
    enough = [candidate for candidate in listed if candidate[1] >= 1]
    if enough:
        return min(enough, key=lambda candidate: candidate[1])[0]
    return max(listed, key=lambda candidate: candidate[1])[0]


def _parsed(srcset: str) -> Iterator[tuple[str, float, str]]:
    """Yield the reference, value and unit (``w`` or ``x``) of each valid candidate."""
    end = 0
    while match := _CANDIDATE_RE.match(srcset, end):
        end = match.end()
        descriptor = _DESCRIPTOR_RE.fullmatch((match[2] or "").strip() or "1x")
        if descriptor:
            yield match[1], float(descriptor[1]), descriptor[2].lower()


def _sources(image: Any) -> list[Any]:
    """Return the SOURCE elements before an IMG in its PICTURE, in document order.

    libxml2 does not know that SOURCE is a void element: in HTML, the nodes after a SOURCE become its content. Most
    images have no PICTURE, and the elements before them are not examined.
    """
    around = [image]
    while len(around) <= MOST_SOURCES and (parent := around[-1].getparent()) is not None:
        if tag_name(parent) == "picture":
            return list(islice(_before(around), MOST_SOURCES))[::-1]
        if tag_name(parent) != "source":
            break
        around.append(parent)
    return []


def _before(around: list[Any]) -> Iterator[Any]:
    """Yield the SOURCE elements around and before an IMG, the first of ``around``; the nearest first."""
    for element in around:
        if element is not around[0]:
            yield element
        siblings = islice(element.itersiblings(preceding=True), MOST_SOURCES)
        yield from (before for before in siblings if tag_name(before) == "source")


def tag_name(element: Any) -> str:
    """Return the name of an element of a tree in lower case, without namespace; "" for a comment or an instruction."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""
