"""The parts of texts in SVG: TSPAN elements, and links (SVG 1.1, 10.5 and 17.1).

PlutoBook aborts the process when a TSPAN element has two others as children, as drawing programs write indices, and it
does not draw the text of a link inside a TEXT element.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.media import HREFS

MAX_COPIES: Final = 10_000
"""The number of copies of TSPAN elements in a drawing. With more, the text of parts inside other parts is kept."""

_PLACES: Final = frozenset({"id", "x", "y", "dx", "dy", "textlength"})
"""The attributes that only the first copy of a part keeps: its name, and the places of its first letters."""


def make_readable(drawing: Any) -> None:
    """Change the texts of an SVG element so that PlutoBook draws all their parts."""
    for link in list(drawing.iterfind(".//{*}text//{*}a")):
        _replace_link(link)
    parts = list(drawing.iterfind(".//{*}tspan//{*}tspan"))
    copies = islice((part for part in parts for _ in part.iterancestors("{*}tspan")), MAX_COPIES + 1)
    if sum(1 for _ in copies) > MAX_COPIES:
        for text in list(drawing.iter("{*}text")):
            for part in text.iterfind("{*}tspan"):
                etree.strip_tags(part, "{*}tspan")
        return
    # Parts come after those around them, so that all parts of a part have been divided before it is.
    for part in reversed(list(drawing.iter("{*}tspan"))):
        _divide(part)


def _replace_link(link: Any) -> None:
    """Put a link around its text. A link of only a part of the text becomes a part like others."""
    text = link.getparent()
    name = link.tag.removesuffix("a")
    is_whole = text.tag == f"{name}text" and len(text) == 1 and not f"{text.text or ''}{link.tail or ''}".strip()
    if not is_whole:
        link.tag = f"{name}tspan"
        for href in HREFS:
            link.attrib.pop(href, None)
        return
    text.text, text[:] = link.text, list(link)
    link.tail, text.tail = text.tail, None
    text.getparent().replace(text, link)
    link.text, link[:] = None, [text]


def _divide(part: Any) -> None:
    """Divide a part with several parts: each gets a copy of the outer part around itself, and the text after it."""
    starts = [index for index, child in enumerate(part) if child.tag == part.tag][1:]
    children = list(part)
    last = part
    for start, end in pairwise([*starts, len(children)]):
        attributes = {name: value for name, value in part.items() if name.lower() not in _PLACES}
        copy = part.makeelement(part.tag, attributes, part.nsmap)
        copy.extend(children[start:end])
        copy.tail, last.tail = last.tail, None
        last.addnext(copy)
        last = copy
