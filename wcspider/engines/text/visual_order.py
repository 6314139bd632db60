"""The visual order of the fragments of a line with bidirectional text (UAX #9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reportlab.pdfbase import pdfmetrics
from xhtml2pdf import reportlab_paragraph
from xhtml2pdf.bidi import display_order, mirrored

from wcspider.engines.text.scripts import is_rtl
from wcspider.engines.text.shaping import ShapedFont

_visual_words = reportlab_paragraph._visual_words


def visual_words(words: list[Any], base_direction: str | None) -> list[Any]:
    """Return the fragments of a line in visual order; the text inside a shaped fragment stays in logical order.

    `base_direction` is ``L``, ``R``, or None for the direction of the first letter.
    """
    visual = _visual_words(list(_of_one_level(words, base_direction)), base_direction)
    return [_in_logical_order(word) if _is_reversed(word) else word for word in visual]


def _is_reversed(word: Any) -> bool:
    return not hasattr(word, "cbDefn") and is_rtl(word.text) and _is_shaped(word)


def _in_logical_order(word: Any) -> Any:
    return word.clone(text="".join(mirrored(character, 1) for character in reversed(word.text)))


def _of_one_level(words: list[Any], base_direction: str | None) -> Iterator[Any]:
    """Yield the words of a line, split where the direction changes."""
    texts = [_text(word) for word in words]
    levels = display_order("".join(texts), base_direction)[1]
    start = 0
    for word, text in zip(words, texts, strict=True):
        own = levels[start : start + len(text)]
        start += len(text)
        if hasattr(word, "cbDefn") or len(set(own)) < 2:
            yield word
            continue
        begin = 0
        for place in range(1, len(text) + 1):
            if place == len(text) or own[place] != own[begin]:
                yield word.clone(text=text[begin:place])
                begin = place


def _text(word: Any) -> str:
    """Return the characters of a word for the bidirectional algorithm: one for an object, none for a marker."""
    if hasattr(word, "cbDefn"):
        return "\ufffc" if getattr(word.cbDefn, "width", None) else ""
    return word.text.decode() if isinstance(word.text, bytes) else word.text or ""


def _is_shaped(word: Any) -> bool:
    return isinstance(pdfmetrics.getFont(word.fontName), ShapedFont)
