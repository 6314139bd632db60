"""A large style sheet in pieces of whole rules, so that it is never parsed into one large list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

PIECE: Final = 128 * 1024
"""The length from which a piece ends with the next rule, in characters."""

LONGEST_PIECE: Final = 2 * 1024 * 1024
"""The length at which a piece ends in the middle of a rule. A rule can be long because of images in ``data:`` URLs."""

READ: Final = 4 * 1024 * 1024
"""The total length of the pieces that are read of one sheet, or of all STYLE elements of a page, in characters. Pieces
without references do not count."""

_REFERRING_RE: Final = re.compile(r"@import|url\(|image-set\(|\\", re.IGNORECASE)
_MENTION_RE: Final = re.compile(r"url\(|@import\s{0,50}[\"']", re.IGNORECASE)
_LONGEST_MENTION: Final = 60
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
# What may contain brackets that are none: comments, strings, escapes and url() without quotes.
_TOKEN_RE: Final = re.compile(
    r"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|\\.|url\(\s*+(?!["'])[^)\\]*+\)?|[(\[{)\]}]""",
    re.DOTALL | re.IGNORECASE,
)


class Pieces:
    """The pieces of a large style sheet that may contain references, up to a total length."""

    def __init__(self, text: str, read: int = 0) -> None:
        self._text = text
        self.read = read
        """The total length of the pieces that were read, with those of earlier sheets."""

        self.end = 0
        """The offset behind the last piece."""

        self.may_skip = False
        """Whether pieces without references are skipped. They must not be before the first rule, which ends imports."""

        self.is_cut = False
        """True if the sheet has more than was read."""

    def __iter__(self) -> Iterator[str]:
        for piece in pieces(self._text):
            self.end += len(piece)
            if self.may_skip and _REFERRING_RE.search(piece) is None:
                continue
            self.read += len(piece)
            if self.read > READ:
                self.is_cut = True
                return
            yield piece


def mentions(text: str, start: int = 0) -> int:
    """Return how many references a style sheet has from an offset on, without parsing it: comments count as well.

    The text is searched in steps, because no other thread can run during a step.
    """
    count = 0
    for begin in range(start, len(text), PIECE):
        end = begin + PIECE
        found = _MENTION_RE.finditer(text, begin, end + _LONGEST_MENTION)
        count += sum(match.start() < end for match in found)
    return count


def pieces(text: str) -> Iterator[str]:
    """Yield a style sheet in pieces that end with a rule; together they are the sheet."""
    start = 0
    if len(text) > PIECE:
        for end in _ends_of_rules(text):
            if end - start >= PIECE:
                yield from _cut(text[start:end])
                start = end
    yield from _cut(text[start:])


def _cut(piece: str) -> Iterator[str]:
    for start in range(0, max(len(piece), 1), LONGEST_PIECE):
        yield piece[start : start + LONGEST_PIECE]


def _ends_of_rules(text: str) -> Iterator[int]:
    """Yield the offsets behind the blocks of the rules that are in no other rule."""
    expected: list[str] = []
    for token in _TOKEN_RE.finditer(text):
        bracket = token[0]
        if bracket in _CLOSING:
            expected.append(_CLOSING[bracket])
        elif expected and bracket == expected[-1]:
            expected.pop()
            if bracket == "}" and not expected:
                yield token.end()
