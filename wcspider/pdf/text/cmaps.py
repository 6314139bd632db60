"""CMaps (ISO 32000-1, 9.7.5 and 9.10.3): the meaning of character codes, read from CMaps and written as one CMap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Any

import pikepdf
from pdfminer.cmapdb import CMapDB
from pdfminer.pdfexceptions import PDFException

COLLECTIONS = frozenset({"Adobe-GB1", "Adobe-CNS1", "Adobe-Japan1", "Adobe-Korea1"})
"""The character collections whose CIDs have a known meaning (9.10.2)."""

USE_DEPTH_LIMIT = 8
"""The number of CMaps that may use each other in a chain."""

CODES_LIMIT = 0x20000
"""The number of codes that the ranges of a CMap may have: twice the number of two-byte codes."""

BLOCK = 100
"""The largest number of entries in a block of a CMap file (Adobe Technical Note 5014)."""

# The predefined CMaps that pdfminer stores as their differences from another CMap.
_BASE_CMAPS = {"ETenms-B5-H": "ETen-B5-H", "UniJIS-UCS2-HW-H": "UniJIS-UCS2-H"}

Codespace = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class CMap:
    """The CIDs, the characters, or both, that the codes of a font represent."""

    codespaces: tuple[Codespace, ...] = ()
    """The first and the last code of each range. They determine the lengths of the codes."""

    cids: dict[bytes, int] = field(default_factory=dict)
    characters: dict[bytes, str] = field(default_factory=dict)

    def over(self, used: CMap) -> CMap:
        """Return this CMap merged with the CMap that it uses; its own entries win."""
        return CMap(
            tuple(dict.fromkeys([*used.codespaces, *self.codespaces])),
            {**used.cids, **self.cids},
            {**used.characters, **self.characters},
        )

    def codes_in(self, text: bytes) -> Iterator[bytes]:
        """Yield the codes in a string (9.7.6.2). A byte outside all codespace ranges is a code of one byte."""
        at = 0
        while at < len(text):
            size = next((size for size in range(1, 5) if self._has(text[at : at + size], size)), 1)
            yield text[at : at + size]
            at += size

    def _has(self, code: bytes, size: int) -> bool:
        return any(
            len(code) == len(first) == size
            and all(a <= byte <= b for a, byte, b in zip(first, code, last, strict=True))
            for first, last in self.codespaces
        )


# Reading


def read_cmap(stream: pikepdf.Object, depth: int = 0) -> CMap:
    """Return the CMap in a stream, merged with the CMaps that it uses."""
    own = CMap()
    used = stream.get("/UseCMap")
    codespaces: list[Codespace] = []
    remaining = CODES_LIMIT
    for instruction in pikepdf.parse_content_stream(stream):
        operands, operator = instruction.operands, str(instruction.operator)
        if operator == "usecmap" and used is None and operands:
            used = operands[-1]
        elif operator == "endcodespacerange":
            codespaces += [(bytes(first), bytes(last)) for first, last in _rows(operands, 2)]
        elif operator == "endcidchar":
            own.cids.update((bytes(code), int(cid)) for code, cid in _rows(operands, 2))
        elif operator == "endcidrange":
            for first, last, cid in _rows(operands, 3):
                codes = _codes(bytes(first), bytes(last), remaining)
                remaining -= len(codes)
                own.cids.update((code, int(cid) + at) for at, code in enumerate(codes))
        elif operator == "endbfchar":
            own.characters.update((bytes(code), _characters(bytes(text))) for code, text in _rows(operands, 2))
        elif operator == "endbfrange":
            for first, last, text in _rows(operands, 3):
                codes = _codes(bytes(first), bytes(last), remaining)
                remaining -= len(codes)
                own.characters.update(_range_of_characters(codes, text))
    complete = CMap(tuple(codespaces), own.cids, own.characters)
    return complete.over(_used(used, depth)) if used is not None and depth < USE_DEPTH_LIMIT else complete


def uses_another(stream: pikepdf.Object) -> bool:
    """Return whether a CMap uses another CMap (UseCMap)."""
    return "/UseCMap" in stream or b"usecmap" in stream.read_bytes()


def _used(used: pikepdf.Object, depth: int) -> CMap:
    if isinstance(used, pikepdf.Stream):
        return read_cmap(used, depth + 1)
    return predefined(str(used).removeprefix("/"))


def _rows(operands: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    """Yield the entries of a block; an incomplete entry at its end is ignored."""
    return zip(*[iter(operands)] * size, strict=False)


def _codes(first: bytes, last: bytes, limit: int) -> list[bytes]:
    """Return the codes in a range; at most the first ``limit`` codes."""
    start, end = int.from_bytes(first, "big"), min(int.from_bytes(last, "big"), 256 ** len(first) - 1)
    return [code.to_bytes(len(first), "big") for code in range(start, min(end + 1, start + limit))]


def _range_of_characters(codes: Iterable[bytes], text: pikepdf.Object) -> Iterator[tuple[bytes, str]]:
    """Yield the codes of a bfrange with their characters: an incremented string, or an array of strings (9.10.3)."""
    if isinstance(text, pikepdf.Array):
        yield from ((code, _characters(bytes(entry))) for code, entry in zip(codes, list(text), strict=False))
        return
    start = bytes(text)
    for number, code in enumerate(codes, int.from_bytes(start, "big")):
        if number < 256 ** len(start):
            yield code, _characters(number.to_bytes(len(start), "big"))


def _characters(text: bytes) -> str:
    """Decode UTF-16BE, or a single byte, which some programs write for a character."""
    return text.decode("latin-1" if len(text) == 1 else "utf-16-be", "ignore")


# Predefined CMaps


@lru_cache(maxsize=4)
def predefined(name: str) -> CMap:
    """Return a predefined CMap (Table 118), or the CMap from a collection to Unicode; an empty one if unknown."""
    try:
        if name.endswith("-UCS2"):
            characters = _characters_of(name.removesuffix("-UCS2"))
            return CMap(((b"\0\0", b"\xff\xff"),), {}, {cid.to_bytes(2, "big"): text for cid, text in characters})
        if name in ("Identity-H", "Identity-V"):
            return CMap(((b"\0\0", b"\xff\xff"),), {cid.to_bytes(2, "big"): cid for cid in range(0x10000)})
        cids = dict(_flat(CMapDB.get_cmap(name).code2cid, b""))  # type: ignore[attr-defined]
    except PDFException:
        return CMap()
    own = CMap(tuple(_codespaces(cids)), cids)
    horizontal = name[:-1] + "H"
    base = _BASE_CMAPS.get(name) or (horizontal if name.endswith("-V") or name == "V" else "")
    return own.over(predefined(base)) if base else own


def characters_of(collection: str) -> dict[int, str]:
    """Return the characters of the CIDs in a collection, such as Adobe-Japan1."""
    return dict(_characters_of(collection)) if collection in COLLECTIONS else {}


def _characters_of(collection: str) -> Iterable[tuple[int, str]]:
    return CMapDB.get_unicode_map(collection).cid2unichr.items()


def _flat(tree: dict[int, Any], prefix: bytes) -> Iterator[tuple[bytes, int]]:
    for byte, subtree in tree.items():
        code = prefix + bytes([byte])
        if isinstance(subtree, dict):
            yield from _flat(subtree, code)
        else:
            yield code, subtree


def _codespaces(codes: Iterable[bytes]) -> Iterator[Codespace]:
    """Yield ranges that contain the codes: one for each length and each run of consecutive first bytes."""
    by_start: dict[tuple[int, int], list[bytes]] = {}
    for code in codes:
        by_start.setdefault((len(code), code[0]), []).append(code)
    starts = enumerate(sorted(by_start))
    for _, run in groupby(starts, key=lambda pair: (pair[1][0], pair[1][1] - pair[0])):
        columns = list(zip(*(code for _, start in run for code in by_start[start]), strict=True))
        yield bytes(map(min, columns)), bytes(map(max, columns))


# Writing


def write_cmap(cmap: CMap) -> bytes:
    """Return a ToUnicode CMap as the data of a stream."""
    parts = [b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /WCSP def /CMapType 2 def"]
    parts += _blocks(b"codespacerange", [b"<%s> <%s>" % (_hex(a), _hex(b)) for a, b in cmap.codespaces])
    parts += _blocks(
        b"bfchar",
        [b"<%s> <%s>" % (_hex(code), _hex(text.encode("utf-16-be"))) for code, text in cmap.characters.items()],
    )
    return b"\n".join([*parts, b"endcmap end end"])


def _blocks(kind: bytes, rows: Sequence[bytes]) -> Iterator[bytes]:
    for at in range(0, len(rows), BLOCK):
        block = rows[at : at + BLOCK]
        yield b"%d begin%s\n%s\nend%s" % (len(block), kind, b"\n".join(block), kind)


def _hex(code: bytes) -> bytes:
    return code.hex().encode()
