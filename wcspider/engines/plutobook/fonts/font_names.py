"""The names of the author's font families, which do not depend on upper and lower case (CSS Fonts 4, 5.1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

MAX_COPIES: Final = 1_000
"""The largest number of rules that are added to a page."""

_FACE: Final = re.compile(r"""@font-face\{(?:[^{}"']|"[^"]*"|'[^']*')*\}""")
_NAME: Final = re.compile(r"""(?<=[{;])\s*font-family:\s*(?:"([^"]*)"|'([^']*)'|([^;"'{}]*))""")


def with_spellings(sheets: Sequence[str], attributes: str) -> Sequence[str]:
    """Return style sheets in which each font has all names that the rules use for it.

    PlutoBook finds a font by its exact name only. `attributes` are the STYLE attributes of the page.
    """
    faces = [(family_of(face), face) for face in faces_of(sheets)]
    names = frozenset(name for name, _ in faces if name)
    if not names:
        return sheets
    used = frozenset[str]().union(*(_spellings(sheet, names) for sheet in (*sheets, attributes))) - names
    copies = (_renamed(face, other) for name, face in faces for other in sorted(used) if other.lower() == name.lower())
    added = "".join(islice(copies, MAX_COPIES))
    return [*sheets, added] if added else sheets


def faces_of(sheets: Iterable[str]) -> tuple[str, ...]:
    """Return the @font-face rules of style sheets."""
    return tuple(face for sheet in sheets if "@font-face" in sheet for face in _faces(sheet))


@lru_cache(maxsize=128)
def _faces(sheet: str) -> Sequence[str]:
    return _FACE.findall(sheet)


@lru_cache(maxsize=512)
def family_of(face: str) -> str:
    """Return the name of the family of a @font-face rule."""
    found = _NAME.search(face)
    return "" if found is None else " ".join(next(filter(None, found.groups()), "").split())


@lru_cache(maxsize=128)
def _spellings(sheet: str, names: Collection[str]) -> frozenset[str]:
    """Return how a style sheet writes names."""
    longest_first = map(re.escape, sorted(names, key=len, reverse=True))
    return frozenset(re.findall(rf"(?<![\w-])(?:{'|'.join(longest_first)})(?![\w-])", sheet, re.IGNORECASE))


def _renamed(face: str, name: str) -> str:
    return _NAME.sub(f'font-family:"{name}"', face, count=1)
