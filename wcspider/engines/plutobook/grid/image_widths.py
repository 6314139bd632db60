"""The widths of images in flex and grid containers (CSS Sizing 3, 5.2.2)."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Any, Final

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.lengths import declared_length
from wcspider.engines.plutobook.grid.boxes import Box
from wcspider.engines.plutobook.sheets.image_shapes import NARROW, SMALL, WIDTH

_CERTAIN_WIDTH: Final = re.compile(r"width:[\d.]+[a-z]+", re.IGNORECASE)
"""A width in other units than percent."""

_CONTAINER: Final = re.compile("display:(inline-)?(flex|grid)", re.IGNORECASE)
_NEAR: Final = 5
"""How many elements around an image are searched for a container: the image, a link around it, and an item."""


def mark(styles: PageStyles, own_size: Callable[[Any], tuple[float, float] | None]) -> None:
    """Note the widths of images, by the style sheets or their own sizes in containers, and mark those that are small.

    A container would have no least width for small images, because of their `max-width`: a logo would not be visible,
    or the text beside it would cover other items. `own_size` returns the width and height of an IMG in CSS pixels, or
    None.
    """
    for wrapper in styles.wrappers_with(_CERTAIN_WIDTH, where=lambda element: element.tag in ("img", "svg")):
        width = declared_length(styles.values(wrapper), "width")
        if width is not None:
            _note(wrapper.etree_element, width, is_small=width <= NARROW)
    containers = styles.elements_with(_CONTAINER, with_generated=False)
    images = (image for image in styles.root.iter("img") if SMALL not in image.attrib) if containers else ()
    inside = [image for image in images if not containers.isdisjoint(islice(image.iterancestors(), _NEAR))]
    for wrapper in styles.wrappers_of(inside):
        image = wrapper.etree_element
        size = own_size(image) if {"width", WIDTH}.isdisjoint(image.attrib) else None
        if size is not None:
            width, depends = _width(styles, wrapper, size)
            _note(image, width, is_small=width <= NARROW and not depends)


def _note(image: Any, width: float, *, is_small: bool) -> None:
    image.set(WIDTH, f"{width:.0f}")
    if is_small:
        image.set(SMALL, "")


def _width(styles: PageStyles, wrapper: Any, size: tuple[float, float]) -> tuple[float, bool]:
    """Return the width of an image with a size of its own, and whether it depends on the boxes around it.

    The boxes around the image limit its width by their declared sizes. The width of an image that is not shown is 0.
    """
    values, (width, height) = styles.values(wrapper), size
    shape = width / height if height else 0.0
    asked = values.get("height", wrapper.etree_element.get("height", "auto"))
    is_share = "%" in asked
    boxes = [Box(box.etree_element, styles.values(box)) for box in wrapper.ancestors[: -_NEAR - 1 : -1]]
    inside = list(takewhile(lambda box: not box.is_container, boxes))
    shown = _across(float(asked) if asked.isdecimal() else declared_length(values, "height"), shape)
    widths = [width if shown is None else shown, declared_length(values, "max-width")]
    widths.append(_across(declared_length(values, "max-height"), shape))
    for box in inside:
        widths += declared_length(box.values, "width"), declared_length(box.values, "max-width")
        widths.append(_across(declared_length(box.values, "height"), shape) if is_share else None)
    if not all(map(_is_shown, (Box(wrapper.etree_element, values), *inside))):
        widths.append(0.0)
    return min(found for found in widths if found is not None), is_share or "%" in values.get("width", "")


def _is_shown(box: Box) -> bool:
    return box.values.get("display") != "none" and "hidden" not in box.element.attrib


def _across(height: float | None, shape: float) -> float | None:
    """Return the width of an image with a height; None if it does not tell."""
    return None if height is None or not shape else height * shape
