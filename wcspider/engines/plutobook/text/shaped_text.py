"""Text objects (9.4) with shaped text, set again: words are recognised by their glyphs, and shown with their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from wcspider.engines.plutobook.text import content_text
from wcspider.engines.plutobook.text.clusters import Entry, Glossary
from wcspider.engines.plutobook.text.codes import ANY, KEEP, Recoding
from wcspider.engines.plutobook.text.content_text import Shown
from wcspider.engines.plutobook.text.font_objects import FontObjects
from wcspider.engines.text.glyph_outlines import Form
from wcspider.engines.text.shaping import Cluster, Glyph, ShapedFont

_CLOSE = 0.5
"""How far a glyph may be from its place, in thousandths of the font size."""

_NARROW = 20
"""The largest advance of a space that stands for a character without a glyph, in thousandths of the font size."""

_MATRIX = b"1 0 0 1 0 0"


@dataclass(frozen=True, slots=True)
class State:
    """The position of text: the text matrix as it is written, and the font size."""

    matrix: bytes
    size: float


@dataclass(slots=True)
class Run:
    """Glyphs of one face that were drawn one after the other. Lengths are in text space (9.4.4)."""

    state: State
    face: str
    names: list[str] = field(default_factory=list)
    """The resource name of the embedded font of each glyph."""

    codes: list[int] = field(default_factory=list)
    glyphs: list[int] = field(default_factory=list)
    xs: list[float] = field(default_factory=list)
    ys: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Spelling:
    """Codes that show a word, each with the resource name of its font, and numbers that move the place between them.

    Lengths are in thousandths of the font size.
    """

    parts: tuple[tuple[str, Shown], ...]
    width: float
    offset: tuple[float, float] = (0.0, 0.0)
    """Where the first glyph is drawn, seen from the place of the word."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A spelling and its position in text space."""

    spelling: Spelling
    state: State
    x: float
    y: float


