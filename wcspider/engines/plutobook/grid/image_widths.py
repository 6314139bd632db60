"""The widths of images in flex and grid containers (CSS Sizing 3, 5.2.2)."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.sheets.image_shapes import NARROW, SMALL

WIDTH: Final = "data-wcspider-width"
"""The attribute of images with the width in CSS pixels that they take if there is room for it."""

_CERTAIN_WIDTH: Final = re.compile(r"width:[\d.]+[a-z]+", re.IGNORECASE)
"""A width in other units than percent."""

_CONTAINER: Final = re.compile("display:(inline-)?(flex|grid)", re.IGNORECASE)
_NEAR: Final = 5
"""How many elements around an image are searched for a container: the image, a link around it, and an item."""


def mark(styles: PageStyles, own_size: Callable[[Any], tuple[float, float] | None]) -> None:
    """Note the widths of images, by the style sheets or their own widths in containers, and mark those that are small.

    A container would have no least width for small images, because of their `max-width`: a logo would not be visible,
    or the text beside it would cover other items. `own_size` returns the width and height of an IMG in CSS pixels, or
    None.
    """
    for wrapper in styles.wrappers_with(_CERTAIN_WIDTH, where=lambda element: element.tag in ("img", "svg")):
        _note(wrapper.etree_element, pixels(styles.values(wrapper).get("width", "auto"), PAGE))
    containers = styles.elements_with(_CONTAINER, with_generated=False)
    images = (image for image in styles.root.iter("img") if SMALL not in image.attrib) if containers else ()
    inside = [image for image in images if not containers.isdisjoint(islice(image.iterancestors(), _NEAR))]
    for wrapper in styles.wrappers_of(inside):
        image, values = wrapper.etree_element, styles.values(wrapper)
        if not {"width", WIDTH}.isdisjoint(image.attrib):
            continue
        declared = values.get("width", "auto")
        size = own_size(image) if declared == "auto" or "%" in declared else None
        if size is not None:
            width = _shown_width(size, values.get("height", image.get("height", "auto")))
            _note(image, width, is_certain=declared == "auto")


def _note(image: Any, width: float | None, *, is_certain: bool = True) -> None:
    """Note the width of an image, and mark it if it is small. An uncertain width depends on the box around."""
    if width is None:
        return
    image.set(WIDTH, f"{width:.0f}")
    if is_certain and width <= NARROW:
        image.set(SMALL, "")


def _shown_width(size: tuple[float, float], height: str) -> float:
    """Return the width of an image with a size of its own and a declared height."""
    width, own_height = size
    shown = float(height) if height.isdecimal() else pixels(height, PAGE) if "%" not in height else None
    return width if shown is None or not own_height else width * shown / own_height
