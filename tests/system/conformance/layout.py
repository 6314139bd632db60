"""The legibility of pages: the size of the text, and whether it is outside the page, over other text, cut or invisible.

    python -m tests.system.conformance.layout FILE.pdf

Reads with PDFium, so with none of our code, and prints a line for each line of text that is wrong.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2
from pypdfium2 import raw

SMALLEST = 4.0
"""Below how many points nobody reads text."""

OUTSIDE = 1.0
"""How far the edge of a character may be outside of the page, in points: a slanted letter leans over."""

COVERED = 0.4
"""Which share of a line's height and of a character's width has to be under another to be hard to read."""

ENOUGH = 2
"""How many characters have to lie over others: a mark stands over a letter, a footnote's number touches a word."""

MARGIN = 42.52
"""The margins of the pages in points, by default. Lines that cross them are cut."""

CUT = 1.0
"""By how many points a line has to cross the margin on both sides."""

PIXELS = 3
"""The pixels of a point in the picture in which invisible text is searched for."""

CONTRAST = 24
"""The least difference between the lightest and the darkest pixel of a letter, of 255."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Letter:
    """A character that is shown: its box, of its ink, and the size of its font, both as they are on the page."""

    character: str
    box: Box
    size: float


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with the text of a page."""

    page: int
    """From 1."""

    what: str
    text: str

    def __str__(self) -> str:
        return f"page {self.page}: {self.what}: {self.text[:60]!r}"


def letters(page: pypdfium2.PdfPage) -> list[Letter]:
    """The characters of a page that have ink; those that are not drawn (mode 3) have none."""
    text = page.get_textpage()
    found = []
    matrix = raw.FS_MATRIX()
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    for index in range(text.count_chars()):
        character = chr(raw.FPDFText_GetUnicode(text, index))
        if not character.isprintable() or character.isspace() or raw.FPDFText_IsGenerated(text, index) == 1:
            continue
        raw.FPDFText_GetCharBox(text, index, left, right, bottom, top)
        raw.FPDFText_GetMatrix(text, index, matrix)
        size = raw.FPDFText_GetFontSize(text, index) * math.hypot(matrix.c, matrix.d)
        found.append(Letter(character, (left.value, bottom.value, right.value, top.value), size))
    return found


def findings(document: pypdfium2.PdfDocument, numbers: Sequence[int] = ()) -> Iterator[Finding]:
    """What is wrong with the text of a document, or of some of its pages, which are counted from 1."""
    before: tuple[int, str] = (0, "")
    for number in numbers or range(1, len(document) + 1):
        page = document[number - 1]
        shown = letters(page)
        cut = _crossing(shown, page.get_height() - MARGIN) if before[0] == number - 1 else ""
        if len(cut) >= ENOUGH and cut == before[1]:
            yield Finding(number, "cut by the end of the page before", cut)
        before = number, _crossing(shown, MARGIN)
        for what, wrong in (
            ("smaller than can be read", [letter for letter in shown if letter.size < SMALLEST]),
            ("outside of the page", _outside(shown, page.get_mediabox())),
            ("over other text", _over_others(shown)),
            ("invisible", _invisible(shown, page)),
        ):
            if wrong:
                yield Finding(number, what, "".join(letter.character for letter in wrong))


def _crossing(shown: Sequence[Letter], height: float) -> str:
    """The letters that a horizontal line cuts in two."""
    return "".join(
        letter.character for letter in shown if letter.box[1] < height - CUT and letter.box[3] > height + CUT
    )


def _outside(shown: Sequence[Letter], page: Box) -> list[Letter]:
    left, bottom, right, top = page
    return [
        letter
        for letter in shown
        if letter.box[0] < left - OUTSIDE
        or letter.box[1] < bottom - OUTSIDE
        or letter.box[2] > right + OUTSIDE
        or letter.box[3] > top + OUTSIDE
    ]


def _invisible(shown: Sequence[Letter], page: pypdfium2.PdfPage) -> list[Letter]:
    """The letters whose pixels have one color, if they are enough of them: they are clipped, covered or too pale."""
    picture = page.render(scale=PIXELS).to_pil().convert("L")
    height = page.get_height()
    found = []
    for letter in shown:
        left, bottom, right, top = letter.box
        is_drawn = left >= 0 and right <= page.get_width() and right - left > 1 and top - bottom > 1
        if is_drawn and letter.character.isalnum():
            box = [round(edge * PIXELS) for edge in (left, height - top, right, height - bottom)]
            around = (box[0] - 1, box[1] - 1, box[2] + 1, box[3] + 1)  # an upright line fills its own box
            darkest, lightest = picture.crop(around).getextrema()
            if lightest - darkest < CONTRAST:
                found.append(letter)
    return found if len(found) >= ENOUGH else []


def _over_others(shown: Sequence[Letter]) -> list[Letter]:
    """The letters that cover others, if they are enough of them."""
    places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for index, letter in enumerate(shown):
        for place in _places(letter.box):
            places[place].append(index)
    covering = {
        two
        for indices in places.values()
        for at, one in enumerate(indices)
        for two in indices[at + 1 :]
        if two - one > 1 and _covers(shown[one].box, shown[two].box)
    }
    return [shown[index] for index in sorted(covering)] if len(covering) >= ENOUGH else []


def _places(box: Box) -> Iterator[tuple[int, int]]:
    """The squares of a grid that a box touches."""
    side = 12
    for x in range(int(box[0] // side), int(box[2] // side) + 1):
        for y in range(int(box[1] // side), int(box[3] // side) + 1):
            yield x, y


def _covers(one: Box, other: Box) -> bool:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    wide = min(one[2] - one[0], other[2] - other[0])
    high = min(one[3] - one[1], other[3] - other[1])
    return wide > 0.5 and high > 0.5 and across > COVERED * wide and down > COVERED * high


def main() -> None:
    """Print the faults of files; fail if there is one."""
    wrong = 0
    for path in sys.argv[1:]:
        with pypdfium2.PdfDocument(path) as document:
            for finding in findings(document):
                print(f"{path}: {finding}")
                wrong += 1
    sys.exit(f"{wrong} findings" if wrong else None)


if __name__ == "__main__":
    main()
