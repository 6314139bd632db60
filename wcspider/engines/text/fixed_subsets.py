"""Fonts with fixed subsets, which all pages of a file can share.

reportlab assigns codes to the characters of a document in order of use, so two documents with the same face contain
different font programs. Here each glyph has a fixed code, so a subset of a face has the same bytes in every document. A
file with the pages of many documents stores it once.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import uharfbuzz
from reportlab.pdfbase import pdfdoc
from reportlab.pdfbase.ttfonts import FF_NONSYMBOLIC, FF_SYMBOLIC

SPACE = 32
CODES = (*range(33, 256), *range(1, 32))
"""The codes of a subset, in order of assignment. In each subset, 0 is "no glyph" and 32 is the space."""


@dataclass
class FontUse:
    """The parts of a font that one document uses."""

    internal: str
    used: set[int] = field(default_factory=set)
    forms: dict[Any, int] = field(default_factory=dict)
    """The numbers of the glyphs that are created for this document only."""


@dataclass(frozen=True)
class SubsetProgram:
    """The parts of an embedded subset that are equal in all documents."""

    name: str
    widths: tuple[float, ...]
    font_file: bytes
    length: int
    to_unicode: bytes


class FixedSubsets:
    """A font with fixed subsets, with the interface that the canvas and the document of reportlab need."""

    fontName: str  # noqa: N815
    face: Any
    uses: WeakKeyDictionary[Any, FontUse]

    def subset_program(self, number: int, use: FontUse) -> SubsetProgram:
        """Return the font program of a subset."""
        raise NotImplementedError

    def use_in(self, doc: Any) -> FontUse:
        """Return the parts of the font that `doc` uses."""
        use = self.uses.get(doc)
        if use is None:
            use = self.uses[doc] = FontUse(self.fontName)
            doc.fontMapping[self.fontName] = f"/{use.internal}"
            doc.delayedFonts.append(self)
        return use

    def getSubsetInternalName(self, subset: int, doc: Any) -> str:  # noqa: N802
        """Return the resource name of a subset and note that `doc` uses it."""
        use = self.use_in(doc)
        use.used.add(subset)
        return f"/{use.internal}+{subset}"

    def addObjects(self, doc: Any) -> None:  # noqa: N802
        """Add the font objects of the subsets that `doc` uses."""
        use = self.uses.pop(doc)
        fonts = doc.idToObject["BasicFonts"].dict
        for number in sorted(use.used):
            name = f"{use.internal}+{number}"
            fonts[name] = font = self._font(doc, name, self.subset_program(number, use))
            doc.Reference(font, name)

    def descriptor(self, program: SubsetProgram) -> dict[str, Any]:
        """Return the entries of the font descriptor of a subset (9.8), without its references and its box."""
        face = self.face
        return {
            "Type": "/FontDescriptor",
            "FontName": f"/{program.name}",
            "Flags": face.flags & ~FF_NONSYMBOLIC | FF_SYMBOLIC,
            "Ascent": face.ascent,
            "Descent": face.descent,
            "CapHeight": face.capHeight,
            "ItalicAngle": face.italicAngle,
            "StemV": face.stemV,
            "MissingWidth": face.defaultWidth,
        }

    def _font(self, doc: Any, name: str, program: SubsetProgram) -> Any:
        """Return the font dictionary of a subset (9.6.3)."""
        font = pdfdoc.PDFTrueTypeFont()
        font.Name = name
        font.BaseFont = program.name
        font.FirstChar, font.LastChar = 0, 255
        font.Widths = pdfdoc.PDFArray(program.widths)
        font.ToUnicode = doc.Reference(_deflated(program.to_unicode), f"toUnicode:{name}")
        font_file = _deflated(program.font_file)
        font_file.dictionary["Length1"] = program.length
        descriptor = pdfdoc.PDFDictionary(self.descriptor(program))
        descriptor["FontBBox"] = pdfdoc.PDFArray(self.face.bbox)
        descriptor["FontFile2"] = doc.Reference(font_file, f"fontFile:{name}")
        font.FontDescriptor = doc.Reference(descriptor, f"fontDescriptor:{name}")
        return font


def _deflated(content: bytes) -> Any:
    stream = pdfdoc.PDFStream(content=content, filters=[])
    stream.dictionary["Filter"] = pdfdoc.PDFName("FlateDecode")
    return stream


def to_unicode(name: str, texts: Sequence[str]) -> bytes:
    """Return the ToUnicode CMap of a subset (9.10.3), given the text of each code.

    The CMap specification limits blocks to 100 entries.
    """
    pairs = [f"<{code:02X}> <{text.encode('utf-16-be').hex().upper()}>" for code, text in enumerate(texts) if text]
    blocks = [pairs[i : i + 100] for i in range(0, len(pairs), 100)]
    body = "\n".join(f"{len(b)} beginbfchar\n" + "\n".join(b) + "\nendbfchar" for b in blocks)
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        f"/CMapName /{name}-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<00> <FF>\nendcodespacerange\n"
        f"{body}\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    ).encode("ascii")


def face_of(font: uharfbuzz.Font, unit: float, name: str, characters: frozenset[int]) -> Any:
    """Return a face object with the attributes that reportlab reads."""
    head = font.face.reference_table("head").data
    extents = font.get_font_extents("ltr")
    ascent, descent = extents.ascender * unit, extents.descender * unit
    return SimpleNamespace(
        name=name.encode(), charToGlyph=dict.fromkeys(characters), ascent=ascent, descent=descent,
        bbox=[round(edge * unit) for edge in struct.unpack(">4h", head[36:44])], capHeight=round(ascent * 0.7),
        italicAngle=0, stemV=87, defaultWidth=round(font.get_glyph_h_advance(0) * unit), flags=FF_NONSYMBOLIC,
    )  # fmt: skip
