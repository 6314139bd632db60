"""The words that differ between two texts."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.archive.query.text_changes import (
    MAX_LINES,
    MAX_WORDS,
    Line,
    PieceKind,
    _common_pairs,
    compare_texts,
    compare_words,
    longest_non_decreasing,
)

EQUAL, REMOVED, ADDED = PieceKind
SIGNS = {EQUAL: "", REMOVED: "-", ADDED: "+"}


def lines(text: str, page: int = 1) -> list[Line]:
    """The lines of a text on one page."""
    return [Line(page, line) for line in text.split("\n")]


def shown(old: str, new: str) -> list[list[str]]:
    """The differences of two texts: the pieces of each, with a sign in front of removed and added ones."""
    found = compare_texts(lines(old), lines(new))
    assert not found.is_cut
    return [[SIGNS[piece.kind] + piece.text for piece in change.pieces] for change in found.changes]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("one\ntwo", "one\ntwo", []),
        ("one  two", "one two", []),  # space between words does not count
        ("one\n\ntwo", "one\ntwo", []),
        ("Pears 2\nApples 3 4.50\nPlums", "Pears 2\nApples 3 4.75\nPlums", [["Apples 3", "-4.50", "+4.75"]]),
        ("one\ntwo\nthree", "one\nthree", [["-two"]]),
        ("one\nthree", "one\nnew line\nthree", [["+new line"]]),
        ("", "a\nb", [["+a\nb"]]),
        # a word moves the ends of all later lines of a paragraph
        ("a b c\nd e f\ng h i", "a X b\nc d e\nf g h\ni", [["a", "+X", "b c d e f g h i"]]),
        ("a b c\nd e f", "a b\nc d\ne f", []),
        ("a well-\nknown word", "a well-known\nword", []),  # the same word, divided at the end of a line
        ("a - b", "a -\nb", []),  # a hyphen that stands alone divides no word
        # nothing in common: whole lines one after the other
        ("sun moon stars\nheaven", "red green blue\nyellow", [["-sun moon stars\nheaven", "+red green blue\nyellow"]]),
        ("Café", "Caf\ufffd", [["-Café", "+Caf\ufffd"]]),
        # the same line many times: the number of them differs
        ("x\nx\nx", "x\nx", [["-x"]]),
        # one equal line between differing lines is shown with them, two are not
        ("1 a\nkept\n2 b", "1 z\nkept\n2 y", [["1", "-a", "+z", "kept 2", "-b", "+y"]]),
        ("1 a\nm\nn\n3 c", "1 z\nm\nn\n3 x", [["1", "-a", "+z"], ["3", "-c", "+x"]]),
    ],
)  # fmt: skip
def test_differences(old: str, new: str, expected: list[list[str]]) -> None:
    assert shown(old, new) == expected


def test_pages_of_a_difference() -> None:
    before = [*lines("one", 3), *lines("two", 4)]
    after = [*lines("one", 7), *lines("other two and", 9)]
    assert [change.pages for change in compare_texts(before, after).changes] == [(4, 9)]
    assert [change.pages for change in compare_texts(before, before[:1]).changes] == [(4, None)]


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "-", "e-", "\n"]), max_size=40).map(" ".join)


def _words(text: str) -> str:
    """A text without space and line ends, which a comparison may set anew."""
    return "".join(text.split())


@given(WORDS, WORDS)
def test_differences_lead_from_one_text_to_the_other(old: str, new: str) -> None:
    found = compare_texts(lines(old), lines(new))
    assert not found.is_cut
    removed, added = (
        _words("".join(piece.text for change in found.changes for piece in change.pieces if piece.kind is not other))
        for other in (ADDED, REMOVED)
    )
    assert len(_words(old)) - len(removed) == len(_words(new)) - len(added)
    assert found.changes or _words(old) == _words(new)
    assert compare_texts(lines(old), lines(old)).changes == ()


@given(WORDS, WORDS)
def test_titles_keep_their_words(old: str, new: str) -> None:
    pieces = compare_words(" ".join(old.split()), " ".join(new.split()))
    assert _words("".join(piece.text for piece in pieces if piece.kind is not ADDED)) == _words(old)
    assert _words("".join(piece.text for piece in pieces if piece.kind is not REMOVED)) == _words(new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n".join(map(str, range(MAX_LINES + 1))), "1"),
        (" ".join("ab"[at % 2] for at in range(MAX_WORDS + 1)), "c"),
    ],
    ids=["lines", "words"],
)
def test_long_texts_are_cut(old: str, new: str) -> None:
    found = compare_texts(lines(old), lines(new))
    assert found.is_cut
    assert found.changes


def test_a_text_without_a_word_that_occurs_once_is_compared_completely() -> None:
    old = [" ".join("ab"[(line + at) % 2] for at in range(11)) for line in range(10)]
    assert shown("\n".join(old), "Log in") == [["-" + "\n".join(old), "+Log in"]]
    [pieces] = shown(f"x {'a b ' * 200}y", f"x {'a b ' * 100}c {'a b ' * 100}y")
    assert [piece for piece in pieces if piece[0] in "-+"] == ["+c"]
    lines_of = [["ab"[at % 2] for at in range(400)], ["bca"[at % 3] for at in range(600)]]
    found = compare_texts(*([Line(1, line) for line in side] for side in lines_of))
    assert not found.is_cut
    assert any(piece.kind is EQUAL for change in found.changes for piece in change.pieces)


def _length_of_common(old: str, new: str) -> int:
    """The length of a longest common subsequence, by the table."""
    row = [0] * (len(new) + 1)
    for element in old:
        before, row = row, [0]
        for at, other in enumerate(new):
            row.append(before[at] + 1 if element == other else max(before[at + 1], row[at]))
    return row[-1]


@given(st.text("abcd", max_size=90), st.text("abcd", max_size=90))
def test_common_pairs_are_as_many_as_possible(old: str, new: str) -> None:
    pairs = _common_pairs(old, new)
    assert all(old[at] == new[new_at] for at, new_at in pairs)
    assert all(at < later and new_at < new_later for (at, new_at), (later, new_later) in pairwise(pairs))
    assert len(pairs) == _length_of_common(old, new)


def test_a_change_in_a_long_text_is_found() -> None:
    old = [f"line {at} of the text" for at in range(MAX_LINES)]
    new = [*old[:3000], "a new line", *old[3000:-1]]
    found = compare_texts([Line(1, text) for text in old], [Line(1, text) for text in new])
    assert [piece.text for change in found.changes for piece in change.pieces] == ["a new line", old[-1]]


@given(st.lists(st.integers(0, 6), max_size=9))
def test_a_longest_non_decreasing_is_one(numbers: list[int]) -> None:
    indices = sorted(longest_non_decreasing(numbers))
    rise = [numbers[index] for index in indices]
    assert rise == sorted(rise)
    longer = combinations(numbers, len(rise) + 1)
    assert not any(list(other) == sorted(other) for other in longer)
