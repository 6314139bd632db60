"""SVG files and elements without references to other files, and without values that make cairo fail.

After a transformation without an inverse, and after dashes of length zero, cairo draws nothing more, on any page. Other
values may have the same effect; `pages.output` finds out that cairo has failed. The values that are known are
replaced, so that pages with them keep their look.

Programs for diagrams write each label as HTML and as SVG text, in a SWITCH element (SVG 1.1, 5.8.3). PlutoBook shows
both in a page and none in an SVG file, so one of them is removed.

PlutoBook needs memory for each line of a text in an SVG file as for all lines before it. Drawing programs keep their
own data in the files that they export, which may have thousands of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import drop
from wcspider.engines.document.media import HREFS
from wcspider.engines.images.svg_source import KEPT
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.css.transforms import Effect, effect
from wcspider.engines.plutobook.svg import masks, text_parts
from wcspider.engines.plutobook.svg.copies import draws_too_many
from wcspider.engines.plutobook.svg.masks import local_name

SMALLEST = 1e-6
"""The least length of dashes."""

OUT_OF_SIGHT = "translate(-100000)"
"""The transformation of a shape that is too small to be seen."""

DASHES: Final = "stroke-dasharray"
"""The property that draws a part of an outline, such as that of a ring that shows a share."""

MAX_NESTED = 12
"""The largest number of nested SVG elements: each level doubles the time of drawing."""

THIN = "0.001"
"""The width of a line without width that may have markers, because markers are scaled by the width."""

_PARSER: Final = etree.XMLParser(resolve_entities="internal", no_network=True, recover=True, huge_tree=True)
_DATA: Final = frozenset({"metadata", "desc", "title", "script"})
"""The elements of SVG that are never drawn and contain no element that is."""

_IN_ITSELF = re.compile(r"\s*data:image/(png|jpe?g|gif|webp)[;,]")
"""The beginning of a reference that contains the image itself."""

_OWN = re.compile(rf"\s*#|{_IN_ITSELF.pattern}")
"""The beginning of a reference that contains the image itself, or leads to a part of the same file."""

_STYLE_REFERENCE = re.compile(r"url\(\s*(?![\"']?\s*#)[^)]*\)|@import[^;]*;?")
_LENGTHS = re.compile(r"((?<![\w-])stroke-(dasharray|width)\s*:)([^;{}]*)", re.IGNORECASE)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
"""A number in an attribute (SVG 1.1, 4.2)."""

_TRANSFORMS = frozenset({"transform", "patterntransform", "gradienttransform"})
_STROKES = {DASHES: "none", "stroke-width": THIN}


@lru_cache(maxsize=KEPT)
def readable(svg: bytes) -> bytes | None:
    """Return an SVG file as PlutoBook can draw it; None if it draws too many copies. `svg` is in UTF-8."""
    root = etree.fromstring(svg, _PARSER)
    if draws_too_many(list(root.iter("{*}use"))):
        return None
    _choose(root)
    _remove_data(root)
    if b"mask" in svg:
        masks.become_clipping_paths(root)
    if b"%" in svg:
        _scale_whole(root)
    make_readable(root)
    turn_circles(root)
    _remove_references(root)
    return bytes(etree.tostring(root.getroottree(), encoding="utf-8"))


def _scale_whole(root: Any) -> None:
    """Let percentages in an SVG file refer to its own size, and not to that of the image, as in browsers."""
    sizes = [pixels(size, PAGE) for size in map(root.get, ("width", "height")) if size and "%" not in size]
    if "viewBox" not in root.attrib and len(sizes) == 2 and all(sizes):
        root.set("viewBox", f"0 0 {sizes[0]:g} {sizes[1]:g}")
        root.set("preserveAspectRatio", "none")


def _remove_references(root: Any) -> None:
    """Remove the references of an SVG file to other files, because an image may not load any."""
    for element in root.iter(etree.Element):
        if local_name(element) == "style" and element.text:
            element.text = _STYLE_REFERENCE.sub("none", element.text)
        # PlutoBook takes a reference of an image to a part of its file for the file, and would load it without end.
        kept = _IN_ITSELF if local_name(element) == "image" else _OWN
        for name, value in element.items():
            if name in HREFS and not kept.match(value):
                element.set(name, "")
            elif "url(" in value:
                element.set(name, _STYLE_REFERENCE.sub("none", value))


def _choose(root: Any) -> None:
    """Replace each SWITCH by the first of its alternatives that can be shown (SVG 1.1, 5.8).

    PlutoBook draws none of them. HTML is shown only if it has no alternative: an image may not contain any, and that in
    a page is not at its place in the drawing.
    """
    for switch in list(root.iter("{*}switch")):
        found = list(switch.iterchildren(etree.Element))
        drawn = [child for child in found if local_name(child).lower() != "foreignobject"]
        chosen = next(filter(_is_met, drawn), None) if drawn else next(iter(found), None)
        for child in found:
            if child is not chosen:
                drop(child)
        switch.tag = f"{switch.tag.removesuffix('switch')}g"


def _is_met(alternative: Any) -> bool:
    """Tell whether the conditions of an alternative are met, for a reader of English."""
    values = {name.lower(): value for name, value in alternative.items()}
    languages = values.get("systemlanguage")
    is_read = languages is None or any(part.strip().lower().startswith("en") for part in languages.split(","))
    return is_read and not values.get("requiredextensions", "").strip()


def _remove_data(root: Any) -> None:
    """Remove what an SVG file contains besides its drawing, and the line breaks in its texts (SVG 1.1, 10.15)."""
    namespace = root.tag.removesuffix("svg")
    tags = {element.tag for element in root.iter(etree.Element)}
    data = [tag for tag in tags if not tag.startswith(namespace) or tag.removeprefix(namespace) in _DATA]
    etree.strip_elements(root, *data, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    for element in root.iter(etree.Element):
        if element.text:
            element.text = element.text.replace("\n", " ")
        if element.tail:
            element.tail = element.tail.replace("\n", " ")


def texts(svg: bytes) -> Iterator[str]:
    """Yield the texts of an SVG image in UTF-8 that are not in ASCII."""
    if not svg.isascii() or b"&#" in svg:
        yield from (text for text in etree.fromstring(svg, _PARSER).itertext() if not text.isascii())


def make_readable(drawing: Any) -> None:
    """Change an SVG element so that PlutoBook can draw it. References are not changed."""
    has_markers = next(drawing.iter("{*}marker"), None) is not None
    _choose(drawing)
    text_parts.make_readable(drawing)
    for element in drawing.iter(etree.Element):
        tag = local_name(element)
        if tag == "svg" and sum(1 for _ in element.iterancestors("{*}svg")) >= MAX_NESTED:
            element.tag = f"{element.tag.removesuffix('svg')}g"
        if tag == "style" and element.text:
            element.text = _with_lengths(element.text, has_markers)
        for name, value in element.items():
            if name.lower() in _TRANSFORMS:
                element.set(name, drawable(name, value))
            elif name == "style":
                element.set(name, _with_lengths(value, has_markers))
            elif name in _STROKES and not has_length(value) and (has_markers or name != "stroke-width"):
                element.set(name, _STROKES[name])


def turn_circles(root: Any, sheets: Sequence[str] = ()) -> None:
    """Turn circles whose outlines may have dashes: they begin at the right (SVG 2, 10.3), for PlutoBook at the top.

    `sheets` are the style sheets of the page, besides those in its SVG elements.
    """
    own = (style.text or "" for style in root.iter("{*}style"))
    has_dashes = any(DASHES in sheet for sheet in (*sheets, *own))
    for circle in root.iter("{*}circle"):
        if has_dashes or DASHES in circle.attrib or DASHES in circle.get("style", ""):
            _turn(circle)


def _turn(circle: Any) -> None:
    center = [circle.get(name, "0") for name in ("cx", "cy")]
    if all(map(NUMBER.fullmatch, center)) and not any("url(" in value for value in circle.values()):
        circle.set("transform", f"{circle.get('transform', '')} rotate(90 {' '.join(center)})".lstrip())


def drawable(name: str, transform: str) -> str:
    """Return the value of a `transform`, `patternTransform` or `gradientTransform` attribute as cairo can draw it."""
    found = effect(transform)
    if found is Effect.NOTHING:
        return OUT_OF_SIGHT
    return "" if found is Effect.TOO_MUCH and name.lower() == "transform" else transform


def has_length(lengths: str) -> bool:
    """Tell whether the sum of lengths is other than zero; words such as ``none`` count as lengths."""
    numbers = [abs(float(number)) for number in NUMBER.findall(lengths)]
    return not numbers or sum(numbers) >= SMALLEST


def _with_lengths(text: str, has_markers: bool) -> str:
    return _LENGTHS.sub(lambda match: _with_length(match, has_markers), text)


def _with_length(match: re.Match[str], has_markers: bool) -> str:
    start, name, value = match.groups()
    name = f"stroke-{name.lower()}"
    is_known = name == "stroke-width" or "var(" not in value.lower()
    if (has_length(value) and is_known) or (name == "stroke-width" and not has_markers):
        return match[0]
    return start + _STROKES[name]
