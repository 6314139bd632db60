"""The links of a page. In the layout, each has a private URL, which tells to which link an annotation belongs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wcspider.engines.document.absolute_urls import link_target
from wcspider.engines.document.link_descriptions import description
from wcspider.engines.document.media import IN_PLACE
from wcspider.engines.plutobook.sheets.declarations import ADDRESS, HREF
from wcspider.engines.plutobook.source.words import divided_address

MAX_LINKS = 20_000
"""The largest number of links of a page. The time of the layout grows with their number and the number of PDF pages."""

TOO_MANY = f"only the first {MAX_LINKS:,} links of the page can be followed"
PRIVATE = "wcspider-link:"
_USUAL = 0.75
"""The share of the letters of small text in a column that have room in the usual size."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page."""

    target: str
    """The absolute URL."""

    description: str
    """The description for users who cannot see the link (14.9.3)."""


def mark(element: Any, links: list[Link], base: str, encoding: str, *, keeps_href: bool) -> str:
    """Let an A element lead to a private URL with the number of its `Link`; return a warning, or "".

    The attribute `HREF` is set if `keeps_href`: only few pages have rules for it.
    """
    href = element.get("href")
    target = link_target(base, href, encoding)
    if target is None or len(links) >= MAX_LINKS:
        del element.attrib["href"]
        return "" if target is None else TOO_MANY
    if keeps_href:
        element.set(HREF, href)
    if IN_PLACE in element.attrib and element.text == target:
        element.text = divided_address(element.text)
    element.set("href", f"{PRIVATE}{len(links)}")
    links.append(Link(target, description(element) or target))
    return ""


def fit_addresses(root: Any, room_in: Callable[[Any], float]) -> None:
    """Set the attribute `ADDRESS` of the links with an `HREF`. `room_in` returns the number of letters with room."""
    for element in root.iter("a"):
        if HREF in element.attrib:
            element.set(ADDRESS, divided_address(element.get(HREF), room_in(element) * _USUAL))
