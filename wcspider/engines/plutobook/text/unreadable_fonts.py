"""The author's fonts for scripts whose glyphs depend on their neighbours.

The glyphs of such a font cannot be traced to their text, as those of the other fonts are. The text is shown in a
bundled font or one of the system instead, if these have all of its characters.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from functools import lru_cache

from fontTools.ttLib import TTFont

from wcspider.engines.base import Asset
from wcspider.engines.plutobook.text.absent_characters import absent
from wcspider.engines.text.scripts import SHAPED


def replaceable(assets: Mapping[str, Asset], texts: Iterable[str], *, system: bool) -> list[str]:
    """Return the keys of the fonts with shaped characters of the texts, if other fonts have all these characters."""
    letters = {letter for text in texts if not text.isascii() for letter in SHAPED.findall(text)}
    if not letters or absent(letters, system=system):
        return []
    return [key for key, asset in assets.items() if not letters.isdisjoint(_characters(asset.body))]


@lru_cache(maxsize=64)
def _characters(body: bytes) -> frozenset[str]:
    """Return the characters of a font; none for other files and for damaged fonts."""
    try:
        with TTFont(io.BytesIO(body), lazy=True, fontNumber=0) as font:
            return frozenset(map(chr, font.getBestCmap() or ()))
    except Exception:  # fontTools raises exceptions of many classes for a damaged font
        return frozenset()
