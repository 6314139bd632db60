"""Styles of placeholders. A control shows its placeholder as its text, so they become styles of the control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wcspider.web.styles.tokens import declarations_of, serialized

_OF_TEXT: Final = frozenset({"color", "font-style", "font-weight", "letter-spacing", "text-align", "text-transform"})


def declarations_of_control(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule for ``::placeholder`` that can apply to the control.

    They are important, because the control may have declarations for its value.
    """
    found = [f"{d.name}:{serialized(d.value)}" for d in declarations if d.lower_name in _OF_TEXT]
    if any(d.lower_name == "opacity" and serialized(d.value) in ("0", "0%") for d in declarations):
        found.append("color:transparent")
    return declarations_of(";".join(f"{text}!important" for text in found))
