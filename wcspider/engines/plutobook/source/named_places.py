"""The places on the pages that links lead to, and the headings.

PlutoBook writes a destination for an id that a link on the page leads to. So for each id that is asked for, there is a
link that is not shown; it makes no box, and does not change the layout.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from wcspider.engines.plutobook.source.html_trees import text_of

PRIVATE = "wcspider-place-"
MAX_PLACES = 10_000
"""How many names a page may have before several that follow each other share a place, so that the layout ends."""

PERMALINK = "¶"
"""What documentation has behind its headings: a link to the heading, which is no part of it."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]*")
_RANKS = {f"h{rank}": rank for rank in range(1, 7)}
_COUNT_NAMED = etree.XPath("count(//*[@id or @name])")
_NAMED_OR_HEADINGS = etree.XPath(f"//*[@id or @name or {' or '.join('self::' + tag for tag in _RANKS)}]")
_SHOWN = frozenset({"img", "svg", "hr", "input", "select", "textarea", "button", "br"})
"""Elements that are seen without a text in them."""

_NO_BOX = frozenset({"tr", "tbody", "thead", "tfoot", "colgroup", "col", "option", "optgroup"})
"""Elements that get no destination, but what is in them does."""

_NO_PLACE = frozenset({"head", "html", "title", "style"})


@dataclass
class Places:
    """What is to be found on the pages: each by an id that the layout knows."""

    names: dict[str, str] = field(default_factory=dict)
    """The id in the layout, by the id or name in the source, in the order of the source."""

    headings: list[tuple[str, int, str]] = field(default_factory=list)
    """Title, rank and id in the layout, in the order of the source."""

    hidden: dict[Any, list[str]] = field(default_factory=dict)
    """The names of what was taken out of an element."""

    ids: dict[str, None] = field(default_factory=dict)
    """The ids in the layout, in the order of the source."""

    def collect(self, root: Any) -> None:
        """Find what has a name, and the headings; and have the layout tell where they are."""
        pending: list[str] = []
        taken: set[str] = set()
        numbers = itertools.count()
        every = 1 + int(_COUNT_NAMED(root)) // MAX_PLACES
        waiting = 0
        candidates = {*_NAMED_OR_HEADINGS(root), *self.hidden}
        for element in list(root.iter(etree.Element)):
            if not (pending or element in candidates) or element.tag in _NO_PLACE:
                continue
            names = [element.get("id") or ""]
            if element.tag == "a":
                names.append(element.get("name") or "")
            names = [name for name in (*names, *self.hidden.get(element, ())) if name.strip()]
            for name in names:
                if name not in self.names and name not in pending:
                    pending.append(name)
            title = _title(element) if element.tag in _RANKS else ""
            if not pending and not title:
                continue
            if not title and (element.tag in _NO_BOX or not _is_shown(element)):
                if pending and element.tag not in _NO_BOX and (element.tail or "").strip():
                    element = _around_tail(element)
                else:
                    continue
            waiting += 1
            if waiting % every and not title:
                continue
            own = element.get("id") or ""
            if not _PLAIN.fullmatch(own) or own in taken:
                own = f"{PRIVATE}{next(numbers)}"
                element.set("id", own)
            taken.add(own)
            self.ids[own] = None
            self.names |= dict.fromkeys(pending, own)
            pending = []
            if title:
                self.headings.append((title, _RANKS[element.tag], own))
        if pending and self.ids:
            self.names |= dict.fromkeys(pending, next(reversed(self.ids)))
        self._ask(root)

    def _ask(self, root: Any) -> None:
        body = root.find("body")
        if body is None or not self.ids:
            return
        box = etree.SubElement(body, "div", {"style": "display:none!important"})
        for own in self.ids:
            etree.SubElement(box, "a", {"href": f"#{own}"})


def _title(element: Any) -> str:
    return text_of(element).removesuffix(PERMALINK).rstrip()


def _around_tail(element: Any) -> Any:
    """Put the text behind an element into one of its own, and return that."""
    own = element.makeelement("span", {})
    own.text, element.tail = element.tail, None
    element.addnext(own)
    return own


def _is_shown(element: Any) -> bool:
    """Tell whether there is a text or an image in an element."""
    return any(node.tag in _SHOWN or (node.text or "").strip() or _has_tail(node, element) for node in element.iter())


def _has_tail(node: Any, element: Any) -> bool:
    return node is not element and bool((node.tail or "").strip())
