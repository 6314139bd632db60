"""Cascade layers (CSS Cascading and Inheritance 5, 6.4), and the order in which their rules apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple


class Layer(NamedTuple):
    """A layer with rules."""

    path: tuple[str, ...] = ()
    """The names of the layers around it, from the outermost, and its own name; empty for rules outside of layers."""

    is_important: bool = False
    """True for the important declarations of a layer. Those outside of layers stand among the others."""


OUTSIDE = Layer()
"""The rules outside of layers."""


def in_order(layers: Iterable[Layer]) -> Sequence[Layer]:
    """Return layers in the order of the cascade: the rules of a layer win over those of the layers before it.

    `layers` are in the order in which a page mentions them. The rules of a layer win over those of the layers inside of
    it, and rules outside of layers over all others; for important declarations, it is the other way around.
    """
    numbers: dict[tuple[str, ...], int] = {}
    found = list(layers)
    for layer in found:
        for parent in _around(layer):
            numbers.setdefault(parent, len(numbers))
    important = [layer for layer in found if layer.is_important]
    others = [layer for layer in found if not layer.is_important]
    return [
        *sorted(others, key=lambda layer: _place(layer, numbers)),
        *sorted(important, key=lambda layer: _place(layer, numbers), reverse=True),
    ]


def _around(layer: Layer) -> Iterable[tuple[str, ...]]:
    """Return the paths of the layers around a layer, from the outermost, and its own path."""
    return (layer.path[: end + 1] for end in range(len(layer.path)))


def _place(layer: Layer, numbers: Mapping[tuple[str, ...], int]) -> tuple[float, ...]:
    return (*(numbers[path] for path in _around(layer)), inf)
