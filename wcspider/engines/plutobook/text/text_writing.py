"""Text operators (9.4) that show codes of fixed subsets, each at its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wcspider.engines.plutobook.text import content_text
from wcspider.engines.plutobook.text.content_text import Shown
from wcspider.engines.plutobook.text.embedded_fonts import ANY
from wcspider.engines.plutobook.text.font_objects import FontObjects
from wcspider.engines.text.shaping import ShapedFont

CLOSE = 0.5
"""How far a glyph may be from its place, in thousandths of the font size."""

_FAR = 10_000
"""How far the text of a line moves without a Td operator, in thousandths of the font size."""

_SAME_LINE = 1e-4
"""How far two places of a line are apart vertically, as a share of the font size."""


class State(NamedTuple):
    """The position of text: the text matrix as it is written, and the font size."""

    matrix: bytes
    size: float


class Part(NamedTuple):
    """Codes of one subset of a font, or a number that moves the place of the text."""

    font: ShapedFont | str
    """A resource name for an embedded font."""

    subset: int
    """`ANY` for spaces, also those of an embedded font."""

    shown: Shown


class Spelling(NamedTuple):
    """Codes that show a string or a word. Lengths are in thousandths of the font size."""

    parts: tuple[Part, ...]
    width: float
    offset: tuple[float, float] = (0.0, 0.0)
    """Where the first glyph is drawn, seen from the place of the word."""


class Placed(NamedTuple):
    """A spelling and its position in text space."""

    spelling: Spelling
    state: State
    x: float
    y: float


class TextWriter:
    """Writes the text objects of one document."""

    def __init__(self, subsets: FontObjects) -> None:
        self._subsets = subsets

    def written(self, placed: Iterable[Placed]) -> tuple[bytes, set[str]]:
        """Return the operators that show spellings, each at its place, and the resource names of their fonts."""
        written: list[bytes] = []
        used: set[str] = set()
        state, selected = State(b"", 0.0), ""
        font: ShapedFont | str | None = None
        line, pen = (0.0, 0.0), 0.0
        shown: list[Shown] = []
        for spelling, new_state, x, y in placed:
            size = new_state.size
            if new_state.matrix != state.matrix:
                _take(shown, written)
                written.append(new_state.matrix + b" Tm\n")
                line, pen = (0.0, 0.0), 0.0
            if size != state.size:
                selected = ""
            state = new_state
            excess = (pen - x) * 1000 / size
            if abs(y - line[1]) > _SAME_LINE * size or abs(excess) > _FAR:
                _take(shown, written)
                written += content_text.number(x - line[0], 5), content_text.number(y - line[1], 5), b"Td\n"
                line, pen = (x, y), x
            elif abs(excess) > CLOSE:
                _append(shown, excess)
                pen = x
            for given in spelling.parts:
                is_alone = len(spelling.parts) == 1
                part, wider = _as_space_of(font, given, spelling.width) if shown and is_alone else (given, 0.0)
                name = self._name(part, selected)
                if name != selected and isinstance(part.shown, bytes):
                    _take(shown, written)
                    written.append(b"/%b %bTf\n" % (name.encode(), content_text.number(size)))
                    selected, font = name, part.font
                    used.add(name)
                _append(shown, part.shown)
                if wider:
                    _append(shown, wider)
            pen += spelling.width * size / 1000
        _take(shown, written)
        return b"".join(written), used

    def _name(self, part: Part, selected: str) -> str:
        """Return the resource name for a part; a part that every subset can show uses the selected subset."""
        if isinstance(part.font, str):
            return part.font
        if part.subset == ANY and selected.startswith(f"{part.font.fontName}+"):
            return selected
        return self._subsets.use(part.font, part.subset)


def _as_space_of(font: ShapedFont | str | None, part: Part, width: float) -> tuple[Part, float]:
    """Return a part that shows only spaces of another font as spaces of `font`, and how much wider they are.

    So the spaces between words in a script with a font of its own are shown by the operators of these words: PDFium
    ignores an operator that only shows spaces, and overlooks the gap between words with wide glyphs.
    """
    own, shown = part.font, part.shown
    if not isinstance(font, ShapedFont) or own is font or not isinstance(shown, bytes) or shown.strip(b" "):
        return part, 0.0
    if isinstance(own, str) and part.subset != ANY:
        return part, 0.0
    return Part(font, ANY, shown), len(shown) * font.space_width - width


def _append(shown: list[Shown], part: Shown) -> None:
    if shown and isinstance(part, bytes) and isinstance(shown[-1], bytes):
        shown[-1] += part
    else:
        shown.append(part)


def _take(shown: list[Shown], written: list[bytes]) -> None:
    """Move the parts of a list into an operator that shows them."""
    if shown:
        written.append(content_text.array(shown))
        shown.clear()
