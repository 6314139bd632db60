"""The bundled fonts with fixed subsets, which all pages of a file can share.

reportlab assigns codes to the characters of a document in order of use, so two documents with the same face contain
different font programs. Here each character has a fixed code, so a subset of a face has the same bytes in every
document. A file with the pages of many documents stores it once.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any
from weakref import WeakKeyDictionary

from reportlab.lib.fonts import addMapping
from reportlab.pdfbase import pdfdoc, pdfmetrics
from reportlab.pdfbase.ttfonts import FF_NONSYMBOLIC, FF_SYMBOLIC, SUBSETN, TTFont

SANS, SERIF, MONO, SYMBOLS = "wcspidersans", "wcspiderserif", "wcspidermono", "wcspidersymbols"
"""The family names for use in style sheets."""

SANS_FACE, MONO_FACE, SYMBOLS_FACE = "WcspiderSans-Regular", "WcspiderMono-Regular", "WcspiderSymbols-Regular"
"""The PostScript names of the regular faces."""

_FILES = {SANS: "WcspiderSans", SERIF: "WcspiderSerif", MONO: "WcspiderMono", SYMBOLS: "WcspiderSymbols"}
_STYLES = {(0, 0): "Regular", (1, 0): "Bold", (0, 1): "Italic", (1, 1): "BoldItalic"}


def _name(family: str, stem: str, style: str) -> str:
    return f"{stem}-{style if family != SYMBOLS else 'Regular'}"


NAMES = frozenset(_name(family, stem, style) for family, stem in _FILES.items() for style in _STYLES.values())
"""The PostScript names of the bundled fonts."""

_COMMON = (
    *range(0xA1, 0xAD), *range(0xAE, 0x100), *range(0x2010, 0x2016), *range(0x2018, 0x201F), *range(0x2020, 0x2027),
    0x2030, 0x2032, 0x2033, 0x2039, 0x203A, 0x20AC, 0x2122, 0x2190, 0x2191, 0x2192, 0x2193, 0x2212, 0x2248,
    0x2260, 0x2264, 0x2265, 0x0131, 0x0152, 0x0153, 0x0160, 0x0161, 0x0178, 0x017D, 0x017E, 0x0192, 0x02C6, 0x02DC,
)  # fmt: skip
"""The characters that are in the first subset of each face, together with ASCII."""

_GROUPS = (
    (*range(0x386, 0x3D0), *range(0x401, 0x460), 0x400, *range(0x490, 0x4A4), *range(0x4AE, 0x4C0), 0x2116),
    (*range(0x100, 0x180), *range(0x180, 0x250)),
)
"""The characters of the second subset (Greek, Cyrillic) and the third (Latin Extended)."""

SPACE = 32
CODES = (*range(33, 256), *range(1, 32))
"""The codes of a subset, in order of assignment. In each subset, 0 is "no glyph" and 32 is the space."""


def _layout(covered: frozenset[int]) -> Iterator[list[int]]:
    """Yield the subsets of a face: lists of characters by code, with 0 for unused codes."""
    done = {SPACE, 0xA0}
    rest = (sorted(covered.difference(range(33, 127), _COMMON, *_GROUPS)),)
    for group in ((*range(33, 127), *_COMMON), *_GROUPS, *rest):
        characters = [c for c in dict.fromkeys(group) if c not in done]
        done.update(characters)
        for start in range(0, len(characters), len(CODES)):
            subset = [0] * 256
            subset[SPACE] = SPACE
            for code, character in zip(CODES, characters[start : start + len(CODES)], strict=False):
                # The code stays unused if the face lacks the character, so that codes are the same in all faces.
                subset[code] = character if character in covered else 0
            yield subset


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


class SharedFont(FixedSubsets, TTFont):  # type: ignore[misc]
    """A TrueType font with fixed subsets."""

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(name, io.BytesIO(data), shapable=False)
        self.uses = WeakKeyDictionary()
        self.characters = frozenset(self.face.charToGlyph)
        self.layout = list(_layout(self.characters))
        self.codes: dict[int, tuple[int, int]] = {
            character: (number, code)
            for number, subset in reversed(list(enumerate(self.layout)))
            for code, character in enumerate(subset)
            if character
        }
        self.codes[0xA0] = self.codes[SPACE]
        self._first = {c: code for c, (number, code) in self.codes.items() if number == 0}
        self._programs: dict[int, SubsetProgram] = {}

    def splitString(self, text: str | bytes, doc: Any, encoding: str = "utf-8") -> list[tuple[int, bytes]]:  # noqa: N802
        """Split `text` into runs of one subset each: (subset, codes)."""
        if isinstance(text, bytes):
            text = text.decode(encoding)
        try:
            # A fast path: nearly all text is in the first subset.
            return [(0, bytes([self._first[ord(c)] for c in text]))] if text else []
        except KeyError:
            return self._split(text)

    def _split(self, text: str) -> list[tuple[int, bytes]]:
        runs: list[tuple[int, bytearray]] = []
        for character in text:
            number, code = self.codes.get(ord(character), (0, 0))
            if runs and code == SPACE:
                number = runs[-1][0]
            if not runs or runs[-1][0] != number:
                runs.append((number, bytearray()))
            runs[-1][1].append(code)
        return [(number, bytes(codes)) for number, codes in runs]

    def subset_program(self, number: int, use: FontUse) -> SubsetProgram:
        """Return the font program of a subset, which is created once in a process."""
        program = self._programs.get(number)
        if program is None:
            subset = self.layout[number]
            name = f"{SUBSETN(number).decode()}+{self.fontName}"
            data = self.face.makeSubset(subset)
            program = self._programs[number] = SubsetProgram(
                name,
                tuple(self.face.getCharWidth(c) if c else self.face.defaultWidth for c in subset),
                zlib.compress(data),
                len(data),
                zlib.compress(to_unicode(name, [chr(c) if c else "" for c in subset])),
            )
        return program


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


def program(name: str) -> bytes:
    """Return the file of a bundled font, given its PostScript name."""
    return resources.files("wcspider.fonts").joinpath(f"{name}.ttf").read_bytes()


@cache
def register(name: str) -> SharedFont:
    """Register a bundled font with reportlab, given one of `NAMES`; once in a process."""
    font = SharedFont(name, program(name))
    pdfmetrics.registerFont(font)
    return font


@cache
def load() -> None:
    """Register all bundled fonts and their families with reportlab, once in a process."""
    for family, stem in _FILES.items():
        for (bold, italic), style in _STYLES.items():
            name = _name(family, stem, style)
            register(name)
            addMapping(family, bold, italic, name)


def covers(face: str, text: str) -> bool:
    """Tell whether the face has a glyph for each character of `text`."""
    return pdfmetrics.getFont(face).characters.issuperset(map(ord, text))  # type: ignore[no-any-return]
