"""The weights of the author's fonts, in @font-face rules and in the URLs for which PlutoBook asks its fetcher."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from wcspider.engines.document.absolute_urls import with_absolute_urls
from wcspider.engines.plutobook.fonts.font_names import faces_of, family_of
from wcspider.web.styles.tokens import text_of

BOLD: Final = 600.0
"""The least weight of bold text, and of the fonts that are bold (CSS Fonts 4, 2.6.1)."""

MAX_FILES: Final = 20
"""The largest number of files of a family that are emboldened. Families for Chinese have up to two hundred."""

_WEIGHT: Final = "#wcspider-weight="
"""The fragment of the URL of a font with the weight of its instance; a number follows."""

_EMBOLDENED: Final = "+bold"
"""The end of the fragment of a font that stands in for a bold one."""

_WEIGHTS: Final = range(100, 1000, 100)
"""The weights of text for which a variable font is used (CSS Fonts 4, 2.2)."""

_KEYWORDS: Final = {"normal": 400.0, "bold": 700.0}
_OF_FACE: Final = re.compile(r"font-weight:([\d.]+)")
_IN_URL: Final = re.compile(rf"({_WEIGHT}[\d.]+)")
_STYLE: Final = re.compile(r"font-style:\s*(italic|oblique)", re.IGNORECASE)
_WITHOUT: Final = re.compile(
    r"(?:^|[,}\s])(?::root|html|body|\*)(?:,[^{}]{0,200})?\{[^{}]*(?<![\w-])font-synthesis(?:-weight)?:(?![^;{}]*(?:weight|auto))"
)
"""A rule for the whole page that forbids to embolden fonts (CSS Fonts 4, 2.7)."""


class Weight(NamedTuple):
    """The weight for which a font file is used."""

    of_face: float
    """The weight in the @font-face rule of the author."""

    is_emboldened: bool = False
    """Whether the font stands in for a bold one."""


def weights_of(value: Sequence[Any]) -> tuple[float, ...]:
    """Return the weights of the text for which a font is used, of the tokens of its ``font-weight`` descriptor.

    The descriptor may be a range (CSS Fonts 4, 4.4). PlutoBook knows a single weight only.
    """
    words = [_KEYWORDS.get(text_of([token]).lower(), getattr(token, "value", None)) for token in value]
    numbers = sorted(word for word in words if isinstance(word, int | float)) or [_KEYWORDS["normal"]]
    inside = (float(weight) for weight in _WEIGHTS if numbers[0] <= weight <= numbers[-1])
    return tuple(inside) or (numbers[0],)


def with_weight(tokens: Sequence[Any], base: str, weight: float) -> list[Any]:
    """Return the tokens of a ``src`` descriptor with absolute URLs, and in them the weight of the text."""
    return with_absolute_urls(tokens, base, f"{_WEIGHT}{weight:g}")


def weight_of(url: str) -> Weight | None:
    """Return the weight in the URL of a font file; None for other URLs."""
    _, mark, weight = url.partition(_WEIGHT)
    return Weight(float(weight.removesuffix(_EMBOLDENED)), weight.endswith(_EMBOLDENED)) if mark else None


def with_bold_faces(sheets: Sequence[str]) -> Sequence[str]:
    """Return style sheets in which each family has a bold font.

    PlutoBook would show bold text of other families in their usual weight; browsers make the letters bolder
    (CSS Fonts 4, 2.7). Families with too many files stay as they are.
    """
    faces = faces_of(sheets)
    if not faces or any("font-synthesis" in sheet and _WITHOUT.search(sheet) for sheet in sheets):
        return sheets
    added = "".join(_bold_faces(faces))
    return [*sheets, added] if added else sheets


@lru_cache(maxsize=128)
def _bold_faces(faces: Sequence[str]) -> Sequence[str]:
    return tuple(_made_bold(faces))


def _made_bold(faces: Sequence[str]) -> Iterator[str]:
    """Yield the rules of the bold fonts that families lack; upright and slanted fonts are apart."""
    kinds: dict[tuple[str, bool], dict[float, list[str]]] = {}
    for face in faces:
        weight = _OF_FACE.search(face)
        if weight is not None:
            kind = family_of(face).lower(), _STYLE.search(face) is not None
            kinds.setdefault(kind, {}).setdefault(float(weight[1]), []).append(face)
    for weights in kinds.values():
        heaviest = weights[max(weights)]
        if max(weights) < BOLD and len(heaviest) <= MAX_FILES:
            marked = (_IN_URL.sub(rf"\1{_EMBOLDENED}", face) for face in heaviest if _WEIGHT in face)
            yield from (_OF_FACE.sub(f"font-weight:{_KEYWORDS['bold']:g}", face, count=1) for face in marked)
