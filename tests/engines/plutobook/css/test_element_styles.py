"""The elements with certain declarations, before the cascade is known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest
from cssselect2 import ElementWrapper
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html
from lxml.cssselect import CSSSelector

from wcspider.engines.plutobook.css import element_styles, rules
from wcspider.engines.plutobook.css.element_styles import PageStyles

BODY = "<div id=a class=g><p id=b>1</p><p id=c>2</p></div><div id=d style='display: grid'></div>"


GRID = re.compile("display:grid")


def found(*sheets: str) -> set[str]:
    return {element.get("id") for element in PageStyles(html.document_fromstring(BODY), sheets).elements_with(GRID)}


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        ("", {"d"}),
        (".g { display: grid }", {"a", "d"}),
        (".g { display: block; color: grid }", {"d"}),
        (".other p { display: grid }", {"d"}),
        (".oth { display: grid }", {"d"}),  # only a part of a name
        ("DIV.g#a, p#a, p.g { display: grid }", {"a", "d"}),
        ("P { display: grid }", {"b", "c", "d"}),
        ("span { display: grid }", {"d"}),
        ("#b { display: grid }", {"b", "d"}),
        # Pseudo-classes are ignored: some elements are too many, but none is missing.
        (".g > p:nth-child(2n) { display: grid }", {"b", "c", "d"}),
        (".g:unknown(x) { display: grid }", {"a", "d"}),
        ("p[ { display: grid }", {"d"}),
        # Only selectors whose names are on the page are tried.
        (".g#a p#c { display: grid }", {"c", "d"}),
        (".g > #c#b, #other #b, .g .b { display: grid }", {"d"}),
        ("p:not(.other):not(#other) { display: grid }", {"b", "c", "d"}),
        ("[class='g'], [title='.other #other'] { display: grid }", {"a", "d"}),
        (r".g\:x, #a { display: grid }", {"a", "d"}),
        (".g " * 200 + "{ display: grid }", {"d"}),
        ("body p { display: grid }", {"b", "c", "d"}),
        ("BODY>P { display: grid }", {"d"}),
        ("html > body .g > #c { display: grid }", {"c", "d"}),
        # The time does not grow exponentially with the letters of a name.
        (f".{'é' * 50}+p {{ display: grid }}", {"d"}),
    ],
)
def test_elements_with_a_declaration(sheet: str, expected: set[str]) -> None:
    assert found(sheet) == expected


compounds = st.sampled_from(["a", "b", ".x", ".y", "a.x", "b.x.y", "#i", "a#i"])
selectors = st.builds(
    lambda first, rest: first + "".join(combinator + compound for combinator, compound in rest),
    compounds,
    st.lists(st.tuples(st.sampled_from([" ", ">", " > ", "\n"]), compounds), max_size=3),
)
trees = st.recursive(
    st.just(""),
    lambda inner: st.builds(
        lambda tag, names, inside: f"<{tag} class='{names}' id=i>{''.join(inside)}</{tag}>",
        st.sampled_from(["a", "b"]),
        st.sampled_from(["", "x", "y", "x y"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=12,
)


@given(trees, selectors)
def test_selectors_of_compounds_find_the_elements_that_lxml_finds(tree: str, selector: str) -> None:
    root = etree.fromstring(f"<html>{tree}</html>".replace("id=i", "id='i'"))
    elements = PageStyles(root, [f"{selector} {{ display: grid }}"]).elements_with(GRID)
    assert elements == set(CSSSelector(selector)(root))


def test_a_page_is_not_searched_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = "div #b { display: grid } div #c { display: grid }"
    assert found(sheet) == {"b", "c", "d"}
    monkeypatch.setattr(element_styles, "MAX_VISITS", 7)  # the page has six elements
    assert found(sheet) == {"b", "d"}


def test_elements_for_cssselect2_are_those_of_its_own_iteration() -> None:
    root = html.document_fromstring("<!-- --><p>a<!-- --><b>b</b><?c?><i>d<u>e</u></i></p><p>f</p>")

    def places(wrappers: Iterable[Any]) -> list[tuple[object, ...]]:
        return [(w.etree_element, w.parent, w.previous, w.index, w.in_html_document) for w in wrappers]

    expected = places(ElementWrapper.from_html_root(root).iter_subtree())
    styles, elements = PageStyles(root, []), list(root.iter(etree.Element))
    for element, place in reversed(list(zip(elements, expected, strict=True))):
        assert places([styles.wrapper_of(element)]) == [place]
    assert (
        places(styles.wrappers_of(reversed(elements))) == places(PageStyles(root, []).wrappers_of(elements)) == expected
    )


def test_sheets_of_a_site_are_read_once() -> None:
    for cached in (rules.rules_of, element_styles._readable, element_styles._finders_with):
        cached.cache_clear()
    shared = [f".c{number} {{ display: grid; margin: {number}px }}" for number in range(50)]
    for page in range(3):
        styles = PageStyles(html.document_fromstring(BODY), [*shared, f"p {{ display: grid; width: {page}px }}"])
        names = ["display", "grid", "margin", "width", "px", "c1", "x", "y"]
        assert all(styles.elements_with(re.compile(f"{name}:grid")) is not None for name in names)
        assert [styles.values(p)["width"] for p in styles.wrappers_of(styles.root.iter("p"))] == [f"{page}px"] * 2
    assert rules.rules_of.cache_info().misses == len(shared) + 3
    assert element_styles._readable.cache_info().misses == len(shared) + 3
