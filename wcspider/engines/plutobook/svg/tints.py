"""SVG images in one color, as a mask shows them: each part that is painted gets the color."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from typing import Final
from urllib.parse import unquote_to_bytes

_FRAGMENT: Final = "#wcspider-tint-"
_TINT: Final = re.compile(f"{_FRAGMENT}([0-9a-f]{{6}})$")
_SCHEME: Final = "data:image/svg+xml"
_PAINT: Final = re.compile(
    rb"((?<![\w-])(?:fill|stroke|stop-color|color)(?:\s*=\s*[\"']|\s*:))\s*(?!none|transparent|url|inherit|context-)"
    rb"[^\"';}<>&]+",
    re.IGNORECASE,
)
"""A color in an attribute or a declaration, behind its name."""

_ROOT: Final = re.compile(rb"<(?:\w+:)?svg(?=[\s>])")
_ROOT_FILL: Final = re.compile(rb"<(?:\w+:)?svg\s[^>]*\bfill\s*=")


def tinted_url(url: str, color: str) -> str | None:
    """Return the URL of an SVG image in a color, such as "#ff0000"; None for another image in a data: URL.

    The image of a data: URL is changed at once, because PlutoBook reads such URLs itself. Others get a fragment for
    `with_tint`.
    """
    if not url.lower().startswith("data:"):
        return url if "#" in url else f"{url}{_FRAGMENT}{color.removeprefix('#')}"
    media_type, _, data = url.partition(",")
    if not media_type.lower().startswith(_SCHEME):
        return None
    svg = unquote_to_bytes(data)
    if media_type.lower().endswith(";base64"):
        try:
            svg = b64decode(svg)
        except ValueError:
            return None
    return f"{_SCHEME};base64,{b64encode(_in_color(svg, color)).decode()}" if svg.rstrip().endswith(b"svg>") else None


def is_tinted(url: str) -> bool:
    """Tell whether the image at a URL is shown in one color."""
    return _TINT.search(url) is not None


def with_tint(svg: bytes, url: str) -> bytes:
    """Return the SVG image at a URL in the color of its fragment."""
    match = _TINT.search(url)
    return svg if match is None else _in_color(svg, f"#{match[1]}")


def _in_color(svg: bytes, color: str) -> bytes:
    """Return an SVG image with one color in the place of all of its colors."""
    name = color.encode()
    svg = _PAINT.sub(lambda match: match[1] + name, svg)
    own = b' color="%b"' % name if _ROOT_FILL.search(svg) else b' color="%b" fill="%b"' % (name, name)
    return _ROOT.sub(lambda match: match[0] + own, svg, count=1)
