"""Colors in the notations of CSS Color 4 and 5."""

from __future__ import annotations

import sys

import pytest
import tinycss2

from wcspider.engines.plutobook.css.css_colors import LAYERED, hexadecimal, rgba_of


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("rebeccapurple", "#663399"),
        ("#ABCD", "#aabbccdd"),
        ("transparent", "#00000000"),
        ("rgb(300 -5 1e999 / 2)", "#ff00ff"),
        ("RGBA(50%, 0%, 100%, 0.5)", "#8000ff80"),
        (f"{LAYERED}(rgba(0, 0, 0, 0.1) #fff)", "#e6e6e6"),
        (f"{LAYERED}(transparent #fff8)", "#ffffff88"),
        (f"{LAYERED}(#f008 inherit #00f8 #0f00)", "#ae0051c7"),
        (f"{LAYERED}(inherit)", "#00000000"),
        ("no-repeat", None),
        ("currentcolor", None),
        ("#12", None),
    ],
)
def test_usual_colors_need_no_further_library(
    written: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "coloraide", None)  # importing it is an error
    assert hexadecimal(rgba_of(tinycss2.parse_one_component_value(written))) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("color-mix(in srgb, red, blue)", "#800080"),
        ("color-mix(in oklab, red 25%, blue)", "#5147d2"),
        ("color-mix(in oklch, white, red)", "#ffa191"),  # the hue of white is that of red
        ("color-mix(in lch longer hue, red, blue)", "#008240"),
        ("color-mix(in xyz, red, lime 30%)", "#da9500"),
        ("color-mix(in hsl, rgb(calc(200 + 55) 0 0), light-dark(lime, red))", "#ffff00"),
        # A transparent color makes the other one clearer, not darker.
        ("color-mix(in oklab, #00f 80%, transparent)", "#0000ffcc"),
        ("color-mix(in srgb, transparent, #ff000080 50%)", "#ff000040"),
        ("color-mix(in srgb, red 20%, blue 20%)", "#80008066"),
        ("color-mix(in srgb, red calc(0.25 * 100%), blue)", "#4000bf"),
        ("color-mix(in srgb, #f00 calc(1 * 100%), transparent)", "#ff0000"),
        ("color-mix(in srgb, transparent, transparent)", "#00000000"),
        ("color-mix(in srgb, currentcolor 50%, transparent)", None),
        ("color-mix(in srgb, var(--a), white)", None),
        ("color-mix(in srgb, red 0%, blue 0%)", None),
        ("color-mix(in nowhere, red, blue)", None),
        ("color-mix(in srgb, red)", None),
        ("color-mix()", None),
        ("light-dark(red, blue)", "#ff0000"),
        (f"{LAYERED}(#f00 var(--a) #00f)", "#ff0000"),
        ("color(display-p3 0.5 0.5 0)", "#808000"),
        ("rgb(50% 255 0)", "#80ff00"),
        ("color(xyz 0.3 0.2 0.1)", "#ce5451"),
        ("lab(50 40 20 / none)", "#b9585700"),
        ("oklch(0.9 0.4 140)", "#00ff00"),  # outside sRGB
        ("lab(1e308 1e308 1e308)", None),
        # Relative colors take channels from another color.
        ("rgb(from red r g b / 50%)", "#ff000080"),
        ("rgba(from #0f08 b r calc(g - 128 * 1))", "#00007f88"),
        ("RGB( FROM hsl(120 100% 50%) R G B / calc(alpha / 2))", "#00ff0080"),
        ("hsl(from red h s calc(l - 20))", "#990000"),
        ("hsla(from red calc(h + 120deg) s l)", "#00ff00"),
        ("hwb(from red h 50 b)", "#ff8080"),
        ("lab(from white 50 a b)", "#777777"),
        ("oklch(from oklch(from lime l c h) l 0 h)", "#d3d3d3"),
        ("color-mix(in srgb, rgb(from red r 255 b), blue)", "#808080"),
        ("rgb(from serif r g b)", None),
        ("rgb(from red)", None),
        ("rgb(from lab(1e308 1e308 1e308) r g b)", None),
        ("oklch(from)", None),
        ("color(from red srgb r g b)", None),
        ("color-mix(from red, red)", None),
        ("light-dark(from red, red)", "#ff0000"),
        ("serif", None),
    ],
)
def test_colors_are_those_of_browsers(written: str, expected: str | None) -> None:
    assert hexadecimal(rgba_of(tinycss2.parse_one_component_value(written))) == expected
