"""The bundled fonts."""

from __future__ import annotations

from functools import cache
from importlib import resources

import uharfbuzz
from reportlab.lib.fonts import addMapping
from reportlab.pdfbase import pdfmetrics

from wcspider.engines.text.shaping import ShapedFont

SANS, SERIF, MONO, SYMBOLS = "wcspidersans", "wcspiderserif", "wcspidermono", "wcspidersymbols"
"""The family names for use in style sheets."""

SANS_FACE, MONO_FACE, SYMBOLS_FACE = "WcspiderSans-Regular", "WcspiderMono-Regular", "WcspiderSymbols-Regular"
"""The PostScript names of the regular faces."""

SCRIPTS_FACES = ("WcspiderScripts-Regular", "WcspiderScripts-Bold")
"""The faces for Hebrew and Arabic. They also contain the box that is shown instead of a character without a font."""

_FILES = {SANS: "WcspiderSans", SERIF: "WcspiderSerif", MONO: "WcspiderMono", SYMBOLS: "WcspiderSymbols"}
_STYLES = {(0, 0): "Regular", (1, 0): "Bold", (0, 1): "Italic", (1, 1): "BoldItalic"}
_MAPPINGS = {
    (family, *style): f"{stem}-{name if family != SYMBOLS else 'Regular'}"
    for family, stem in _FILES.items()
    for style, name in _STYLES.items()
}
"""The PostScript names of the faces by family, bold and italic."""

NAMES = frozenset((*_MAPPINGS.values(), *SCRIPTS_FACES))
"""The PostScript names of the bundled fonts."""


def program(name: str) -> bytes:
    """Return the file of a bundled font, given its PostScript name."""
    return resources.files("wcspider.fonts").joinpath(f"{name}.ttf").read_bytes()


@cache
def register(name: str) -> ShapedFont:
    """Register a bundled font with reportlab, given one of `NAMES`; once in a process."""
    font = ShapedFont(name, uharfbuzz.Blob(program(name)))
    pdfmetrics.registerFont(font)
    return font


@cache
def load() -> None:
    """Register all bundled fonts and their families with reportlab, once in a process."""
    for name in NAMES:
        register(name)
    for (family, bold, italic), name in _MAPPINGS.items():
        addMapping(family, bold, italic, name)


def covers(face: str, text: str) -> bool:
    """Tell whether the face has a glyph for each character of `text`."""
    return pdfmetrics.getFont(face).characters.issuperset(map(ord, text))  # type: ignore[no-any-return]
