"""Transformations that cairo cannot draw, and those that it can."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.engines.plutobook.css.transforms import LARGEST_SCALE, Effect, effect, with_unseen_scales


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("none", Effect.USUAL),
        ("", Effect.USUAL),
        ("scale(1.5) rotate(45deg) translate(-50%, 20px)", Effect.USUAL),
        ("scale(-1, 1)", Effect.USUAL),
        ("scale(50%)", Effect.USUAL),
        ("scale(0%)", Effect.NOTHING),
        ("scale(20)", Effect.USUAL),
        ("scale(5) scale(5)", Effect.TOO_MUCH),
        ("scale(0.1) scale(100)", Effect.USUAL),
        ("scale(var(--x))", Effect.USUAL),
        ("scale(calc(0))", Effect.USUAL),  # PlutoBook ignores it
        ("skewX(80deg)", Effect.USUAL),
        ("skew(80deg)", Effect.USUAL),
        ("skewX(84deg)", Effect.TOO_MUCH),
        ("skewY(84deg)", Effect.TOO_MUCH),
        ("skew(50grad, 50grad)", Effect.NOTHING),
        ("skewX(1.57rad)", Effect.TOO_MUCH),
        ("skewX(0.5turn)", Effect.USUAL),
        ("rotate(30deg) scale(10, 0.1)", Effect.USUAL),
        ("scale(10, 0.1) rotate(30deg)", Effect.TOO_MUCH),  # its axes come close to each other
        ("matrix(1, 2, 2, 4, 0, 0)", Effect.NOTHING),
        ("matrix(1, 2, 3)", Effect.USUAL),  # invalid
        ("scale()", Effect.USUAL),
        ("rotate(1e300deg)", Effect.TOO_MUCH),
        ("scale(1e999)", Effect.TOO_MUCH),
        ("scale(1e999, 0)", Effect.TOO_MUCH),
    ],
)
def test_effect(transform: str, expected: Effect) -> None:
    assert effect(transform, LARGEST_SCALE) is expected


def test_drawings_may_be_scaled_as_they_like() -> None:
    assert effect("scale(100000)") is Effect.USUAL


@given(st.floats(-1e6, 1e6), st.floats(-20, 20).filter(lambda factor: abs(factor) > 0.01))
def test_a_rotation_changes_no_effect(angle: float, factor: float) -> None:
    assert effect(f"rotate({angle:f}deg) scale({factor:f})", 21) is Effect.USUAL
    assert effect(f"rotate({angle:f}deg) scale({factor:f}, 0)", 21) is Effect.NOTHING


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        ("b{transform:scale(var(--x))}i{--x:0}", "b{transform:scale(var(--x))}i{--x:0.0001}"),
        ("i{--y:0.0;--x:0%!important}b{transform:scaleX(var(--x)) scaleY(var( --y, 1))}",
         "i{--y:0.0001;--x:0.0001!important}b{transform:scaleX(var(--x)) scaleY(var( --y, 1))}"),
        ("b{transform:scale(var(--x));top:var(--y)}i{--y:0;--x:10}", None),
        ("b{transform:rotate(var(--x));--scale:0}i{--x:0}", None),
    ],
)  # fmt: skip
def test_variables_of_scales(sheet: str, expected: str | None) -> None:
    assert with_unseen_scales(sheet) == (sheet if expected is None else expected)
