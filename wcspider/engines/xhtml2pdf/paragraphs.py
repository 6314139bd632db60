"""Paragraphs of xhtml2pdf whose lines can end at spaces, beside images, and in words of scripts without spaces.

All lines of a page have the same room, so a paragraph is broken into lines once, also if it takes many pages.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

from reportlab.lib.enums import TA_LEFT, TA_RIGHT
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import getAscentDescent, stringWidth
from xhtml2pdf.bidi import needs_bidi
from xhtml2pdf.reportlab_paragraph import FragLine, Paragraph, ParaLines, _maxLeadingExtent

from wcspider.engines.text.scripts import unbroken
from wcspider.engines.text.visual_order import OBJECT, visual_order

LEADING = 1.25
"""The height of a line, as a multiple of the font size."""

_BREAK, _ANCHOR = "\n", "("
"""The characters that stand for a line break and for an anchor: no line ends behind an opening bracket."""

_WORD = re.compile(rf" *({_BREAK}|{OBJECT}|[^ {_BREAK}{OBJECT}]+)")


@dataclass(frozen=True, slots=True)
class Block:
    """The properties of a paragraph. Lengths are in units of the layout."""

    room: float
    """The width between the margins of the page."""

    indent: float = 0.0
    """The indent on the side where lines begin."""

    space: float = 0.0
    """The distance to the paragraph before."""

    is_rtl: bool = False
    rank: int | None = None
    """The rank of a heading, from 1; None for other text."""


class FlowParagraph(Paragraph):  # type: ignore[misc]
    """A paragraph that can continue on the next page after any line."""

    def __init__(self, frags: Sequence[Any], block: Block, lines: list[Any] | None = None) -> None:
        """`lines` are those of a part of a paragraph that was divided."""
        left, right = (0.0, block.indent) if block.is_rtl else (block.indent, 0.0)
        size = max((frag.fontSize for frag in frags), default=0.0)
        style = ParagraphStyle(
            "text", leading=LEADING * size, leftIndent=left, rightIndent=right, spaceBefore=block.space,
            alignment=TA_RIGHT if block.is_rtl else TA_LEFT, fontSize=size, letterSpacing="normal", autoLeading="max",
        )  # fmt: skip
        super().__init__("", style, frags=frags)
        self._block = block
        self.lines = list(_Content(frags).lines(block.room - block.indent)) if lines is None else lines

    @property
    def blPara(self) -> ParaLines:  # noqa: N802
        """The lines in the form that xhtml2pdf expects."""
        return ParaLines(kind=1, lines=self.lines)

    @property
    def text_width(self) -> float:
        """The width of the longest line."""
        return max((line.used for line in self.lines), default=0.0)

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        """Return the size of the paragraph."""
        self.width, self.height = width, sum(map(self._height, self.lines))
        return self.width, self.height

    def split(self, width: float, height: float) -> list[FlowParagraph]:
        """Return the lines that fit a height as a paragraph, and the others; nothing if no line fits."""
        ends = enumerate(accumulate(map(self._height, self.lines)))
        fitting = next((number for number, end in ends if end > height + 1e-6), len(self.lines))
        if fitting in (0, len(self.lines)):
            return [self] * bool(fitting)
        first = FlowParagraph(self.frags, self._block, self.lines[:fitting])
        return [first, FlowParagraph(self.frags, replace(self._block, rank=None), self.lines[fitting:])]

    def _height(self, line: Any) -> float:
        return float(sum(_maxLeadingExtent(line, self.style.leading)))

    def displayLines(self) -> list[Any]:  # noqa: N802
        """Return the lines with their fragments in visual order."""
        direction = "R" if self._block.is_rtl else "L"
        return [_in_visual_order(line, direction) for line in self.lines]

    def draw(self) -> None:
        """Draw the lines. The canvas gets to know a heading."""
        if self._block.rank is not None:
            self.canv.add_heading("".join(frag.text for frag in self.frags), self._block.rank, self.height)
        super().draw()


class _Part(NamedTuple):
    """An unbreakable part of a paragraph."""

    space: int
    """The place of the space before the part; `start` if there is none."""

    start: int
    end: int
    width: float


class _Content:
    """The fragments of a paragraph as one text, in which a character stands for each image, anchor and line break."""

    def __init__(self, frags: Sequence[Any]) -> None:
        self._frags = frags
        texts = list(map(_text, frags))
        self._text = "".join(texts)
        self._starts = list(accumulate(map(len, texts), initial=0))

    def lines(self, room: float) -> Iterator[Any]:
        """Yield the lines, each with as many parts as fit."""
        start, end, used = 0, 0, 0.0
        for part in self._parts(room):
            if start == end:
                start = end = part.start
            gap = self._width(part.space, part.start) if end > start else 0.0
            if end > start and used + gap + part.width > room:
                yield self._line(start, end, room, used)
                start, gap, used = part.start, 0.0, 0.0
            end = part.end
            used += gap + part.width
            if self._text[end - 1] == _BREAK:
                yield self._line(start, end, room, used)
                start, used = end, 0.0
        if end > start:
            yield self._line(start, end, room, used)

    def _parts(self, room: float) -> Iterator[_Part]:
        """Yield the parts between which a line may end (UAX #14); parts that are wider than a line are cut."""
        for match in _WORD.finditer(self._text):
            space, start = match.start(), match.start(1)
            for text in unbroken(match[1]):
                whole = self._width(start, start + len(text))
                for end in self._cuts(start, start + len(text), room) if whole > room else (start + len(text),):
                    yield _Part(space, start, end, whole if end - start == len(text) else self._width(start, end))
                    space = start = end

    def _cuts(self, start: int, end: int, room: float) -> Iterator[int]:
        """Yield the places where a part that is wider than a line is cut, and its end."""
        used = 0.0
        for place in range(start, end):
            width = self._width(place, place + 1)
            if used and used + width > room:
                yield place
                used = 0.0
            used += width
        yield end

    def _pieces(self, start: int, end: int) -> list[tuple[Any, str]]:
        """Return the fragments between two places, each with the part of its own text that is there."""
        numbers = range(bisect_right(self._starts, start) - 1, bisect_left(self._starts, end))
        frags, starts = self._frags, self._starts
        return [(frags[n], frags[n].text[max(start - starts[n], 0) : end - starts[n]]) for n in numbers]

    def _width(self, start: int, end: int) -> float:
        return sum(_width(frag, text) for frag, text in self._pieces(start, end)) if end > start else 0.0

    def _line(self, start: int, end: int, room: float, used: float) -> Any:
        words = [frag.clone(text=text) for frag, text in self._pieces(start, end)]
        extents = [_extent(word) for word in words]
        return FragLine(
            kind=1, extraSpace=room - used, used=used, lineBreak=self._text[end - 1] == _BREAK, wordCount=1,
            words=_ended(words), fontSize=max(word.fontSize for word in words),
            ascent=max(ascent for ascent, _ in extents), descent=min(descent for _, descent in extents),
        )  # fmt: skip


def _text(frag: Any) -> str:
    """Return the text of a fragment, or the character that stands for it."""
    if hasattr(frag, "lineBreak"):
        return _BREAK
    if hasattr(frag, "cbDefn"):
        return OBJECT if _width(frag, "") else _ANCHOR
    return str(frag.text)


def _width(frag: Any, text: str) -> float:
    if text:
        return float(stringWidth(text, frag.fontName, frag.fontSize))
    return float(getattr(getattr(frag, "cbDefn", None), "width", 0))


def _extent(frag: Any) -> tuple[float, float]:
    """Return the ascent and the descent of a fragment."""
    box: Any = getattr(frag, "cbDefn", None)
    if getattr(box, "width", 0):
        return box.valign + box.height, box.valign
    return getAscentDescent(frag.fontName, frag.fontSize)  # type: ignore[no-any-return]


def _ended(words: list[Any]) -> list[Any]:
    """Return the fragments of a line with a text at the end, because only a text ends a line of xhtml2pdf.

    A line has none if all of its characters only control the direction of others.
    """
    if words and hasattr(words[-1], "cbDefn"):
        end = words[-1].clone(text="", link=None, underline=False, strike=False)
        del end.cbDefn
        words.append(end)
    return words


def _in_visual_order(line: Any, direction: str) -> Any:
    """Return a line with its fragments from left to right."""
    words = line.words
    if not any(needs_bidi(word.text, direction) for word in words):
        return line
    parts = [(OBJECT if _width(word, "") else word.text, word.fontName) for word in words]
    ordered = ((words[number], text) for number, text in visual_order(parts, direction))
    return line.clone(
        words=_ended([word if hasattr(word, "cbDefn") else word.clone(text=text) for word, text in ordered])
    )
