"""Copies in SVG drawings (SVG 1.1, 5.6): a few USE elements inside each other may draw billions of shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.media import HREFS

TOO_MANY: Final = "a drawing with too many copies of its parts is not shown in full (USE)"

MAX_COPIES: Final = 100_000
"""How many copies a drawing may have."""

FEW: Final = 24
"""How many USE elements are never too many: three on each of eight levels draw 6,561 shapes."""

_MAX_LEVELS: Final = 100
_USES: Final = etree.XPath("//use")


def has_too_many(svg: bytes) -> bool:
    """Tell whether an SVG file draws more than `MAX_COPIES`. A file that is not well-formed draws nothing."""
    if svg.count(b"use") <= FEW:
        return False
    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True, recover=True))
    return root is not None and _draws_too_many([e for e in root.iter(etree.Element) if _local_name(e) == "use"])


def remove_too_many(page: Any) -> bool:
    """Let the USE elements of a page draw nothing if they draw more than `MAX_COPIES`; tell whether they do."""
    uses = _USES(page)
    if not _draws_too_many(uses):
        return False
    for use in uses:
        for name in HREFS:
            use.attrib.pop(name, None)
    return True


def _draws_too_many(uses: Sequence[Any]) -> bool:
    if len(uses) <= FEW:
        return False
    targets = {use: _target(use) for use in uses}
    wanted = set(targets.values())
    inside: dict[str, list[str]] = {}
    for use, target in targets.items():
        for element in (use, *use.iterancestors()):
            if (own := element.get("id")) in wanted:
                inside.setdefault(own, []).append(target)
    sizes: dict[str, int] = {}
    return sum(_size(target, inside, sizes, 0) for target in targets.values()) > MAX_COPIES


def _size(target: str, inside: Mapping[str, list[str]], sizes: dict[str, int], level: int) -> int:
    """Return how many copies a target draws, or a number above `MAX_COPIES`."""
    if target not in sizes:
        sizes[target] = 1  # in case it includes itself
        below = inside.get(target, ()) if level < _MAX_LEVELS else ()
        sizes[target] = min(1 + sum(_size(inner, inside, sizes, level + 1) for inner in below), MAX_COPIES + 1)
    return sizes[target]


def _target(use: Any) -> str:
    reference = next((use.get(name) for name in HREFS if use.get(name)), "")
    return str(reference).strip().removeprefix("#")


def _local_name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
