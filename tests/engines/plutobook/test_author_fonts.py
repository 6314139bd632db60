"""Which files of a web font are tried."""

from __future__ import annotations

import pytest
import tinycss2

from wcspider.engines.plutobook.sheets.author_fonts import plain_sources


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("url(a.ttf)", "url(a.ttf)"),
        ('url("a.woff2") format("woff2"), url(a.woff) format("woff")', 'url("a.woff2") , url(a.woff) '),
        ("url(a.eot) format('embedded-opentype'), url(a.woff) format('woff')", " url(a.woff) "),
        ("local(Name), url(a.woff2) format(woff2) tech(variations)", "local(Name), url(a.woff2)  "),
        ("url(a.svg) format('svg')", ""),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_formats_are_decided_here(value: str, expected: str) -> None:
    assert tinycss2.serialize(plain_sources(tinycss2.parse_component_value_list(value))) == expected
