"""What the codes of a font stand for where PDFium does not know it (ISO 32000-1, 9.10.2).

PDFium reads most fonts as the clause wants it. For the others there is a ToUnicode CMap that says it, so that PDFium
reads them as well. It comes before all else, and a code that it leaves out is PDFium's to find.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pikepdf
from fontTools.agl import toUnicode
from reportlab.pdfbase._fontdata import encodings

from wcspider.pdf.text.cmaps import CMap, Codespace, characters_of, predefined, read_cmap, uses_another, write_cmap

_ONE_BYTE = ((b"\0", b"\xff"),)
# The names that every font has that PDFium puts in the place of another: the standard Latin set (D.2).
_COMMON = frozenset(
    name for key in ("StandardEncoding", "WinAnsiEncoding", "MacRomanEncoding") for name in encodings[key]
)

# Two characters of Hebrew, Arabic and their neighbours in a string of a CMap: PDFium turns such strings round.
_RIGHT_TO_LEFT = re.compile(rb"<\s*(?:(?:0[5-8]|F[BDE])[0-9A-F]{2}\s*){2}", re.IGNORECASE)

_TWO_BYTES = ((b"\0\0", b"\xff\xff"),)

# PDFium knows neither the codes of more than two bytes of these nor some of two.
_MISREAD_CMAPS = frozenset(f"{name}-{way}" for name in ("GBK2K", "CNS-EUC", "HKscs-B5") for way in "HV")


@dataclass(frozen=True, slots=True)
class Recoding:
    """Codes of two bytes for a font that has others: CIDs, as far as no two codes have the same."""

    cmap: CMap
    codes: Mapping[bytes, bytes] = field(default_factory=dict)

    def recoded(self, text: bytes) -> bytes:
        """Return a string in the new codes."""
        return b"".join(self.codes.get(code, b"\0\0") for code in self.cmap.codes_in(text))


@dataclass(frozen=True, slots=True)
class Mending:
    """What a font needs so that PDFium reads it right."""

    to_unicode: bytes
    recoding: Recoding | None = None
    """The codes that are to stand in the place of those of the font, or None."""

    drawn: frozenset[int] = frozenset()
    """Codes for which PDFium may have no glyph if the font is not embedded: what has no extent is lost."""


def mending(font: pikepdf.Object) -> Mending | None:
    """Return what a font needs; None if it is read right as it is."""
    if not isinstance(font, pikepdf.Dictionary):
        return None
    return _mended_composite(font) if font.get("/Subtype") == "/Type0" else _mended_simple(font)


def _to_unicode(font: pikepdf.Object) -> pikepdf.Object | None:
    found = font.get("/ToUnicode")
    return found if isinstance(found, pikepdf.Stream) else None


def _is_cmap_misread(cmap: pikepdf.Object | None) -> bool:
    return cmap is not None and (uses_another(cmap) or _RIGHT_TO_LEFT.search(cmap.read_bytes()) is not None)


def _written(codespaces: tuple[Codespace, ...], characters: Mapping[bytes, str]) -> bytes:
    """Return a ToUnicode CMap that PDFium reads right.

    PDFium turns round whatever runs from right to left, since it is shown from its end; the characters of one code too.
    """
    return write_cmap(CMap(codespaces, {}, {code: _turned(text) for code, text in characters.items()}))


def _turned(text: str) -> str:
    directions = set(map(unicodedata.bidirectional, text))
    return text[::-1] if directions & {"R", "AL"} and directions <= {"R", "AL", "NSM"} else text


# Simple fonts


def _mended_simple(font: pikepdf.Object) -> Mending | None:
    misread = dict(_misread(font))
    characters = {bytes([code]): text for code, text in misread.items()}
    own = _to_unicode(font)
    if not characters and not _is_cmap_misread(own):
        return None
    said = CMap() if own is None else read_cmap(own)
    drawn = frozenset() if _is_embedded(font) else frozenset(misread)
    return Mending(_written(_ONE_BYTE, {**characters, **said.characters}), drawn=drawn)


def _is_standard_symbol(font: pikepdf.Object) -> bool:
    """Tell whether a font is Symbol or ZapfDingbats, which PDFium has (9.6.2.2)."""
    return any(name in str(font.get("/BaseFont", "")) for name in ("Symbol", "ZapfDingbats"))


def _is_embedded(font: pikepdf.Object) -> bool:
    """Tell whether the glyphs of a font are in the file."""
    descriptor = font.get("/FontDescriptor")
    has_program = isinstance(descriptor, pikepdf.Dictionary) and any(
        key.startswith("/FontFile")
        for key in descriptor.keys()  # noqa: SIM118
    )
    return has_program or font.get("/Subtype") == "/Type3"


def _misread(font: pikepdf.Object) -> Iterator[tuple[int, str]]:
    """Yield the codes whose names PDFium does not know, with what the Adobe Glyph List makes of the names."""
    encoding = font.get("/Encoding")
    is_dictionary = isinstance(encoding, pikepdf.Dictionary)
    base = encoding.get("/BaseEncoding") if is_dictionary else encoding  # type: ignore[union-attr]
    if base == "/MacExpertEncoding":
        names = enumerate(encodings["MacExpertEncoding"])
        yield from ((code, toUnicode(name)) for code, name in names if name and toUnicode(name))
    differences = encoding.get("/Differences") if is_dictionary else None  # type: ignore[union-attr]
    is_type3 = font.get("/Subtype") == "/Type3"
    is_embedded = _is_embedded(font) or _is_standard_symbol(font)
    is_zapf = "ZapfDingbats" in str(font.get("/BaseFont", ""))
    for code, name in _differences(differences):
        text = toUnicode(name, is_zapf)
        if text and (is_type3 or base == "/MacExpertEncoding" or _is_hard(name, text, is_embedded)):
            yield code, text


def _is_hard(name: str, text: str, is_embedded: bool) -> bool:
    return len(text) > 1 or text > "\uffff" or "_" in name or not (is_embedded or name in _COMMON)


def _differences(differences: pikepdf.Object | None) -> Iterator[tuple[int, str]]:
    """Yield codes with their names (9.6.6.1)."""
    code = 0
    entries: list[Any] = list(differences) if isinstance(differences, pikepdf.Array) else []
    for entry in entries:
        if isinstance(entry, pikepdf.Name):
            if 0 <= code <= 255:
                yield code, str(entry).removeprefix("/")
            code += 1
        elif isinstance(entry, int):
            code = entry


# Composite fonts


def _mended_composite(font: pikepdf.Object) -> Mending | None:
    encoding, own = font.get("/Encoding"), _to_unicode(font)
    is_misread = isinstance(encoding, pikepdf.Stream) or str(encoding).removeprefix("/") in _MISREAD_CMAPS
    if not is_misread and not _is_cmap_misread(own):
        return None
    said = CMap() if own is None else read_cmap(own)
    if not is_misread:
        return Mending(_written(said.codespaces or _TWO_BYTES, said.characters))
    codes = _codes(encoding)
    known = characters_of(_collection(font))
    characters = {code: known[cid] for code, cid in codes.cids.items() if cid in known} | said.characters
    numbers = _numbered([*codes.cids, *said.characters], codes)
    by_number = {numbers[code]: text for code, text in characters.items() if code in numbers}
    return Mending(_written(_TWO_BYTES, by_number), Recoding(codes, numbers))


def _numbered(codes: Iterable[bytes], cmap: CMap) -> dict[bytes, bytes]:
    """Return a number of two bytes for each code: its CID, or one from above where that is another's already."""
    free = iter(range(0xFFFF, 0, -1))
    numbers: dict[bytes, int] = {}
    used: set[int] = set()
    for code in dict.fromkeys(codes):
        number = cmap.cids.get(code)
        if number is None or number in used:
            number = next((entry for entry in free if entry not in used), 0)
        numbers[code] = number
        used.add(number)
    return {code: number.to_bytes(2, "big") for code, number in numbers.items() if number <= 0xFFFF}


def _codes(encoding: pikepdf.Object | None) -> CMap:
    if isinstance(encoding, pikepdf.Stream):
        return read_cmap(encoding)
    return predefined(str(encoding).removeprefix("/"))


def _collection(font: pikepdf.Object) -> str:
    """Return the character collection of the descendant of a composite font, such as Adobe-Japan1."""
    descendants = font.get("/DescendantFonts")
    descendant = descendants[0] if isinstance(descendants, pikepdf.Array) and len(descendants) else None
    system = descendant.get("/CIDSystemInfo") if isinstance(descendant, pikepdf.Dictionary) else None
    if not isinstance(system, pikepdf.Dictionary):
        return ""
    return f"{system.get('/Registry', '')}-{system.get('/Ordering', '')}"
