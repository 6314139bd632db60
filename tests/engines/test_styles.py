"""Declarations as the layout gets them: what is not known is ignored, what can be said in other words is."""

from __future__ import annotations

import pytest

from tests.engines.pages import boxes, render, text
from wcspider.engines.styles import inline

KNOWN = [
    ("white-space: pre-wrap; white-space: -moz-pre-wrap; white-space: -o-pre-wrap", "white-space: pre-wrap"),
    ("white-space: break-spaces", "white-space: pre-wrap"),
    ("white-space: var(--w)", "white-space: var(--w)"),
    ("WHITE-SPACE: Pre-Line", "white-space: pre-line"),
    ("display: none; display: bogus", "display: none"),
    ("display: -ms-flexbox; display: -webkit-flex", "display: flex"),
    ("display: -webkit-box", "display: block"),  # with lines that are cut off: no flex container
    ("display: revert !important", "display: revert !important"),
    ("display: inline flow", "display: inline flow"),  # not one keyword: as it stands
    ("text-decoration: line-through; text-decoration: bogus", "text-decoration: line-through"),
    ("text-decoration: underline dotted red", "text-decoration: underline"),
    ("text-decoration: #f00 2px wavy underline line-through", "text-decoration: underline line-through"),
    ("text-decoration: rgb(1, 2, 3) dotted", "text-decoration: none"),
    ("text-decoration: none", "text-decoration: none"),
    ("text-decoration: inherit", "text-decoration: inherit"),
    ("text-decoration: var(--t)", "text-decoration: var(--t)"),
    ("text-decoration-line: line-through", "text-decoration: line-through"),
    ("list-style-type: upper-roman; list-style-type: bogus", "list-style-type: upper-roman"),
    ('list-style-type: "-"', 'list-style-type: "-"'),
    ("text-align: right; text-align: -webkit-auto", "text-align: right"),
    ("text-align: -webkit-center", "text-align: center"),
    ("float: left; float: footnote", "float: left"),
    ("font-weight: 700; font-weight: fat", "font-weight: 700"),
    ("border-top-style: solid; border-top-style: dot-dot-dash", "border-top-style: solid"),
    ("font-family: bogus", "font-family: bogus"),  # any name may be one
]


@pytest.mark.parametrize(("declared", "expected"), KNOWN)
def test_declarations(declared: str, expected: str) -> None:
    assert inline(declared, "") == expected


def test_lines_stay_lines_where_older_browsers_are_spoken_to() -> None:
    style = "<style>pre { white-space: pre-wrap; white-space: -moz-pre-wrap; white-space: -o-pre-wrap }</style>"
    assert text(render(f"{style}<pre>one\ntwo</pre>")).split("\r\n") == ["one", "two"]


@pytest.mark.parametrize("line", ["line-through", "underline", "underline dotted red"])
@pytest.mark.parametrize("name", ["text-decoration", "text-decoration-line"])
def test_lines_of_text_are_drawn(name: str, line: str) -> None:
    plain, decorated = (render(f"<p style='{style}'>text") for style in ("", f"{name}: {line}"))
    assert boxes(plain) == boxes(decorated)
    assert len(decorated.pdf) > len(plain.pdf) + 10
