"""Words with hyphens, kept on one line (CSS Text 3, 5.1), and words that are too long for a line (5.5).

Programs that extract text remove a hyphen at the end of a line, as if it divided a word.

The scripts of Southeast Asia have no spaces between words. Browsers divide their lines with dictionaries (UAX 14, SA).
PlutoBook has none, so lines may end between syllables, as far as the letters tell.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise
from math import inf
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.headings import RANKS
from wcspider.engines.document.html_trees import BLOCKS, CELLS, change_texts, text_of
from wcspider.engines.plutobook.grid.flex_lines import CELL

LONG: Final = 48
"""The number of letters from which a word may be broken."""

LONG_IN_CELL: Final = 20
"""The number of letters from which a word in a cell of a table, or in a DIV of a single text, may be broken."""

LONG_IN_COLUMN: Final = 12
"""The number of letters from which a word may end a line at its hyphens in a column without room for it."""

LONG_IN_HEADING: Final = 10
"""The number of letters from which a word in a heading may be broken. Its letters are large, and columns are narrow."""

MARK: Final = "data-wcspider-long"
"""The attribute of elements with a word that may be broken: in their own text, or also in the elements inside them."""

_INSIDE: Final = "inside"
"""The value of the attribute if it applies to the elements inside as well."""

_BREAK: Final = "\u200b"
"""A character at which a line may end (UAX 14, ZW). PlutoBook draws no glyph for it."""

_LINE_ENDS: Final = frozenset({"br", "wbr"})
_NARROW: Final = frozenset({*CELLS, *RANKS})
_GRID_CELLS: Final = etree.XPath(f"//*[@{CELL}]")
_LETTERS: Final = r"[!-~\u00a1-\u024f]"
"""Letters of scripts with spaces between words. In other scripts, a line may end between any two letters."""

_NO_BREAK: Final = "\ufeff"
"""A character after which no line ends (UAX 14, WJ). PlutoBook draws no glyph for it, and takes no font for it."""

_NO_BREAK_SPACE: Final = "\u00a0"
_SOFT_HYPHEN: Final = "\u00ad"
"""PlutoBook may end a line at this character, but draws no hyphen."""

_SYLLABIC: Final = re.compile("[\u0e01-\u0fff\u1000-\u109f\u1780-\u17ff]")
"""The scripts whose lines may end between syllables."""

_SYLLABLE_END: Final = re.compile(
    # Thai and Lao: before a vowel that precedes its consonant, or a consonant with a vowel or tone mark
    "(?<=[\u0e01-\u0e3a\u0e45-\u0e5b\u0e81-\u0ebd\u0ec6-\u0edf])"
    "(?=[\u0e40-\u0e44\u0ec0-\u0ec4]"
    "|[\u0e01-\u0e2e\u0e81-\u0eae\u0edc-\u0edf][\u0e30-\u0e3a\u0e47-\u0e4b\u0e4d\u0eb0-\u0ebd\u0ec8-\u0ecb\u0ecd])"
    # Khmer: before a consonant with a vowel, a sign or a subscript, unless it is a subscript itself
    "|(?<=[\u1780-\u17d1\u17d3-\u17dd])(?=[\u1780-\u17b3][\u17b6-\u17d2])"
    # Burmese: before a consonant that neither ends a syllable nor is stacked
    "|(?<=[\u1000-\u1038\u103a-\u109f])(?=[\u1000-\u102a\u103f](?!\u1037?[\u1039\u103a]))"
    # Tibetan: behind a tsheg
    "|(?<=\u0f0b)(?=[\u0f40-\u0fbc])"
)

_WORD: Final = re.compile(rf"(?<!\S)[^\s{_SOFT_HYPHEN}-]*[-{_SOFT_HYPHEN}]\S+")
_HYPHEN: Final = re.compile(r"-(?=\S)")
_EXPRESSION: Final = re.compile(r"\S{24,}")
_PUNCTUATION: Final = re.compile(r"[./,:;=&?|+@([{\\]")
_PART_OF_ADDRESS: Final = re.compile(r"(?<=[^/:])(?=[/.?&=#%_+!,;-])")
_TEXTS: Final = etree.XPath(".//text()")
_LONG_TEXTS: Final = etree.XPath(f"//text()[string-length() >= {LONG}]")
_LONG_TEXTS_IN_CELLS: Final = etree.XPath(
    "|".join(f"//{cell}/{path}[string-length() >= {LONG_IN_CELL}]" for cell in sorted(CELLS)
             for path in ("text()", "*/text()[not(preceding-sibling::node())]"))
)  # fmt: skip
"""The texts of cells and of the elements in them; the texts of further elements inside of these are left out."""

_LONG_WORD: Final = re.compile(f"{_LETTERS}{{{LONG},}}")
_LONG_WORD_IN_HEADING: Final = re.compile(f"{_LETTERS}{{{LONG_IN_HEADING},}}")
_LONG_WORD_IN_CELL: Final = re.compile(f"{_LETTERS}{{{LONG_IN_CELL},}}")


def mark_long_words(root: Any) -> None:
    """Mark the elements whose own text has a long word, so that lines may end inside of words only there.

    PlutoBook breaks each word at the start of an inline element that does not fit on the rest of the line, where
    ``overflow-wrap`` allows it, even if the whole word fits on the next line.
    """
    _mark(_LONG_TEXTS(root), _LONG_WORD)
    _mark(_LONG_TEXTS_IN_CELLS(root), _LONG_WORD_IN_CELL)
    for title in root.iter("div", *RANKS):
        if next(title.iterdescendants(*BLOCKS), None) is not None:
            continue
        texts = list(islice(filter(str.strip, title.itertext(etree.Element)), 2))
        word = _LONG_WORD_IN_HEADING if title.tag in RANKS else _LONG_WORD_IN_CELL
        if len(texts) == 1 and word.search(texts[0]):  # no inline element begins within its lines
            title.set(MARK, _INSIDE)
    for cell in _GRID_CELLS(root):
        least = int(cell.get(CELL)) + 1
        if least < LONG:
            word = re.compile(rf"[!-~\u00a0-\u024f]{{{least},}}")
            if any(_NO_BREAK_SPACE in found for found in word.findall("".join(cell.itertext(etree.Element)))):
                change_texts(cell, _divided_at_spaces)  # rather than inside of a word
            _mark_innermost(cell, word)


def mark_in_small_boxes(wrappers: Iterable[Any], room_in: Callable[[Any], float]) -> None:
    """Mark elements with a word that would cover the next box. `room_in` returns the number of letters with room."""
    for wrapper in wrappers:
        element = wrapper.etree_element
        if max(map(len, text_of(element).split()), default=0) > room_in(wrapper):
            element.set(MARK, _INSIDE)


def divide_code(root: Any) -> None:
    """Let lines of code end behind the punctuation of long expressions, because the columns of a page may be narrow."""
    for pre in root.iter("pre"):
        texts = _TEXTS(pre)
        expressions = [match.span() for match in _EXPRESSION.finditer("".join(texts))]
        at = 0
        for text in texts if expressions else ():
            start, at = at, at + len(text)
            parent, name = text.getparent(), "text" if text.is_text else "tail"
            if any(first < at and last > start for first, last in expressions):
                setattr(parent, name, _divided(text, [(first - start, last - start) for first, last in expressions]))


def _divided(text: str, expressions: Sequence[tuple[int, int]]) -> str:
    """Return a text with places for line breaks behind punctuation inside of expressions."""
    breaks = [m.end() for m in _PUNCTUATION.finditer(text) if any(a < m.end() < b for a, b in expressions)]
    return _BREAK.join(text[a:b] for a, b in pairwise((0, *breaks, len(text))))


def divided_address(url: str, room: float = inf) -> str:
    """Return a URL with places for line breaks before its parts, and anywhere in parts without room, if it is long.

    `room` is the number of letters for which there is room.
    """
    parts = _PART_OF_ADDRESS.split(url) if len(url) >= min(room, LONG) else [url]
    return _BREAK.join(part if len(part) <= max(room, LONG_IN_COLUMN) else _BREAK.join(part) for part in parts)


def _mark_innermost(element: Any, word: re.Pattern[str]) -> None:
    """Mark the innermost elements around each word that would cover the next column.

    A word may begin in one inline element and end in another.
    """
    text, starts, ends = element.text or "", [-1], [(-1, element)]
    for child in element.iterchildren(etree.Element):
        own = _BREAK if child.tag in _LINE_ENDS else "".join(child.itertext(etree.Element))
        starts.append(len(text))
        ends.append((len(text) + len(own), child))
        text += own + (child.tail or "")
    inner: dict[Any, None] = {}
    for match in word.finditer(text):
        end, around = ends[bisect_right(starts, match.start()) - 1]
        if match.end() > end:
            element.set(MARK, _INSIDE)
        else:
            inner[around] = None
    for child in inner:
        _mark_innermost(child, word)


def break_long_words(root: Any) -> None:
    """Allow lines to end anywhere inside the long words of a document, and at its no-break spaces, as in listings."""
    change_texts(root, _broken)


def _divided_at_spaces(text: str, _element: Any) -> str:
    return text.replace(_NO_BREAK_SPACE, _NO_BREAK_SPACE + _BREAK)


def _broken(text: str, element: Any) -> str:
    text = _divided_at_spaces(text, element)
    if len(text) < LONG_IN_CELL:
        return text
    word = _LONG_WORD_IN_CELL if _is_narrow(element) else _LONG_WORD
    return word.sub(lambda match: _BREAK.join(match[0]), text)


def _is_narrow(element: Any) -> bool:
    """Tell whether an element is a heading or a cell of a table, or inside of one."""
    return element.tag in _NARROW or next(element.iterancestors(*_NARROW), None) is not None


def _mark(texts: Iterable[Any], word: re.Pattern[str]) -> None:
    """Mark the elements of the texts that have a certain word."""
    for text in texts:
        if word.search(text):
            element = text.getparent()
            (element.getparent() if text.is_tail else element).set(MARK, "")


def keep_whole(body: Any, room_in: Callable[[Any], float] = lambda _: LONG) -> None:
    """Keep the words of an element on one line, except for long words, and words in scripts without spaces.

    `room_in` returns the number of letters for which there is room in an element.
    """
    change_texts(body, lambda text, element: _kept(text, element, room_in))


def _kept(text: str, element: Any, room_in: Callable[[Any], float]) -> str:
    if "-" in text or _SOFT_HYPHEN in text:
        text = _WORD.sub(lambda match: match[0] if _is_long(match[0], element, room_in) else _joined(match[0]), text)
    return _SYLLABLE_END.sub(_BREAK, text) if not text.isascii() and _SYLLABIC.search(text) else text


def _is_long(word: str, element: Any, room_in: Callable[[Any], float]) -> bool:
    size = len(word)
    if size < LONG_IN_COLUMN:
        return False
    return size >= LONG or (size >= LONG_IN_CELL and _is_narrow(element)) or size > room_in(element)


def _joined(word: str) -> str:
    return _HYPHEN.sub("-" + _NO_BREAK, word.replace(_SOFT_HYPHEN, ""))
