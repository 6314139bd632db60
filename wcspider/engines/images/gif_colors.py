"""GIF files without a table of colors. Browsers show nothing in their place, and pages use them as blank images."""

from __future__ import annotations

from typing import Final

_HAS_TABLE: Final = 0x80
_EXTENSION, _IMAGE = 0x21, 0x2C
_SCREEN_END: Final = 13
"""The end of the signature and the logical screen descriptor (GIF89a, 17 and 18)."""


def is_colorless(body: bytes) -> bool:
    """Tell whether neither a GIF file nor its first image has a table of colors (GIF89a, 19 and 21)."""
    if len(body) < _SCREEN_END or body[10] & _HAS_TABLE:
        return False
    at = _SCREEN_END
    while at + 2 < len(body) and body[at] == _EXTENSION:
        at = _end_of_blocks(body, at + 2)
    return at + 9 < len(body) and body[at] == _IMAGE and not body[at + 9] & _HAS_TABLE


def _end_of_blocks(body: bytes, at: int) -> int:
    """Return the end of the data sub-blocks at a position (GIF89a, 15 and 16)."""
    while at < len(body) and body[at]:
        at += body[at] + 1
    return at + 1
