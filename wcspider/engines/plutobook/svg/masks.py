"""Masks of SVG that have the effect of a clipping path (SVG 1.1, 14.4; CSS Masking 1, 5 and 7).

cairo draws the whole area of a masked shape as an image, with the text above it, so that the text would not be in the
file. Drawing programs write a mask of one opaque shape for each frame. Such a mask becomes a clipping path, which cairo
can write as PDF. In a drawing with text, such as a diagram, the other masks have no effect.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from lxml import etree, html

from wcspider.engines.document.media import HREFS

SHAPES: Final = frozenset({"rect", "circle", "ellipse", "path", "polygon", "polyline"})
"""The elements that make a clipping path."""

_MASKED: Final = re.compile(r"(?<![\w-])mask\s*:\s*url\(\s*[\"']?#([^\"')]*)[\"']?\s*\)", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"\s*url\(\s*[\"']?#([^\"')]*)[\"']?\s*\)\s*")
_DECLARATION: Final = re.compile(r"(?<![\w-])([\w-]+)\s*:\s*([^;]*)")
_WHITE: Final = frozenset({"white", "#fff", "#ffffff", "rgb(255,255,255)", "rgb(100%,100%,100%)"})
_OPAQUE: Final = re.compile(r"[a-z]+|#[0-9a-f]{3}|#[0-9a-f]{6}|rgb\(.*\)", re.IGNORECASE)
_INVISIBLE: Final = frozenset({"none", "transparent", "inherit", "currentcolor"})
_UNSUITED: Final = frozenset(
    {"class", "opacity", "fill-opacity", "filter", "mask", "clip-path", "display", "visibility"}
)
"""Attributes and properties with which a shape may be half transparent, or have another form."""

_OF_MASK: Final = ("x", "y", "width", "height", "fill", "style", "maskunits", "mask-type", "maskcontentunits")
_DEFINITIONS: Final = frozenset({"mask", "clipPath", "pattern", "marker", "symbol"})
_UNITS: Final = "objectboundingbox"


def become_clipping_paths(root: Any, sheets: Iterable[str] = ()) -> None:
    """Replace the masks of a page or an SVG file that have the effect of a clipping path, and the references to them.

    References to other masks are removed from drawings with text.
    `sheets` are the style sheets of the page. If one of them refers to a mask, all masks stay as they are.
    """
    masks: dict[str, list[Any]] = defaultdict(list)
    for mask in root.iter("{*}mask"):
        masks[mask.get("id", "")].append(mask)
    own = (style.text or "" for style in root.iter("{*}style"))
    if not masks or any(map(_MASKED.search, (*own, *sheets))):
        return
    named: dict[str, Any] = {}
    for element in root.iter(etree.Element):
        named.setdefault(element.get("id", ""), element)
    shapes = {name: [_shape(mask, named) for mask in found] for name, found in masks.items() if name}
    suited = {name for name, found in shapes.items() if None not in found}
    masked = {element: name for element in root.iter(etree.Element) if (name := _mask_of(element)) is not None}
    suited -= {name for element, name in masked.items() if "clip-path" in _properties(element)}
    texts = root.iter("{*}text", "{*}foreignObject", "{*}foreignobject")
    with_text = {drawing for text in texts for drawing in text.iterancestors("{*}svg")} if masked else set()
    for element, name in masked.items():
        if name in suited:
            _remove_reference(element)
            element.set("clip-path", f"url(#{name})")
        elif not with_text.isdisjoint(element.iterancestors("{*}svg")):
            _remove_reference(element)
    for name in suited:
        for mask, shape in zip(masks[name], shapes[name], strict=True):
            _clip(mask, shape)


def parts_as_images(root: Any) -> list[Any]:
    """Return the elements of an SVG file that cairo draws as images: with a mask, or a path of several shapes."""
    masks = {mask.get("id") for mask in root.iter("{*}mask")} - {None}
    found = root.iter("{*}clipPath")
    paths = {path.get("id") for path in found if len(path) > 1 or "clip-path" in path.attrib} - {None}
    return [e for e in root.iter(etree.Element) if _mask_of(e) in masks or _path_of(e) in paths]


def is_repeated(element: Any) -> bool:
    """Tell whether a part of an SVG file may be drawn once for each use of another element."""
    return any(local_name(around) in _DEFINITIONS for around in (element, *element.iterancestors()))


def _remove_reference(element: Any) -> None:
    element.attrib.pop("mask", None)
    if "style" in element.attrib:
        element.set("style", _MASKED.sub("", element.get("style")))


def _mask_of(element: Any) -> str | None:
    """Return the id of the mask of an element; None for other elements."""
    reference = _REFERENCE.fullmatch(element.get("mask", "")) or _MASKED.search(element.get("style", ""))
    return None if reference is None else reference[1]


def _path_of(element: Any) -> str | None:
    """Return the id of the clipping path of an element; None for other elements."""
    reference = _REFERENCE.fullmatch(_properties(element).get("clip-path", ""))
    return None if reference is None else reference[1]


def _properties(element: Any) -> Mapping[str, str]:
    """Return the values that the attributes of an element declare, by names in lower case."""
    styled = _DECLARATION.findall(element.get("style", ""))
    pairs = [*((name, value) for name, value in element.items() if name != "style"), *styled]
    # The case of an ID matters.
    return {name.lower(): value.strip() if "url(" in value else value.strip().lower() for name, value in pairs}


def _shape(mask: Any, named: Mapping[str, Any]) -> Any:
    """Return the only shape in a mask if it is opaque; None if the mask is no clipping path."""
    around = _properties(mask)
    is_alpha, fill, rule = around.get("mask-type") == "alpha", around.get("fill", "black"), around.get("fill-rule")
    inside, shape = mask, None
    while shape is None:
        children = list(inside.iterchildren(etree.Element))
        if len(children) != 1 or not _UNSUITED.isdisjoint(_properties(children[0])):
            return None
        inside = children[0]
        fill = _properties(inside).get("fill", fill)
        rule = _properties(inside).get("fill-rule", rule)
        tag = local_name(inside)
        if tag == "use":
            shape = target = named.get(next((inside.get(name, "")[1:] for name in HREFS if name in inside.attrib), ""))
            if target is None or local_name(target) not in SHAPES or not _UNSUITED.isdisjoint(_properties(target)):
                return None
            fill = _properties(target).get("fill", fill)
        elif tag in SHAPES:
            shape = inside
        elif tag != "g" or "transform" in inside.attrib:
            return None
    if any(_properties(part).get("stroke", "none") != "none" for part in (mask, inside, shape)):
        return None
    is_opaque = _OPAQUE.fullmatch(fill) is not None and fill not in _INVISIBLE
    if not (is_opaque if is_alpha else fill.replace(" ", "") in _WHITE):
        return None
    if rule is not None:
        shape.set("clip-rule", rule)
    return inside


def _clip(mask: Any, shape: Any) -> None:
    """Turn a mask into a clipping path of one shape, or of one reference to a shape."""
    units = _properties(mask).get("maskcontentunits")
    mask.tag = f"{mask.tag.removesuffix('mask')}{'clippath' if isinstance(mask, html.HtmlElement) else 'clipPath'}"
    for name in [name for name in mask.attrib if name.lower() in _OF_MASK]:
        del mask.attrib[name]
    if units == _UNITS:
        mask.set("clipPathUnits", "objectBoundingBox")
    shape.tail = None
    mask[:] = [shape]


def local_name(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]
