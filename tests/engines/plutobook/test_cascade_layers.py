"""Cascade layers, of which PlutoBook knows none (CSS Cascading and Inheritance 5, 6.4)."""

from __future__ import annotations

import pytest

from tests.support.rendered_pages import Asset, task, text
from wcspider.engines.plutobook.css.rules import MAX_IDS, MAX_LAYERS, above_each_other
from wcspider.engines.plutobook.engine import PlutoBookEngine

pytestmark = pytest.mark.slow

BASE = "https://example.com/dir/"
SHOW, HIDE = "{ display: inline }", "{ display: none }"


def words(body: str, assets: dict[str, Asset] | None = None) -> list[str]:
    return text(PlutoBookEngine().render(task(body, assets))).split()


@pytest.mark.parametrize(
    "css",
    [
        f"@layer x {{ #i#i {SHOW} }} i {HIDE}",
        f"i {HIDE} @layer x {{ #i {SHOW} }}",
        f"@layer x, y; @layer y {{ i {HIDE} }} @layer x {{ #i.k {SHOW} }}",
        f"@layer x {{ #i {SHOW} }} @layer y {{ i {HIDE} }} @layer x {{ #i#i {SHOW} }}",
        f"@layer x {{ @layer in {{ #i {SHOW} }} i {HIDE} }}",
        f"@layer x.in {{ #i {SHOW} }} @layer y {{ #i {SHOW} }} @layer x {{ i {HIDE} }} @layer y.in {{ i {HIDE} }}"
        f" .k {HIDE}",
        f"@layer in {{ i {HIDE} }} @layer x {{ @layer in {{ #i {HIDE} }} }} b {SHOW}",
        f"@layer {{ #i {SHOW} }} @layer {{ i {HIDE} }}",
        f"@layer {{ i {SHOW} }} @layer x {{ i {HIDE} }}",
        "@layer x { i { display: none !important } } #i { display: inline !important }",
        "@layer x { i { display: none !important } } @layer y { #i { display: inline !important } }",
        "@layer x { i { display: none !important; color: red } } @layer y { i { display: inline; color: blue } }",
        "i { display: none !important } @layer x { #i { display: inline } }",
        "@layer x { b i { display: inline !important } @layer in { i { display: none !important } } }",
        "@layer x { @media screen { #i { display: none } } @media print { i { display: none } } }",
        "p { @layer x { & #i { display: inline } } & i { display: none } }",
        "@layer x { p { #i { display: inline } } } p { i { display: none } }",
        f"@layer x {{ [title='a b'], #i {SHOW} }} i, q::before {HIDE}",
    ],
)
def test_a_higher_specificity_overcomes_no_layer(css: str) -> None:
    assert words(f"<style>{css}</style><p><b>b</b> <i id=i class=k>i</i>") == ["b"]


def test_generated_content() -> None:
    css = "@layer x { #i::before { content: 'wrong' } #i::after { content: 'after' } } i::before { content: 'before' }"
    assert words(f"<style>{css}</style><p><i id=i> i </i>") == ["before", "i", "after"]


@pytest.mark.parametrize(
    ("importing", "expected"),
    [
        ("@layer x, y; @import 'hide.css' layer(y); @layer x { #i#i { display: inline } }", ["b"]),
        ("@import 'hide.css' layer(y); @layer x { i { display: inline } }", ["b", "i"]),
        ("@import 'hide.css' layer; @layer x { i { display: inline } }", ["b", "i"]),
        ("@import 'hide.css' layer; i { display: inline }", ["b", "i"]),
        ("@import 'hide.css' layer(x) screen; b { display: inline }", ["b", "i"]),
        ("@import 'hide.css' layer(x) supports(display: flex) print; b { display: inline }", ["b"]),
        ("@import 'layers.css'; @layer x { i { display: none } } @layer y { i { display: inline } }", ["b"]),
        ("@import 'important.css' layer(x); #i { display: inline !important }", ["b"]),
    ],
)
def test_imports(importing: str, expected: list[str]) -> None:
    sheets = {
        "hide.css": b"i { display: none }",
        "layers.css": b"@layer y, x;",
        "important.css": b"i { display: none !important }",
    }
    assets = {BASE + name: Asset(body, "text/css") for name, body in sheets.items()}
    assert words(f"<style>{importing}</style><p><b>b</b> <i id=i>i</i>", assets) == expected


def test_rules_without_layers_stay_as_they_are() -> None:
    assert above_each_other([["p{color:red}", "#a{color:red}"]]) == ["p{color:red}", "#a{color:red}"]


def test_many_layers_add_a_limited_number_of_ids() -> None:
    last = above_each_other([["#a{color:red}"]] * MAX_LAYERS)[-1]
    assert last == f"#a:not({'#_wcspider' * MAX_IDS}){{color:red}}"


def test_too_many_layers_keep_their_order() -> None:
    layers = [[f"#a{{color:#{number:06x}}}"] for number in range(MAX_LAYERS + 1)]
    assert above_each_other(layers) == [text for [text] in layers]
