"""Line breaks in paragraphs: at spaces, after images, and in scripts that have no spaces between words (UAX #14).

xhtml2pdf breaks lines at spaces only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from xhtml2pdf import reportlab_paragraph as paragraphs
from xhtml2pdf.reportlab_paragraph import FragLine, ParaLines

from wcspider.engines.text.scripts import unbroken


@dataclass(frozen=True, slots=True)
class _Atom:
    """An unbreakable part of a paragraph."""

    width: float
    pieces: list[tuple[Any, str]]
    is_spaced: bool
    """Whether a space separates it from the part before, unless it begins a line."""

    @property
    def has_gap(self) -> bool:
        """Whether a space is drawn before it. Anchors, which have no width, get no space."""
        return self.is_spaced and self.width > 0 and not self.is_break

    @property
    def frag(self) -> Any:
        return self.pieces[0][0]

    @property
    def is_break(self) -> bool:
        return hasattr(self.frag, "lineBreak")


def break_lines(paragraph: Any, width: Any) -> Any:
    """Return the lines of a paragraph."""
    if getattr(paragraph, "_splitpara", False):  # a part of a paragraph that was divided between two pages
        return paragraph.blPara
    widths = list(width) if isinstance(width, (list, tuple)) else [width]
    paragraph.height = 0
    lines: list[Any] = []
    for line in _filled(_atoms(paragraph.frags, min(widths)), widths):
        paragraph.width = max(line.used, paragraph.width)
        lines.append(line)
    return ParaLines(kind=1, lines=lines)


def min_width(paragraph: Any) -> float:
    """Return the width of the widest unbreakable part of a paragraph."""
    return max((atom.width for atom in _atoms(paragraph.frags, 0)), default=0)


def split_lines(lines: Any, start: int, stop: int) -> list[Any]:
    """Return the fragments of some lines, which are broken into lines again on the next page."""
    frags: list[Any] = []
    for line in lines.lines[start:stop]:
        frags.extend(line.words)
        if line is not lines.lines[stop - 1] and not line.is_glued:
            _add_space(frags)
    return frags


def _atoms(frags: list[Any], room: float) -> Iterator[_Atom]:
    """Yield the unbreakable parts. With a positive `room`, wider parts are split between any two characters."""
    for word in paragraphs._getFragWords(frags):
        spaced = True
        whole = [(frag, text.decode() if isinstance(text, bytes) else text) for frag, text in word[1:]]
        for pieces in _cut(whole):
            width = word[0] if pieces == whole else _width(pieces)
            for part in paragraphs._splitLongWords([[width, *pieces]], room):
                yield _Atom(part[0], part[1:], spaced)
                spaced = False


def _cut(pieces: list[tuple[Any, str]]) -> Iterator[list[tuple[Any, str]]]:
    """Yield the pieces of a word in groups. A line may end between two groups."""
    parts = unbroken("".join(text for _, text in pieces))
    if len(parts) == 1:
        yield pieces
        return
    group: list[tuple[Any, str]] = []
    ends = set(accumulate(map(len, parts)))
    place = 0
    for frag, text in pieces:
        begin = 0
        for end in range(1, len(text) + 1):
            if place + end in ends:
                group.append((frag, text[begin:end]))
                yield group
                group, begin = [], end
        if begin < len(text) or text == "":  # an empty text belongs to an image or a field
            group.append((frag, text[begin:]))
        place += len(text)
    if group:
        yield group


def _width(pieces: list[tuple[Any, str]]) -> float:
    return sum(
        paragraphs.stringWidth(text, frag.fontName, frag.fontSize)
        if text
        else getattr(frag.cbDefn, "advance", 0) + getattr(frag.cbDefn, "reserve", 0)
        for frag, text in pieces
        if text or hasattr(frag, "cbDefn")
    )


def _filled(atoms: Iterator[_Atom], widths: list[float]) -> Iterator[Any]:
    """Yield lines, each with as many parts as fit."""
    number, used, line = 0, 0.0, list[_Atom]()
    for atom in atoms:
        room = widths[min(number, len(widths) - 1)]
        space = _space(line[-1].frag) if line and atom.has_gap else 0
        if not atom.is_break and line and used + space + atom.width > room and atom.width:
            yield _line(line, room, used, is_glued=not atom.is_spaced)
            number, used, space, line = number + 1, 0.0, 0, []
        line.append(atom)
        used += space + atom.width
        if atom.is_break:
            yield _line(line, room, used)
            number, used, line = number + 1, 0.0, []
    if line:
        yield _line(line, widths[min(number, len(widths) - 1)], used)


def _space(frag: Any) -> float:
    return paragraphs.stringWidth(" ", frag.fontName, frag.fontSize)  # type: ignore[no-any-return]


def _line(atoms: list[_Atom], room: float, used: float, *, is_glued: bool = False) -> Any:
    words: list[Any] = []
    for number, atom in enumerate(atoms):
        if number and atom.has_gap:
            _add_space(words)
        for frag, text in atom.pieces:
            _add(words, frag, text)
    extents = [_extent(frag) for atom in atoms for frag, _ in atom.pieces]
    return FragLine(
        kind=1, extraSpace=room - used + paragraphs._reserved(words), used=used, is_glued=is_glued,
        lineBreak=atoms[-1].is_break, wordCount=1 + sum(atom.has_gap for atom in atoms[1:]),
        words=words, fontSize=max(frag.fontSize for atom in atoms for frag, _ in atom.pieces),
        ascent=max(ascent for ascent, _ in extents), descent=min(descent for _, descent in extents),
    )  # fmt: skip


def _add(words: list[Any], frag: Any, text: str) -> None:
    """Append a piece to the words of a line, joined with the last fragment if both look the same."""
    last = words[-1] if words else None
    if last is not None and text and not hasattr(frag, "cbDefn") and paragraphs._sameFrag(last, frag):
        last.text += text
        return
    word = frag.clone()
    word.text = text
    words.append(word)


def _add_space(words: list[Any]) -> None:
    """Append a space to the last word that is not an anchor; no space is needed after a box."""
    for word in reversed(words):
        if not hasattr(word, "cbDefn") and not word.text.endswith(" "):
            word.text += " "
        if not hasattr(word, "cbDefn") or _is_box(word):
            return


def _is_box(frag: Any) -> bool:
    """Tell whether a fragment is an image or a field."""
    return bool(getattr(getattr(frag, "cbDefn", None), "width", 0))


def _extent(frag: Any) -> tuple[float, float]:
    """Return the ascent and the descent of a fragment."""
    box: Any = getattr(frag, "cbDefn", None)
    if getattr(box, "width", None):
        descent, ascent = paragraphs.imgVRange(box.height, box.valign, frag.fontSize)
        return ascent, descent
    return paragraphs.getAscentDescent(frag.fontName, frag.fontSize)  # type: ignore[no-any-return]
