"""The author's fonts for scripts whose glyphs depend on their neighbours.

The glyphs of such a font cannot be traced to their text, as those of the other fonts are. The text is shown in a
bundled font or one of the system instead, if these have all of its characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wcspider.engines.base import Asset
from wcspider.engines.plutobook.fonts.author_fonts import font_file, is_font
from wcspider.engines.plutobook.text.absent_characters import absent
from wcspider.engines.text.scripts import SHAPED


def replaceable(assets: Mapping[str, Asset], texts: Iterable[str], *, system: bool) -> list[str]:
    """Return the keys of the fonts with shaped characters of the texts, if other fonts have all these characters."""
    letters = {letter for text in texts if not text.isascii() for letter in SHAPED.findall(text)}
    if not letters or absent(letters, system=system):
        return []
    files = {key: font_file(asset.body) for key, asset in assets.items() if is_font(asset.body)}
    return [key for key, file in files.items() if file is not None and not letters.isdisjoint(file.shaped)]
