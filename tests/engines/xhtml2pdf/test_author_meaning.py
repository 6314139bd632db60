"""What the author's styles mean, written into the elements, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from wcspider.engines.base import Asset
from wcspider.engines.document.cascade import MAX_TESTS
from wcspider.engines.document.page_parsing import parse_text
from wcspider.engines.xhtml2pdf.source.author_meaning import (
    DISPLAY,
    TOO_COMPLEX,
    TOO_MANY,
    WHITE_SPACE,
    AuthorStyles,
)
from wcspider.web.styles.responsive import Viewport


def applied(sheet: str, body: str, media: str = "print") -> tuple[Any, list[str]]:
    """A document with the styles of a sheet applied, and the warnings."""
    document = parse_text(body)
    styles = AuthorStyles({}, Viewport(media))
    styles.add_text(sheet, "https://example.com/")
    return document, styles.apply(document)


def styled(document: Any) -> Iterator[tuple[str, str]]:
    """The elements whose styles have a meaning, by name and ID, with the meaning."""
    properties = {"white-space": WHITE_SPACE, "display": DISPLAY}
    for element in document.iter():
        found = [f"{name}: {element.get(key)}" for name, key in properties.items() if key in element.attrib]
        if found:
            yield element.get("id") or element.tag, "; ".join(found)


DECLARED = [
    ("display: none", "display: none"),
    ("DISPLAY: None !important", "display: none"),
    ("display: none; display: bogus", "display: none"),
    ("display: none; display: block", "display: block"),
    ("display: flex", "display: block"),
    ("visibility: hidden", "display: none"),
    ("visibility: hidden; visibility: visible", ""),
    ("white-space: pre", "white-space: pre-wrap"),
    ("white-space: pre-wrap; white-space: -x-pre-wrap", "white-space: pre-wrap"),
    ("white-space: nowrap", "white-space: normal"),
    ("white-space: pre-line", "white-space: pre-line"),
    ("font-weight: 700; font-style: oblique", ""),
    ("color: white; background: #036; width: 0; position: absolute; float: left; content: 'x'", ""),
]


@pytest.mark.parametrize(("declared", "expected"), DECLARED)
@pytest.mark.parametrize("place", ["sheet", "attribute"])
def test_declarations(declared: str, expected: str, place: str) -> None:
    sheet, attribute = (f"p {{ {declared} }}", "") if place == "sheet" else ("", declared)
    document, warnings = applied(sheet, f"<p style='color: red; {attribute.replace(chr(39), chr(34))}'>a")
    assert list(styled(document)) == ([("p", expected)] if expected else [])
    assert warnings == []


@pytest.mark.parametrize(
    ("sheet", "hidden"),
    [
        ("#a { display: none }", ["a"]),
        (".k, section > p { display: none }", ["a", "b", "c"]),
        ("p:empty { display: none }", ["c"]),
        ("p:first-child + p { display: none }", ["b"]),
        ("p::before { display: none }", []),
        ("p:has(b) { display: none } p:bogus { display: none } #b { display: none }", ["b"]),
        ("html, body { display: none }", []),  # until a script shows them
        ("@media screen { p { display: none } } @media print { #c { display: none } }", ["c"]),
        ("@layer x { @media print { #a { display: none } } }", ["a"]),
        ("@layer b, a; @layer a { #a { display: none } } @layer b { #a { display: block } }", ["a"]),
        ("@layer a { #a { display: none !important } } #b { display: block }", ["a"]),
        ("section { & > p { #a&, &:last-child { display: none } } }", ["a", "c"]),
        ("@supports (x: y) { p { display: none } }", []),
        ("html body section p { display: none }", ["a", "b", "c"]),
        ("html > body > section > p:first-child + p ~ p { display: none }", ["c"]),
        ("* * * * p { display: none }", []),  # would take for ever in a deep document
        ("svg rect { display: none }", []),
        ("svg { display: none }", ["svg"]),
        (f"{'p ' * 1000} {{ display: none }}", []),
    ],
)
def test_selectors(sheet: str, hidden: list[str]) -> None:
    body = "<section><p id=a class=k>a</p><p id=b>b</p><p id=c></p></section><svg><rect /></svg>"
    document, _ = applied(sheet, body)
    assert [name for name, style in styled(document) if style == "display: none"] == hidden


def test_imports_and_linked_sheets_keep_their_order() -> None:
    sheets = {
        "https://example.com/a.css": b"@import 'b.css'; @import 'a.css'; p { white-space: normal }",
        "https://example.com/b.css": b"p { white-space: pre; display: block }",
    }
    styles = AuthorStyles({url: Asset(body, "text/css") for url, body in sheets.items()}, Viewport("print"))
    styles.add_linked("https://example.com/a.css")
    document = parse_text("<p>a")
    assert styles.apply(document) == []
    assert list(styled(document)) == [("p", "white-space: normal; display: block")]


def test_too_many_rules_are_reported() -> None:
    count = 1_500
    sheet = "".join(f".x [a{number}] {{ display: none }}" for number in range(count))
    body = "<p>a" * (MAX_TESTS // count + 10) + "<p id=last>"
    document, warnings = applied(f"{sheet} #last {{ display: none }}", body)
    assert warnings == [TOO_MANY]
    assert list(styled(document)) == []


@pytest.mark.parametrize(
    ("selectors", "warnings"),
    [
        ("main > section p b", []),
        ("p:bogus", []),
        ("p:has(b)", [TOO_COMPLEX]),
        ("* * * * p", [TOO_COMPLEX]),
        (", ".join(["p"] * 1000), [TOO_COMPLEX]),
    ],
)
def test_rules_that_take_too_long_to_match_are_reported(selectors: str, warnings: list[str]) -> None:
    _, found = applied(f"{selectors} {{ display: none }}", "<p>text")
    assert found == warnings


@pytest.mark.parametrize(
    ("sheet", "is_apart"),
    [
        ("b { float: left }", True),
        ("p { display: flex }", True),
        ("b { display: table-cell }", True),
        ("b { position: fixed }", True),
        ("b { float: left; float: none }", False),
        ("", False),
    ],
)
def test_boxes_in_a_line_are_kept_apart(sheet: str, is_apart: bool) -> None:
    document, _ = applied(sheet, "<p>one<b>two</b>")
    assert (document.find(".//b").get(DISPLAY) == "apart") is is_apart


def test_styles_of_drawings_stay() -> None:
    document, _ = applied(
        "svg { display: block } g { display: none }", "<svg style='fill: red'><g style='fill: blue' /></svg>"
    )
    assert list(styled(document)) == [("svg", "display: block")]
    assert [element.get("style") for element in document.iter("svg", "g")] == ["fill: red", "fill: blue"]
