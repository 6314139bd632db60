"""The numbers and bullets of list items (HTML, 4.4.5 and 4.4.8).

xhtml2pdf supports the attribute START, but neither VALUE nor numbers below one.
"""

from __future__ import annotations

import re
from copy import copy
from typing import Any

from reportlab.lib.fonts import tt2ps
from xhtml2pdf.tags import pisaTag, pisaTagUL
from xhtml2pdf.w3c.generated_content import format_counter

LARGEST = 2**31 - 1
"""The largest number that browsers support, also for negative numbers."""

BULLET = "\N{BULLET}"
_INTEGER = re.compile(r"\s*([+-]?)0*(\d{1,10})(?!\d)", re.ASCII)
_LISTS = ("ol", "ul", "menu", "dir")
_STYLES = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}


class ListTag(pisaTagUL):  # type: ignore[misc]
    """The handler of OL and UL elements."""

    def start(self, c: Any) -> None:
        """Set the number before the first item."""
        self.counter = c.listCounter
        first = integer(self.node.getAttribute("start")) if self.node.tagName == "ol" else None
        c.listCounter = (1 if first is None else first) - 1


class ItemTag(pisaTag):  # type: ignore[misc]
    """The handler of LI elements."""

    def start(self, c: Any) -> None:
        """Count the item, and keep its marker for the first paragraph in the item."""
        value = integer(self.node.getAttribute("value"))
        c.listCounter = c.listCounter + 1 if value is None else value
        marker = copy(c.frag)
        marker.text = self._marker(c.listCounter)
        marker.fontName = marker.bulletFontName = tt2ps(marker.fontName, marker.bold, marker.italic)
        c.pendingBullet = [marker], copy(c.frag)

    def _marker(self, number: int) -> str:
        parent: Any = self.node.parentNode
        while parent is not None and getattr(parent, "tagName", "") not in _LISTS:
            parent = parent.parentNode
        if parent is None or parent.tagName != "ol":
            return BULLET
        types = (element.getAttribute("type").strip() for element in (self.node, parent))
        return f"{format_counter(number, next((_STYLES[name] for name in types if name in _STYLES), 'decimal'))}."


def integer(text: str) -> int | None:
    """Return the integer at the start of a text; None if there is none, or if browsers do not support it."""
    match = _INTEGER.match(text)
    number = int(match[1] + match[2]) if match else None
    return number if number is not None and abs(number) <= LARGEST else None
