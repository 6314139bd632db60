"""Large style sheets are read in pieces, with the references that they have as a whole."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wcspider.web.styles import css_pieces
from wcspider.web.styles.css import stylesheet_references

URL = "http://example.com/style.css"
PARTS = st.sampled_from(
    [
        "@import url(/i.css);", "@import '/j.css' print;", "@charset 'utf-8';", "@layer a, b;", "p { color: red }",
        "a::before { content: '}' }",
        ".x { background: url(/x.png) }",
        "@media print { b { background: url(/p.png) } }",
        "@media screen { b { background: url(/s.png) } }", "/* } url(/no.png) */", "i { background: url(a}b.png) }",
        "@font-face { src: url(/f.woff2) format('woff2') }", "u { background: URL( '/q{.png' ) }", "\\} { }", "( } )",
        "} stray", "s { background: image-set('/1.png' 1x) }", "v { background: u\\72l(/e.png) }", "unclosed { a: (",
    ]
)  # fmt: skip


def urls(text: str) -> list[str]:
    """The references of a sheet, in order."""
    return [entry.url for entry in stylesheet_references(text, URL)]


@given(st.lists(PARTS, max_size=12), st.integers(1, 40))
@settings(max_examples=300)
@example(["p { color: red }", "@import url(/no.css);"], 1)
def test_pieces_have_the_references_of_the_sheet(parts: list[str], length: int) -> None:
    text = "\n".join(parts)
    whole = urls(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(css_pieces, "PIECE", length)
        assert "".join(css_pieces.pieces(text)) == text
        assert urls(text) == whole


@given(st.text("{}()[]'\"\\/*url(@;x \n", max_size=80))
def test_any_text_is_taken_apart_without_loss(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(css_pieces, "PIECE", 3)
        patch.setattr(css_pieces, "LONGEST_PIECE", 7)
        assert "".join(css_pieces.pieces(text)) == text
        assert isinstance(urls(text), list)


def test_the_end_of_a_huge_sheet_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(css_pieces, "PIECE", 100)
    monkeypatch.setattr(css_pieces, "READ", 1000)
    rules = [f"p {{ background: url(/{number}.png) }}" for number in range(100)]
    references = stylesheet_references("b { color: red }" * 1000 + "".join(rules), URL)
    found = [entry.url for entry in references]
    assert 20 < len(found) < 40
    assert found == [f"http://example.com/{number}.png" for number in range(len(found))]
    assert references.are_cut
    assert not stylesheet_references("".join(rules[:20]), URL).are_cut


@pytest.mark.parametrize("length", [1, 7, 100, 100_000])
def test_references_behind_the_limit_are_counted_exactly(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(css_pieces, "PIECE", length)
    rules = [f"p {{ color: red; background: URL(/{number}.png) }}\n" for number in range(50)]
    found = stylesheet_references("@import '/i.css';" + "".join(rules), URL, most=11)
    assert [entry.url for entry in found] == urls("@import '/i.css';" + "".join(rules))[:11]
    assert found.unread == 40
    assert not found.are_cut


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    text = "".join(f"p {{ background: url(/{number % 5}.png) }}\n" for number in range(50))
    found = stylesheet_references(text, URL, most=6)
    assert [entry.url for entry in found] == urls(text)
    assert found.unread == 0


@given(st.text("url(@import \"'x;", max_size=120), st.integers(1, 30))
def test_mentions_do_not_depend_on_the_steps(text: str, length: int) -> None:
    whole = css_pieces.mentions(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(css_pieces, "PIECE", length)
        assert css_pieces.mentions(text) == whole
