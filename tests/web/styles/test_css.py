"""The references of a style sheet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.resources import AuxiliaryKind
from wcspider.web.styles.css import Reference, stylesheet_references
from wcspider.web.styles.responsive import Viewport
from wcspider.web.urls import canonical_url

URL = "http://h/css/site.css"
DIRECTORY = "http://h/css/"
IMAGE, STYLESHEET, FONT = AuxiliaryKind.IMAGE, AuxiliaryKind.STYLESHEET, AuxiliaryKind.FONT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        # imports
        ("@import 'a';@import url(b);@import url('c') ;", [(STYLESHEET, "a"), (STYLESHEET, "b"), (STYLESHEET, "c")]),
        ("@charset 'x'; @layer l; @import 'a';", [(STYLESHEET, "a")]),
        ("p {} @import 'a';", []),  # behind a rule an import is none
        ("@namespace s url(http://www.w3.org/2000/svg); p { background: url(a) }", [(IMAGE, "a")]),
        ("@import 'a' print; @import 'b' screen, print; @import 'c' (max-width: 9px);", [(STYLESHEET, "b")]),
        (
            "@import 'a' layer; @import 'b' layer(x) supports(display: grid) screen;",
            [(STYLESHEET, "a"), (STYLESHEET, "b")],
        ),
        ("@import 'a' layer(x) print;", []),
        ("@import; @import 5; @import 'a'", [(STYLESHEET, "a")]),
        ("/* @import 'a'; */ @import/**/'b';", [(STYLESHEET, "b")]),
        # images
        (f"p {{ width: {'9' * 5000}px; background: url(a) }}", [(IMAGE, "a")]),  # more than Python makes a number of
        ("p { background: #fff url( a ) , url('b') }", [(IMAGE, "a"), (IMAGE, "b")]),
        ('p { background: URL("a\\29 b") }', [(IMAGE, "a)b")]),
        ("p { --x: url(a); list-style-image: url(b) } @page { background: url(c) }", [(IMAGE, n) for n in "abc"]),
        ("p { background: linear-gradient(red, blue), cross-fade(url(a), url(b)) }", [(IMAGE, "a"), (IMAGE, "b")]),
        ("p { background: image-set('a' 2x, 'b' 1x, url(c) 96dpi) }", [(IMAGE, "b")]),
        ("p { background: -webkit-image-set(url(a) 2x, url(b) 3x) }", [(IMAGE, "a")]),
        ("p { content: 'url(a)' } /* url(b) */", []),
        ("p { cursor: url(a), auto; behavior: url(b); -moz-binding: url(c); fill: url(#d) }", []),
        ("p { background: url(data:image/gif;base64,R0lG) url('') url(about:blank) url(//) }", []),
        # blocks in blocks
        ("@media screen { a:hover { background: url(a) } }", [(IMAGE, "a")]),
        ("@media print { p { background: url(a) } }", []),
        (
            "@supports (x: y) { @media all { @layer l { @container (width) { p { background: url(a) } } } } }",
            [(IMAGE, "a")],
        ),
        ("p { color: red; &:hover { background: url(a) } background: url(b) }", [(IMAGE, "a"), (IMAGE, "b")]),
        ("p { @media screen { background: url(a) } @media print { background: url(b) } }", [(IMAGE, "a")]),
        ("@counter-style x { symbols: url(a) }", [(IMAGE, "a")]),
        ("@keyframes k { from { background: url(a) } }", []),  # nothing moves on paper
        # fonts
        ("@font-face { font-family: F; src: local(F), url(a) }", [(FONT, "a")]),
        ("@font-face { src: url(a.woff2) format('woff2'), url(b.ttf) format('truetype') }", [(FONT, "a.woff2")]),
        ("@font-face { src: url(a) tech(variations) format('woff2') }", [(FONT, "a")]),
        (
            "@font-face { src: url(a.eot); src: url(a.eot?#x) format('embedded-opentype'), url(b) format(WOFF) }",
            [(FONT, "b")],
        ),
        ("@font-face { src: url(a.svg#f) format('svg') } @font-face {}", []),
        ("@media screen { @font-face { src: url(a) } }", [(FONT, "a")]),
        # order, each once
        (
            "@import 'b'; p { background: url(c) } @font-face { src: url(a) } q { background: url(./c#x) url(b) }",
            [(STYLESHEET, "b"), (IMAGE, "c"), (FONT, "a")],
        ),
        # damage
        ("p { background: url(a", [(IMAGE, "a")]),
        ("} p { background: url(a) } ]", [(IMAGE, "a")]),
        ("p { background: url(a b) url(c) }", [(IMAGE, "c")]),
    ],
)
def test_stylesheet_references(text: str, expected: list[tuple[AuxiliaryKind, str]]) -> None:
    assert list(stylesheet_references(text, URL)) == [Reference(DIRECTORY + name, kind) for kind, name in expected]


def test_media_of_print() -> None:
    text = "@import 'a' print; @import 'b' screen; @media print { p { background: url(c) } }"
    references = stylesheet_references(text, URL, viewport=Viewport("print"))
    assert [reference.url for reference in references] == [DIRECTORY + "a", DIRECTORY + "c"]


def test_queries_are_sent_in_the_encoding_of_the_sheet() -> None:
    (reference,) = stylesheet_references("p { background: url(a?é) }", URL, encoding="windows-1252")
    assert reference.url == DIRECTORY + "a?%E9"


@pytest.mark.parametrize(
    "text",
    [
        "p { background: " + "(" * 20_000 + "url(a)",
        "p {" * 20_000,
        "@media all {" * 20_000,
        "@media " + "(" * 20_000 + ")" * 20_000 + "{ p { background: url(a) } }",
        "@import 'a' " + "(" * 20_000 + ";",
    ],
    ids=["values", "rules", "groups", "queries", "imports"],
)
def test_a_sheet_that_is_nested_too_deep_refers_to_nothing(text: str) -> None:
    assert list(stylesheet_references(text, URL)) == []


PIECES = st.sampled_from(
    [
        "@import ",
        "url(",
        "'",
        ")",
        "{",
        "}",
        "@media ",
        "screen",
        "p",
        ":",
        ";",
        ",",
        "(",
        "@font-face",
        "src",
        "//",
        "a",
    ]
)


@given(st.lists(PIECES | st.text(max_size=3)).map("".join))
def test_nothing_in_a_sheet_raises(text: str) -> None:
    references = list(stylesheet_references(text, URL))
    assert len({reference.url for reference in references}) == len(references)
    assert all(canonical_url(reference.url) == reference.url for reference in references)
