"""CMaps (ISO 32000-1, 9.7.5 and 9.10.3): what codes stand for, read with all that a CMap uses, and written in one."""

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

USES_LIMIT = 8
CODES_LIMIT = 0x20000
"""How many codes the ranges of a CMap may have: twice those of two bytes."""

BLOCK = 100
"""Entries of a block of a CMap file, at most (Adobe Technical Note 5014)."""

# The CMaps that differ from another in a few codes, and are stored as these codes alone.
_DIFFERING = {"ETenms-B5-H": "ETen-B5-H", "UniJIS-UCS2-HW-H": "UniJIS-UCS2-H"}

Codespace = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class CMap:
    """What the codes of a font stand for: CIDs, characters, or both."""

    codespaces: tuple[Codespace, ...] = ()
    """The first and the last code of each range of codes; the lengths of codes follow from them."""

    cids: dict[bytes, int] = field(default_factory=dict)
    characters: dict[bytes, str] = field(default_factory=dict)

    def over(self, used: CMap) -> CMap:
        """Return the CMap that this one is if it uses another: what it says itself comes first."""
        return CMap(
            tuple(dict.fromkeys([*used.codespaces, *self.codespaces])),
            {**used.cids, **self.cids},
            {**used.characters, **self.characters},
        )

    def codes_in(self, text: bytes) -> Iterator[bytes]:
        """Yield the codes of a string (9.7.6.2); bytes that are in no codespace count as codes of one byte."""
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
    """Return the CMap of a stream, with those that it uses."""
    own = CMap()
    used = stream.get("/UseCMap")
    codespaces: list[Codespace] = []
    left = CODES_LIMIT
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
                codes = _codes(bytes(first), bytes(last), left)
                left -= len(codes)
                own.cids.update((code, int(cid) + at) for at, code in enumerate(codes))
        elif operator == "endbfchar":
            own.characters.update((bytes(code), _characters(bytes(text))) for code, text in _rows(operands, 2))
        elif operator == "endbfrange":
            for first, last, text in _rows(operands, 3):
                codes = _codes(bytes(first), bytes(last), left)
                left -= len(codes)
                own.characters.update(_range_of_characters(codes, text))
    complete = CMap(tuple(codespaces), own.cids, own.characters)
    return complete.over(_used(used, depth)) if used is not None and depth < USES_LIMIT else complete


def uses_another(stream: pikepdf.Object) -> bool:
    """Tell whether a CMap is based on another (UseCMap)."""
    return "/UseCMap" in stream or b"usecmap" in stream.read_bytes()


def _used(used: pikepdf.Object, depth: int) -> CMap:
    if isinstance(used, pikepdf.Stream):
        return read_cmap(used, depth + 1)
    return predefined(str(used).removeprefix("/"))


def _rows(operands: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    """Yield the entries of a block; what is left over at its end is passed over."""
    return zip(*[iter(operands)] * size, strict=False)


def _codes(first: bytes, last: bytes, limit: int) -> list[bytes]:
    """Return the codes of a range; of one that is too long, the first."""
    start, end = int.from_bytes(first, "big"), min(int.from_bytes(last, "big"), 256 ** len(first) - 1)
    return [code.to_bytes(len(first), "big") for code in range(start, min(end + 1, start + limit))]


def _range_of_characters(codes: Iterable[bytes], text: pikepdf.Object) -> Iterator[tuple[bytes, str]]:
    """Yield what the codes of a bfrange stand for: a string that is counted up, or an array of strings (9.10.3)."""
    if isinstance(text, pikepdf.Array):
        yield from ((code, _characters(bytes(entry))) for code, entry in zip(codes, list(text), strict=False))
        return
    start = bytes(text)
    for number, code in enumerate(codes, int.from_bytes(start, "big")):
        if number < 256 ** len(start):
            yield code, _characters(number.to_bytes(len(start), "big"))


def _characters(text: bytes) -> str:
    """Return characters from UTF-16BE; one byte alone is a character as well, as some programs write it."""
    return text.decode("latin-1" if len(text) == 1 else "utf-16-be", "ignore")


# The predefined ones


@lru_cache(maxsize=4)
def predefined(name: str) -> CMap:
    """Return a predefined CMap (Table 118), or the CMap of a collection to Unicode; an empty one if it is none."""
    try:
        if name.endswith("-UCS2"):
            characters = _characters_of(name.removesuffix("-UCS2"))
            return CMap(((b"\0\0", b"\xff\xff"),), {}, {cid.to_bytes(2, "big"): text for cid, text in characters})
        if name in ("Identity-H", "Identity-V"):
            return CMap(((b"\0\0", b"\xff\xff"),), {cid.to_bytes(2, "big"): cid for cid in range(0x10000)})
        cids = dict(_flat(CMapDB.get_cmap(name).code2cid, b""))  # type: ignore[attr-defined]
    except PDFException:
        return CMap()
    own = CMap(tuple(_spanned(cids)), cids)
    horizontal = name[:-1] + "H"
    base = _DIFFERING.get(name) or (horizontal if name.endswith("-V") or name == "V" else "")
    return own.over(predefined(base)) if base else own


def characters_of(collection: str) -> dict[int, str]:
    """Return the characters that the CIDs of a collection stand for, such as those of Adobe-Japan1."""
    return dict(_characters_of(collection)) if collection in COLLECTIONS else {}


def _characters_of(collection: str) -> Iterable[tuple[int, str]]:
    return CMapDB.get_unicode_map(collection).cid2unichr.items()


def _flat(tree: dict[int, Any], lead: bytes) -> Iterator[tuple[bytes, int]]:
    for byte, below in tree.items():
        code = lead + bytes([byte])
        if isinstance(below, dict):
            yield from _flat(below, code)
        else:
            yield code, below


def _spanned(codes: Iterable[bytes]) -> Iterator[Codespace]:
    """Yield ranges that codes lie in: for each length, and each run of first bytes, one."""
    by_head: dict[tuple[int, int], list[bytes]] = {}
    for code in codes:
        by_head.setdefault((len(code), code[0]), []).append(code)
    heads = enumerate(sorted(by_head))
    for _, run in groupby(heads, key=lambda pair: (pair[1][0], pair[1][1] - pair[0])):
        columns = list(zip(*(code for _, head in run for code in by_head[head]), strict=True))
        yield bytes(map(min, columns)), bytes(map(max, columns))


# Writing


def write_cmap(cmap: CMap) -> bytes:
    """Return the file of a ToUnicode CMap that uses no other."""
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
