"""A check of the author's fonts, because PlutoBook ignores a damaged font without a message."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from fontTools.ttLib import TTFont

from wcspider.engines.base import Asset
from wcspider.engines.document.absolute_urls import asset_key

MAX_FONT = 5_000_000
"""The size of the largest font file that is used, in bytes."""

_NEEDED = ("cmap", "head", "hhea", "hmtx", "maxp")


def problems(families: Sequence[tuple[str, tuple[str, ...]]], assets: Mapping[str, Asset]) -> Iterator[str]:
    """Yield a line for each family if a file was fetched, but no file can be used."""
    for family, urls in families:
        fetched = [asset for url in urls if (asset := assets.get(asset_key(url, url))) is not None]
        if fetched and not any(can_use(asset.body) for asset in fetched):
            yield f"the font {family} cannot be used"


# The next page names the same fonts.
@lru_cache(maxsize=64)
def can_use(body: bytes) -> bool:
    """Tell whether a file is a complete font."""
    if len(body) > MAX_FONT:
        return False
    try:
        with TTFont(io.BytesIO(body), lazy=True, fontNumber=0) as font:
            reader = font.reader
            is_whole = body[:4] == b"wOF2" or all(
                len(reader[tag]) == reader.tables[tag].length for tag in reader.tables
            )
            return is_whole and all(tag in reader for tag in _NEEDED) and bool(font.getBestCmap())
    except Exception:  # fontTools raises exceptions of many classes for a damaged font
        return False
