"""The words of a page as sequences of glyphs, to recognise which text the glyphs on a page show.

In many scripts a glyph stands for several characters, or its place differs from the place of its character in the
text. HarfBuzz is asked how it draws each word of the page, with the same font that PlutoBook used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wcspider.engines.plutobook.embedded_fonts import canonical_glyphs
from wcspider.engines.text.scripts import SHAPED
from wcspider.engines.text.shaping import Cluster, ShapedFont

_WORD = re.compile(f"[{SHAPED.pattern[1:-1]}\u0300-\u036f\u200c\u200d]+")
MAX_WORDS = 20_000
"""How many different words of a page are learned."""


@dataclass(frozen=True, slots=True)
class Match:
    """Glyphs that were recognised: how many, and the clusters that they show."""

    length: int
    clusters: tuple[Cluster, ...]


def words(texts: Iterable[str]) -> list[str]:
    """Return the different words of a page whose glyphs depend on their neighbours."""
    found = dict.fromkeys(word for text in texts if not text.isascii() for word in _WORD.findall(text))
    return list(found)[:MAX_WORDS]


class Glossary:
    """What the glyphs of one font show on a page with certain words."""

    def __init__(self, font: ShapedFont, name: str, found: Iterable[str]) -> None:
        self._canonical = canonical_glyphs(name)
        self._entries: dict[tuple[int, ...], tuple[Cluster, ...]] = {}
        self._lengths: dict[int, set[int]] = {}
        for word in found:
            self._learn(list(font.clusters(word)))

    def canonical(self, glyph: int) -> int:
        """Return the first glyph of the font that looks like `glyph`."""
        return self._canonical[glyph] if glyph < len(self._canonical) else glyph

    def _learn(self, clusters: list[Cluster]) -> None:
        if any(0 in cluster.glyphs for cluster in clusters):
            return
        self._add(clusters)
        for cluster in clusters:
            self._add([cluster])

    def _add(self, clusters: Sequence[Cluster]) -> None:
        key = tuple(self.canonical(glyph) for cluster in clusters for glyph in cluster.glyphs)
        if key:
            self._entries.setdefault(key, tuple(clusters))
            self._lengths.setdefault(key[0], set()).add(len(key))

    def match(self, glyphs: Sequence[int], start: int) -> Match | None:
        """Return the longest known sequence of (canonical) glyphs that begins at `start`; None if there is none."""
        for length in sorted(self._lengths.get(glyphs[start], ()), reverse=True):
            found = self._entries.get(tuple(glyphs[start : start + length]))
            if found is not None:
                return Match(length, found)
        return None
