"""Gradients (CSS Images 3, 3) as SVG images, because PlutoBook has none.

The URL of the image of a background gets a fragment with the drawing of the gradients. PlutoBook draws one layer of a
background, so it draws the gradients on the image. A background without an image gets the URL `EMPTY`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote, unquote

import tinycss2
from tinycss2.ast import URLToken

from wcspider.engines.plutobook.css.css_colors import is_gradient, rgba_of
from wcspider.engines.plutobook.css.gradient_drawings import drawing_of
from wcspider.web.styles.tokens import serialized, split_commas, url_of

EMPTY: Final = "wcspider-gradient:"
BLANK: Final = b'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%"></svg>'
"""The image at `EMPTY`. It has the size of the background."""

_FRAGMENT: Final = "#wcspider-gradient-"
_DRAWING: Final = re.compile(r"(?:</?(?:(?:linear|radial)Gradient|svg)[^<>&]*>|<(?:stop|rect|path)[^<>&]*/>)+")
"""What a fragment may contain: the author of a page could write one as well."""


def with_gradient_images(value: Sequence[Any]) -> list[Any]:
    """Return a background with its gradients as an image, in one layer; a value without gradients is unchanged."""
    layers = split_commas(value)
    gradients = [next(filter(is_gradient, layer), None) for layer in layers]
    if not any(gradients):
        return list(value)
    image = next((number for number, layer in enumerate(layers) if any(map(url_of, layer))), None)
    if image is None:  # the largest gradient, and those at the same place
        places = [serialized([t for t in layer if not is_gradient(t) and rgba_of(t) is None]) for layer in layers]
        numbers = [number for number, gradient in enumerate(gradients) if gradient]
        shown = min(numbers, key=lambda number: len(places[number]))
        above = [gradients[number] for number in numbers if places[number] == places[shown]]
        url = EMPTY
    else:
        shown, above = image, list(filter(None, gradients[:image]))
        url = next(filter(None, map(url_of, layers[image])))
    drawing = "".join(drawing_of(gradient, number) for number, gradient in enumerate(reversed(above)))
    found = [token for token in layers[shown] if not is_gradient(token) and url_of(token) is None]
    if shown < len(layers) - 1:
        found += [token for token in layers[-1] if rgba_of(token) is not None]
    if drawing and "#" not in url and not url.lower().startswith("data:"):  # PlutoBook reads these URLs itself
        url += _FRAGMENT + quote(drawing)
    if url != EMPTY:
        found.insert(0, URLToken(value[0].source_line, value[0].source_column, url, ""))
    return found or tinycss2.parse_component_value_list("none")


def with_drawing(svg: bytes, url: str) -> bytes:
    """Return the SVG image at a URL with the gradients of its fragment above it."""
    drawing = unquote(url.partition(_FRAGMENT)[2])
    if not _DRAWING.fullmatch(drawing):
        return svg
    before, end, after = svg.rpartition(b"</svg>")
    return b"".join((before, drawing.encode(), end, after))
