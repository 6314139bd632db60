"""Text objects (9.4) set again in fixed subsets.

Words whose glyphs depend on their neighbours are recognised by their glyphs, and shown with their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from wcspider.engines.plutobook.text import content_text
from wcspider.engines.plutobook.text.clusters import Entry, Glossary, Vocabulary
from wcspider.engines.plutobook.text.embedded_fonts import ANY, KEEP, EmbeddedFont
from wcspider.engines.plutobook.text.font_objects import FontObjects
from wcspider.engines.plutobook.text.text_writing import CLOSE, Part, Placed, Spelling, State, TextWriter
from wcspider.engines.text.glyph_outlines import Form
from wcspider.engines.text.shaping import Glyph, ShapedFont

_NARROW = 20
"""The largest advance of a space that stands for a character without a glyph, in thousandths of the font size."""


_SHORT = 200
"""The length of the operators of a text object that is probably on the page again, in bytes."""

_START = State(b"1 0 0 1 0 0", 1.0)


class Drawn(NamedTuple):
    """A glyph on the page. Its place is in text space (9.4.4)."""

    name: str
    """The resource name of the embedded font."""

    code: int
    glyph: int
    """The number of the glyph in the whole font."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Run:
    """Glyphs of one font that were drawn one after the other."""

    state: State
    font: ShapedFont
    face: str
    """The PostScript name of the font."""

    glyphs: list[Drawn] = field(default_factory=list)


