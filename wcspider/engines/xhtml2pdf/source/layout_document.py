"""The tree of a page as the DOM document that xhtml2pdf lays out, with paragraphs of limited length.

The time of xhtml2pdf grows with the square of the length of a paragraph.
"""

from __future__ import annotations

import re
from typing import Any
from xml.dom.minidom import Document

from lxml import etree

from wcspider.engines.document.html_trees import BLOCKS

CONTROL = "wcspider-control"
"""The attribute of an IMG element that shows a field: the index of its `ShownControl`."""

DESCRIPTION = "wcspider-description"
"""The attribute of an A element with the description of the link."""

MAX_RUN = 8_000
"""The number of characters after which a paragraph is divided."""

MAX_LINES = 60
"""The number of lines after which a paragraph of preformatted text is divided."""

_READ = frozenset({"alt", "colspan", "dir", "href", "id", "lang", "src", "style", CONTROL, DESCRIPTION})
_READ_OF = {"img": _READ | {"width", "height"}}
"""The attributes that the layout reads. All others only change the appearance."""

_INVISIBLE = re.compile("[\u200b\ufe00-\ufe0f]")


def as_document(root: Any) -> Document:
    """Return a tree as a DOM document, with the attributes that the layout reads."""
    writer = _Writer()
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if element.tag in BLOCKS:
            writer.begin_paragraph()
        if event == "start":
            writer.start(element)
            writer.write(element.text)
        else:
            writer.end()
            writer.write(element.tail if element is not root else None)
    return writer.document


class _Writer:
    def __init__(self) -> None:
        self.document = Document()
        self._open: list[Any] = [self.document]
        self.begin_paragraph()

    def begin_paragraph(self) -> None:
        self._length = self._lines = 0

    def start(self, element: Any) -> None:
        node = self.document.createElement(element.tag)
        for name, value in element.attrib.items():
            if name in _READ_OF.get(element.tag, _READ):
                node.setAttribute(name, value)
        self._open.append(self._open[-1].appendChild(node))

    def end(self) -> None:
        self._open.pop()

    def write(self, text: str | None) -> None:
        """Write a text, and an empty block where the paragraph becomes too long."""
        rest = _INVISIBLE.sub("", text or "")
        while rest:
            is_preformatted = any(node.nodeName == "pre" for node in self._open)
            self._length += len(rest)
            self._lines += rest.count("\n") if is_preformatted else 0
            is_long = self._length > MAX_RUN or self._lines > MAX_LINES
            end = _end_of_part(rest, is_preformatted) if is_long else len(rest)
            self._open[-1].appendChild(self.document.createTextNode(rest[:end]))
            if end < len(rest) or (is_long and rest[-1].isspace()):
                self._open[-1].appendChild(self.document.createElement("div"))
                self.begin_paragraph()
            rest = rest[end:]


def _end_of_part(text: str, is_preformatted: bool) -> int:
    if is_preformatted:
        head = "\n".join(text.split("\n", MAX_LINES)[:MAX_LINES])
        return min(len(head) + 1, MAX_RUN)
    space = text.rfind(" ", 0, MAX_RUN)
    return space if space > 0 else MAX_RUN
