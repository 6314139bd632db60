"""The question whether a URL without a scheme was meant with one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.exceptions import InvalidURLError
from wcspider.web.addresses import question_with_scheme
from wcspider.web.urls import canonical_url


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("example.com", "https://example.com"),
        ("www.example.com/a?b=c#d", "https://www.example.com/a?b=c#d"),
        ("//example.com/a", "https://example.com/a"),
        ("example.com:8080/a", "https://example.com:8080/a"),
        ("localhost", "http://localhost"),
        ("LOCALHOST:8000/a", "http://LOCALHOST:8000/a"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("[::1]:8000/a", "http://[::1]:8000/a"),
        ("münchen.de", "https://münchen.de"),
    ],
)
def test_a_host_is_recognised(typed: str, meant: str) -> None:
    with pytest.raises(InvalidURLError) as error:
        canonical_url(typed)
    assert error.value.advice == f"did you mean {meant}?"
    assert canonical_url(meant)


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "no URL",
        "guide",
        "/guide/",
        "sitemap.xml",
        "pages/index.html",
        "gopher://example.com/",
        "mailto:me@example.com",
        "me:password@example.com",
        "javascript:1",
        "x" * 201 + ".com",
    ],
)
def test_other_text_gets_the_general_advice(typed: str) -> None:
    with pytest.raises(InvalidURLError) as error:
        canonical_url(typed)
    assert error.value.advice == InvalidURLError.advice


@given(st.text())
def test_any_text_may_be_asked_about(text: str) -> None:
    asked = question_with_scheme(text)
    assert asked is None or asked.startswith("did you mean http")
