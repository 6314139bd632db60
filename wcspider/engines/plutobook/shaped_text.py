"""Text objects (9.4) with shaped text, set again: each glyph is taken from its place and shown with its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from wcspider.engines.plutobook import content_text
from wcspider.engines.plutobook.clusters import Glossary
from wcspider.engines.plutobook.codes import ANY, KEEP, Recoding
from wcspider.engines.plutobook.content_text import Shown
from wcspider.engines.plutobook.font_objects import FontObjects
from wcspider.engines.text.glyph_outlines import Form
from wcspider.engines.text.shaping import Cluster, Glyph, ShapedFont

_CLOSE = 0.5
"""How far a glyph may be from its place, in thousandths of the font size."""

_NARROW = 20
"""The largest advance of a space that stands for a character without a glyph, in thousandths of the font size."""


@dataclass(slots=True)
class Drawn:
    """A glyph where cairo drew it. Lengths are in text space (9.4.4)."""

    recoding: Recoding
    code: int
    matrix: bytes
    size: float
    x: float
    y: float
    width: float


@dataclass(slots=True)
class Placed:
    """A code to show, in a font with a resource name."""

    font: str
    codes: bytes
    drawn: Drawn
    x: float
    y: float
    width: float


def drawn_glyphs(operators: bytes, recodings: dict[str, Recoding]) -> list[Drawn] | None:
    """Return the glyphs of a text object; None if it has an operator that is not known."""
    if content_text.OPERATOR.sub(b"", operators).strip():
        return None
    found: list[Drawn] = []
    matrix, x, y, line = b"1 0 0 1 0 0", 0.0, 0.0, 0.0
    recoding, size, step = None, 1.0, 1
    for match in content_text.OPERATOR.finditer(operators):
        kind = match.lastgroup
        if kind == "size":
            recoding, size = recodings[match["font"].decode()], float(match["size"])
            step = 1 if recoding.embedded.is_simple else 2
        elif kind == "matrix":
            matrix, x, y, line = match["matrix"], 0.0, 0.0, 0.0
        elif kind == "offset":
            across, up = map(float, match["offset"].split())
            line, y = line + across, y + up
            x = line
        elif recoding is not None:
            for token in content_text.tokens(match[kind]):
                if token[:1] not in b"(<":
                    x -= float(token) / 1000 * size
                    continue
                codes = content_text.string(token)
                for place in range(0, len(codes), step):
                    code = int.from_bytes(codes[place : place + step])
                    width = recoding.embedded.widths.get(code, 0.0) / 1000 * size
                    found.append(Drawn(recoding, code, matrix, size, x, y, width))
                    x += width
    return found


class ShapedText:
    """Sets the text objects of one document that have shaped text."""

    def __init__(self, subsets: FontObjects, words: list[str]) -> None:
        self._subsets = subsets
        self._words = words
        self._glossaries: dict[str, Glossary] = {}

    def set_again(self, drawn: list[Drawn], names: Callable[[Recoding], str]) -> tuple[bytes, set[str]]:
        """Return the operators that show the glyphs with their texts, and the resource names of the fonts."""
        placed: list[Placed] = []
        for (name, _, _), group in groupby(drawn, lambda d: (d.recoding.embedded.name, d.matrix, d.size)):
            members = list(group)
            font = members[0].recoding.font
            if isinstance(font, ShapedFont) and any(member.recoding.is_shaped for member in members):
                placed.extend(self._shaped(font, self._glossary(font, name), members, names))
            else:
                placed.extend(self._plain(member, names) for member in members)
        return b"".join(_written(placed)), {code.font for code in placed}

    def _glossary(self, font: ShapedFont, name: str) -> Glossary:
        if name not in self._glossaries:
            self._glossaries[name] = Glossary(font, name, self._words)
        return self._glossaries[name]

    def _shaped(
        self, font: ShapedFont, glossary: Glossary, members: list[Drawn], names: Callable[[Recoding], str]
    ) -> Iterator[Placed]:
        shown = [drawn for drawn, after in zip(members, [*members[1:], None], strict=True) if not _is_silent(drawn, after)]
        glyphs = [glossary.canonical(drawn.recoding.glyphs.get(drawn.code, 0)) for drawn in shown]
        start = 0
        while start < len(shown):
            match = glossary.match(glyphs, start)
            if match is None:
                yield self._plain(shown[start], names)
                start += 1
            else:
                yield from self._clusters(font, match.clusters, shown[start])
                start += match.length

    def _plain(self, drawn: Drawn, names: Callable[[Recoding], str]) -> Placed:
        """Show a glyph with its fixed code, or else in the embedded font."""
        recoding = drawn.recoding
        subset, code = recoding.codes.get(drawn.code, (KEEP, 0))
        if subset == KEEP or recoding.font is None:
            codes = drawn.code.to_bytes(1 if recoding.embedded.is_simple else 2)
            return Placed(names(recoding), codes, drawn, drawn.x, drawn.y, drawn.width)
        name = self._subsets.use(recoding.font, recoding.home if subset == ANY else subset)
        return Placed(name, bytes((code,)), drawn, drawn.x, drawn.y, drawn.width)

    def _clusters(self, font: ShapedFont, clusters: Iterable[Cluster], drawn: Drawn) -> Iterator[Placed]:
        """Show clusters from the place of their first glyph on."""
        found = list(clusters)
        scale = drawn.size / 1000
        first = next(cluster for cluster in found if cluster.glyphs)
        x, y = drawn.x - first.offset[0] * scale, drawn.y - first.offset[1] * scale
        glyphs: Iterable[Glyph | Form] = [glyph for cluster in found for glyph in cluster.shown]
        for glyph in font.in_one_subset(glyphs) if found[0].is_rtl else glyphs:
            if isinstance(glyph, Form):
                subset, code = font.place_in(self._subsets.state_of(font), glyph)
                advance = width = glyph.advance * font.unit
            else:
                subset, code, advance, width = glyph.subset, glyph.code, glyph.advance, glyph.width
            name = self._subsets.use(font, max(subset, 0))
            yield Placed(name, bytes((code,)), drawn, x, y, width * scale)
            x += advance * scale


def _is_silent(drawn: Drawn, after: Drawn | None) -> bool:
    """Whether a glyph is the space that HarfBuzz draws for a character without a glyph."""
    font = drawn.recoding.font
    return (
        after is not None
        and isinstance(font, ShapedFont)
        and font.text_of(drawn.recoding.glyphs.get(drawn.code, 0)) == " "
        and abs(after.x - drawn.x) * 1000 < _NARROW * drawn.size
        and after.y == drawn.y
    )


def _written(placed: Iterable[Placed]) -> Iterator[bytes]:
    """Yield the operators that show codes, each at its place."""
    matrix, font, size = b"", "", 0.0
    line = (0.0, 0.0)
    pen: float = 0.0
    shown: list[Shown] = []
    for code in placed:
        drawn = code.drawn
        is_new = drawn.matrix != matrix or abs(code.y - line[1]) > 1e-4 * drawn.size
        if is_new or (code.font, drawn.size) != (font, size):
            if shown:
                yield content_text.array(shown)
            shown = []
        if drawn.matrix != matrix:
            yield drawn.matrix + b" Tm\n"
            matrix, line, pen = drawn.matrix, (0.0, 0.0), 0.0
        if (code.font, drawn.size) != (font, size):
            font, size = code.font, drawn.size
            yield b"/" + font.encode() + b" " + content_text.number(size) + b"Tf\n"
        if abs(code.y - line[1]) > 1e-4 * size:
            yield content_text.number(code.x - line[0], 5) + content_text.number(code.y - line[1], 5) + b"Td\n"
            line, pen = (code.x, code.y), code.x
        excess = (pen - code.x) * 1000 / size
        if abs(excess) > _CLOSE:
            shown.append(excess)
            pen = code.x
        if shown and isinstance(shown[-1], bytes):
            shown[-1] += code.codes
        else:
            shown.append(code.codes)
        pen += code.width
    if shown:
        yield content_text.array(shown)
