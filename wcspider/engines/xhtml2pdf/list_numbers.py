"""The numbers and bullets of list items (HTML, 4.4.5 and 4.4.8)."""

from __future__ import annotations

from typing import Any

from xhtml2pdf.w3c.generated_content import format_counter

from wcspider.web.numbers import integer

BULLET = "\N{BULLET}"
_LISTS = ("ol", "ul", "menu", "dir")
_STYLES = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}


class ListNumbers:
    """A counter of the items of lists, which gets the shown items in document order."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def marker(self, item: Any) -> str:
        """Return the number or the bullet of an LI element."""
        parent = next(item.iterancestors(*_LISTS), None)
        if parent is None or parent.tag != "ol":
            return BULLET
        before = self._numbers[parent] if parent in self._numbers else integer(parent.get("start", ""), 1) - 1
        self._numbers[parent] = integer(item.get("value", ""), before + 1)
        types = (element.get("type", "").strip() for element in (item, parent))
        style = next((_STYLES[name] for name in types if name in _STYLES), "decimal")
        return f"{format_counter(self._numbers[parent], style)}."
