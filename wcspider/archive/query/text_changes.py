"""The comparison of two texts: the lines that differ, with the words that were added and removed.

Lines of a PDF page end where the layout ends them. A word that is inserted into a paragraph moves the ends of all later
lines, although their words stay the same. So differing lines are joined, and then their words are compared.

Lines (or words) that occur once in each text are paired first, because they show best which parts belong together.
Between two pairs, a longest common subsequence is found with the bits of integers. `difflib` can take the cube of the
length of a text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

MAX_LINES = 5_000
"""The number of lines of a page set that are compared."""

MAX_WORDS = 5_000
"""The number of words of differing lines that are compared; more words count as replaced."""

NEAR = 1
"""The number of equal lines between differing lines that are compared together with them."""

LEAST_EQUAL = 0.3
"""The share of equal words below which two stretches of text are shown one after the other."""


class PieceKind(StrEnum):
    """The kind of a piece of text."""

    EQUAL = "equal"
    REMOVED = "removed"
    ADDED = "added"


class Line(NamedTuple):
    """A line of text on a PDF page."""

    page: int
    """The number of the page, from 1."""

    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive words of one kind. Lines are kept apart by a line feed where whole lines differ."""

    kind: PieceKind
    text: str


@dataclass(frozen=True, slots=True)
class TextChange:
    """Lines that differ."""

    pieces: tuple[Piece, ...]
    pages: tuple[int | None, int | None]
    """The number of the PDF page before and after; None for text that is only on one side."""


@dataclass(frozen=True, slots=True)
class TextChanges:
    """The differences between two texts."""

    changes: tuple[TextChange, ...] = ()
    is_cut: bool = False
    """Whether the texts were too long to be compared completely."""


class _Stretch(NamedTuple):
    """Elements of two sequences that differ."""

    start: int
    end: int
    new_start: int
    new_end: int


def compare_texts(old: Sequence[Line], new: Sequence[Line]) -> TextChanges:
    """Return the lines that differ between two texts."""
    before, after = _without_space(old[:MAX_LINES]), _without_space(new[:MAX_LINES])
    is_cut = len(old) > MAX_LINES or len(new) > MAX_LINES
    changes = []
    for stretch in _joined(_differing([line.text for line in before], [line.text for line in after])):
        lines = before[stretch.start : stretch.end], after[stretch.new_start : stretch.new_end]
        pieces, is_long = _compared(*lines)
        is_cut |= is_long
        if any(piece.kind is not PieceKind.EQUAL for piece in pieces):
            pages = tuple(side[0].page if side else None for side in lines)
            changes.append(TextChange(pieces, (pages[0], pages[1])))
    return TextChanges(tuple(changes), is_cut)


def compare_words(old: str, new: str) -> tuple[Piece, ...]:
    """Return the words of two short texts, such as titles, as pieces."""
    return _compared(_without_space([Line(0, old)]), _without_space([Line(0, new)]))[0]


def _without_space(lines: Sequence[Line]) -> list[Line]:
    """Return lines with single spaces between words, without empty lines."""
    return [Line(line.page, text) for line in lines if (text := " ".join(line.text.split()))]


def _compared(before: Sequence[Line], after: Sequence[Line]) -> tuple[tuple[Piece, ...], bool]:
    """Return the pieces of differing lines, and whether they were too long to be compared."""
    old, new = _words(before), _words(after)
    if len(old) > MAX_WORDS or len(new) > MAX_WORDS:
        return _replaced(before, after), True
    stretches = list(_differing(old, new))
    equal = len(old) - sum(stretch.end - stretch.start for stretch in stretches)
    if (stretches and equal < LEAST_EQUAL * min(len(old), len(new))) or not old or not new:
        return _replaced(before, after), False
    return tuple(_pieces(old, new, stretches)), False


def _words(lines: Sequence[Line]) -> list[str]:
    """Return the words of lines. A word that is divided by a hyphen at the end of a line is one word."""
    words: list[str] = []
    is_divided = False
    for line in lines:
        first, *others = line.text.split()
        words[-1:] = [words[-1] + first] if is_divided else [*words[-1:], first]
        words += others
        is_divided = words[-1].endswith("-") and words[-1] != "-"
    return words


def _replaced(before: Sequence[Line], after: Sequence[Line]) -> tuple[Piece, ...]:
    """Return lines that have little in common as pieces, one after the other."""
    sides = ((PieceKind.REMOVED, before), (PieceKind.ADDED, after))
    return tuple(Piece(kind, "\n".join(line.text for line in lines)) for kind, lines in sides if lines)


