"""Conditions of @supports rules, and selectors, as they are for PlutoBook."""

from __future__ import annotations

import re

import pytest
import tinycss2
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.support import is_met, known

KNOWN, UNKNOWN = "(display: grid)", "( Mask-Image : none)"


def answer(condition: str) -> bool:
    return is_met(tinycss2.parse_component_value_list(condition))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (KNOWN, True),
        (UNKNOWN, False),
        (f"not {KNOWN}", False),
        (f"NOT {UNKNOWN}", True),
        (f"{KNOWN} and {UNKNOWN}", False),
        (f"{UNKNOWN} or {KNOWN}", True),
        (f"{KNOWN} and (not {UNKNOWN})", True),
        (f"({KNOWN} or {UNKNOWN}) and {KNOWN}", True),
        ("not ((-webkit-mask-image: none) or (mask-image: none))", True),
        ("((-webkit-backdrop-filter: blur(1px)) or (backdrop-filter: blur(1px)))", False),
        ("(--custom: mask)", True),
        ("not (-ms-ime-align: auto)", True),
        ("(-moz-appearance: none)", False),
        ("(-WEBKIT-TOUCH-CALLOUT: none)", False),
        ("(-webkit-line-clamp: 2)", True),
        ("(anchor-name: --menu)", False),
        ("selector(a > b)", True),
        ("not selector(:focus-visible)", False),
        ("", True),
        ("(mask)", True),
        ("((((" * 5_000, True),
    ],
)
def test_is_met(condition: str, expected: bool) -> None:
    assert answer(condition) is expected


@given(st.recursive(st.sampled_from([KNOWN, UNKNOWN]), lambda inner: inner.map("(not {})".format), max_leaves=5))
def test_a_negation_is_the_opposite(condition: str) -> None:
    assert answer(f"not {condition}") is not answer(condition)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (":lang(en)", "abc"),
        (":LANG( 'de' )", "d"),
        (":lang(de, zh-Hant)", "de"),
        (":lang(en-US)", ""),
        (":not(:lang(en))", "de"),
    ],
)
def test_elements_inherit_their_language(language: str, expected: str) -> None:
    root = html.document_fromstring(
        "<html lang=en-GB><p id=a></p><div><p id=b></p></div><p id=c lang=en></p><p id=d lang=de></p>"
        "<div lang=zh-Hant-TW><p id=e></p></div>"
    )
    page = PageStyles(root, [f"{known(f'p{language}')} {{ display: grid }}"])
    found = page.wrappers_with(re.compile("display:grid"))
    shown = (wrapper.etree_element for wrapper in found if page.values(wrapper).get("display") == "grid")
    assert "".join(element.get("id") for element in shown) == expected
