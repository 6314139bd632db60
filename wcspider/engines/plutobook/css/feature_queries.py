"""The conditions of @supports rules (CSS Conditional Rules 3, 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

_UNKNOWN: Final = frozenset(
    {"aspect-ratio", "backdrop-filter", "border-image", "border-image-source", "clip-path", "filter", "mask",
     "mask-image", "shape-outside"}
)  # fmt: skip
"""The properties that PlutoBook does not know, and without which authors write other rules.

For all others the answer is that they are known: most are rewritten, or do not matter on paper.
"""

_PREFIX: Final = "-webkit-"
_MAX_DEPTH: Final = 32


def is_met(condition: Sequence[Any], depth: int = 0) -> bool:
    """Tell whether PlutoBook meets the condition of an @supports rule.

    Functions such as ``selector()`` count as met.
    """
    result, operator, is_negated = True, "and", False
    for token in condition:
        if token.type == "ident" and token.lower_value in ("and", "or"):
            operator = token.lower_value
        elif token.type == "ident" and token.lower_value == "not":
            is_negated = True
        elif token.type in ("() block", "function"):
            found = _is_met_in_parentheses(token, depth) != is_negated
            result = (result or found) if operator == "or" else (result and found)
            is_negated = False
    return result


def _is_met_in_parentheses(token: Any, depth: int) -> bool:
    if token.type == "function" or depth > _MAX_DEPTH:
        return True
    content = [part for part in token.content if part.type not in ("whitespace", "comment")]
    if len(content) > 1 and content[0].type == "ident" and content[1] == ":":
        return content[0].lower_value.removeprefix(_PREFIX) not in _UNKNOWN
    return is_met(content, depth + 1)
