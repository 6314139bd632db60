"""The shape of images whose width and height are in style sheets (CSS Images 3, 5.5).

Browsers stretch such images, and so does PlutoBook. But paper is narrower than a screen, and an image that becomes
narrower than its style says should keep its shape. So a rule stretches images only if it gives them both sizes, and if
there is room for the width on paper.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Final

from wcspider.engines.base import PageGeometry
from wcspider.engines.images.reader import Picture
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.web.numbers import DIMENSION
from wcspider.web.styles.tokens import single

VARIABLES: Final = "--wcspider-"
"""The beginning of the names of the variables."""

PAINT: Final = f"{VARIABLES}paint"
"""The variable with the gradient of an element, which may be the color of its text."""

NARROW: Final = 160.0
"""The largest width in CSS pixels for which nearly every box on paper has room."""

STRETCHED: Final = "data-wcspider-stretched"
"""The attribute of images that fill their boxes. On a page that is too narrow, other images keep their shape."""

TALL: Final = "data-wcspider-tall"
"""The attribute of images that would be higher than a page, so that they become narrower than their boxes."""

SMALL: Final = "data-wcspider-small"
"""The attribute of images that are not wider than `NARROW`, and are not made narrower. A column of a table has no room
for an image with a `max-width` in percent, so that icons beside a column of 100% would not be visible."""

WIDTH: Final = "data-wcspider-width"
"""The attribute of images with the width in CSS pixels that they take if there is room for it."""

_SAME_SHAPE: Final = 0.1
"""The largest difference between the shape in the attributes and the shape of the image: sizes are rounded."""

_STYLED: Final = re.compile(r"(?<![\w-])(width|height)\s*:([^;!]*)")
_LENGTH: Final = re.compile(DIMENSION.pattern + r"(?:px)?\s*")


def stretches(declarations: Sequence[Any]) -> bool:
    """Tell whether a rule gives images a width and a height, and there is room for the width on paper."""
    sizes = {d.lower_name: single(d.value) for d in declarations}
    width, height = sizes.get("width"), sizes.get("height")
    if width is None or height is None or pixels([height], PAGE) is None:
        return False
    if width.type == "percentage":
        return bool(width.value <= 100)
    length = pixels([width], PAGE)
    return length is not None and length <= NARROW


def mark_shape(element: Any, picture: Picture, geometry: PageGeometry) -> None:
    """Mark an IMG that is small, stretched, or too high for the page if it is as wide as the page.

    An attribute that repeats the height of the image is removed, since it would remain where the image is made smaller.
    """
    own_width, own_height = picture.getSize()
    if next(element.iterancestors("td", "th"), None) is not None:  # elsewhere, a style sheet may make it wider
        mark_small(element, own_width)
    is_tall = own_height * geometry.width > own_width * geometry.height
    if is_tall:
        element.set(TALL, "")
    width, height = _asked(element)
    if width is None or height is None or (is_tall and height[2]):
        return
    asked, own = float(width[1]) * own_height, float(height[1]) * own_width
    if width[2] or height[2] or abs(asked - own) > _SAME_SHAPE * max(asked, own):
        element.set(STRETCHED, "")
    elif (float(width[1]), float(height[1])) == (own_width, own_height):
        element.attrib.pop("height", None)


def mark_small(element: Any, own_width: float = math.inf) -> None:
    """Mark an IMG or SVG element that is small by its STYLE attribute, its attributes, or its own width."""
    width, _ = _asked(element)
    if (own_width if width is None or width[2] else float(width[1])) <= NARROW:
        element.set(SMALL, "")


def _asked(element: Any) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """Return the width and the height that the STYLE attribute of an element, or its attributes, ask for.

    Each is a number and "%" or ""; None for other units and for keywords.
    """
    styled = dict(_STYLED.findall(element.get("style", "")))
    width, height = (
        _LENGTH.fullmatch(styled[name]) if name in styled else DIMENSION.match(element.get(name, ""))
        for name in ("width", "height")
    )
    return width, height
