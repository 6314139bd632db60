"""The numbers and bullets of list items, written as text (HTML, 4.4.5 and 4.4.8).

xhtml2pdf supports neither the attribute VALUE nor numbers below one.
"""

from __future__ import annotations

import re
from typing import Any

from xhtml2pdf.w3c.generated_content import format_counter

from wcspider.engines.document.html_trees import BLOCKS

LARGEST = 2**31 - 1
"""The largest number that browsers support, also for negative numbers."""

BULLET = "\N{BULLET}"
_INTEGER = re.compile(r"\s*([+-]?)0*(\d{1,10})(?!\d)", re.ASCII)
_LISTS = ("ol", "ul", "menu", "dir")
_STYLES = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}
_NO_HOLDERS = frozenset({"hr", "img", "svg", "table"})
_HOLDERS = BLOCKS - _NO_HOLDERS
"""The blocks in which the marker of an item may be, before their own text."""


def write_markers(root: Any) -> None:
    """Write the marker of each shown LI element before its text, and change the element into a block."""
    numbers: dict[Any, int] = {}
    for item in list(root.iter("li")):
        parent = next(item.iterancestors(*_LISTS), None)
        item.tag = "div"
        if "display: none" in item.get("style", ""):
            continue
        marker = BULLET
        if parent is not None and parent.tag == "ol":
            numbers[parent] = _number(item, numbers.get(parent, _start(parent) - 1))
            types = (element.get("type", "").strip() for element in (item, parent))
            style = next((_STYLES[name] for name in types if name in _STYLES), "decimal")
            marker = f"{format_counter(numbers[parent], style)}."
        holder = item
        while not (holder.text or "").strip() and len(holder) and _can_hold(holder[0]):
            holder = holder[0]
        holder.text = f"{marker} {holder.text or ''}"


def _can_hold(element: Any) -> bool:
    return element.tag in _HOLDERS or ("display: block" in element.get("style", "") and element.tag not in _NO_HOLDERS)


def _start(element: Any) -> int:
    start = _integer(element.get("start", ""))
    return 1 if start is None else start


def _number(item: Any, before: int) -> int:
    value = _integer(item.get("value", ""))
    return before + 1 if value is None else value


def _integer(text: str) -> int | None:
    """Return the integer at the start of a text; None if there is none, or if browsers do not support it."""
    match = _INTEGER.match(text)
    number = int(match[1] + match[2]) if match else None
    return number if number is not None and abs(number) <= LARGEST else None
