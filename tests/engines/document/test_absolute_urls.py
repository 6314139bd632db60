"""References made absolute: the caches must not change what a reference means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.engines.document.absolute_urls import NOTHING, absolute
from wcspider.exceptions import InvalidURLError
from wcspider.web.urls import resolve, without_login

BASES = (
    "http://h/a/b.html",
    "http://h/a/c.html",
    "http://h/a/b.html?q=1/2",
    "http://h",
    "https://h:8443/a/b/",
    "http://u:p@h/a/b;p/c",
    "http://h/a//b",
    "file:///a/b.html",
)

REFERENCES = (
    "", "#", "#x", "##", "#a b", "c.html", "c.html#x", "c.html#", "./c#x", "../../c#x.1-2_3~4:5", "/", "//other/c#x",
    "///c", "?q#x", ";p#x", "c;p#x", "c?q=ä#x", "http://other/c#x", "https://other", "http://", "http:c#x", "HTTP://O/#x",
    "mailto:a@b#x", "javascript:f('#x')", "data:,a#b", "c\\d#x", " c#x ", "a:b#x", "c%20d#x", "c#%20", "c#x#y",
    "c #x", "c\x1f#x",
)  # fmt: skip


def direct(base: str, reference: str) -> str:
    """Return what a reference means, without a cache."""
    reference = reference.strip()
    if reference.startswith("data:"):
        return reference
    try:
        url = resolve(base, reference)
    except InvalidURLError:
        return NOTHING
    return without_login(url) if "://" in url else url


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("reference", REFERENCES)
def test_equals_the_reference_resolved_directly(base: str, reference: str) -> None:
    assert absolute(base, reference) == direct(base, reference)


@given(st.sampled_from(BASES), st.text(alphabet="ab./#?:;&%-_~ \\ä@h", max_size=12))
def test_any_reference_equals_the_reference_resolved_directly(base: str, reference: str) -> None:
    assert absolute(base, reference) == direct(base, reference)
