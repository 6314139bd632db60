"""The names that selectors need."""

from __future__ import annotations

import pytest
from lxml import html
from lxml.cssselect import CSSSelector

from wcspider.engines.plutobook.css.selector_names import may_match, names_of

PAGE = html.document_fromstring(
    "<div class='a b' id=one><p class=b><i class='c'>x</i></p><p class='b c'>y</p></div><p title='.z #z'>z</p>"
)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (".a", True),
        (".b", True),
        ("p.b.c", True),
        (".a > .c", True),
        (".z .b", False),
        ("#two .b", False),
        ("#one p", True),
        ("p:not(.z)", True),
        (".b:not(.c):not(#two)", True),
        ("[title='.z #z']", True),
        (r".a\:b", True),
        ("*", True),
        (".a " * 200 + "p", True),
    ],
)
def test_selectors_that_may_match(selector: str, expected: bool) -> None:
    assert may_match(selector, names_of(PAGE)) is expected
    assert expected or not CSSSelector(selector)(PAGE)
