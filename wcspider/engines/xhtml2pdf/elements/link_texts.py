"""What links say, for those who cannot see them: the Contents of Link annotations (ISO 32000-1, 14.9.3)."""

from __future__ import annotations

from typing import Any
from xml.dom.minidom import Node

from xhtml2pdf import tags

LONGEST = 100
"""Characters of a description; a link may be around a whole article."""

_NAMES = ("aria-label", "title")
_start = tags.pisaTagA.start


class DescribedLink(str):
    """The target of a link, with what the link says."""

    description: str = ""


def start_link(tag: Any, context: Any) -> None:
    """Begin a link: xhtml2pdf hands its target on to where the annotation is made."""
    _start(tag, context)
    if context.frag.link:
        context.frag.link = DescribedLink(context.frag.link)
        context.frag.link.description = description_of(tag.node) or context.frag.link


def description_of(element: Any) -> str:
    """Return what a link says: its label or title, or else its text; shortened, and empty if it says nothing."""
    text = next((named for name in _NAMES if (named := element.getAttribute(name).strip())), "") or _text(element)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _text(element: Any) -> str:
    """Return the text of an element, with that of its images; no more of it than is used."""
    pieces: list[str] = []
    length = 0
    stack = [element]
    while stack and length <= LONGEST:
        node = stack.pop()
        tag = node.tagName if node.nodeType == Node.ELEMENT_NODE else ""
        if node.nodeType == Node.TEXT_NODE:
            pieces.append(node.data)
        elif tag in ("br", "img"):
            pieces.append(f" {node.getAttribute('alt')} ")
        else:
            stack.extend(reversed(node.childNodes))
            continue
        length += len(pieces[-1].strip())
    return "".join(pieces)
