"""Descriptions of links: the Contents entries of Link annotations (ISO 32000-1, 14.9.3)."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 100
"""The largest number of characters of a description. A link may contain a whole article."""

LABELS = ("aria-label", "title")
"""The attributes that describe a link better than its text, the best first."""


def description(labels: Iterable[str], pieces: Iterable[str]) -> str:
    """Return the first label, or else the text, shortened to `LONGEST` characters; empty if both are blank.

    `labels` are the values of the attributes `LABELS`; `pieces` is the text of the link, which is read only as far as
    necessary.
    """
    text = next(filter(str.strip, labels), "") or _beginning(pieces)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _beginning(pieces: Iterable[str]) -> str:
    read: list[str] = []
    length = 0
    for piece in pieces:
        read.append(piece)
        length += len(piece.strip())
        if length > LONGEST:
            break
    return "".join(read)
