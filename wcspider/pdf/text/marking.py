"""The content of a page or form XObject, with marks around content that has an ActualText (ISO 32000-1, 14.9.4).

The marks have a number and replace all other marks. Text with an ActualText is kept, because its position among the
words of the page is needed. A picture becomes a glyph, because PDFium does not report the position of pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pikepdf
from pikepdf import (
    Array,
    ContentStreamInlineImage,
    ContentStreamInstruction,
    Dictionary,
    Matrix,
    Name,
    Operator,
    String,
)

from wcspider.pdf.text.glyphs import Recoding
from wcspider.pdf.text.page_resources import FONTS, FORMS, PROPERTIES, STATES, font_of_state, is_form, named
from wcspider.pdf.text.structure import Replacement, Structure

MARK = "/WCSP"
"""The tag of wcspider's marked content. Its property list contains the number of the replacement."""

NUMBER = "N"
GLYPH_FONT = "/WCSP"
"""The name of a font whose glyph A is one em wide."""

Instruction: TypeAlias = ContentStreamInstruction | ContentStreamInlineImage

_SHOWING = frozenset({"Tj", "TJ", "'", '"'})
_PAINTING = frozenset({"f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "sh"})
_PATH = frozenset({"m", "l", "c", "v", "y", "re"})
_PICTURE = frozenset({"Do", "INLINE IMAGE"})
_OPENING = frozenset({"BMC", "BDC"})
_MARKS = frozenset({"BMC", "BDC", "EMC", "MP", "DP"})


@dataclass(slots=True)
class Marker:
    """A writer of marked contents. The contents of one page share the list of replacements."""

    structure: Structure
    recoding: Callable[[pikepdf.Object], Recoding | None]
    """Returns the codes that replace those of a font."""

    replacements: list[Replacement] = field(default_factory=list)
    """By the number in the marks."""

    def content(self, owner: pikepdf.Object, source: pikepdf.Object | pikepdf.Page, resources: Any) -> bytes:
        """Return the content of a page or form XObject with marks; pikepdf parses `source`, a view of `owner`."""
        by_mcid = self.structure.replacements(owner)
        out: list[Instruction] = []
        sequence: list[Instruction] = []
        replacement: Replacement | None = None
        depth = 0
        for instruction in self._recoded(pikepdf.parse_content_stream(source), resources):
            operator = str(instruction.operator)
            if replacement is None:
                if operator == "BDC":
                    replacement = _replacement(_last(instruction), resources, by_mcid)
                    depth = 1
                elif operator == "Do":
                    out += self._drawn(instruction, resources)
                elif operator not in _MARKS:
                    out.append(instruction)
                continue
            depth += (operator in _OPENING) - (operator == "EMC")
            if not depth:
                out += self._marked(replacement, _replaced(sequence, resources))
                replacement, sequence = None, []
            elif operator not in _MARKS:
                sequence.append(instruction)
        if replacement is not None:
            out += self._marked(replacement, _replaced(sequence, resources))
        return pikepdf.unparse_content_stream(out)

    def _drawn(self, instruction: Instruction, resources: Any) -> Iterable[Instruction]:
        """Return the instructions that draw an XObject, or a marked glyph if it has an ActualText as a whole."""
        drawn = named(resources, FORMS, _last(instruction))
        replacement = None if drawn is None else self.structure.replacement(drawn)
        return [instruction] if replacement is None else self._marked(replacement, _glyph(_box(drawn)))

    def _marked(self, replacement: Replacement, content: Iterable[Instruction]) -> Iterator[Instruction]:
        number = len(self.replacements)
        self.replacements.append(replacement)
        yield _instruction("BDC", Name(MARK), Dictionary({f"/{NUMBER}": number}))
        yield from content
        yield _instruction("EMC")

    def _recoded(self, instructions: Iterable[Instruction], resources: Any) -> Iterator[Instruction]:
        """Yield instructions with the strings that they show converted to the new codes of the fonts."""
        recoding: Recoding | None = None
        saved: list[Recoding | None] = []
        for instruction in instructions:
            operator = str(instruction.operator)
            if operator == "q":
                saved.append(recoding)
            elif operator == "Q" and saved:
                recoding = saved.pop()
            elif operator == "Tf" and len(instruction.operands):
                font = named(resources, FONTS, instruction.operands[0])
                recoding = None if font is None else self.recoding(font)
            elif operator == "gs":
                font = font_of_state(named(resources, STATES, _last(instruction)))
                recoding = recoding if font is None else self.recoding(font)
            if recoding is not None and operator in _SHOWING and len(instruction.operands):
                *others, shown = instruction.operands
                yield _instruction(operator, *others, _recoded(shown, recoding))
            else:
                yield instruction


# Marks


def _replacement(properties: Any, resources: Any, by_mcid: dict[int, Replacement]) -> Replacement | None:
    """Return the ActualText of a marked-content sequence: that of its structure element, or else its own."""
    if isinstance(properties, Name):
        properties = named(resources, PROPERTIES, properties)
    if not isinstance(properties, Dictionary):
        return None
    mcid: Any = properties.get("/MCID")
    if isinstance(mcid, int) and mcid in by_mcid:
        return by_mcid[mcid]
    text = properties.get("/ActualText")
    return Replacement(str(text)) if isinstance(text, String) else None


def _replaced(sequence: Sequence[Instruction], resources: Any) -> Iterator[Instruction]:
    """Yield a sequence without pictures. If it shows no text, the first picture or path becomes a glyph."""
    is_placed = any(str(entry.operator) in _SHOWING and _shows(_last(entry)) for entry in sequence)
    path: list[tuple[float, float]] = []
    for entry in sequence:
        operator = str(entry.operator)
        if operator in _PATH:
            path += _points(entry)
        if operator not in _PICTURE:
            yield entry
        if not is_placed and operator in _PICTURE | _PAINTING:
            is_placed = True
            drawn = named(resources, FORMS, _last(entry)) if operator == "Do" else None
            yield from _glyph(_around(path) if operator in _PAINTING else _box(drawn))


# Positions


def _glyph(place: Matrix) -> Iterator[Instruction]:
    """Yield the instructions that show a glyph of the size of the unit square, transformed by ``place``."""
    yield _instruction("q")
    yield _instruction("cm", *place.shorthand)
    yield _instruction("BT")
    for operator, value in (("Tc", 0), ("Tw", 0), ("Tz", 100), ("Ts", 0)):
        yield _instruction(operator, value)
    yield _instruction("Tf", Name(GLYPH_FONT), 1)
    yield _instruction("Tj", String("A"))
    yield _instruction("ET")
    yield _instruction("Q")


def _box(drawn: pikepdf.Object | None) -> Matrix:
    """Return the area of an XObject: the BBox of a form (8.10.1), or the unit square."""
    if drawn is None or not is_form(drawn):
        return Matrix()
    left, bottom, right, top = _numbers(drawn.BBox)
    box = _around([(left, bottom), (right, top)])
    return box @ Matrix(*_numbers(drawn.Matrix)) if "/Matrix" in drawn else box


def _around(points: Sequence[tuple[float, float]]) -> Matrix:
    """Return the bounding box of points, at least one unit wide and high."""
    if not points:
        return Matrix()
    (left, right), (bottom, top) = ((min(axis), max(axis)) for axis in zip(*points, strict=True))
    return Matrix(max(right - left, 1), 0, 0, max(top - bottom, 1), left, bottom)


def _points(instruction: Instruction) -> Iterator[tuple[float, float]]:
    numbers = _numbers(instruction.operands)
    if str(instruction.operator) == "re" and len(numbers) == 4:
        x, y, width, height = numbers
        numbers = [x, y, x + width, y + height]
    yield from zip(numbers[::2], numbers[1::2], strict=False)


def _numbers(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values]


# Instructions


def _instruction(operator: str, *operands: Any) -> ContentStreamInstruction:
    return ContentStreamInstruction(list(operands), Operator(operator))


def _last(instruction: Instruction) -> Any:
    """Return the last operand, the significant one of most operators."""
    return instruction.operands[-1] if len(instruction.operands) else None


def _shows(shown: Any) -> bool:
    """Return whether an operand, a string or an array with strings, contains any text."""
    parts = shown if isinstance(shown, Array) else [shown]
    return any(isinstance(part, String) and bytes(part) for part in parts)


def _recoded(shown: Any, recoding: Recoding) -> Any:
    if isinstance(shown, Array):
        return Array([_recoded(part, recoding) for part in shown])
    return String(recoding.recoded(bytes(shown))) if isinstance(shown, String) else shown
