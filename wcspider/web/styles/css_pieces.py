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
"""The total length of the pieces of one sheet that are read, in characters; pieces without references do not count."""

_REFERRING_RE: Final = re.compile(r"@import|url\(|image-set\(|\\", re.IGNORECASE)
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
# What may contain brackets that are none: comments, strings, escapes and url() without quotes.
_TOKEN_RE: Final = re.compile(
    r"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|\\.|url\(\s*+(?!["'])[^)\\]*+\)?|[(\[{)\]}]""",
    re.DOTALL | re.IGNORECASE,
)


class Pieces:
    """The pieces of a large style sheet that may contain references, up to a total length."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.is_cut = False
        """True if the sheet has more than was read."""

        self.has_passed = False
        """True if a piece was passed over. It had a rule, so that no import is valid behind it."""

    def __iter__(self) -> Iterator[str]:
        read = 0
        for piece in pieces(self._text):
            if _REFERRING_RE.search(piece) is None:
                self.has_passed = True
                continue
            read += len(piece)
            if read > READ:
                self.is_cut = True
                return
            yield piece


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
