"""The colors of transparent pixels, which are not seen, but mixed with their neighbours.

A PDF reader that shows an image smaller than its pixels reduces its colors and its soft mask separately. Transparent
pixels are mostly black in image files, so a bright logo would have dark edges.
"""

from __future__ import annotations

from typing import Final

from PIL import Image, ImageChops

_FACTORS: Final = (64, 16, 4)
"""The sizes of the areas from which a transparent pixel gets the color of the visible ones; the last one wins."""

_CLEAR: Final = [255] + [0] * 255
_VISIBLE: Final = [0] + [255] * 255


def without_fringes(image: Image.Image) -> Image.Image:
    """Return the colors of an image in the mode RGBA. Transparent pixels have the color of visible pixels nearby."""
    clear, colors = image.getchannel("A").point(_CLEAR), image.convert("RGB")
    if clear.getbbox() is None:
        return colors
    premultiplied = image.convert("RGBa")
    largest = 4 * max(image.size)
    for factor in (factor for factor in _FACTORS if factor <= largest):
        means = premultiplied.reduce(factor).convert("RGBA")
        large = means.resize((means.width * factor, means.height * factor), Image.Resampling.NEAREST)
        large = large.crop((0, 0, *image.size))
        known = large.getchannel("A").point(_VISIBLE)
        colors.paste(large.convert("RGB"), mask=ImageChops.darker(clear, known))
    return colors


def palette_without_fringes(image: Image.Image, palette: bytes, opacities: bytes) -> bytes:
    """Return a palette in which transparent entries have the mean color of the visible pixels of an image.

    The image has the mode RGBA. `palette` has three bytes for each entry, `opacities` has one for each of the first
    entries.
    """
    if 0 not in opacities:
        return palette
    mean = image.convert("RGBa").resize((1, 1), Image.Resampling.BOX).convert("RGBA").tobytes()[:3]
    entries = [palette[at : at + 3] for at in range(0, len(palette), 3)]
    shown = [mean if opacity == 0 else entry for entry, opacity in zip(entries, opacities, strict=False)]
    return b"".join([*shown, *entries[len(shown) :]])
