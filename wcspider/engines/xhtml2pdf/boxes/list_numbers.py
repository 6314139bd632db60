"""The numbers of list items (HTML, 4.4.5 and 4.4.8).

xhtml2pdf counts up from START, and knows neither VALUE nor REVERSED nor numbers below one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from xml.dom.minidom import Element

from xhtml2pdf.tags import _list_style_type, pisaTagLI, pisaTagUL
from xhtml2pdf.w3c.generated_content import format_counter

from wcspider.engines.document.limits import ancestor

LARGEST = 2**31 - 1
"""Browsers count no farther, in either direction."""

_INTEGER = re.compile(r"\s*([+-]?)0*(\d{1,10})(?!\d)", re.ASCII)
_LISTS = frozenset({"ol", "ul", "menu", "dir"})


class ListTag(pisaTagUL):  # type: ignore[misc]
    """What xhtml2pdf does at an OL or UL element."""

    def start(self, c: Any) -> None:
        """Begin to count."""
        self.counter, self.step = c.listCounter, c.list_step
        is_ordered = self.node.tagName == "ol"
        c.list_step = -1 if is_ordered and self.node.hasAttribute("reversed") else 1
        first = integer(self.node.getAttribute("start")) if is_ordered else None
        if first is None:
            first = 1 if c.list_step > 0 else _item_count(self.node)
        c.listCounter = first - c.list_step

    def end(self, c: Any) -> None:
        """Go on counting where the list around this one was."""
        super().end(c)
        c.list_step = self.step


class ItemTag(pisaTagLI):  # type: ignore[misc]
    """What xhtml2pdf does at an LI element."""

    def start(self, c: Any) -> None:
        """Count the item, and add its marker."""
        value = integer(self.node.getAttribute("value"))
        c.listCounter = c.listCounter + c.list_step if value is None else value
        super().start(c)


def integer(text: str) -> int | None:
    """Return the integer at the start of a text; None if there is none, or if browsers do not count that far."""
    match = _INTEGER.match(text)
    number = int(match[1] + match[2]) if match else None
    return number if number is not None and abs(number) <= LARGEST else None


def _item_count(element: Element) -> int:
    """How many items a list has, those of the lists in it aside."""
    return sum(ancestor(item, *_LISTS) is element for item in element.getElementsByTagName("li"))


def _marker(style: str) -> Callable[[Any], str]:
    return lambda context: f"{format_counter(context.listCounter, style)}."


MARKERS: Mapping[str, Callable[[Any], str]] = {
    style: _marker(style) for style, marker in _list_style_type.items() if callable(marker)
}
"""What makes a marker out of the number that the context is at, by ``list-style-type``."""

_ORDERED = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}
_UNORDERED = {name: name for name in ("disc", "circle", "square")}
TYPES: Mapping[str, Mapping[str, str]] = {"ol": _ORDERED, "ul": _UNORDERED, "li": _ORDERED | _UNORDERED}
"""The ``list-style-type`` that the attribute ``type`` of an element says."""
