"""The links of a page: each has a private URL in the layout, by which its annotation is found again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wcspider.engines.document.absolute_urls import link_target
from wcspider.engines.plutobook.sheets.author_sheets import HREF

LONGEST = 100
"""Characters of a description; a link may be around a whole article."""

MAX_LINKS = 20_000
"""How many links of a page can be followed: the layout looks at each of them on each page."""

TOO_MANY = f"only the first {MAX_LINKS:,} links of the page can be followed"
PRIVATE = "wcspider-link:"
_NAMES = ("aria-label", "title")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page."""

    target: str
    """The absolute URL."""

    description: str
    """What it says, for those who cannot see it (14.9.3)."""


def mark(element: Any, links: list[Link], base: str, encoding: str) -> str:
    """Let an A element lead to a private URL with the number of its `Link`; return a warning, or ""."""
    target = link_target(base, element.get("href"), encoding)
    if target is None or len(links) >= MAX_LINKS:
        del element.attrib["href"]
        return "" if target is None else TOO_MANY
    element.set(HREF, element.get("href"))
    element.set("href", f"{PRIVATE}{len(links)}")
    links.append(Link(target, description_of(element) or target))
    return ""


def description_of(element: Any) -> str:
    """Return what a link says: its label or title, or else its text; shortened, and empty if it says nothing."""
    text = next((named for name in _NAMES if (named := element.get(name, "").strip())), "") or _text(element)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _text(element: Any) -> str:
    """Return the text of an element, with that of its images; no more of it than is used."""
    pieces: list[str] = [element.text or ""]
    length = len(pieces[0].strip())
    for found in element.iterdescendants():
        if found.tag in ("br", "img"):
            pieces.append(f" {found.get('alt', '')} ")
        else:
            pieces.append(found.text or "")
        pieces.append(found.tail or "")
        length += len(pieces[-1].strip()) + len(pieces[-2].strip())
        if length > LONGEST:
            break
    return "".join(pieces)
