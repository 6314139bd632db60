"""Gradients above the image of a background (CSS Backgrounds and Borders 3, 2), drawn in one color.

PlutoBook draws one layer of a background. So the URL of the image gets a fragment with the mean color of the gradients,
and the image that PlutoBook gets for this URL has a rectangle of the color above it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from tinycss2.ast import URLToken

from wcspider.engines.plutobook.css.css_colors import colors_in, hexadecimal, is_gradient
from wcspider.web.styles.tokens import url_of

_FRAGMENT: Final = "#wcspider-shade-"
_COLOR: Final = re.compile(f"{_FRAGMENT}([0-9a-f]{{6}})([0-9a-f]{{2}})?")


def with_shades(value: Sequence[Any]) -> list[Any]:
    """Return the layers of a background with the colors of gradients in the URLs of the images below them."""
    found: list[Any] = []
    stops: list[tuple[float, ...]] = []
    for token in value:
        stops += colors_in(token.arguments) if is_gradient(token) else ()
        url = url_of(token)
        if url is not None and "#" not in url and stops:
            url = f"{url}{_FRAGMENT}{(hexadecimal(_mean(stops)) or '').lstrip('#')}"
            found.append(URLToken(token.source_line, token.source_column, url, ""))
        else:
            found.append(token)
    return found


def _mean(colors: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """Return the mean of colors; a transparent color has no share in red, green and blue."""
    opacity = sum(color[3] for color in colors)
    channels = (sum(color[place] * color[3] for color in colors) / (opacity or 1.0) for place in range(3))
    return *channels, opacity / len(colors)


def shaded(svg: bytes, url: str) -> bytes:
    """Return the SVG image at a URL with the color of its fragment above it."""
    found = _COLOR.search(url)
    if found is None:
        return svg
    opacity = int(found[2] or "ff", 16) / 255
    rectangle = f'<rect width="100%" height="100%" fill="#{found[1]}" fill-opacity="{opacity:.3f}"/>'
    return svg.replace(b"</svg>", f"{rectangle}</svg>".encode())
