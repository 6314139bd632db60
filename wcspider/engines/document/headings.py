"""The headings of a page: their titles, and their levels in the outline."""

from __future__ import annotations

from collections.abc import Iterable

from wcspider.engines.base import Heading

RANKS = {f"h{rank}": rank for rank in range(1, 7)}
"""The ranks of headings, by tag."""

_PERMALINK = "¶"
"""The text of the link to itself that headings of documentation end with."""


def heading_title(text: str) -> str:
    """Return the title in the text of a heading."""
    return " ".join(text.split()).removesuffix(_PERMALINK).rstrip()


def outline(found: Iterable[tuple[str, int, int, float]]) -> tuple[Heading, ...]:
    """Return headings with their levels: each has a title, a rank, the index of a page, and an upper edge."""
    headings, ranks = [], list[int]()
    for title, rank, page, y in found:
        while ranks and ranks[-1] >= rank:
            ranks.pop()
        headings.append(Heading(title, len(ranks), page, y))
        ranks.append(rank)
    return tuple(headings)
