"""Page labels (ISO 32000-1, 12.4.2): the page numbers that viewers show, as ranges of pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wcspider.pdf.objects import Name, Ref, Resolve, Value
from wcspider.pdf.values import read_text

Range = tuple[int, Value]
"""The index of the first page of a range, from 0, and its page label dictionary (Table 159) or a reference to it."""

DECIMAL = "D"
ROMAN: dict[str, Value] = {"S": Name("r")}
LARGEST_SPELLED = 10_000
"""The largest number that is written in letters or Roman digits. A damaged file may contain any number."""

_TREE_DEPTH = 32
_ROMAN_DIGITS = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
                 (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def read_ranges(tree: Value, resolve: Resolve) -> list[Range]:
    """Return the ranges of a number tree (7.9.7) of any program, in order; invalid entries are ignored."""
    return sorted(dict(_entries(tree, resolve, set())).items())


def _entries(node: Value, resolve: Resolve, seen: set[Ref], depth: int = 0) -> Iterator[Range]:
    """Yield the ranges below a node; nodes in `seen` were read before, as in a tree with a cycle."""
    content = resolve(node)
    if not isinstance(content, dict) or depth > _TREE_DEPTH:
        return
    if isinstance(node, Ref):
        if node in seen:
            return
        seen.add(node)
    numbers, kids = resolve(content.get("Nums")), resolve(content.get("Kids"))
    if isinstance(numbers, list):
        for index, label in zip(numbers[::2], numbers[1::2], strict=False):
            if type(index) is int and index >= 0 and isinstance(resolve(label), dict):
                yield index, label
    for kid in kids if isinstance(kids, list) else ():
        yield from _entries(kid, resolve, seen, depth + 1)


def as_pdf(ranges: Iterable[Range]) -> dict[str, Value]:
    """Return ranges as a number tree of one node."""
    return {"Nums": [part for pair in ranges for part in pair]}


def decimal_from(number: int) -> dict[str, Value]:
    """Return the label dictionary for pages with plain decimal numbers from `number` on."""
    return {"S": Name(DECIMAL)} if number == 1 else {"S": Name(DECIMAL), "St": number}


def is_plain(label: Value, resolve: Resolve) -> bool:
    """Tell whether a label dictionary gives plain decimal numbers, without a prefix."""
    content = resolve(label)
    return resolve(content.get("S")) == DECIMAL and not read_text(resolve(content.get("P")))


def with_front(ranges: Iterable[Range], before: int, now: int) -> list[Range]:
    """Return ranges in which `now` pages in front have Roman numbers, instead of `before` pages."""
    kept = [(index - before + now, label) for index, label in ranges if index >= before]
    if not kept or kept[0][0] > now:
        kept.insert(0, (now, decimal_from(1)))
    return [(0, ROMAN), *kept] if now else kept


def label_of(ranges: list[Range], index: int, resolve: Resolve) -> str:
    """Return the label of the page with an index, from 0; without ranges, this is its number from 1."""
    start, value = next(((start, value) for start, value in reversed(ranges) if start <= index), (0, decimal_from(1)))
    content = resolve(value)
    first = resolve(content.get("St"))
    number = index - start + (first if type(first) is int and first > 0 else 1)
    return read_text(resolve(content.get("P"))) + _written(number, str(resolve(content.get("S"))))


def _written(number: int, style: str) -> str:
    """Return a number in a numbering style (Table 159); an empty string for an unknown style."""
    if style == DECIMAL or (style in ("A", "a", "R", "r") and number > LARGEST_SPELLED):
        return str(number)
    if style in ("A", "a"):
        letter = chr(ord(style) + (number - 1) % 26)
        return letter * ((number - 1) // 26 + 1)
    if style in ("R", "r"):
        roman = ""
        for value, digits in _ROMAN_DIGITS:
            count, number = divmod(number, value)
            roman += digits * count
        return roman.upper() if style == "R" else roman
    return ""
