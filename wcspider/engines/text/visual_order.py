"""The visual order of the parts of a line with bidirectional text (UAX #9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from xhtml2pdf.bidi import CONTROL_CHARS, display_order, mirrored

from wcspider.engines.text.scripts import is_rtl

OBJECT = "\ufffc"
"""The text of an image or a field for the bidirectional algorithm."""


def visual_order(parts: Sequence[tuple[str, str]], base: str | None) -> Iterator[tuple[int, str]]:
    """Yield the numbers of the parts in visual order, each with the text to be drawn; a part may occur several times.

    Parts are texts with the names of their faces. Text from right to left is in logical order, because HarfBuzz shapes
    it. A part without text stays before the next part with text. `base` is ``L``, ``R``, or None for the direction of
    the first letter.
    """
    whole = "".join(text for text, _ in parts)
    owners = [number for number, (text, _) in enumerate(parts) for _ in text]
    order, levels = display_order(whole, base)
    blanks = [number for number, (text, _) in enumerate(parts) if not text]
    for (owner, level), group in groupby(order, key=lambda place: (owners[place], levels[place])):
        while blanks and owner > blanks[0]:
            yield blanks.pop(0), ""
        text = "".join(whole[place] for place in group if whole[place] not in CONTROL_CHARS)
        if level % 2 and is_rtl(text):
            yield owner, text[::-1]
        elif text:
            yield owner, "".join(mirrored(character, level) for character in text)
    yield from ((number, "") for number in blanks)
