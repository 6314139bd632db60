"""Which of several images a page shows, and which style sheets apply to it, as a browser chooses.

The choice is made for one viewport at one image pixel to a CSS pixel, so that a page refers to the same
files at each capture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from wcspider.capture.document import tag_name


@dataclass(frozen=True, slots=True)
class Viewport:
    """For what a page is laid out."""

    media: str = "screen"
    """The media type, ``screen`` or ``print``."""

    width: float = 1024
    """The width of the page area in CSS pixels."""


DEFAULT_VIEWPORT: Final = Viewport()

SHOWN_TYPES: Final = frozenset(
    f"image/{name}" for name in ("avif", "bmp", "gif", "jpeg", "jpg", "png", "svg+xml", "webp", "x-icon")
)
"""The media types of images that a SOURCE can offer; others (``image/jxl``) are passed over."""

# Absolute and font-relative lengths in CSS px: https://www.w3.org/TR/2024/WD-css-values-4-20240312/#absolute-lengths
_PIXELS: Final = {
    "px": 1.0,
    "em": 16.0,
    "rem": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 9.6 / 2.54,
    "pt": 96 / 72,
    "pc": 16.0,
}
_LENGTH_RE: Final = re.compile(r"\+?(\d+(?:\.\d+)?|\.\d+)([a-z]*)")

# https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#mq-features: those with one answer for all captures.
_FEATURES: Final = {
    "color": True,
    "scripting:none": True,
    "prefers-color-scheme:light": True,
    "prefers-reduced-motion:no-preference": True,
}
_WIDTH_RE: Final = re.compile(r"(min-|max-|)(?:device-)?width(:|<=|>=|<|>|=)(.+)")
_MEDIA_QUERY_RE: Final = re.compile(r"(?:(not|only)\s+)?(.*)", re.DOTALL)

# "Parse a srcset attribute": an address, then descriptors up to a comma outside parentheses.
# https://html.spec.whatwg.org/review-drafts/2023-01/#parse-a-srcset-attribute
_CANDIDATE_RE: Final = re.compile(r"[\s,]*+(\S*[^\s,])(?:\s+((?:[^,(]|\([^)]*\)?)*))?")
_DESCRIPTOR_RE: Final = re.compile(r"((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,2})?)([wx])(?:\s+\d+h)?", re.IGNORECASE)
_SIZE_RE: Final = re.compile(r"(.*?)\s*([^\s()]+|[a-z]+\(.*\))", re.DOTALL | re.IGNORECASE)
# Lazy images: the attributes that lazysizes, lozad, vanilla-lazyload, jQuery Lazy and the plug-ins of WordPress have.
_SRCSETS: Final = ("data-srcset", "data-lazy-srcset", "srcset")
_SOURCES: Final = ("data-src", "data-lazy-src", "data-original", "src")

MOST_SOURCES: Final = 100
"""How many elements of a PICTURE are asked for the image that an IMG shows, the nearest."""

_COMMA_RE: Final = re.compile(r",(?![^(]*\))")


def image_url(image: Any, viewport: Viewport = DEFAULT_VIEWPORT) -> str:
    """The reference, as written, of what an IMG shows: of its PICTURE's sources, its srcset or its src.

    https://html.spec.whatwg.org/review-drafts/2023-01/#update-the-source-set. Where a script is to put the image
    in place later, its own attributes name it, and those of HTML a placeholder.
    """
    for source in _sources(image):
        kind = source.get("type", "").strip().lower()
        if (not kind or kind in SHOWN_TYPES) and applies(source.get("media", ""), viewport):
            chosen = densest(candidates(_first(source, _SRCSETS), source.get("sizes", ""), viewport))
            if chosen:
                return chosen
    srcset, source_url = _first(image, _SRCSETS), _first(image, _SOURCES)
    offered = list(candidates(srcset, image.get("sizes", ""), viewport))
    if source_url and "w" not in {unit for _, _, unit in _parsed(srcset)}:
        offered.append((source_url, 1.0))
    return densest(offered) or source_url


def _first(element: Any, attributes: Iterable[str]) -> str:
    """The value of the first attribute that says something."""
    return next((value for name in attributes if (value := element.get(name, "").strip())), "")


def candidates(srcset: str, sizes: str, viewport: Viewport) -> Iterator[tuple[str, float]]:
    """The references of a srcset, each with its density in image pixels to a CSS pixel."""
    size = _source_size(sizes, viewport)
    for url, value, unit in _parsed(srcset):
        if unit == "x":
            yield url, value
        elif value > 0:
            yield url, value / size if size else float("inf")


def densest(offered: Iterable[tuple[str, float]]) -> str:
    """The reference with the lowest density of 1 or more; with the highest if all are less; "" if none."""
    listed = list(offered)
    if not listed:
        return ""
    enough = [candidate for candidate in listed if candidate[1] >= 1]
    if enough:
        return min(enough, key=lambda candidate: candidate[1])[0]
    return max(listed, key=lambda candidate: candidate[1])[0]


def applies(media: str, viewport: Viewport = DEFAULT_VIEWPORT) -> bool:
    """Whether a media query list applies; an empty one does, a query with an unknown feature does not.

    https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#mq-list
    """
    queries = media.strip().lower()
    return not queries or any(_query_applies(query.strip(), viewport) for query in _COMMA_RE.split(queries))


def _query_applies(query: str, viewport: Viewport) -> bool:
    match = _MEDIA_QUERY_RE.fullmatch(query)
    assert match is not None, "the pattern matches any string"
    answers = [_condition(part.strip(), viewport) for part in re.split(r"\sand\b", match[2])]
    if None in answers:
        return False
    return all(answers) is (match[1] != "not")


def _condition(text: str, viewport: Viewport) -> bool | None:
    """Whether a media type or a feature in parentheses holds; None if it is unknown."""
    if not text.startswith("("):
        return text in ("all", viewport.media) if text.isidentifier() else None
    feature = re.sub(r"\s+", "", text[1:-1] if text.endswith(")") else "")
    if feature == f"orientation:{'portrait' if viewport.media == 'print' else 'landscape'}":
        return True
    width = _WIDTH_RE.fullmatch(feature)
    if width is None:
        return _FEATURES.get(feature)
    return _width_holds(width[1], width[2], _pixels(width[3], viewport), viewport.width)


def _width_holds(prefix: str, relation: str, limit: float | None, width: float) -> bool | None:
    if limit is None or (prefix and relation != ":"):
        return None
    holds = {"<": width < limit, "<=": width <= limit, ">": width > limit, ">=": width >= limit}
    return holds.get({"min-": ">=", "max-": "<="}.get(prefix, relation), width == limit)


def _pixels(length: str, viewport: Viewport) -> float | None:
    """A length in CSS pixels; None for one that would need a layout or a calculation."""
    match = _LENGTH_RE.fullmatch(length.strip().lower())
    if match is None:
        return None
    number, unit = float(match[1]), match[2]
    if unit == "vw":
        return number * viewport.width / 100
    if not unit:
        return 0.0 if number == 0 else None
    return number * _PIXELS[unit] if unit in _PIXELS else None


def _source_size(sizes: str, viewport: Viewport) -> float:
    """The width at which an image is shown, by its sizes attribute; the viewport's where that is unclear."""
    for entry in _COMMA_RE.split(sizes.strip()):
        match = _SIZE_RE.fullmatch(entry.strip())
        if match and (not match[1] or applies(match[1], viewport)):
            pixels = _pixels(match[2], viewport)
            return viewport.width if pixels is None else pixels
    return viewport.width


def _parsed(srcset: str) -> Iterator[tuple[str, float, str]]:
    """Reference, value and unit (``w`` or ``x``) of each valid candidate."""
    end = 0
    while match := _CANDIDATE_RE.match(srcset, end):
        end = match.end()
        descriptor = _DESCRIPTOR_RE.fullmatch((match[2] or "").strip() or "1x")
        if descriptor:
            yield match[1], float(descriptor[1]), descriptor[2].lower()


def _sources(image: Any) -> list[Any]:
    """The SOURCE elements that stand before an IMG in its PICTURE, in document order.

    libxml2 does not know that SOURCE is empty: in HTML, what follows one is its content. Most images have no PICTURE,
    and what stands before them is not looked at.
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
    """The SOURCE elements that an IMG, the first of ``around``, stands in or behind, the nearest first."""
    for element in around:
        if element is not around[0]:
            yield element
        siblings = islice(element.itersiblings(preceding=True), MOST_SOURCES)
        yield from (before for before in siblings if tag_name(before) == "source")
