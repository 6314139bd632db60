"""Descriptions of links: the Contents entries of Link annotations (ISO 32000-1, 14.9.3)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

LONGEST = 100
"""The largest number of characters of a description. A link may contain a whole article."""

_MOST_PIECES = 1_000
"""The largest number of pieces of its text that are read."""

_LABELS = ("aria-label", "title")
"""The attributes that describe a link better than its text, the best first."""


def description(link: Any) -> str:
    """Return the first label of an A element, or else its text, shortened to `LONGEST` characters.

    The text includes the alternative text of images. The result is empty if there is no label and no text.
    """
    labels = (link.get(name, "") for name in _LABELS)
    text = next(filter(str.strip, labels), "") or "".join(islice(_pieces(link), _MOST_PIECES))
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _pieces(link: Any) -> Iterator[str]:
    yield link.text or ""
    for found in link.iterdescendants():
        yield f" {found.get('alt', '')} " if found.tag in ("br", "img") else found.text or ""
        yield found.tail or ""
