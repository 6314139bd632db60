"""The numbers and bullets of list items (HTML, 4.4.5 and 4.4.8)."""

from __future__ import annotations

import re
from typing import Any

from xhtml2pdf.w3c.generated_content import format_counter

from wcspider.engines.xhtml2pdf.source.author_meaning import MEANING

MARKER = "data-wcspider-marker"
"""The attribute of an LI element with its number or bullet."""

LARGEST = 2**31 - 1
"""The largest number that browsers support, also for negative numbers."""

BULLET = "\N{BULLET}"
_INTEGER = re.compile(r"\s*([+-]?)0*(\d{1,10})(?!\d)", re.ASCII)
_LISTS = ("ol", "ul", "menu", "dir")
_STYLES = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}


def write_markers(root: Any) -> None:
    """Write the marker of each shown LI element into its attribute `MARKER`."""
    numbers: dict[Any, int] = {}
    for item in root.iter("li"):
        parent = next(item.iterancestors(*_LISTS), None)
        if "display: none" in item.get(MEANING, ""):
            continue
        marker = BULLET
        if parent is not None and parent.tag == "ol":
            before = numbers[parent] if parent in numbers else _integer(parent.get("start", ""), 1) - 1
            numbers[parent] = _integer(item.get("value", ""), before + 1)
            types = (element.get("type", "").strip() for element in (item, parent))
            style = next((_STYLES[name] for name in types if name in _STYLES), "decimal")
            marker = f"{format_counter(numbers[parent], style)}."
        item.set(MARKER, marker)


def _integer(text: str, otherwise: int) -> int:
    """Return the integer at the start of a text; `otherwise` if there is none, or if browsers do not support it."""
    match = _INTEGER.match(text)
    number = int(match[1] + match[2]) if match else otherwise
    return number if abs(number) <= LARGEST else otherwise
