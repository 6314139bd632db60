"""A script that makes the fonts in wcspider/fonts/ from the Liberation and DejaVu fonts of a Debian system.

    apt-get install fonts-liberation2 fonts-dejavu-core
    python tools/make_fonts.py /usr/share/fonts/truetype

The results have no hinting, no layout tables of scripts that need no shaping, and no scripts that the engines do not
support. They are renamed, because the licence of the Liberation fonts requires it for changed versions.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

TARGET = Path(__file__).parent.parent / "wcspider" / "fonts"
TEXT = (
    *range(0x20, 0x7F), *range(0xA0, 0x250), *range(0x2B0, 0x300), *range(0x370, 0x530),
    *range(0x1E00, 0x2000), *range(0x2000, 0x2070), *range(0x2070, 0x20D0), *range(0x2100, 0x2400),
    *range(0x2500, 0x2600), *range(0xFB00, 0xFB07), 0xFFFD,
)  # fmt: skip
"""Latin, Greek, Cyrillic, punctuation, currency, arrows, mathematics, box drawing."""

SYMBOLS = (*TEXT, *range(0x250, 0x2B0), *range(0x300, 0x370), *range(0x530, 0x590), *range(0x10A0, 0x1100),
           *range(0x2400, 0x2C00))  # fmt: skip
"""The characters of `TEXT`, and combining marks, Armenian, Georgian, symbols, dingbats: the fallback font."""

SCRIPTS = (0x20, *range(0x590, 0x700), *range(0x750, 0x780), *range(0xFB1D, 0xFE00), *range(0xFE70, 0xFEFF))
"""Hebrew and Arabic, which need shaping."""

FAMILIES = {"Sans": "LiberationSans", "Serif": "LiberationSerif", "Mono": "LiberationMono"}
STYLES = ("Regular", "Bold", "Italic", "BoldItalic")
LAYOUT = ("GDEF", "GSUB", "GPOS")
DROPPED = [*LAYOUT, "kern", "gasp", "DSIG", "FFTM", "LTSH", "VDMX", "hdmx", "PCLT", "prep", "fpgm",
           "cvt ", "meta", "JSTF", "MATH"]  # fmt: skip


def make(source: Path, name: str, characters: tuple[int, ...], *, shaped: bool = False) -> int:
    """Write the reduced font `name`, and return its size in bytes."""
    features = ["*"] if shaped else []
    options = subset.Options(hinting=False, layout_features=features, notdef_outline=True, glyph_names=False)
    options.layout_scripts = ["arab", "hebr"]
    options.drop_tables += [table for table in DROPPED if not (shaped and table in LAYOUT)]
    options.name_IDs = [0, 13, 14]  # copyright, licence
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    rename(font, name)
    path = TARGET / f"{name}.ttf"
    font.save(path)
    return path.stat().st_size


def rename(font: TTFont, name: str) -> None:
    """Rename a font on both platforms, because PDF readers differ in the platform that they use."""
    family, _, style = name.partition("-")
    for identifier, text in ((1, family), (2, style), (3, name), (4, f"{family} {style}"), (6, name)):
        font["name"].setName(text, identifier, 3, 1, 0x409)
        font["name"].setName(text, identifier, 1, 0, 0)
    font["head"].modified = font["head"].created


def main() -> None:
    """Make all fonts."""
    root = Path(sys.argv[1])
    total = sum(
        make(root / "liberation2" / f"{source}-{style}.ttf", f"Wcspider{family}-{style}", TEXT)
        for family, source in FAMILIES.items()
        for style in STYLES
    )
    total += make(root / "dejavu" / "DejaVuSans.ttf", "WcspiderSymbols-Regular", SYMBOLS)
    total += make(root / "dejavu" / "DejaVuSans.ttf", "WcspiderScripts-Regular", SCRIPTS, shaped=True)
    total += make(root / "dejavu" / "DejaVuSans-Bold.ttf", "WcspiderScripts-Bold", SCRIPTS, shaped=True)
    print(f"{total} bytes in {TARGET}")


if __name__ == "__main__":
    main()