class TextSetter:
    """Sets the text objects of one document."""

    def __init__(self, subsets: FontObjects, fonts: Mapping[str, EmbeddedFont], vocabulary: Vocabulary) -> None:
        """`fonts` are the embedded fonts by resource name; `vocabulary` contains the shaped words of the page."""
        self._subsets = subsets
        self._fonts = fonts
        self._vocabulary = vocabulary
        self._glossaries: dict[str, Glossary] = {}
        self._spellings: dict[tuple[str, tuple[int, ...], int], Spelling] = {}
        self._strings: dict[tuple[str, bytes], Spelling] = {}
        self._kept_names: dict[bytes, bytes] = {}
        self._known: dict[bytes, tuple[bytes, set[str]]] = {}
        """Text objects without their places, as they were set again, with the names of their fonts."""

        self._used: set[str] = set()
        """The resource names of the fonts of the content stream that is set."""

        self._writer = TextWriter(subsets)

    def content(self, content: bytes) -> tuple[bytes, set[str]]:
        """Return a content stream with the codes of the fixed subsets, and the names of the fonts that it uses."""
        self._used = set()
        written: list[bytes] = []
        start = 0
        for match in content_text.TEXT_OBJECT.finditer(content):
            if content_text.has_unusual_codes(match[1]):
                written += self._plain(content[start : match.start()]), self._set_again(match)
                start = match.end()
        written.append(self._plain(content[start:]))
        return b"".join(written), self._used

    def _plain(self, content: bytes) -> bytes:
        """Return a part of a content stream with the codes of the fixed subsets; it has no unusual codes."""
        if not self._keeps_codes(content):
            return content_text.TEXT_OBJECT.sub(self._plain_object, content)
        for name, size in set(content_text.SELECTION.findall(content)):
            selected = self._kept_name(name)
            self._used.add(selected.decode())
            content = content.replace(b"/%b %b Tf\n" % (name, size), b"/%b %b Tf\n" % (selected, size))
        return content

    def _keeps_codes(self, content: bytes) -> bool:
        """Tell whether the fonts of a content stream or text object have subsets with the same codes."""
        return all(map(self._kept_name, content_text.selected_fonts(content)))

    def _kept_name(self, name: bytes) -> bytes:
        """Return the resource name of the subset with the same codes as a font; empty for none."""
        if name not in self._kept_names:
            embedded = self._fonts[name.decode()]
            font = embedded.font if embedded.keeps_codes else None
            self._kept_names[name] = self._subsets.use(font, 0).encode() if font is not None else b""
        return self._kept_names[name]

    def _plain_object(self, match: re.Match[bytes]) -> bytes:
        return self._plain(match[0]) if self._keeps_codes(match[1]) else self._set_again(match)

    def _set_again(self, match: re.Match[bytes]) -> bytes:
        """Return a text object with its words and strings set again, each at its place.

        The markers of a list differ in their places only, so each is set once.
        """
        place, operators = content_text.divided(match[1])
        known = self._known.get(operators)
        if known is None:
            written, used = self._operators(match[1])
            known = written.removeprefix(place), used
            if place and len(operators) <= _SHORT:
                self._known[operators] = known
        self._used |= known[1]
        return b"BT\n" + place + known[0] + b"ET\n"

    def _operators(self, operators: bytes) -> tuple[bytes, set[str]]:
        """Return the operators of a text object with its strings set again, and the resource names of their fonts."""
        known = list(content_text.OPERATOR.finditer(operators))
        if sum(len(operator[0]) for operator in known) != len(operators):  # others are not understood: the text stays
            return operators, {name.decode() for name in content_text.selected_fonts(operators)}
        return self._writer.written(self._placed(known))

    def _placed(self, operators: Sequence[re.Match[bytes]]) -> Iterator[Placed]:
        """Yield the words and strings that operators show."""
        for item in self._read(operators):
            if isinstance(item, Run):
                yield from self._recognised(item)
            else:
                yield item

    def _read(self, operators: Sequence[re.Match[bytes]]) -> Iterator[Run | Placed]:
        """Yield the glyphs of shaped fonts in runs, and the strings of other fonts."""
        fonts = [self._fonts[match["font"].decode()] for match in operators if match.lastgroup == "size"]
        faces = {font.name for font in fonts if font.is_shaped}
        state, line, x, y = _START, 0.0, 0.0, 0.0
        name, run = "", None
        for match in operators:
            kind = match.lastgroup or ""
            if kind == "size":
                name, state = match["font"].decode(), State(state.matrix, float(match["size"]))
                continue
            if kind == "matrix":
                state, line, x, y = State(match["matrix"], state.size), 0.0, 0.0, 0.0
                continue
            if kind == "offset":
                across, up = map(float, match["offset"].split())
                line, y = line + across, y + up
                x = line
                continue
            font, scale = self._fonts[name], state.size / 1000
            if run is not None and (run.state, run.face) != (state, font.name):
                yield run
                run = None
            if run is None and font.name in faces and font.font is not None:
                run = Run(state, font.font, font.name)
            for token in content_text.tokens(match[kind]):
                if token[:1] not in b"(<":
                    x -= float(token) * scale
                elif run is not None:
                    x = _extend(run, name, font, token, x, y)
                else:
                    spelling = self._string(name, token)
                    yield Placed(spelling, state, x, y)
                    x += spelling.width * scale
        if run is not None:
            yield run

    def _string(self, name: str, token: bytes) -> Spelling:
        """Return the codes for a string in an embedded font."""
        found = self._strings.get((name, token))
        if found is None:
            font, string = self._fonts[name], content_text.string(token)
            width = sum(map(font.widths.__getitem__, font.codes_of(string)))
            if font.font is None:
                parts = [Part(name, ANY if font.length == 1 and not string.strip(b" ") else KEEP, string)]
            else:
                segments = font.segments(string)
                parts = [Part(name if subset == KEEP else font.font, subset, codes) for subset, codes in segments]
            found = self._strings[name, token] = Spelling(tuple(parts), width)
        return found

    def _recognised(self, run: Run) -> Iterator[Placed]:
        """Yield the words that the glyphs of a run show."""
        glossary = self._glossary(run)
        pairs = zip_longest(run.glyphs, run.glyphs[1:])
        drawn = [glyph for glyph, after in pairs if not _is_silent(run, glyph, after)]
        glyphs = tuple(glossary.canonical(glyph.glyph) for glyph in drawn)
        start, scale = 0, run.state.size / 1000
        while start < len(drawn):
            first, entry = drawn[start], glossary.match(glyphs, start)
            if entry is None:
                yield Placed(self._alone(first), run.state, first.x, first.y)
                start += 1
                continue
            end = start + len(entry.glyphs)
            spelling = self._spelling(run, entry, entry.spacing([glyph.x / scale for glyph in drawn[start:end]]))
            across, up = spelling.offset
            yield Placed(spelling, run.state, first.x - across * scale, first.y - up * scale)
            start = end

    def _alone(self, drawn: Drawn) -> Spelling:
        """Return the fixed code of a glyph that is not part of a word, or else its code in the embedded font."""
        code = drawn.code.to_bytes(self._fonts[drawn.name].length)
        return self._string(drawn.name, b"<%b>" % code.hex().encode())

    def _glossary(self, run: Run) -> Glossary:
        if run.face not in self._glossaries:
            self._glossaries[run.face] = Glossary(run.font, run.face, self._vocabulary)
        return self._glossaries[run.face]

    def _spelling(self, run: Run, entry: Entry, spacing: int) -> Spelling:
        """Return the codes that show a word or a part of it, with some letter-spacing."""
        key = run.face, entry.glyphs, spacing
        if key not in self._spellings:
            clusters = entry.clusters
            glyphs: Iterable[Glyph | Form] = [glyph for cluster in clusters for glyph in cluster.shown]
            # The glyphs that were drawn up to each code: all those of a cluster up to its last code.
            counts = [n for cluster in clusters for n in (*[0] * (len(cluster.shown) - 1), len(cluster.glyphs))]
            if clusters[0].is_rtl:
                glyphs = run.font.in_one_subset(glyphs)
            parts, total = [], 0.0
            for glyph, count in zip(glyphs, counts, strict=True):
                subset, code, advance, width = self._coded(run.font, glyph)
                advance += count * spacing
                parts.append(Part(run.font, subset, bytes((code,))))
                if abs(width - advance) > CLOSE:
                    parts.append(Part(run.font, subset, width - advance))
                total += advance
            offset = next(cluster.offset for cluster in clusters if cluster.glyphs)
            self._spellings[key] = Spelling(tuple(parts), total, offset)
        return self._spellings[key]

    def _coded(self, font: ShapedFont, glyph: Glyph | Form) -> tuple[int, int, float, float]:
        """Return the subset and the code of a glyph, its advance and the width of the code."""
        if isinstance(glyph, Form):
            width = glyph.advance * font.unit
            return *font.place(self._subsets.use_in(font), glyph), width, width
        return glyph.subset, glyph.code, glyph.advance, glyph.width


def _extend(run: Run, name: str, font: EmbeddedFont, token: bytes, x: float, y: float) -> float:
    """Add the glyphs of a string to a run; return the place behind them."""
    widths, glyphs, scale = font.widths, font.glyphs, run.state.size / 1000
    for code in font.codes_of(content_text.string(token)):
        run.glyphs.append(Drawn(name, code, glyphs.get(code, 0), x, y))
        x += widths[code] * scale
    return x


def _is_silent(run: Run, drawn: Drawn, after: Drawn | None) -> bool:
    """Whether a glyph is the space that HarfBuzz draws for a character without a glyph."""
    if after is None or run.font.text_of(drawn.glyph) != " ":
        return False
    is_narrow = abs(after.x - drawn.x) * 1000 < _NARROW * run.state.size
    return is_narrow and after.y == drawn.y
