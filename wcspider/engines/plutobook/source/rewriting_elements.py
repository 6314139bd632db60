"""Ruby texts, formulas and gauges as lines of text, because PlutoBook does not know these elements."""

from __future__ import annotations

import re
from typing import Any
from xml.dom.minidom import Document, Node

from lxml import etree

from wcspider.engines.document import inline_text
from wcspider.engines.document.controls import gauge_text
from wcspider.engines.plutobook.source.html_trees import drop, replace, text_of

_INTEGER = re.compile(r"\s*([+-]?\d+)", re.ASCII)


def write_ruby(ruby: Any) -> None:
    """Put the annotations of a RUBY element into brackets."""
    if any(around.tag == "ruby" for around in ruby.iterancestors()):
        return
    document, element = _as_dom(ruby)
    for inner in [element, *element.getElementsByTagName("ruby")]:
        inline_text.write_ruby(inner)
    replace(ruby, _as_lxml(element, ruby))
    del document


def write_formula(formula: Any) -> None:
    """Make a MATH element a line of text with superscripts and subscripts."""
    document, element = _as_dom(formula)
    inline_text.write_formula(element)
    replace(formula, _as_lxml(element, formula))
    del document


def _as_dom(element: Any) -> tuple[Document, Any]:
    """Return a copy of an element as a DOM tree."""
    document = Document()
    copies: dict[Any, Any] = {element.getparent(): document}
    for event, found in etree.iterwalk(element, events=("start", "end")):
        if event == "start":
            copy = document.createElement(str(found.tag))
            for name, value in found.attrib.items():
                copy.setAttribute(name, value)
            if found.text:
                copy.appendChild(document.createTextNode(found.text))
            copies[found.getparent()].appendChild(copy)
            copies[found] = copy
        elif found.tail and found is not element:
            copies[found.getparent()].appendChild(document.createTextNode(found.tail))
    return document, copies[element]


def _as_lxml(root: Any, like: Any) -> Any:
    """Return a DOM tree as an lxml tree, without RP elements."""
    top = like.makeelement(root.tagName, dict(root.attributes.items()))
    stack: list[tuple[Any, Any]] = [(child, top) for child in reversed(root.childNodes)]
    while stack:
        node, parent = stack.pop()
        if node.nodeType == Node.TEXT_NODE:
            if len(parent):
                parent[-1].tail = (parent[-1].tail or "") + node.data
            else:
                parent.text = (parent.text or "") + node.data
        elif node.tagName != "rp":
            own = etree.SubElement(parent, node.tagName, dict(node.attributes.items()))
            stack.extend((child, own) for child in reversed(node.childNodes))
    return top


def say_value(element: Any) -> None:
    """Put the value of a PROGRESS or METER element into an element without text."""
    text = text_of(element) or gauge_text(element.tag, element.get("value", ""), element.get("max", ""))
    if not text:
        drop(element)
        return
    span = element.makeelement(
        "span", {name: value for name, value in element.attrib.items() if name in ("id", "class")}
    )
    span.text = text
    replace(element, span)


def number_items(element: Any) -> None:
    """Set the numbers of the items of a list that counts down (HTML, 4.4.5)."""
    if "reversed" not in element.attrib:
        return
    items = [child for child in element if child.tag == "li" and "hidden" not in child.attrib]
    start = _INTEGER.match(element.get("start", ""))
    number = int(start[1]) if start and len(start[1]) < 10 else len(items)
    for item in items:
        own = _INTEGER.match(item.get("value", ""))
        number = int(own[1]) if own and len(own[1]) < 10 else number
        item.set("value", str(number))
        number -= 1
