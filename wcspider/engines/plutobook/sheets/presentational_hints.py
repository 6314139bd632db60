"""Attributes that change the look of elements (HTML, 15.3), in a form that PlutoBook reads. Old pages consist of them.

The style sheet `default.css` contains the attributes whose values are keywords.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree
from tinycss2 import color3

from wcspider.engines.document.absolute_urls import asset_key

_BACKGROUNDS = etree.XPath("//*/@background/..")
_COLORED = etree.XPath("//*/@bgcolor/.. | //body | //font | //hr")
_COLORS = ("bgcolor", "color", "text", "link")
_LONGEST = 128
"""The largest number of characters of a color that count."""


def write(root: Any, base: str, encoding: str) -> str:
    """Write the attributes of the elements of a page; return a style sheet with the color of its links."""
    for element in _BACKGROUNDS(root):
        element.set("background", asset_key(base, element.get("background"), encoding))
    for element in _COLORED(root):
        for name in _COLORS:
            if name in element.attrib:
                element.set(name, legacy_color(element.get(name)))
    links = root.find("body").get("link")
    return f":where(a[href]) {{ color: {links} }}" if links else ""


def legacy_color(text: str) -> str:
    """Return a color in CSS that an attribute names (HTML, 2.4.6: a legacy color value); "" if it names none."""
    text = text.strip().lower()
    if text in ("", "transparent") or (text.isalpha() and color3.parse_color(text) is not None):
        return text.removesuffix("transparent")
    if re.fullmatch("#[0-9a-f]{3}", text):
        return text
    wide = re.sub("[\U00010000-\U0010ffff]", "00", text)[:_LONGEST].removeprefix("#")
    digits = re.sub("[^0-9a-f]", "0", wide) or "0"
    size = -(-len(digits) // 3)
    digits = digits.ljust(3 * size, "0")
    parts = [digits[start : start + size][-8:] for start in range(0, 3 * size, size)]
    while len(parts[0]) > 2 and all(part.startswith("0") for part in parts):
        parts = [part[1:] for part in parts]
    return "#" + "".join(part[:2].rjust(2, "0") for part in parts)
