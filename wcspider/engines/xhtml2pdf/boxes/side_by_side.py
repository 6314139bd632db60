"""What stands beside other text on a screen, kept apart from it on paper (CSS 2.1, 9.7).

The children of a flex or grid container, floats, and what is placed absolutely are boxes of their own. Where one stands
in a line with other text, the line is broken at its edges, so that no two texts become one word or one number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import Any
from xml.dom.minidom import Element, Node

from xhtml2pdf import parser
from xhtml2pdf.util import Display, getDisplay

from wcspider.engines.document.limits import document_of
from wcspider.engines.xhtml2pdf.boxes.widgets import CONTROL

CONTAINERS = {"flex": "block", "grid": "block", "inline-flex": "inline-block", "inline-grid": "inline-block"}
"""The values of display whose children are boxes of their own, and as what they are laid out: xhtml2pdf would make a
container one box that no page end may cut."""

PROPERTIES = ("float",)
"""What the cascade is asked for besides what xhtml2pdf reads."""

GAP = "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE} "
_FLOATS = frozenset({"left", "right", "inline-start", "inline-end"})
_PLACED = frozenset({"absolute", "fixed"})
_BLOCKS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "hr"})
"""What is a block whatever its display."""

_UNMARKED = {"list-style-type": "none", "list-style-image": "none"}
_collect = parser.CSSCollect


def styles(node: Any, context: Any) -> Any:
    """Return the styles of an element for the layout, and note its kind of box on the element."""
    found = _collect(node, context)
    display, position = _keyword(found, "display"), _keyword(found, "position")
    node.is_container = display in CONTAINERS
    node.is_apart = position in _PLACED or _keyword(found, "float") in _FLOATS
    changed = {}
    if node.is_container:
        changed["display"] = CONTAINERS[display]
    if position in _PLACED:
        changed["position"] = "static"
    if node.tagName == "li" and display == "inline-block":  # its marker would take the room of its text
        changed |= _UNMARKED
    if changed:
        found = node.cssAttrs = copy(found)
        found.update(changed)
    return found


def keep_apart(document: Any, context: Any) -> None:
    """Break the lines of a document where boxes begin and end in them."""
    lines = _Lines(context)
    lines.read(document)
    for edge in lines.edges:
        edge.mark()


@dataclass(frozen=True, slots=True)
class _Edge:
    """A place in the tree where text is not to go on in the same line, or not without a gap."""

    parent: Any
    before: Any
    is_gap: bool = False

    def mark(self) -> None:
        document = document_of(self.parent)
        # The space is for what has no lines: the titles of bookmarks and what links say.
        self.parent.insertBefore(document.createTextNode(GAP if self.is_gap else " "), self.before)
        if not self.is_gap:
            self.parent.insertBefore(_line_break(document), self.before)


class _Lines:
    """Reads the text of a document line by line."""

    def __init__(self, context: Any) -> None:
        self.edges: list[_Edge] = []
        self._context = context
        self._texts = 0
        self._line = ""
        """The last character before this place in the same line."""

        self._edge: _Edge | None = None
        """What stands between that text and the next."""

    def read(self, parent: Any) -> None:
        """Read what is in an element."""
        is_container = getattr(parent, "is_container", False)
        for child in list(parent.childNodes):
            if child.nodeType == Node.TEXT_NODE and child.data.strip() and is_container:
                with self._apart(child):
                    self._text(child.data)
            elif child.nodeType == Node.TEXT_NODE:
                self._text(child.data)
            elif child.nodeType == Node.ELEMENT_NODE:
                self._element(child, is_item=is_container)

    def _element(self, element: Any, *, is_item: bool) -> None:
        own = styles(element, self._context)
        for pseudo in ("before", "after"):  # while the tree is as the style sheets see it
            parser.CSSCollectPseudo(element, self._context, pseudo)
        display = getDisplay(own.get("display", "inline"))
        if display == Display.NONE or element.tagName == "img" or element.hasAttribute(CONTROL):
            return
        if element.tagName == "br":
            self._end_line()
        elif display == Display.BLOCK or element.tagName in _BLOCKS:
            self._end_line()
            self.read(element)
            self._end_line()
        elif element.is_apart and element.tagName == "li":  # the items of a menu stand side by side
            self._owe(_Edge(element.parentNode, element, is_gap=True))
            self._box(element, display)
        elif is_item or element.is_apart:
            with self._apart(element):
                self._box(element, display)
        else:
            self._box(element, display)

    def _box(self, element: Any, display: str) -> None:
        """Read an inline element or a box in the line, which has lines of its own."""
        if display != Display.INLINE_BLOCK:
            self.read(element)
            return
        before, texts = self._line, self._texts
        if not element.childNodes and "width" in element.cssAttrs:
            self._owe(_Edge(element.parentNode, element, is_gap=True))
        edge, self._line = self._edge, ""
        self.read(element)
        if self._texts == texts:
            self._line, self._edge = before, edge
        else:
            self._line, self._edge = "x", None

    @contextmanager
    def _apart(self, node: Any) -> Iterator[None]:
        """Let what is read meanwhile be apart from what is before and behind it, if there is any."""
        edge, texts, initial = self._edge, self._texts, not self._line
        self._owe(_Edge(node.parentNode, node))
        yield
        if self._texts == texts:
            self._edge = edge
        elif not (initial and _is_initial(node)):
            self._owe(_Edge(node.parentNode, node.nextSibling))

    def _owe(self, edge: _Edge) -> None:
        if self._line and (self._edge is None or self._edge.is_gap):
            self._edge = edge

    def _text(self, text: str) -> None:
        if not text.strip():
            self._line = self._line and " "
            return
        if self._edge is not None:
            self.edges.append(self._edge)
        self._texts, self._line, self._edge = self._texts + 1, text[-1], None

    def _end_line(self) -> None:
        self._line, self._edge = "", None


def _is_initial(node: Any) -> bool:
    """Whether a float is one letter with which the next word begins."""
    following = node.nextSibling
    text = "".join(child.data for child in node.childNodes if child.nodeType == Node.TEXT_NODE) if node else ""
    return len(text) == 1 and text.isalpha() and str(getattr(following, "data", ""))[:1].isalpha()


def _line_break(document: Any) -> Element:
    made: Element = document.createElement("br")
    made.setAttribute("style", "display: inline !important")
    return made


def _keyword(found: Any, name: str) -> str:
    return str(found.get(name, "")).strip().lower()
