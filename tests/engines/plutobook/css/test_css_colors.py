"""Colors in the notations of CSS Color 4 and 5."""

from __future__ import annotations

import pytest
import tinycss2

from wcspider.engines.plutobook.css.css_colors import hexadecimal, rgba_of


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("color-mix(in srgb, red, blue)", "#800080"),
        ("color-mix(in oklab, red 25%, blue)", "#4000bf"),
        # A transparent color makes the other one clearer, not darker.
        ("color-mix(in oklab, #00f 80%, transparent)", "#0000ffcc"),
        ("color-mix(in srgb, transparent, #ff000080 50%)", "#ff000040"),
        ("color-mix(in srgb, red 20%, blue 20%)", "#80008066"),
        ("color-mix(in srgb, transparent, transparent)", "#00000000"),
        ("color-mix(in srgb, currentcolor 50%, transparent)", None),
        ("color-mix(in srgb, var(--a), white)", None),
        ("light-dark(red, blue)", "#ff0000"),
    ],
)
def test_mixed_colors(written: str, expected: str | None) -> None:
    assert hexadecimal(rgba_of(tinycss2.parse_one_component_value(written))) == expected
