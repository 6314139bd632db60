"""The names that selectors need, and how many elements a selector matches at most."""

from __future__ import annotations

from math import inf

import pytest
from lxml import html
from lxml.cssselect import CSSSelector

from wcspider.engines.plutobook.css.selector_names import may_match, most_matches, names_of

PAGE = html.document_fromstring(
    "<div class='a b' id=one><p class=b><i class='c'>x</i></p><p class='b c'>y</p></div><p title='.z #z'>z</p>"
)


@pytest.mark.parametrize(
    ("selector", "most"),
    [
        (".a", 1),
        (".b", 3),
        ("p.b.c", 2),
        (".a > .c", 2),
        (".z .b", 0),
        ("#two .b", 0),
        ("#one p", inf),
        ("p:not(.z)", inf),
        (".b:not(.c):not(#two)", 3),
        ("[title='.z #z']", inf),
        (r".a\:b", inf),
        ("*", inf),
        (".a " * 200 + "p", inf),
    ],
)
def test_most_matches(selector: str, most: float) -> None:
    names = names_of(PAGE)
    assert most_matches(selector, names) == most
    assert may_match(selector, names) is (most > 0)
    assert len(CSSSelector(selector)(PAGE)) <= most
