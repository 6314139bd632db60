"""The positions of link targets and headings on the pages.

PlutoBook writes a destination for an ID if a link on the page leads to it. So there is a hidden link to each ID; it has
no box, and does not change the layout. The links are inside of an element with nothing but text: elsewhere, the last
element before them would not be a last child any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

from lxml import etree

from wcspider.engines.document.headings import RANKS, heading_title

PRIVATE = "wcspider-place-"
MAX_PLACES = 10_000
"""The number of names of a page above which successive names share a position, to limit the time of the layout."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]*")
_COUNT_NAMED = etree.XPath("count(//*[@id or @name])")
_OFTEN_PLACES = frozenset({"a", *RANKS})
"""Elements that may be places without an ID."""

_SHOWN = frozenset({"img", "svg", "hr", "input", "select", "textarea", "button"})
"""Elements that are visible without text."""

_NO_BOX = frozenset({"tr", "tbody", "thead", "tfoot", "colgroup", "col", "option", "optgroup"})
"""Elements that get no destination. The elements inside them do."""

_OF_TEXT = frozenset({"p", "li", "dd", "dt", "td", "th", "div", "figcaption", *RANKS})
"""Elements that may contain nothing but text, and may contain hidden links."""

_LAST = 100
"""The number of elements at the end of a page of which one contains the hidden links."""

_WITHOUT_LINKS = ("a", "button", "select", "svg", "math")
"""Elements that cannot contain links."""

_NO_PLACE = frozenset({"head", "html", "title", "style"})


@dataclass
class Places:
    """The link targets and headings of a page, each with an ID in the layout."""

    names: dict[str, str] = field(default_factory=dict)
    """The IDs in the layout by the IDs and names in the source, in the order of the source."""

    headings: list[tuple[str, int, str]] = field(default_factory=list)
    """The headings in the order of the source: title, rank, and ID in the layout."""

    hidden: dict[Any, list[str]] = field(default_factory=dict)
    """The names of elements that were removed from another element, by that element."""

    ids: dict[str, None] = field(default_factory=dict)
    """The IDs in the layout, in the order of the source."""

    def collect(self, root: Any) -> None:
        """Find the named elements and the headings, and let the layout tell their positions."""
        pending: dict[str, None] = {}
        numbers = count()
        elements = list(root.iter(etree.Element))
        every = 1 + (int(_COUNT_NAMED(root)) // MAX_PLACES if len(elements) >= MAX_PLACES else 0)
        waiting = 0
        for element in elements:
            own, tag = element.get("id"), element.tag
            if not (pending or own or tag in _OFTEN_PLACES or element in self.hidden) or tag in _NO_PLACE:
                continue
            names = own, element.get("name") if tag == "a" else None, *self.hidden.get(element, ())
            pending |= dict.fromkeys(name for name in names if name and name.strip() and name not in self.names)
            title = heading_title("".join(element.itertext())) if tag in RANKS else ""
            if not pending and not title:
                continue
            if not title and (tag in _NO_BOX or not _is_shown(element)):
                if tag in _NO_BOX or not (element.tail or "").strip():
                    continue
                element = _around_tail(element)
            waiting += 1
            if waiting % every and not title:
                continue
            own = self._identified(element, numbers)
            self.names |= dict.fromkeys(pending, own)
            pending = {}
            if title:
                self.headings.append((title, RANKS[tag], own))
        if pending and not self.ids and (last := next(filter(_begins_with_text, reversed(elements)), None)) is not None:
            self._identified(last, numbers)
        if pending and self.ids:
            self.names |= dict.fromkeys(pending, next(reversed(self.ids)))
        links = etree.SubElement(_parent_of_links(elements, root), "span", {"style": "display:none!important"})
        for own in self.ids:
            etree.SubElement(links, "a", {"href": f"#{own}"})

    def _identified(self, element: Any, numbers: Iterator[int]) -> str:
        """Return the ID of an element in the layout, which is its own if that is plain."""
        own = element.get("id") or ""
        if not _PLAIN.fullmatch(own) or own in self.ids:
            own = f"{PRIVATE}{next(numbers)}"
            element.set("id", own)
        self.ids[own] = None
        return own


def _begins_with_text(element: Any) -> bool:
    return element.tag in _OF_TEXT and bool((element.text or "").strip())


def _around_tail(element: Any) -> Any:
    """Put the text behind an element into a new element, and return the new element."""
    own = element.makeelement("span", {})
    own.text, element.tail = element.tail, None
    element.addnext(own)
    return own


def _parent_of_links(elements: Sequence[Any], root: Any) -> Any:
    """Return one of the last elements with nothing but text; the BODY if there is none."""
    texts = (e for e in reversed(elements) if len(e) == 0 and _begins_with_text(e))
    found = (e for e in islice(texts, _LAST) if next(e.iterancestors(*_WITHOUT_LINKS), None) is None)
    return next(found, root.find("body"))


def _is_shown(element: Any) -> bool:
    """Tell whether there is a text or an image in an element."""
    return any(map(str.strip, element.itertext())) or next(element.iter(*_SHOWN), None) is not None
