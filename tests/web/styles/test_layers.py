"""The order of cascade layers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.styles.layers import OUTSIDE, Layer, in_order

_NAMES = st.sampled_from("abc")
_LAYERS = st.lists(st.builds(Layer, st.lists(_NAMES, max_size=3).map(tuple), st.booleans()), unique=True)


def named(names: str) -> list[Layer]:
    """Return layers for names such as "a.b", "a!" for important declarations, and "-" for rules outside of layers."""
    return [Layer(tuple(filter(None, name.strip("-!").split("."))), name.endswith("!")) for name in names.split()]


@pytest.mark.parametrize(
    ("mentioned", "expected"),
    [
        ("-", "-"),
        ("- a b", "a b -"),
        ("b - a", "b a -"),
        ("a a.x a.y b", "a.x a.y a b"),
        ("a b a.x", "a.x a b"),
        ("a.y b a.x", "a.y a.x b"),
        ("a.x.y a.x a", "a.x.y a.x a"),
        ("a! a b b! -", "a b - b! a!"),
        ("a! a.x! a a.x -", "a.x a - a! a.x!"),
    ],
)
def test_order(mentioned: str, expected: str) -> None:
    assert in_order(named(mentioned)) == named(expected)


@given(layers=_LAYERS)
def test_properties_of_the_order(layers: list[Layer]) -> None:
    found = in_order(layers)
    assert sorted(found) == sorted(layers)
    places = {layer: place for place, layer in enumerate(found)}
    important = [layer for layer in found if layer.is_important]
    assert found[len(found) - len(important) :] == important
    for layer in found:
        inner = [other for other in found if other.path[: len(layer.path)] == layer.path and other != layer]
        for other in (other for other in inner if other.is_important == layer.is_important):
            assert (places[layer] > places[other]) != layer.is_important
    if OUTSIDE in places:
        assert places[OUTSIDE] == len(found) - len(important) - 1
