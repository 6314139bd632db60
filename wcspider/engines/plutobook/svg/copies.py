"""USE elements of SVG. A few of them inside each other may draw billions of copies (SVG 1.1, 5.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from wcspider.engines.document.media import HREFS

TOO_MANY_COPIES: Final = "a drawing with too many copies of its parts is not shown in full (USE)"

MAX_COPIES: Final = 100_000
"""How many copies a drawing may have."""

FEW: Final = 24
"""How many USE elements are never too many: three on each of eight levels draw 6,561 shapes."""

_MAX_LEVELS: Final = 100


def remove_copies(page: Any) -> bool:
    """Let the USE elements of a page draw nothing if they draw more than `MAX_COPIES`; tell whether they do."""
    uses = list(page.iter("use"))
    if not draws_too_many(uses):
        return False
    for use in uses:
        for name in HREFS:
            use.attrib.pop(name, None)
    return True


def draws_too_many(uses: Sequence[Any]) -> bool:
    """Tell whether USE elements draw more than `MAX_COPIES`."""
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
