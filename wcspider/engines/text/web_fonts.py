"""The author's fonts, checked before use because one broken font makes the whole page fail."""

from __future__ import annotations

import hashlib
import logging
from functools import lru_cache

import uharfbuzz
from reportlab.pdfbase import pdfmetrics
from xhtml2pdf.opentype import to_truetype

from wcspider.engines.text.fonts import SharedFont
from wcspider.engines.text.scripts import SHAPED
from wcspider.engines.text.shaping import ShapedFont

log = logging.getLogger(__name__)

MAX_FONT = 5_000_000
"""The size of the largest font file that is used, in bytes. Every worker reads it whole."""


# Unusable fonts are cached as well, because the next page will refer to them again.
@lru_cache(maxsize=64)
def register(data: bytes) -> str | None:
    """Register a TrueType, OpenType, WOFF or WOFF2 font; return its reportlab name, or None if it is unusable.

    The name is derived from the bytes, so that every page of a site embeds the font as the same bytes.
    """
    if len(data) > MAX_FONT:
        return None
    name = f"Author{hashlib.md5(data, usedforsecurity=False).hexdigest()[:12]}"
    try:
        truetype = to_truetype(data)
        shared = SharedFont(name, truetype)
        for subset in shared.layout:
            shared.face.makeSubset(subset)
        is_shaped = any(SHAPED.match(chr(character)) for character in shared.characters)
        font = ShapedFont(name, uharfbuzz.Blob(truetype)) if is_shaped else shared
    except Exception as error:  # fontTools and reportlab raise exceptions of many kinds for damaged fonts
        log.debug("unusable font: %r", error)
        return None
    pdfmetrics.registerFont(font)
    return name
