"""Corrections for fonts whose text PDFium misreads (ISO 32000-1, 9.10.2).

PDFium reads most fonts as the clause requires. The others get a ToUnicode CMap, which PDFium prefers to all other
information. For codes that are not in the CMap, PDFium finds the text itself.
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
# The glyph names in every font that PDFium substitutes for a missing one: the standard Latin set (D.2).
_COMMON = frozenset(
    name for key in ("StandardEncoding", "WinAnsiEncoding", "MacRomanEncoding") for name in encodings[key]
)

# Two characters of a right-to-left script in a string of a CMap: PDFium reverses such strings.
_RIGHT_TO_LEFT = re.compile(rb"<\s*(?:(?:0[5-8]|F[BDE])[0-9A-F]{2}\s*){2}", re.IGNORECASE)

_TWO_BYTES = ((b"\0\0", b"\xff\xff"),)

# PDFium knows neither the codes of more than two bytes in these CMaps nor some of the two-byte codes.
_MISREAD_CMAPS = frozenset(f"{name}-{way}" for name in ("GBK2K", "CNS-EUC", "HKscs-B5") for way in "HV")


@dataclass(frozen=True, slots=True)
class Recoding:
    """Two-byte codes that replace the codes of a font: the CID of each code, if no other code has the same CID."""

    cmap: CMap
    codes: Mapping[bytes, bytes] = field(default_factory=dict)

    def recoded(self, text: bytes) -> bytes:
        """Return a string converted to the new codes."""
        return b"".join(self.codes.get(code, b"\0\0") for code in self.cmap.codes_in(text))


@dataclass(frozen=True, slots=True)
class FontFix:
    """The changes to a font with which PDFium reads its text correctly."""

    to_unicode: bytes
    recoding: Recoding | None = None
    """The codes that replace those of the font; None if they are kept."""

    drawn: frozenset[int] = frozenset()
    """Codes for which PDFium may have no glyph if the font is not embedded. PDFium ignores text without an extent."""


def font_fix(font: pikepdf.Object) -> FontFix | None:
    """Return the changes that a font needs; None if PDFium reads it correctly."""
    if not isinstance(font, pikepdf.Dictionary):
        return None
    return _composite_fix(font) if font.get("/Subtype") == "/Type0" else _simple_fix(font)


def _to_unicode(font: pikepdf.Object) -> pikepdf.Object | None:
    found = font.get("/ToUnicode")
    return found if isinstance(found, pikepdf.Stream) else None


def _is_cmap_misread(cmap: pikepdf.Object | None) -> bool:
    return cmap is not None and (uses_another(cmap) or _RIGHT_TO_LEFT.search(cmap.read_bytes()) is not None)


def _written(codespaces: tuple[Codespace, ...], characters: Mapping[bytes, str]) -> bytes:
    """Return a ToUnicode CMap that PDFium reads correctly.

    PDFium reverses right-to-left text, also the characters of a single code, so they are written in reverse.
    """
    return write_cmap(CMap(codespaces, {}, {code: _reversed(text) for code, text in characters.items()}))


def _reversed(text: str) -> str:
    directions = set(map(unicodedata.bidirectional, text))
    return text[::-1] if directions & {"R", "AL"} and directions <= {"R", "AL", "NSM"} else text


# Simple fonts


def _simple_fix(font: pikepdf.Object) -> FontFix | None:
    misread = dict(_misread_codes(font))
    characters = {bytes([code]): text for code, text in misread.items()}
    own = _to_unicode(font)
    if not characters and not _is_cmap_misread(own):
        return None
    known = CMap() if own is None else read_cmap(own)
    drawn = frozenset() if _is_embedded(font) else frozenset(misread)
    return FontFix(_written(_ONE_BYTE, {**characters, **known.characters}), drawn=drawn)


def _is_standard_symbol(font: pikepdf.Object) -> bool:
    """Return whether a font is Symbol or ZapfDingbats, which PDFium contains (9.6.2.2)."""
    return any(name in str(font.get("/BaseFont", "")) for name in ("Symbol", "ZapfDingbats"))


def _is_embedded(font: pikepdf.Object) -> bool:
    """Return whether the glyphs of a font are in the file."""
    descriptor = font.get("/FontDescriptor")
    has_program = isinstance(descriptor, pikepdf.Dictionary) and any(
        key.startswith("/FontFile")
        for key in descriptor.keys()  # noqa: SIM118
    )
    return has_program or font.get("/Subtype") == "/Type3"


def _misread_codes(font: pikepdf.Object) -> Iterator[tuple[int, str]]:
    """Yield the codes whose glyph names PDFium does not know, with their text by the Adobe Glyph List."""
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
        if text and (is_type3 or base == "/MacExpertEncoding" or _is_unknown_name(name, text, is_embedded)):
            yield code, text


def _is_unknown_name(name: str, text: str, is_embedded: bool) -> bool:
    return len(text) > 1 or text > "\uffff" or "_" in name or not (is_embedded or name in _COMMON)


def _differences(differences: pikepdf.Object | None) -> Iterator[tuple[int, str]]:
    """Yield codes with their glyph names (9.6.6.1)."""
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


def _composite_fix(font: pikepdf.Object) -> FontFix | None:
    encoding, own = font.get("/Encoding"), _to_unicode(font)
    is_misread = isinstance(encoding, pikepdf.Stream) or str(encoding).removeprefix("/") in _MISREAD_CMAPS
    if not is_misread and not _is_cmap_misread(own):
        return None
    known = CMap() if own is None else read_cmap(own)
    if not is_misread:
        return FontFix(_written(known.codespaces or _TWO_BYTES, known.characters))
    codes = _codes(encoding)
    by_cid = characters_of(_collection(font))
    characters = {code: by_cid[cid] for code, cid in codes.cids.items() if cid in by_cid} | known.characters
    new_codes = _new_codes([*codes.cids, *known.characters], codes)
    by_new_code = {new_codes[code]: text for code, text in characters.items() if code in new_codes}
    return FontFix(_written(_TWO_BYTES, by_new_code), Recoding(codes, new_codes))


def _new_codes(codes: Iterable[bytes], cmap: CMap) -> dict[bytes, bytes]:
    """Return a two-byte code for each code: its CID, or the highest free number if another code has that CID."""
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