class ShapedText:
    """Sets the text objects of one document that have shaped text."""

    def __init__(self, subsets: FontObjects, recodings: dict[str, Recoding], words: list[str]) -> None:
        self._subsets = subsets
        self._recodings = recodings
        self._words = words
        self._glossaries: dict[str, Glossary] = {}
        self._spellings: dict[tuple[str, tuple[int, ...]], Spelling] = {}
        self._plain: dict[tuple[str, bytes], Spelling] = {}

    def set_again(self, operators: bytes) -> tuple[bytes, set[str]] | None:
        """Return the operators that show text with its meaning, and the resource names of the fonts.

        None for a text object with an operator that is not known.
        """
        if content_text.OPERATOR.sub(b"", operators).strip():
            return None
        placed: list[Placed] = []
        for part in self._read(operators):
            if isinstance(part, Run):
                placed.extend(self._placed(part))
            else:
                placed.append(part)
        return b"".join(_written(placed)), {name for place in placed for name, _ in place.spelling.parts}

    def _read(self, operators: bytes) -> Iterator[Run | Placed]:
        """Yield the glyphs of shaped fonts in runs, and the strings of other fonts."""
        names = {name.decode() for name, _ in content_text.SELECTION.findall(operators)}
        faces = {self._recodings[name].embedded.name for name in names if self._recodings[name].is_shaped}
        state, line, x, y = State(_MATRIX, 1.0), 0.0, 0.0, 0.0
        name, run = "", Run(State(b"", 0.0), "")
        for match in content_text.OPERATOR.finditer(operators):
            kind = match.lastgroup or ""
            if kind == "size":
                name, state = match["font"].decode(), State(state.matrix, float(match["size"]))
            elif kind == "matrix":
                state, line, x, y = State(match["matrix"], state.size), 0.0, 0.0, 0.0
            elif kind == "offset":
                across, up = map(float, match["offset"].split())
                line, y = line + across, y + up
                x = line
            elif self._recodings[name].embedded.name not in faces:
                yield run
                run = Run(State(b"", 0.0), "")
                for token in content_text.tokens(match[kind]):
                    if token[:1] in b"(<":
                        spelling = self._string(name, token)
                        yield Placed(spelling, state, x, y)
                        x += spelling.width * state.size / 1000
                    else:
                        x -= float(token) * state.size / 1000
            else:
                recoding = self._recodings[name]
                if (run.state, run.face) != (state, recoding.embedded.name):
                    yield run
                    run = Run(state, recoding.embedded.name)
                x = _extend(run, name, recoding, match[kind], x, y)
        yield run

    def _string(self, name: str, token: bytes) -> Spelling:
        """Return the codes for a string in an embedded font."""
        key = name, token
        if key not in self._plain:
            recoding, string = self._recodings[name], content_text.string(token)
            width = sum(recoding.embedded.widths.get(code, 0.0) for code in recoding.codes_of(string))
            parts = ((self._name(name, subset), part) for subset, part in recoding.segments(string))
            self._plain[key] = Spelling(tuple(parts), width)
        return self._plain[key]

    def _name(self, name: str, subset: int) -> str:
        """Return the resource name for a subset of the font in place of an embedded font."""
        recoding = self._recodings[name]
        if subset == KEEP or recoding.font is None:
            return name
        return self._subsets.use(recoding.font, recoding.home if subset == ANY else subset)

    def _placed(self, run: Run) -> Iterator[Placed]:
        """Yield the words that the glyphs of a run show."""
        if not run.codes:
            return
        font = self._recodings[run.names[0]].font
        assert isinstance(font, ShapedFont)
        glossary = self._glossary(font, run.face)
        shown = [place for place in range(len(run.codes)) if not _is_silent(font, run, place)]
        glyphs = tuple(glossary.canonical(run.glyphs[place]) for place in shown)
        start, scale = 0, run.state.size / 1000
        while start < len(shown):
            place = shown[start]
            entry = glossary.match(glyphs, start)
            if entry is None:
                yield Placed(self._alone(run, place), run.state, run.xs[place], run.ys[place])
                start += 1
                continue
            spelling = self._spelling(font, run.face, entry)
            x, y = run.xs[place] - spelling.offset[0] * scale, run.ys[place] - spelling.offset[1] * scale
            yield Placed(spelling, run.state, x, y)
            start += len(entry.glyphs)

    def _alone(self, run: Run, place: int) -> Spelling:
        """Return the fixed code of a glyph that is not part of a word, or else its code in the embedded font."""
        name, code = run.names[place], run.codes[place]
        length = 1 if self._recodings[name].embedded.is_simple else 2
        return self._string(name, b"<" + code.to_bytes(length).hex().encode() + b">")

    def _glossary(self, font: ShapedFont, face: str) -> Glossary:
        if face not in self._glossaries:
            self._glossaries[face] = Glossary(font, face, self._words)
        return self._glossaries[face]

    def _spelling(self, font: ShapedFont, face: str, entry: Entry) -> Spelling:
        key = face, entry.glyphs
        if key not in self._spellings:
            self._spellings[key] = self._spelled(font, entry.clusters(font))
        return self._spellings[key]

    def _spelled(self, font: ShapedFont, clusters: Sequence[Cluster]) -> Spelling:
        """Return the codes that show clusters."""
        glyphs: Iterable[Glyph | Form] = [glyph for cluster in clusters for glyph in cluster.shown]
        if clusters[0].is_rtl:
            glyphs = font.in_one_subset(glyphs)
        parts: list[tuple[str, Shown]] = []
        total = 0.0
        for glyph in glyphs:
            subset, code, advance, width = self._placed_glyph(font, glyph)
            name = self._subsets.use(font, max(subset, 0))
            parts.append((name, bytes((code,))))
            if abs(width - advance) > _CLOSE:
                parts.append((name, width - advance))
            total += advance
        offset = next(cluster.offset for cluster in clusters if cluster.glyphs)
        return Spelling(tuple(_joined(parts)), total, offset)

    def _placed_glyph(self, font: ShapedFont, glyph: Glyph | Form) -> tuple[int, int, float, float]:
        """Return the subset and the code of a glyph, its advance and the width of the code."""
        if isinstance(glyph, Form):
            width = glyph.advance * font.unit
            return *font.place_in(self._subsets.use_in(font), glyph), width, width
        return glyph.subset, glyph.code, glyph.advance, glyph.width


