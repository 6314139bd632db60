"""Styles of placeholders. A control shows its placeholder as its text, so they become styles of the control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Final

from wcspider.web.styles.tokens import declarations_of, serialized

_OF_TEXT: Final = frozenset({"color", "font-style", "font-weight", "letter-spacing", "text-align", "text-transform"})


def declarations_of_control(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule for ``::placeholder`` that can apply to the control.

    They are important, because the control may have declarations for its value.
    """
    return list(_important(declarations))


def _important(declarations: Sequence[Any]) -> Iterator[Any]:
    for declaration in declarations:
        if declaration.lower_name in _OF_TEXT:
            important = copy(declaration)
            important.important = True
            yield important
        elif declaration.lower_name == "opacity" and serialized(declaration.value).strip() in ("0", "0%"):
            yield from declarations_of("color:transparent!important")
