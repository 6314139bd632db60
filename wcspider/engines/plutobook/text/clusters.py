"""The words of a page as sequences of glyphs, to recognise which text the glyphs on a page show.

In many scripts a glyph stands for several characters, or its place differs from the place of its character in the
text. HarfBuzz is asked how it draws each word of the page, with the same font that PlutoBook used. Where a font lacks a
letter, PlutoBook takes another font for it, and draws the parts of the word on both sides on their own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, pairwise, product
from typing import Self

from wcspider.engines.plutobook.text.known_fonts import canonical_glyphs
from wcspider.engines.text.scripts import MARK, SHAPED, extends, is_ignorable
from wcspider.engines.text.shaping import ANY_LANGUAGE, PLAIN, Cluster, ShapedFont

_WORD = re.compile(f"[{SHAPED.pattern[1:-1]}\u0300-\u036f\u200c\u200d]+")
_MARKED_LETTER = re.compile(f"\\w{MARK.pattern}+")
MAX_WORDS = 20_000
"""The largest number of different words of a page that are recognised."""

MAX_LANGUAGES = 5
"""The number of languages of a page in which its words are shaped; the words are shaped in each of them."""

_NOTICED = 4
"""The least letter-spacing that is kept, in thousandths of the font size. cairo rounds the places of glyphs."""

CACHED = 20_000
"""The number of words in the cache of words with their glyphs, for all fonts."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Glyphs, as they are drawn from left to right, and the clusters that they show."""

    glyphs: tuple[int, ...]
    clusters: tuple[Cluster, ...]

    def spacing(self, places: Sequence[float]) -> int:
        """Return the negative ``letter-spacing`` of the glyphs, which PlutoBook adds to the advance of each; or 0.

        `places` are those of the glyphs on the line. Lengths are in thousandths of the font size. With a positive one,
        only the gaps between words grow: letters that join stay joined, and no reader takes the gaps for spaces.
        """
        *before, last = (cluster for cluster in self.clusters if cluster.glyphs)
        if not before:
            return 0
        count = sum(len(cluster.glyphs) for cluster in before)
        span = sum(cluster.advance for cluster in before) + last.offset[0] - before[0].offset[0]
        found = round((places[count] - places[0] - span) / count)
        return found if found <= -_NOTICED else 0


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The different words of a page whose glyphs depend on their neighbours, and the languages of the page."""

    words: Sequence[str]
    languages: Sequence[str]
    """Tags of BCP 47. It is not known which word is in which language."""

    @classmethod
    def of(cls, texts: Iterable[str], languages: Iterable[str]) -> Self:
        """Return the vocabulary of the texts of a page."""
        found = dict.fromkeys(chain.from_iterable(_words(text) for text in texts if not text.isascii()))
        return cls(list(found)[:MAX_WORDS], list(dict.fromkeys(languages))[:MAX_LANGUAGES])


def _words(text: str) -> Iterator[str]:
    yield from _WORD.findall(text)
    if MARK.search(text):  # most letters with a mark are one character
        yield from _MARKED_LETTER.findall(unicodedata.normalize("NFC", text))


@lru_cache(maxsize=CACHED)
def _entries(font: ShapedFont, name: str, word: str, language: str) -> tuple[Entry, ...]:
    """Return the glyphs of a word, or of its parts that the font has, and of their clusters, in a language."""
    # The ligatures are off, unless an author has switched them on.
    drawn = dict.fromkeys(tuple(font.clusters(word, language, features)) for features in (PLAIN, {}))
    if any(0 in cluster.glyphs for clusters in drawn for cluster in clusters):
        parts = (part for part in _parts(font, word) if part != word)
        return tuple(chain.from_iterable(_entries(font, name, part, language) for part in parts))
    return tuple(chain.from_iterable(_entries_of(clusters, canonical_glyphs(name)) for clusters in drawn))


def _parts(font: ShapedFont, word: str) -> Iterator[str]:
    """Yield the parts of a word whose letters a font has, each letter with all of its marks."""
    starts = [0, *(place for place, character in enumerate(word) if place and not extends(character)), len(word)]
    letters = [word[start:end] for start, end in pairwise(starts)]
    for is_there, part in groupby(letters, lambda letter: all(font.glyph_of(c) or is_ignorable(c) for c in letter)):
        if is_there:
            yield "".join(part)


def _entries_of(clusters: tuple[Cluster, ...], numbers: Sequence[int]) -> Iterator[Entry]:
    keys = [tuple(numbers[glyph] for glyph in cluster.glyphs) if numbers else cluster.glyphs for cluster in clusters]
    whole = Entry(tuple(chain.from_iterable(keys)), clusters)
    yield whole
    parts = (Entry(key, (cluster,)) for key, cluster in zip(keys, clusters, strict=True) if key)
    yield from (part for part in parts if part.glyphs != whole.glyphs)


class Glossary:
    """The text of the glyphs of one font, on a page with a certain vocabulary."""

    def __init__(self, font: ShapedFont, name: str, vocabulary: Vocabulary) -> None:
        self._canonical = canonical_glyphs(name)
        self._entries: dict[tuple[int, ...], Entry] = {}
        languages = vocabulary.languages if font.has_languages else (ANY_LANGUAGE,)
        for word, language in product(vocabulary.words, languages):
            for entry in _entries(font, name, word, language):
                self._entries.setdefault(entry.glyphs, entry)
        self._lengths: dict[int, list[int]] = {}
        for first, length in sorted({(key[0], len(key)) for key in self._entries if key}, reverse=True):
            self._lengths.setdefault(first, []).append(length)

    def canonical(self, glyph: int) -> int:
        """Return the first glyph of the font that looks like `glyph`."""
        return self._canonical[glyph] if glyph < len(self._canonical) else glyph

    def match(self, glyphs: tuple[int, ...], start: int) -> Entry | None:
        """Return the longest known sequence of (canonical) glyphs that begins at `start`; None if there is none."""
        for length in self._lengths.get(glyphs[start], ()):
            found = self._entries.get(glyphs[start : start + length])
            if found is not None:
                return found
        return None
