"""Paragraphs of xhtml2pdf whose lines can end at spaces, beside images, and in words of scripts without spaces.

All lines of a page have the same room, so a paragraph is broken into lines once, also if it takes many pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

Piece = tuple[Any, str]
"""A fragment of xhtml2pdf and a part of its text; no text for an image, a field, an anchor or a line break."""


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
    """The rank of a heading, from 0; None for other text."""


class Text:
    """A text that was broken into lines."""

    def __init__(self, frags: Sequence[Any], block: Block) -> None:
        left, right = (0.0, block.indent) if block.is_rtl else (block.indent, 0.0)
        size = max((frag.fontSize for frag in frags), default=0.0)
        self.style = ParagraphStyle(
            "text", leading=LEADING * size, leftIndent=left, rightIndent=right, spaceBefore=block.space,
            alignment=TA_RIGHT if block.is_rtl else TA_LEFT, fontSize=size, letterSpacing="normal", autoLeading="max",
        )  # fmt: skip
        self.frags, self.block = frags, block
        self.direction = "R" if block.is_rtl else "L"
        self.is_bidi = any(needs_bidi(frag.text, self.direction) for frag in frags)
        self.lines = list(broken(frags, block.room - block.indent))
        self.heights = [sum(_maxLeadingExtent(line, self.style.leading)) for line in self.lines]

    @property
    def width(self) -> float:
        """The width of the longest line."""
        return max((line.used for line in self.lines), default=0.0)


class FlowParagraph(Paragraph):  # type: ignore[misc]
    """A paragraph that can continue on the next page after any line."""

    def __init__(self, text: Text, start: int = 0, stop: int | None = None) -> None:
        """`start` and `stop` tell which lines of the text the paragraph has."""
        super().__init__("", text.style, frags=text.frags)
        self.blPara = ParaLines(kind=1, lines=text.lines[start:stop])
        self._source, self._start, self._stop = text, start, stop
        self._heights = text.heights[start:stop]

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        """Return the size of the paragraph."""
        self.width, self.height = width, sum(self._heights)
        return self.width, self.height

    def split(self, width: float, height: float) -> list[FlowParagraph]:
        """Return the lines that fit a height as a paragraph, and the others; nothing if no line fits."""
        ends = enumerate(accumulate(self._heights))
        fitting = next((number for number, end in ends if end > height + 1e-6), len(self._heights))
        if fitting in (0, len(self._heights)):
            return [self] * bool(fitting)
        place = self._start + fitting
        return [FlowParagraph(self._source, self._start, place), FlowParagraph(self._source, place, self._stop)]

    def displayLines(self) -> list[Any]:  # noqa: N802
        """Return the lines with their fragments in visual order."""
        lines: list[Any] = self.blPara.lines
        if not self._source.is_bidi:
            return lines
        return [line.clone(words=_in_visual_order(line.words, self._source.direction)) for line in lines]

    def draw(self) -> None:
        """Draw the lines. The canvas gets to know a heading."""
        rank = self._source.block.rank
        if rank is not None and self._start == 0:
            self.canv.add_heading("".join(frag.text for frag in self.frags), rank, self.height)
        super().draw()


class _Atom(NamedTuple):
    """An unbreakable part of a paragraph."""

    pieces: list[Piece]
    space: Any
    """The fragment that contains the space before the part. None if the part follows another part without a space."""

    width: float

    @property
    def is_break(self) -> bool:
        return hasattr(self.pieces[0][0], "lineBreak")


def broken(frags: Sequence[Any], room: float) -> Iterator[Any]:
    """Yield the lines of a paragraph, each with as many parts as fit."""
    line: list[_Atom] = []
    used = 0.0
    for atom in _atoms(frags, room):
        gap = _width((atom.space, " ")) if line and atom.space is not None else 0.0
        if line and atom.width and used + gap + atom.width > room:
            yield _line(line, room, used)
            line, used, gap = [], 0.0, 0.0
        line.append(atom)
        used += gap + atom.width
        if atom.is_break:
            yield _line(line, room, used)
            line, used = [], 0.0
    if line:
        yield _line(line, room, used)


def _atoms(frags: Sequence[Any], room: float) -> Iterator[_Atom]:
    """Yield the parts between which a line may end (UAX #14); parts that are wider than a line are cut."""
    for word, space in _words(frags):
        for pieces in _divided(word):
            width = sum(map(_width, pieces))
            for part in _cut(pieces, room) if width > room else (pieces,):
                yield _Atom(part, space, width if part is pieces else sum(map(_width, part)))
                space = None


def _words(frags: Sequence[Any]) -> Iterator[tuple[list[Piece], Any]]:
    """Yield the words, images, fields and line breaks, each with the fragment of the space before it."""
    word: list[Piece] = []
    space = None
    for frag in frags:
        is_box = bool(_width((frag, "")))
        if (is_box or hasattr(frag, "lineBreak")) and word:
            yield word, space
            word, space = [], None
        for number, text in enumerate(frag.text.split(" ")):
            if number:
                if word:
                    yield word, space
                word, space = [], frag
            if text or hasattr(frag, "cbDefn") or hasattr(frag, "lineBreak"):
                word.append((frag, text))
        if is_box or hasattr(frag, "lineBreak"):
            yield word, space
            word, space = [], None
    if word:
        yield word, space


def _divided(word: list[Piece]) -> Iterator[list[Piece]]:
    """Yield a word in parts between which a line may end."""
    parts = unbroken("".join(text for _, text in word))
    if len(parts) == 1:
        yield word
        return
    ends = set(accumulate(map(len, parts[:-1])))
    group: list[Piece] = []
    place = 0
    for frag, text in word:
        begin = 0
        for end in range(1, len(text) + 1):
            if place + end in ends:
                group.append((frag, text[begin:end]))
                yield group
                group, begin = [], end
        if begin < len(text) or not text:  # an empty text belongs to an anchor
            group.append((frag, text[begin:]))
        place += len(text)
    yield group


def _cut(pieces: list[Piece], room: float) -> Iterator[list[Piece]]:
    """Yield a part that is wider than a line in parts that fit."""
    part: list[Piece] = []
    used = 0.0
    for frag, text in pieces:
        begin = 0
        for place, character in enumerate(text):
            width = _width((frag, character))
            if used and used + width > room:
                yield [*part, (frag, text[begin:place])] if place > begin else part
                part, used, begin = [], 0.0, place
            used += width
        part.append((frag, text[begin:]))
    yield part


def _width(piece: Piece) -> float:
    frag, text = piece
    if text:
        return float(stringWidth(text, frag.fontName, frag.fontSize))
    return float(getattr(getattr(frag, "cbDefn", None), "width", 0))


def _line(atoms: list[_Atom], room: float, used: float) -> Any:
    pieces: list[Piece] = []
    for place, atom in enumerate(atoms):
        if place and atom.space is not None:
            pieces.append((atom.space, " "))
        pieces += atom.pieces
    words: list[Any] = []
    last = None
    for frag, text in pieces:
        if frag is last and text:
            words[-1].text += text
        else:
            words.append(frag.clone(text=text) if text else frag.clone())
        last = frag
    extents = [_extent(frag) for frag, _ in pieces]
    return FragLine(
        kind=1, extraSpace=room - used, used=used, lineBreak=atoms[-1].is_break, wordCount=len(atoms),
        words=_ended(words), fontSize=max(word.fontSize for word in words),
        ascent=max(ascent for ascent, _ in extents), descent=min(descent for _, descent in extents),
    )  # fmt: skip


def _ended(words: list[Any]) -> list[Any]:
    """Return the fragments of a line with a text at the end, because only a text ends a line of xhtml2pdf."""
    if hasattr(words[-1], "cbDefn"):
        words.append(words[-1].clone(text="", link=None, underline=False, strike=False))
    return words


def _in_visual_order(words: Sequence[Any], direction: str) -> list[Any]:
    """Return the fragments of a line from left to right."""
    parts = [(OBJECT if _width((word, "")) else word.text, word.fontName) for word in words]
    ordered = ((words[number], text) for number, text in visual_order(parts, direction))
    return _ended([word if hasattr(word, "cbDefn") else word.clone(text=text) for word, text in ordered])


def _extent(frag: Any) -> tuple[float, float]:
    """Return the ascent and the descent of a fragment."""
    box: Any = getattr(frag, "cbDefn", None)
    if getattr(box, "width", 0):
        return box.valign + box.height, box.valign
    return getAscentDescent(frag.fontName, frag.fontSize)  # type: ignore[no-any-return]
