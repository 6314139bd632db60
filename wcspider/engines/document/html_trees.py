"""Functions that read and change the tree of an HTML page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from lxml import etree, html

BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt",
     "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li",
     "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "td", "th", "tr", "ul"}
)  # fmt: skip
"""The elements that begin a new line without style sheets (HTML, 15.3)."""

CELLS = frozenset({"td", "th"})
"""The elements among them that are side by side."""

UNSHOWN = frozenset(
    {"script", "template", "meta", "param", "track", "datalist", "area", "map", "canvas", "frame",
     "basefont", "bgsound", "link", "style", "title", "base", "noframes"}
)  # fmt: skip
"""The elements that are not shown on paper."""

MAX_DEPTH = 400
"""The largest depth of nested elements."""

XLINK = "http://www.w3.org/1999/xlink"

STYLED = etree.XPath("//*/@style/..")
"""The elements with a STYLE attribute. libxml2 finds attributes faster than elements with a condition."""

HAS_TEXT = etree.XPath("boolean(normalize-space())")
"""True if there is a text in an element."""

TEXT_LENGTH = etree.XPath("string-length(normalize-space())")
"""The number of characters of the text in an element, with white space collapsed."""


def text_of(element: Any) -> str:
    """Return the text of an element, with white space collapsed."""
    return " ".join("".join(element.itertext()).split())


def has_own_text(element: Any) -> bool:
    """Tell whether there is a text in an element that is in no element inside of it."""
    return any((text or "").strip() for text in (element.text, *(child.tail for child in element)))


def empty(element: Any) -> None:
    """Remove the contents of an element."""
    del element[:]
    element.text = None


def change_texts(root: Any, change: Callable[[str, Any], str]) -> None:
    """Change the texts below an element that may be shown.

    `change` gets each text with its element: the text begins the element or is directly behind it.
    """
    for element in root.iter(etree.Element):
        text, tail = element.text, element.tail
        if text and element.tag not in UNSHOWN and (changed := change(text, element)) is not text:
            element.text = changed
        if tail and element is not root and (changed := change(tail, element)) is not tail:
            element.tail = changed


def append_text(element: Any, text: str) -> None:
    """Insert a text at the end of an element."""
    last = next(element.iterchildren(reversed=True), None)  # len() would count all children
    if last is not None:
        append_behind(last, text)
    else:
        element.text = (element.text or "") + text


def append_behind(element: Any, text: str | None) -> None:
    """Insert a text behind an element and the text there."""
    if text:
        element.tail = (element.tail or "") + text


def insert_behind(element: Any, nodes: Sequence[Any]) -> None:
    """Insert elements, with the texts behind them, between an element and the text behind it."""
    if nodes:
        behind, element.tail = element.tail, None
        for node in reversed(nodes):
            element.addnext(node)
        append_behind(nodes[-1], behind)


def divide_text(element: Any, texts: Sequence[str], nodes: Sequence[Any], *, is_tail: bool) -> None:
    """Put elements between the parts of a text that begins an element or, if `is_tail` is true, is behind it.

    They are not inserted by their places: lxml would count the siblings before them.
    """
    name, insert = ("tail", element.addnext) if is_tail else ("text", partial(element.insert, 0))
    first, *later = texts
    setattr(element, name, None)
    for node, tail in zip(reversed(nodes), reversed(later), strict=True):
        node.tail = tail
        insert(node)
    setattr(element, name, first)


def put_contents_behind(element: Any) -> None:
    """Move the contents of an element behind it."""
    insert_behind(element, list(element))
    element.tail, element.text = (element.text or "") + (element.tail or ""), None


def drop(element: Any) -> None:
    """Remove an element from the tree, but not the text behind it."""
    if element.getparent() is not None:
        html.HtmlElement.drop_tree(element)
        element.tail = None


def replace(element: Any, other: Any) -> None:
    """Replace an element by another element, or by a text."""
    if isinstance(other, str):
        element.tail = other + (element.tail or "")
        drop(element)
        return
    other.tail, element.tail = element.tail, None
    parent = element.getparent()
    if parent is not None:
        parent.replace(element, other)


def elements(root: Any, tags: Iterable[str]) -> list[Any]:
    """Return the elements of a document with some tags, in document order, except for those in SVG images."""
    return outside_drawings(root, list(root.iter(*tags)))


def outside_drawings(root: Any, found: list[Any]) -> list[Any]:
    """Return the elements among some of a document that are not inside SVG images."""
    inside = {element for drawing in root.iter("svg") for element in drawing.iterdescendants()}
    return [element for element in found if element not in inside] if inside else found


def as_html_text(root: Any) -> str:
    """Write a tree as an HTML document."""
    return f"<!DOCTYPE html>{html.tostring(root, encoding='unicode')}"


def flatten(root: Any, depth: int) -> None:
    """Move all elements below a depth up to this depth, side by side."""
    level = [root]
    for _ in range(depth):
        level = [child for element in level for child in element]
        if not level:
            return
    for element in level:
        leaves = _leaves(element)
        empty(element)
        element.extend(leaves)


def _leaves(element: Any) -> list[Any]:
    """Return the innermost elements below an element, its texts in SPAN elements, and an empty DIV beside blocks."""
    found = []
    for event, node in etree.iterwalk(element, events=("start", "end")):
        is_inside, is_start = node is not element, event == "start"
        if is_inside and is_start and not len(node) and not node.text:
            found.append(node.makeelement(node.tag, dict(node.attrib)))
        elif is_inside and node.tag in BLOCKS and (len(node) or node.text):
            found.append(element.makeelement("div", {}))
        text = node.text if is_start else node.tail
        if text and (is_inside or is_start):
            span = element.makeelement("span", {})
            span.text = text
            found.append(span)
    return found