def _pieces(old: Sequence[str], new: Sequence[str], stretches: Sequence[_Stretch]) -> Iterator[Piece]:
    at = 0
    for stretch in stretches:
        words = (
            (PieceKind.EQUAL, old[at : stretch.start]),
            (PieceKind.REMOVED, old[stretch.start : stretch.end]),
            (PieceKind.ADDED, new[stretch.new_start : stretch.new_end]),
        )
        yield from (Piece(kind, " ".join(found)) for kind, found in words if found)
        at = stretch.end
    if old[at:]:
        yield Piece(PieceKind.EQUAL, " ".join(old[at:]))


def _joined(stretches: Iterable[_Stretch]) -> Iterator[_Stretch]:
    """Yield stretches of lines; those with few equal lines between them are one."""
    joined: list[_Stretch] = []
    for stretch in stretches:
        if joined and stretch.start - joined[-1].end <= NEAR:
            last = joined.pop()
            stretch = _Stretch(last.start, stretch.end, last.new_start, stretch.new_end)
        joined.append(stretch)
    yield from joined


# Sequences


def _differing(old: Sequence[str], new: Sequence[str]) -> Iterator[_Stretch]:
    """Yield the stretches in which two sequences differ."""
    for stretch in _between(_unique_pairs(old, new), len(old), len(new)):
        start, end, new_start, new_end = _trimmed(old, new, stretch)
        pairs = _common_pairs(old[start:end], new[new_start:new_end])
        for at, to, new_at, new_to in _between(pairs, end - start, new_end - new_start):
            yield _Stretch(start + at, start + to, new_start + new_at, new_start + new_to)


def _between(pairs: Sequence[tuple[int, int]], old_length: int, new_length: int) -> Iterator[_Stretch]:
    """Yield the stretches between pairs of equal elements, also before the first and after the last pair."""
    for (start, new_start), (end, new_end) in pairwise([(-1, -1), *pairs, (old_length, new_length)]):
        if start + 1 < end or new_start + 1 < new_end:
            yield _Stretch(start + 1, end, new_start + 1, new_end)


def _trimmed(old: Sequence[str], new: Sequence[str], stretch: _Stretch) -> _Stretch:
    """Return a stretch without equal elements at its beginning and end."""
    start, end, new_start, new_end = stretch
    while start < end and new_start < new_end and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return _Stretch(start, end, new_start, new_end)


def _unique_pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the indices of elements that occur once in both sequences, as many as stand in the same order."""
    counts, new_counts = Counter(old), Counter(new)
    at = {element: index for index, element in enumerate(new)}
    pairs = [(i, at[element]) for i, element in enumerate(old) if counts[element] == 1 == new_counts[element]]
    kept = longest_non_decreasing([index for _, index in pairs])
    return [pairs[index] for index in reversed(list(kept))]


def _common_pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the indices of the elements of a longest common subsequence of two sequences.

    The rows of the table of lengths are integers (Hyyrö 2004). A bit of a row is 0 if the element of `new` with its
    number makes the common subsequence longer.

    >>> _common_pairs("abcabba", "cbabac")
    [(2, 0), (4, 1), (5, 3), (6, 4)]
    """
    places: dict[str, int] = {}
    for index, element in enumerate(new):
        places[element] = places.get(element, 0) | 1 << index
    row = every = (1 << len(new)) - 1
    rows = []
    for element in old:
        equal = row & places.get(element, 0)
        row = (row + equal | row - equal) & every
        rows.append(row)
    pairs = []
    at, new_at = len(old) - 1, len(new) - 1
    while at >= 0 and new_at >= 0:
        if old[at] == new[new_at]:
            pairs.append((at, new_at))
            at, new_at = at - 1, new_at - 1
        elif rows[at] >> new_at & 1:
            new_at -= 1
        else:
            at -= 1
    return pairs[::-1]


def longest_non_decreasing(numbers: Sequence[int]) -> Iterator[int]:
    """Yield the indices of a longest non-decreasing subsequence, from the last to the first.

    >>> sorted(longest_non_decreasing([1, 5, 2, 2, 4, 3]))
    [0, 2, 3, 5]
    """
    last_numbers: list[int] = []  # the smallest last number of a subsequence of each length
    last_indices: list[int] = []
    predecessors: list[int | None] = []
    for index, number in enumerate(numbers):
        length = bisect_right(last_numbers, number)
        predecessors.append(last_indices[length - 1] if length else None)
        last_numbers[length : length + 1] = [number]
        last_indices[length : length + 1] = [index]
    last = last_indices[-1] if last_indices else None
    while last is not None:
        yield last
        last = predecessors[last]
