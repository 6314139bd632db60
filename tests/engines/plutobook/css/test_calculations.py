"""Calculations with percentages of the box around an element."""

from __future__ import annotations

import pytest
import tinycss2
from hypothesis import given
from hypothesis import strategies as st

from wcspider.engines.plutobook.css.calculations import calculated, is_share
from wcspider.engines.plutobook.css.lengths import Basis

AROUND = Basis(400, 800)


def result(name: str, value: str, around: Basis = AROUND) -> str:
    tokens = tinycss2.parse_component_value_list(value)
    return calculated(name, tokens, around)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("width", "calc(100% - 100px)", True),
        ("flex", "1 0 MAX(50%, 10px)", True),
        ("margin", "0 auto calc(1px + var(--x, 5%))", True),
        ("padding-inline-end", "clamp(1px, 5%, 2px)", True),
        ("width", "calc(1em - 1px)", False),
        ("width", "50%", False),
        ("height", "calc(100% - 1px)", False),
        ("--width", "calc(100% - 1px)", False),
    ],
)
def test_which_values_are_shares(name: str, value: str, expected: bool) -> None:
    assert is_share(name, tinycss2.parse_component_value_list(value)) is expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        # The box around may be 5 % narrower than estimated.
        ("width", "calc(100% - 38px)", "90.000%"),
        ("width", "calc(50% + 40px)", "60.000%"),
        ("flex", "0 1 calc(50% - 38px)", "0 1 40.000%"),
        ("max-width", "min(100%, 300px)", "300.000px"),
        ("max-width", "min(100%, 500px)", "100.000%"),
        ("width", "clamp(10px, 100% / 3, 20em)", "33.333%"),
        ("width", "calc(100% - 390px)", ""),
        ("width", "calc(100% * 1s)", ""),
        ("margin", "0 calc(50% - 50vw) auto", "0 -50.000% auto"),
        ("margin-left", "calc(100% + 1px)", ""),  # more than half of the window
        ("padding", "max(4px, (100% - 300px) / 2) 1em", "12.500% 1em"),
    ],
)
def test_results(name: str, value: str, expected: str) -> None:
    assert result(name, value) == expected


@given(
    share=st.integers(1, 100),
    length=st.integers(-300, 300),
    estimate=st.integers(50, 2000),
    error=st.floats(0.951, 1),
)
def test_boxes_with_the_same_width_fit_into_a_narrower_box(
    share: int, length: int, estimate: int, error: float
) -> None:
    found = result("width", f"calc({share}% - {length}px)", Basis(estimate, 800))
    if found and length > 0:
        width = error * estimate
        assert float(found.removesuffix("%")) / 100 * width <= share / 100 * width - length + 0.1
