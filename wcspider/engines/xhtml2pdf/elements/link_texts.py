"""Links that know their description until their annotation is created (ISO 32000-1, 14.9.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.dom.minidom import Element

from xhtml2pdf import tags

from wcspider.engines.document.link_descriptions import LABELS, description

_start = tags.pisaTagA.start


class DescribedLink(str):
    """The target of a link. xhtml2pdf passes it to the canvas unchanged."""

    description: str = ""


def start_link(tag: Any, context: Any) -> None:
    """Begin a link at an A element."""
    _start(tag, context)
    if context.frag.link:
        labels = [tag.node.getAttribute(name) for name in LABELS]
        context.frag.link = DescribedLink(context.frag.link)
        context.frag.link.description = description(labels, _pieces(tag.node)) or context.frag.link


def _pieces(element: Element) -> Iterator[str]:
    """Yield the text of an element, with the alternative text of its images."""
    for node in element.childNodes:
        if isinstance(node, Element):
            yield from (f" {node.getAttribute('alt')} ",) if node.tagName in ("br", "img") else _pieces(node)
        else:
            yield node.data