def _extend(run: Run, name: str, recoding: Recoding, operand: bytes, x: float, y: float) -> float:
    """Add the glyphs that an operator shows to a run; return the place behind them."""
    scale = run.state.size / 1000
    widths, glyphs = recoding.embedded.widths, recoding.glyphs
    for token in content_text.tokens(operand):
        if token[:1] in b"(<":
            codes = recoding.codes_of(content_text.string(token))
            *places, x = accumulate((widths.get(code, 0.0) * scale for code in codes), initial=x)
            run.names += [name] * len(codes)
            run.codes += codes
            run.glyphs += [glyphs.get(code, 0) for code in codes]
            run.xs += places
            run.ys += [y] * len(codes)
        else:
            x -= float(token) * scale
    return x


def _joined(parts: list[tuple[str, Shown]]) -> Iterator[tuple[str, Shown]]:
    """Yield parts with codes of one font joined."""
    name, codes = "", b""
    for font, part in parts:
        if isinstance(part, bytes) and font == name:
            codes += part
            continue
        if codes:
            yield name, codes
        name, codes = (font, part) if isinstance(part, bytes) else (font, b"")
        if not isinstance(part, bytes):
            yield font, part
    if codes:
        yield name, codes


def _is_silent(font: ShapedFont, run: Run, place: int) -> bool:
    """Whether a glyph is the space that HarfBuzz draws for a character without a glyph."""
    if place + 1 == len(run.codes) or font.text_of(run.glyphs[place]) != " ":
        return False
    is_narrow = abs(run.xs[place + 1] - run.xs[place]) * 1000 < _NARROW * run.state.size
    return is_narrow and run.ys[place + 1] == run.ys[place]


def _written(placed: Iterable[Placed]) -> Iterator[bytes]:
    """Yield the operators that show spellings, each at its place."""
    state, font = State(b"", 0.0), ""
    line, pen = (0.0, 0.0), 0.0
    shown: list[Shown] = []
    for place in placed:
        size, is_same_line = place.state.size, abs(place.y - line[1]) <= 1e-4 * place.state.size
        if shown and (place.state != state or not is_same_line):
            yield content_text.array(shown)
            shown = []
        if place.state.matrix != state.matrix:
            yield place.state.matrix + b" Tm\n"
            line, pen = (0.0, 0.0), 0.0
            is_same_line = abs(place.y) <= 1e-4 * size
        if place.state.size != state.size:
            font = ""
        state = place.state
        if not is_same_line:
            yield content_text.number(place.x - line[0], 5) + content_text.number(place.y - line[1], 5) + b"Td\n"
            line, pen = (place.x, place.y), place.x
        excess = (pen - place.x) * 1000 / size
        if abs(excess) > _CLOSE:
            _append(shown, excess)
            pen = place.x
        for name, part in place.spelling.parts:
            if name != font and isinstance(part, bytes):
                if shown:
                    yield content_text.array(shown)
                shown, font = [], name
                yield b"/" + name.encode() + b" " + content_text.number(size) + b"Tf\n"
            _append(shown, part)
        pen += place.spelling.width * size / 1000
    if shown:
        yield content_text.array(shown)


def _append(shown: list[Shown], part: Shown) -> None:
    if shown and isinstance(part, bytes) and isinstance(shown[-1], bytes):
        shown[-1] += part
    else:
        shown.append(part)
