"""web/documents/page_refresh.py: the values of META refresh and of the header Refresh.

The expected values are those of the HTML standard:
https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.documents.html_parsing import parse
from wcspider.web.documents.page_refresh import parse_refresh


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0; url=next", (0, "next")),
        ("0,url=next", (0, "next")),
        ("0 url=next", (0, "next")),
        ("0;next", (0, "next")),
        ("0 next", (0, "next")),
        ("\n 5 \t;\fURL \r= next", (5, "next")),
        ("0; url='next'", (0, "next")),
        ('0; url="next" rest', (0, "next")),
        ("0; url='next", (0, "next")),
        ("0; 'url=next'", (0, "url=next")),
        ("0; url=a;b c,d", (0, "a;b c,d")),
        ("0; urls/next", (0, "urls/next")),
        ("0; url", (0, "url")),
        (".5; url=next", (0, "next")),
        ("1.2.3; url=next", (1, "next")),
        ("9999999999999999999999; url=next", (1_000_000_000, "next")),
        ("5", (5, "")),
        ("5 ; ", (5, "")),
        ("5; url=", (5, "")),
        ("0; ; next", (0, "; next")),
        ("", None),
        ("; url=next", None),
        ("-1; url=next", None),
        ("next", None),
        ("0: url=next", None),
        ("0x; url=next", None),
        ("\u00a00; url=next", None),  # not white space of ASCII
        ("\u0665; url=next", None),  # not a digit of ASCII
    ],
)
def test_a_refresh_is_read_as_in_browsers(value: str, expected: tuple[int, str] | None) -> None:
    assert parse_refresh(value) == expected


@given(st.text(alphabet="0.;, \turl='\"x"))
def test_any_value_is_read(value: str) -> None:
    found = parse_refresh(value)
    assert found is None or found.reference in value


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<meta http-equiv=Refresh content='1; a'>", (1, "a")),
        ("<meta/http-equiv='refresh'/content='1; a'/>", (1, "a")),
        ("<meta http-equiv=refresh content=soon><meta http-equiv=refresh content='1; a'>", (1, "a")),
        ("<meta http-equiv=refresh content='1; a'><meta http-equiv=refresh content='2; b'>", (1, "a")),
        ("<body><p><meta http-equiv=refresh content='1; a'>", (1, "a")),
        ("<meta http-equiv=' refresh' content='1; a'>", None),
        ("<meta name=refresh content='1; a'>", None),
        ("<meta http-equiv=refresh>", None),
        ("<noscript><meta http-equiv=refresh content='1; a'></noscript>", None),
    ],
)
def test_the_first_valid_refresh_of_a_document_counts(html: str, expected: tuple[int, str] | None) -> None:
    assert parse(html).refresh == expected
