"""Names with the prefix -webkit-."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.declarations import serialized
from wcspider.web.styles.prefixes import without_prefixes
from wcspider.web.styles.tokens import declarations_of


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("-WebKit-Border-Radius: 3px", "border-radius: 3px"),
        ("-webkit-transform: none !important; top: 0", "transform: none !; top: 0"),
        ("-webkit-margin-before: 1em; -webkit-padding-end: 2px", "margin-block-start: 1em; padding-inline-end: 2px"),
        ("-webkit-border-bottom-left-radius: 1px; -webkit-flex: 1", "border-bottom-left-radius: 1px; flex: 1"),
        ("-webkit-column-break-inside: avoid", "break-inside: avoid"),
        ("display: -webkit-flex; display: flex", "display: flex; display: flex"),
        ("display: -webkit-inline-box !important", "display: inline-flex !"),
        ("display: -webkit-box; -webkit-box-orient: vertical", "display: block; -webkit-box-orient: vertical"),
        ("-webkit-line-clamp: 3; display: -webkit-box", "-webkit-line-clamp: 3; display: block"),
        ("display: -webkit-box; -webkit-box-orient: horizontal", "display: flex; -webkit-box-orient: horizontal"),
        ("display: grid; display: -webkit-box", "display: grid; display: flex"),
    ],
)
def test_prefixed_names_become_standard_ones(written: str, expected: str) -> None:
    assert serialized(without_prefixes(declarations_of(written))) == expected


@pytest.mark.parametrize(
    "written",
    [
        "display: block; -webkit-line-clamp: 3",
        "-moz-border-radius: 3px; -webkit-hyphens: auto",
        "-webkit-mask: none; -webkit-background-clip: text; -webkit-text-fill-color: red",
        "border-radius: 3px",
        "",
    ],
)
def test_other_rules_are_not_changed(written: str) -> None:
    declarations: list[Any] = declarations_of(written)
    assert without_prefixes(declarations) is declarations
