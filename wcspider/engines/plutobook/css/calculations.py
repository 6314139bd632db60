"""Calculations with percentages of the box around an element (CSS Values 4, 10), which PlutoBook does not know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from wcspider.engines.plutobook.css.lengths import Basis, is_math, pixels
from wcspider.web.styles.tokens import serialized, significant

WIDTHS: Final = frozenset({"width", "max-width", "min-width", "flex-basis"})

_SPACE: Final = re.compile(r"(margin|padding)(-(top|right|bottom|left|(block|inline)(-(start|end))?))?$")
"""The names of margins and paddings."""

_SUM: Final = re.compile(
    r"""calc\( \s* (?:
      (?P<share> -?[\d.]+% ) \s+ (?P<sign> [+-] ) \s+ (?P<rest> [^%]+ )
    | (?P<first> [^%]+ ) \s (?P<other> [+-] ) \s+ (?P<last> [\d.]+% ) \s*
    ) \)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A calculation that is the sum or the difference of a percentage and another value."""

_CAUTION: Final = 0.95
"""The least width of the box around an element, as a share of the estimate. Rows have to fit into it."""


def is_share(name: str, tokens: Sequence[Any]) -> bool:
    """Tell whether a size, a margin or a padding is calculated from the width of the box around the element."""
    is_size = name in WIDTHS or name == "flex" or _SPACE.match(name) is not None
    return is_size and any(map(_has_percentage, tokens))


def calculated(name: str, tokens: Sequence[Any], around: Basis) -> str:
    """Return a value with the results of its calculations; "" if one of them is unknown or too large.

    ``around`` has the estimated width of the box around the element. Results that depend on this width are
    percentages of it.
    """
    result = _space if _SPACE.match(name) else _size
    parts = [result(t, around) if _has_percentage(t) else serialized([t]) for t in significant(tokens)]
    return " ".join(parts) if all(parts) else ""


def divided(calculation: str) -> tuple[str, str] | None:
    """Return the percentage and the other value of a sum; None for other calculations."""
    found = _SUM.fullmatch(calculation)
    if found is None:
        return None
    if found["share"]:
        return found["share"], f"calc(0px {found['sign']} {found['rest']})"
    return found["other"].replace("+", "") + found["last"], f"calc({found['first'].strip()})"


def _has_percentage(token: Any) -> bool:
    return is_math(token) and "%" in serialized([token])


def _size(token: Any, around: Basis) -> str:
    """Return a width that also fits if the box around the element is a little narrower."""
    narrower = replace(around, container=_CAUTION * around.container)
    size, less = pixels([token], around), pixels([token], narrower)
    if size is None or less is None or min(size, less) <= 0:
        return ""
    if size == less:
        return f"{size:.3f}px"
    return f"{100 * min(size / around.container, less / narrower.container):.3f}%"


def _space(token: Any, around: Basis) -> str:
    size = pixels([token], around)
    if size is None or abs(size) > around.viewport / 2:
        return ""
    return f"{100 * size / around.container:.3f}%"
